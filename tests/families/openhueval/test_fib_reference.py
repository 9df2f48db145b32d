"""The reference scorer's quirks, and what it stumbles on."""

from __future__ import annotations

import pytest

from hueval_metrics.records import FibScore
from lm_eval_tasks.openhueval.metrics.fib_reference import reference_matching, reference_standard
from tests.helpers import load_cases, why

SCORERS = {"matching": reference_matching, "standard": reference_standard}


def named(case: dict) -> str:
    return f"{case['task']}: {why(case)}"


@pytest.mark.parametrize("case", load_cases("fib_reference"), ids=named)
def test_reference(case):
    score = SCORERS[case["task"]](case["response"], case["gold"])
    assert score == FibScore(case["correct"], len(case["gold"]), case["complete"])

"""The reference scorer's quirks, and what it stumbles on."""

from __future__ import annotations

import pytest
from hypothesis import given

from lm_eval_tasks.openhueval.metrics.fib import FibScore
from lm_eval_tasks.openhueval.metrics.fib_reference import reference_matching, reference_standard
from lm_eval_tasks.openhueval.metrics.two_choice import reference_choice
from tests.answers.test_any_text import TEXT, huge
from tests.helpers import load_cases, why
from tests.linear import slower_than_linear

SCORERS = {"matching": reference_matching, "standard": reference_standard}


def named(case: dict) -> str:
    return f"{case['task']}: {why(case)}"


@pytest.mark.parametrize("case", load_cases("fib_reference"), ids=named)
def test_reference(case):
    score = SCORERS[case["task"]](case["response"], case["gold"])
    assert score == FibScore(case["correct"], len(case["gold"]), case["complete"])


@given(TEXT)
def test_any_text_is_scored(text):
    assert reference_choice(text) in (1, 2, None)
    assert 0 <= reference_matching(text, ["#0#F", "#1#A"]).correct <= 2
    assert reference_standard(text, ["#0#a;b", "#1#c"]).correct >= 0


def test_huge_text_is_read_in_linear_time():
    def read(text):
        assert reference_matching(text, ["#0#G"]).correct == 0
        assert reference_standard(text, ["#0#ő"]).correct == 0

    assert not slower_than_linear(read, huge)

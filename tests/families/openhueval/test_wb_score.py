"""The WB-score, and the reference's rescaling of it."""

from __future__ import annotations

import pytest

from lm_eval_tasks.openhueval.metrics.wb_score import WB_SCORE, WB_SCORE_REF
from tests.helpers import load_cases, why


@pytest.mark.parametrize("case", load_cases("wild_bench"), ids=why)
def test_literal(case):
    assert WB_SCORE(case["scores"]) == case["wb_score"]
    assert WB_SCORE_REF(case["scores"]) == case["wb_score_ref"]

"""The WB-score, and the reference's rescaling of it."""

from __future__ import annotations

import pytest

from hueval_metrics.metrics.wild_bench import wb_score, wb_score_ref
from tests.helpers import load_cases, why


@pytest.mark.parametrize("case", load_cases("wild_bench"), ids=why)
def test_literal(case):
    assert wb_score(case["scores"]) == case["wb_score"]
    assert wb_score_ref(case["scores"]) == case["wb_score_ref"]

"""Holm's correction against statsmodels, and by hand."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from statsmodels.stats.multitest import multipletests

from hueval_metrics.stats.multiple import holm

P_VALUES = st.lists(st.floats(0, 1), min_size=1, max_size=30)


@pytest.mark.nightly
@settings(max_examples=30)  # statsmodels takes 20 ms each
@given(P_VALUES)
def test_agrees_with_statsmodels(p_values):
    assert holm(p_values) == pytest.approx(list(multipletests(p_values, method="holm")[1]), abs=1e-15)


@pytest.mark.parametrize(
    ("why", "p_values", "expected"),
    [
        ("no test", [], []),
        ("a single test stays as it is", [0.04], [0.04]),
        ("step by step: 3 × 0.01, 2 × 0.02, 1 × 0.03 held at 0.04", [0.01, 0.02, 0.03], [0.03, 0.04, 0.04]),
        ("in the order given", [0.03, 0.01, 0.02], [0.04, 0.03, 0.04]),
        ("ties stay ties", [0.01, 0.01, 0.5], [0.03, 0.03, 0.5]),
        ("at most 1", [0.6, 0.9], [1.0, 1.0]),
        ("what was not tested is not counted", [None, 0.02, None], [None, 0.02, None]),
        ("0 and 1", [0.0, 1.0], [0.0, 1.0]),
    ],
)
def test_literal(why, p_values, expected):
    assert holm(p_values) == [None if p is None else pytest.approx(p) for p in expected], why


@given(P_VALUES)
def test_never_smaller_and_in_the_same_order(p_values):
    corrected = holm(p_values)
    assert all(after >= before for before, after in zip(p_values, corrected, strict=True))
    by_p = [after for _, after in sorted(zip(p_values, corrected, strict=True))]
    assert by_p == sorted(by_p)

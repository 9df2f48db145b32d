"""HuProverbRea-OE: what a judge's label counts for."""

from __future__ import annotations

import pytest

from hueval_metrics.metrics.basic import PERCENT
from lm_eval_tasks.openhueval.metrics.open_ended import is_accepted


@pytest.mark.parametrize(
    ("label", "accepted"),
    [("YES", 1.0), ("NO", 0.0), (None, None), ("", None), ("CORRECT", None)],
)
def test_label(label, accepted):
    assert is_accepted(label) == accepted


def test_accuracy_is_among_the_judged():
    assert PERCENT(map(is_accepted, ["YES", "NO", None, "YES", "NO", None])) == 50.0
    assert PERCENT(map(is_accepted, [None])) is None

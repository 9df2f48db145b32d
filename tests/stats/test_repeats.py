"""Repeated runs against scipy, and one run."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import sem

from hueval_metrics.stats.repeats import Repeats, repeated


@pytest.mark.parametrize("k", [2, 3, 5, 32])
def test_agrees_with_scipy(k):
    scores = np.random.default_rng(k).random(k) * 100
    found = repeated(scores.tolist())
    assert (found.k, found.minimum, found.maximum) == (k, scores.min(), scores.max())
    assert (found.mean, found.sd) == (pytest.approx(scores.mean()), pytest.approx(np.std(scores, ddof=1)))
    assert found.standard_error == pytest.approx(sem(scores))


def test_one_run_has_no_spread():
    assert repeated([61.5]) == Repeats(1, 61.5, None, None, 61.5, 61.5)


def test_runs_that_agree():
    assert repeated([61.5] * 3) == Repeats(3, 61.5, 0.0, 0.0, 61.5, 61.5)


@pytest.mark.parametrize("scores", [[], [1.0, float("nan")], [float("inf")]])
def test_no_scores(scores):
    with pytest.raises(ValueError, match="finite"):
        repeated(scores)

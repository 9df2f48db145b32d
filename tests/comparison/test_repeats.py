from pathlib import Path

import numpy as np
import pytest
from scipy.stats import sem

from hueval_metrics.comparison.options import CompareOptions
from hueval_metrics.comparison.repeats import Repeats, repeated, repeated_scores
from hueval_metrics.errors import InputError
from tests.comparison.conftest import QA, SIGNATURE
from tests.each import each
from tests.helpers import changed, run_of


def runs(*scores):
    signature = SIGNATURE.format(task=QA)
    return [
        run_of(f"M ({i})", Path(f"{i}/results.json"), {QA: {"correct": score, "ece": 0.1}}, signature={QA: signature})
        for i, score in enumerate(scores)
    ]


def test_mean_and_deviation_of_the_headline():
    (found,) = repeated_scores(runs(60.0, 62.0, 64.0))
    assert (found.task, found.metric, found.is_percent, found.n_without) == (QA, "correct", True, 0)
    assert (found.spread.k, found.spread.mean, found.spread.sd) == (3, 62.0, 2.0)


def test_every_metric_that_is_asked_for():
    assert [one.metric for one in repeated_scores(runs(60.0, 62.0), CompareOptions(metrics=["correct", "ece"]))] == [
        "correct",
        "ece",
    ]


def test_a_run_without_a_score_is_counted():
    (found,) = repeated_scores(runs(60.0, None, 64.0))
    assert (found.spread.k, found.n_without) == (2, 1)


def test_runs_that_differ_in_more_than_the_draw_are_no_repeats():
    first, second = runs(60.0, 62.0)
    other = changed(second, signature=second.tasks[QA].signature.replace("hu-1f0c9a2b", "en-0"))
    with pytest.raises(InputError, match=r"M \(0\) and M \(1\) are no repeats of one another: different prompt"):
        repeated_scores([first, other])
    assert repeated_scores([first, other], CompareOptions(despite=["prompts"]))


@pytest.mark.parametrize(
    ("given", "message"),
    [(runs(60.0), "one run shows no spread"), (runs(None, None), "no scores to repeat")],
)
def test_nothing_to_repeat_is_said(given, message):
    with pytest.raises(InputError, match=message):
        repeated_scores(given)


@each("k", [2, 3, 5, 32])
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

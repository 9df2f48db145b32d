"""How often the 95 % interval of the difference of two runs holds the true one, and how often the test errs.

Simulated are questions whose difficulty both models share, and which differ for each model besides. A pair of runs
draws as many as the benchmark has, or one of its dimensions. Three shares are printed, in percent:

- held: the interval holds the true difference; 93 to 97 are demanded;
- above: it lies above the true difference, so that a margin of just that size would be called kept: 2.5 at its best;
- errs: of two models that are equally good, the test at 5 % calls one of them better; at most 6 are demanded. McNemar's
  exact test is cautious by design, the more so the fewer questions.

Prints the table in hueval_metrics/stats/README.md; takes about ten minutes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import TYPE_CHECKING

import numpy as np
from scipy.special import expit
from simulations import answered
from simulations.tables import RESAMPLES, Row, Table, is_kept

from hueval_metrics.comparison.results import ALPHA
from hueval_metrics.metric import Metric
from hueval_metrics.metrics.basic import PERCENT, POOLED
from hueval_metrics.metrics.confidence import BINS, ECE, bin_of
from hueval_metrics.metrics.simple_qa import F_SCORE
from hueval_metrics.stats.joint import MetricTerms, joint_scores
from hueval_metrics.stats.paired import PairedDifference, paired_differences
from lm_eval_tasks.openhueval.metrics.wb_score import WB_SCORE

if TYPE_CHECKING:
    from simulations.tables import Numbers

PERMUTATIONS = 500  # as with resamples, a twentieth of those of `hueval compare`, which would take as much longer
QUESTIONS = 400_000  # whose difference counts as the true one
Draw = Callable[[np.random.Generator, int, float], "Numbers"]  # questions, lead of the first → terms of both models


def yes_or_no(draws: np.random.Generator, n: int, lead: float) -> Numbers:
    """One question is right or wrong."""
    return answered.yes_or_no(draws, _skill(draws, n, lead))


def blanks(draws: np.random.Generator, n: int, lead: float) -> Numbers:
    """Three to fourteen blanks a question, as hard as one another."""
    sizes = draws.integers(3, 15, n)
    skill = 1.5 * draws.normal(size=n) + 0.7 * draws.normal(size=(2, n)) + [[lead], [0.0]]
    right = draws.binomial(sizes, expit(skill)).astype(float)
    return np.stack([right, np.broadcast_to(sizes, right.shape)], axis=-1)


def judged(draws: np.random.Generator, n: int, lead: float) -> Numbers:
    """Scores from 1 to 10."""
    quality = draws.normal(size=n) + draws.normal(size=(2, n)) + [[lead], [0.0]]
    return answered.with_ones(np.clip(np.round(6 + 1.5 * quality), 1, 10))


def attempted(draws: np.random.Generator, n: int, lead: float) -> Numbers:
    """F: of what is not right, three in ten are not attempted."""
    return answered.attempted(draws, _skill(draws, n, lead))


def calibrated(draws: np.random.Generator, n: int, lead: float) -> Numbers:
    """Both are overconfident, and the first is right less often by its lead: its error is the larger one."""
    difficulty = 2 * draws.normal(size=n)
    right = draws.random((2, n)) < expit(difficulty - [[lead], [0.0]])
    confidence = np.round(expit(0.7 * difficulty + 1.5 + 0.5 * draws.normal(size=(2, n))), 2)
    places = np.vectorize(BIN_OF_PERCENT.__getitem__)(np.round(100 * confidence).astype(int))[..., None]
    terms = np.zeros((2, n, 2 * BINS))
    np.put_along_axis(terms, places, (confidence - right)[..., None], axis=2)
    np.put_along_axis(terms, BINS + places, 1.0, axis=2)
    return terms


BIN_OF_PERCENT = [bin_of(percent / 100, BINS) for percent in range(101)]
# What is compared: how it is drawn, questions, lead of the first in units of the logit or the score, metric.
CASES: dict[str, tuple[Draw, int, float, Metric]] = {
    "yes or no, 30 questions": (yes_or_no, 30, 1.0, PERCENT),
    "yes or no, 93 questions": (yes_or_no, 93, 0.5, PERCENT),
    "yes or no, 1,343 questions": (yes_or_no, 1343, 0.3, PERCENT),
    "blanks of 20 questions": (blanks, 20, 0.5, POOLED),
    "blanks of 93 questions": (blanks, 93, 0.5, POOLED),
    "blanks of 278 questions": (blanks, 278, 0.5, POOLED),
    "WB-score, 60 questions": (judged, 60, 0.2, WB_SCORE),
    "WB-score, 1,154 questions": (judged, 1154, 0.2, WB_SCORE),
    "F, 100 questions": (attempted, 100, 0.3, F_SCORE),
    "F, 1,343 questions": (attempted, 1343, 0.3, F_SCORE),
    "ECE, 1,343 answers, a bit worse": (calibrated, 1343, 0.4, ECE),
    "ECE, 1,343 answers, far worse": (calibrated, 1343, 2.0, ECE),
}


def simulate(case: str, runs: int) -> tuple[float, float, float]:
    """Percentages of pairs of runs: held, above, errs."""
    draw, n, lead, metric = CASES[case]
    draws = np.random.default_rng(list(CASES).index(case))
    first, second = metric.compute(draw(draws, QUESTIONS, lead).sum(axis=1))
    truth = float(first - second)
    held, above, errs = [], [], []
    for run in range(runs):
        compare = partial(_compared, metric=metric, seed=run)
        low, high = compare(draw(draws, n, lead), permutations=1).ci95 or (np.nan, np.nan)
        held.append(low <= truth <= high)
        above.append(low > truth)
        alike = compare(draw(draws, n, 0.0), resamples=2, permutations=PERMUTATIONS)
        errs.append(alike.p is not None and alike.p < ALPHA)
    return tuple(100 * float(np.mean(share)) for share in (held, above, errs))  # type: ignore[return-value]


def _compared(
    terms: Numbers,
    *,
    metric: Metric,
    seed: int,
    resamples: int = RESAMPLES,
    permutations: int = PERMUTATIONS,
) -> PairedDifference:
    metrics = {"": MetricTerms(terms, metric)}
    scores = joint_scores("AB", metrics, resamples=resamples, seed=seed)
    (found,) = paired_differences(metrics, scores, [(0, 1)], permutations=permutations)[""]
    assert found is not None
    return found


def _skill(draws: np.random.Generator, n: int, lead: float) -> Numbers:
    return 2 * draws.normal(size=n) + [[lead], [0.0]]


def row(case: str, runs: int) -> Iterator[Row]:
    """The shares of a case."""
    held, above, errs = simulate(case, runs)
    yield [case, f"{held:.1f}", f"{above:.1f}", f"{errs:.1f}"], is_kept(held, errs)


TABLES = {
    "paired": Table(("What is compared", "held", "above", "errs"), row, CASES, runs=2000),
}

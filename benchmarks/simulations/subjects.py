"""How often the intervals of a micro average over subjects of unequal size and difficulty cover the truth.

HKMMLU has 66 subjects of 103 to 2,201 questions. A question is right with the chance of its subject, which differs
between subjects by a standard deviation on the scale of the logit; the subjects and their sizes are given, questions
are drawn. The interval is Wilson's over all questions, as of one task, and of two models Tango's with McNemar's test.
Both take the subjects for one population: what subjects differ in counts as chance, and the interval is a bit too wide.

Prints the table in hueval_metrics/stats/README.md; takes about a minute.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np
from scipy.optimize import brentq
from scipy.special import expit, logit
from simulations.tables import Row, Table

from hf_datasets.hkmmlu.subjects import SUBJECTS
from hueval_metrics.stats.intervals import wilson
from hueval_metrics.stats.mcnemar import mcnemar_p, paired_difference_ci95

if TYPE_CHECKING:
    from simulations.tables import Integers, Numbers

SPREADS = (0.0, 0.5, 1.0, 2.0)  # between subjects, in units of the logit
LEVELS = (0.3, 0.6, 0.85)  # of an average subject
AGREEING = 0.6  # of questions on which two models give the same answer, right or wrong
SHIFTS = 10  # levels around each of LEVELS: one alone is held more or less often with each question more


def sizes(category: str | None, share: float) -> Integers:
    """Questions of each subject of a category, or of all."""
    return np.array(
        [max(1, round(share * one.printed)) for one in SUBJECTS.values() if category in (None, one.category)]
    )


def chances(n: Integers, level: float, spread: float, draws: np.random.Generator) -> Numbers:
    """Of each subject the chance of a right answer."""
    return np.asarray(expit(logit(level) + spread * draws.normal(size=len(n))))


def alone(n: Integers, spread: float, runs: int) -> float:
    """The percentage of Wilson's intervals that hold the truth."""
    draws = np.random.default_rng(round(10 * spread))
    held = 0
    for level in np.add.outer(LEVELS, np.linspace(-0.05, 0.05, SHIFTS)).ravel():
        chance = chances(n, level, spread, draws)
        truth = n @ chance / n.sum()
        for right in draws.binomial(n, chance, size=(runs // (SHIFTS * len(LEVELS)), len(n))).sum(axis=1):
            low, high = wilson(right, n.sum())
            held += low <= truth <= high
    return 100 * held / (runs // (SHIFTS * len(LEVELS)) * SHIFTS * len(LEVELS))


def paired(n: Integers, spread: float, runs: int) -> tuple[float, float]:
    """The percentage of Tango's intervals that hold the true difference of 0, and of tests that find another."""
    draws = np.random.default_rng(100 + round(10 * spread))
    held = errs = 0
    for _ in range(runs):
        # Each model is better in some subjects; over all questions they are equally good.
        tilt = spread * draws.normal(size=len(n))
        level = brentq(lambda shift, tilt=tilt: n @ expit(tilt + shift) / n.sum() - 0.5, -9, 9, xtol=1e-9)
        lead = expit(tilt + level)
        differing = draws.binomial(n, 1 - AGREEING)
        first = int(draws.binomial(differing, lead).sum())
        second = int(differing.sum()) - first
        low, high = paired_difference_ci95(first, second, int(n.sum()))
        held += low <= 0 <= high
        errs += mcnemar_p(first, second) < 0.05
    return 100 * held / runs, 100 * errs / runs


def rows(title: str, runs: int) -> Iterator[Row]:
    """One model, and two; pairs of models are fewer, since they take longer."""
    n = sizes(*_CASES[title])
    yield [f"{title} ({n.sum():,} questions)", *(f"{alone(n, spread, runs):.1f}" for spread in SPREADS)], True
    both = [paired(n, spread, runs * 2 // 15) for spread in SPREADS]
    yield ["… two models: held", *(f"{held:.1f}" for held, _ in both)], True
    yield ["… two models: errs", *(f"{errs:.1f}" for _, errs in both)], True


# Category and share of its questions.
_CASES = {"all subjects": (None, 1.0), "STEM": ("STEM", 1.0), "all subjects, one question in 40": (None, 1 / 40)}
TABLES = {"subjects": Table(("Micro average", *(f"{spread:g}" for spread in SPREADS)), rows, _CASES, runs=30_000)}

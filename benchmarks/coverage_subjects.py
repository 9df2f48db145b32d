"""How often the intervals of a micro average over subjects of unequal size and difficulty cover the truth.

HKMMLU has 66 subjects of 103 to 2,201 questions. A question is right with the chance of its subject, which differs
between subjects by a standard deviation on the scale of the logit; the subjects and their sizes are given, questions
are drawn. The interval is Wilson's over all questions, as of one task, and of two models Tango's with McNemar's test.
Both take the subjects for one population: what subjects differ in counts as chance, and the interval is a bit too wide.

Prints the table in hueval_metrics/stats/README.md; takes about a minute.
"""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

import numpy as np
from scipy.optimize import brentq
from scipy.special import expit, logit

from hf_datasets.hkmmlu.subjects import SUBJECTS
from hueval_metrics.stats.intervals import wilson
from hueval_metrics.stats.mcnemar import mcnemar_p, paired_difference_ci95

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Numbers = NDArray[np.float64]

SPREADS = (0.0, 0.5, 1.0, 2.0)  # between subjects, in units of the logit
LEVELS = (0.3, 0.6, 0.85)  # of an average subject
AGREEING = 0.6  # of questions on which two models give the same answer, right or wrong
SHIFTS = 10  # levels around each of LEVELS: one alone is held more or less often with each question more


def sizes(category: str | None, share: float) -> NDArray[np.intp]:
    """Questions of each subject of a category, or of all."""
    return np.array(
        [max(1, round(share * one.printed)) for one in SUBJECTS.values() if category in (None, one.category)]
    )


def chances(n: NDArray[np.intp], level: float, spread: float, draws: np.random.Generator) -> Numbers:
    """Of each subject the chance of a right answer."""
    return np.asarray(expit(logit(level) + spread * draws.normal(size=len(n))))


def alone(n: NDArray[np.intp], spread: float, runs: int) -> float:
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


def paired(n: NDArray[np.intp], spread: float, runs: int) -> tuple[float, float]:
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


def main() -> None:
    """Simulate and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=30_000)
    parser.add_argument("--pairs", type=int, default=4_000)
    args = parser.parse_args()
    print(f"| Micro average | {' | '.join(f'{spread:g}' for spread in SPREADS)} |\n| --- |{' ---: |' * len(SPREADS)}")
    for title, category, share in (
        ("all subjects", None, 1.0),
        ("STEM", "STEM", 1.0),
        ("all subjects, one question in 40", None, 1 / 40),
    ):
        n = sizes(category, share)
        title = f"{title} ({n.sum():,} questions)"
        print(f"| {title} | {' | '.join(f'{alone(n, spread, args.runs):.1f}' for spread in SPREADS)} |", flush=True)
        both = [paired(n, spread, args.pairs) for spread in SPREADS]
        print(f"| … two models: held | {' | '.join(f'{held:.1f}' for held, _ in both)} |")
        print(f"| … two models: errs | {' | '.join(f'{errs:.1f}' for _, errs in both)} |", flush=True)


if __name__ == "__main__":
    main()

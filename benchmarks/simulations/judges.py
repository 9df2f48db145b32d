"""How often the intervals of `hueval judge-bench` contain the true value: 100 questions, 3 models' answers to each.

A judge errs on some questions more than on others, and calls wrong answers right more often when they are long.
Drawn by verdict: of the answers that it calls wrong only a third is kept, with weight 3.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

import numpy as np
from simulations.tables import Row, Table

from hueval_metrics.judges.bench.sums import Sums

QUESTIONS, MODELS = 100, 3
RIGHT = 0.35  # share of right answers
SKILL, LENIENT = (6.4, 1.6), 0.2  # the judge's: beta by question; long wrong ones that it takes for right
LABELS = ("right", "wrong")


def judged(questions: int, draws: np.random.Generator) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Whether each answer is right, whether the judge says so, and its length."""
    skill = np.repeat(draws.beta(*SKILL, questions), MODELS)
    n = len(skill)
    true, length = draws.random(n) < RIGHT, draws.integers(1, 1000, n)
    said = np.where(draws.random(n) < skill, true, ~true)
    return true, said | ((length > 666) & ~true & (draws.random(n) < LENIENT)), length


def statistics(true, said, length, weights, clusters) -> Sums:
    """The statistics of `judge_bench.measure`."""
    found = Sums(weights * len(weights) / weights.sum(), clusters)
    error = 100.0 * (said.astype(float) - true)
    found.share("agreement", (true == said).astype(float))
    found.share("sensitivity", said.astype(float), true.astype(float))
    found.mean("score - reference", error)
    found.gap("length", error, length > 666, length <= 333, [str(one) for one in true])
    pairs = [(LABELS[0] if a else LABELS[1], LABELS[0] if b else LABELS[1]) for a, b in zip(true, said, strict=True)]
    found.agreement_beyond_chance(pairs, LABELS, is_label=True)
    return found


def truth() -> dict[str, float]:
    """The values in a very large population."""
    true, said, length = judged(1_000_000, np.random.default_rng(1))
    error = 100.0 * (said.astype(float) - true)
    long, short = length > 666, length <= 333
    gaps = [error[long & alike].mean() - error[short & alike].mean() for alike in (true, ~true)]
    common = [1 / (1 / (long & alike).sum() + 1 / (short & alike).sum()) for alike in (true, ~true)]
    apart, (p, q) = (true != said).mean(), (true.mean(), said.mean())
    both = (p + q) / 2
    return {
        "agreement": 100 * (1 - apart),
        "sensitivity": 100 * said[true].mean(),
        "score - reference": error.mean(),
        "length": float(np.average(gaps, weights=common)),
        "kappa": 1 - apart / (p * (1 - q) + q * (1 - p)),
        "alpha": 1 - apart / (2 * both * (1 - both)),
    }


def rows(_: str, runs: int) -> Iterator[Row]:
    """Both ways of choosing answers, of the same runs."""
    draws, expected = np.random.default_rng(0), truth()
    held: dict[str, Counter[str]] = {"every answer": Counter(), "drawn by verdict": Counter()}
    for _ in range(runs):
        true, said, length = judged(QUESTIONS, draws)
        clusters = np.repeat(np.arange(QUESTIONS), MODELS).astype(str)
        kept = said | (draws.random(len(said)) < 1 / 3)
        weights = {"every answer": np.ones(len(said)), "drawn by verdict": np.where(said, 1.0, 3.0)}
        for name, counts in held.items():
            own = kept if name == "drawn by verdict" else np.ones(len(said), bool)
            some = (true[own], said[own], length[own], weights[name][own], clusters[own].tolist())
            for statistic, one in statistics(*some).estimates().items():
                if one is not None and one.ci95 is not None:
                    counts[statistic] += one.ci95[0] <= expected[statistic] <= one.ci95[1]
    for name, counts in held.items():
        yield [name, *(f"{100 * counts[one] / runs:.1f}" for one in STATISTICS)], True


STATISTICS = ("agreement", "sensitivity", "score - reference", "length", "kappa", "alpha")
TABLES = {"judge-bench": Table(("Held, %", *STATISTICS), rows, ["both"])}

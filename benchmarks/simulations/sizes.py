"""How often the 95 % intervals hold the true value: few and many clusters, equal and unequal; few answers; labels.

`tasks.py` has the benchmark's tasks at their real sizes; here are sizes of samples, limits and other benchmarks.
Each run draws questions, or answers with a confidence, from a super-population and gets its interval from the function
that `hueval score` uses. Cells that get a mark there (`stats.intervals.coverage_note`) have one here; the others must
hold the true value in 93 % or more. Prints the tables in hueval_metrics/stats/README.md.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

import numpy as np
from scipy.stats import betabinom
from simulations.populations import STANDARD
from simulations.tables import RESAMPLES, Row, Table, holds

from hueval_metrics.metric import Metric
from hueval_metrics.metrics.basic import POOLED
from hueval_metrics.metrics.classification import balanced_accuracy, f1_macro, f1_weighted, mcc
from hueval_metrics.metrics.confidence import ECE
from hueval_metrics.reports.notes import NARROW
from hueval_metrics.stats.intervals import coverage_note, intervals

if TYPE_CHECKING:
    from simulations.tables import Numbers

DEMANDED = 93.0
CLUSTERS = (10, 30, 50, 93, 278, 1343)
ANSWERS = (50, 100, 200, 400, 1000)
BLANKS = {  # blanks of a question → how many questions have so many
    "equal": {8: 1},
    "as HuStandardFIB": dict(sum(map(Counter, STANDARD.values()), Counter())),
    "unequal": {1: 1, 2: 1, 4: 2, 8: 2, 16: 1, 24: 1},
    "very unequal": {1: 35, 2: 25, 5: 18, 15: 12, 40: 7, 100: 3},
}
RIGHT = (0.08, 0.35, 0.6, 0.8)  # shares of right blanks; a cell is their mean, as for one model alone it jumps
_DIFFICULTY = 2.0  # alpha + beta of the questions' beta distribution
CONFIDENCES = {  # stated → how often
    "spread": {0.1: 2, 0.3: 4, 0.5: 10, 0.7: 14, 0.8: 20, 0.9: 30, 1.0: 20},
    "high": {0.9: 20, 0.95: 30, 1.0: 50},
}
GAPS = (0.0, 0.15)  # how much less often right than said
ITEMS = (100, 243, 910)  # as HuCoPA, HuRTE and HuCOLA have
LABELS = {"50:50": (0.5, 0.5), "78:22": (0.78, 0.22), "40:22:38": (0.40, 0.22, 0.38)}
CLASSIFICATION = {"MCC": mcc, "balanced accuracy": balanced_accuracy, "macro F1": f1_macro, "weighted F1": f1_weighted}
KNOWN = (0.05, 0.3, 0.6, 0.9)  # shares of items whose label a model knows; a cell is their mean
LEANING = (0.0, 0.8)  # how often it says the first label where it does not, instead of any with its share


def blanks(lengths: dict[int, int], right: float) -> tuple[Numbers, Numbers]:
    """The rows of a question, right and all blanks, and how likely each is."""
    rows, shares = [], []
    for length, times in lengths.items():
        counts = np.arange(length + 1)
        rows.append(np.column_stack([counts, np.full(length + 1, length)]))
        shares.append(times * betabinom(length, right * _DIFFICULTY, (1 - right) * _DIFFICULTY).pmf(counts))
    return np.concatenate(rows).astype(float), np.concatenate(shares)


def answers(stated: dict[float, int], gap: float) -> tuple[Numbers, Numbers]:
    """The rows of an answer with a confidence, and how likely each is."""
    pairs = [(confidence, outcome) for confidence in stated for outcome in (1.0, 0.0)]
    right = {confidence: max(confidence - gap, 0.0) for confidence in stated}
    shares = [stated[c] * (right[c] if outcome else 1 - right[c]) for c, outcome in pairs]
    return ECE.rows(pairs, range(len(pairs))), np.array(shares)


def labelled(labels: Sequence[float], known: float, leaning: float) -> tuple[list[tuple[int, int]], Numbers]:
    """The pairs of label and guess, and how likely each is."""
    shares = np.array(labels)
    guessed = (1 - leaning) * shares + leaning * np.eye(len(shares))[0]
    each = shares[:, None] * (known * np.eye(len(shares)) + (1 - known) * guessed)
    return [(gold, guess) for gold in range(len(shares)) for guess in range(len(shares))], each.ravel()


def held(of: Metric, rows: Numbers, shares: Numbers, n: int, runs: int) -> tuple[float, float]:
    """The shares of runs of n clusters whose interval holds the true value, and of those that get a mark."""
    shares = shares / shares.sum()
    truth = float(of.compute(shares @ rows))
    draws = np.random.default_rng(n)
    hits = marked = 0
    for run in range(runs):
        counts = draws.multinomial(n, shares)
        seen = np.flatnonzero(counts)
        found = intervals({"": (of, rows[seen])}, counts=counts[seen], resamples=RESAMPLES, seed=run)[""]
        hits += holds(found, truth)
        marked += coverage_note(of, rows[seen], counts[seen]) is not None
    return hits / runs, marked / runs


def row(name: str, cells: Sequence[tuple[float, float]]) -> Iterator[Row]:
    """The row of some cells; those with a mark may hold less."""
    texts = [f"{100 * share:.1f}{NARROW * (marked > 0.5)}" for share, marked in cells]
    yield [name, *texts], all(100 * share >= DEMANDED or marked > 0.5 for share, marked in cells)


def mean(cells: Sequence[tuple[float, float]]) -> tuple[float, float]:
    """The cell of many models."""
    return float(np.mean([share for share, _ in cells])), float(np.mean([marked for _, marked in cells]))


def blank_row(name: str, runs: int) -> Iterator[Row]:
    """Pooled blanks of questions with so many."""
    each = [[held(POOLED, *blanks(BLANKS[name], right), n, runs // len(RIGHT)) for right in RIGHT] for n in CLUSTERS]
    return row(name, [mean(some) for some in each])


def answer_row(name: str, runs: int) -> Iterator[Row]:
    """Calibration error of answers with such confidences."""
    stated, gap = _ANSWERS[name]
    return row(name, [held(ECE, *answers(CONFIDENCES[stated], gap), n, runs) for n in ANSWERS])


def label_row(name: str, runs: int) -> Iterator[Row]:
    """A metric of labels and guesses."""
    of, labels = _LABELS[name]
    models = [labelled(labels, known, leaning) for known in KNOWN for leaning in LEANING]
    each = [
        [held(of, of.rows(pairs, range(len(pairs))), shares, n, runs // len(models)) for pairs, shares in models]
        for n in ITEMS
    ]
    return row(name, [mean(some) for some in each])


_ANSWERS = {f"{name}, {gap:g} too sure": (name, gap) for name in CONFIDENCES for gap in GAPS}
_LABELS = {
    f"{name}, labels {shown}": (metric(len(labels)), labels)
    for name, metric in CLASSIFICATION.items()
    for shown, labels in LABELS.items()
}
TABLES = {
    "clusters": Table(("Pooled blanks of questions", *map(str, CLUSTERS)), blank_row, BLANKS),
    "answers": Table(("ECE of answers", *map(str, ANSWERS)), answer_row, _ANSWERS),
    "labels": Table(("Labels and guesses of items", *map(str, ITEMS)), label_row, _LABELS),
}

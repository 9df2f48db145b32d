"""How often the flag `inverted` is raised for runs that are not inverted, and how often for those that are.

Keys have the sizes and the skew of our tasks. A clean model knows some answers and guesses the others, each label at a
rate of its own: from one that knows two of three to one that guesses all, and one that gives a single label nearly
always. A pair of presentations is guessed alike in half of the pairs. An inverted one has 90 % of a good model's
answers exchanged for the next label. p is not corrected, as in a table of one run and one task: Holm's correction makes
the flag rarer.

Prints the table in docs/reference/flags.md; takes about a minute.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np
from simulations.tables import Row, Table

from hueval_metrics.scoring.flags import INVERTED_P
from hueval_metrics.stats.matches import fewer_matches_p

if TYPE_CHECKING:
    from simulations.tables import Integers

MOST_FALSE, LEAST_FOUND = 0.2, 95.0  # percent, demanded
KEYS = {  # how many items have each label
    "HuWNLI": (33, 27),
    "HuCoPA": (53, 47),
    "HuCOLA": (237, 673),
    "HuRTE": (117, 126),
    "HuCB": (34, 52, 17),
    "HuSST": (440, 692, 33),
    "HuSST, 33 positive against the rest": (1132, 33),
    "HKMMLU, one subject": (92, 110, 105, 93),
    "2CQ, presentations": (1135, 1135),
}
KNOWN = {"knows two of three": 0.66, "knows one of five": 0.2, "guesses": 0.0, "gives one label": 0.0}


def answers(draws: np.random.Generator, key: Integers, n_labels: int, model: str, *, is_paired: bool) -> Integers:
    """The answers of a clean model, whose guesses have a bias of their own."""
    rates = draws.dirichlet(np.ones(n_labels))
    if model == "gives one label":
        rates = np.full(n_labels, 0.03 / (n_labels - 1))
        rates[draws.integers(n_labels)] = 0.97
    guesses = draws.choice(n_labels, size=len(key), p=rates)
    if is_paired:  # the second half of the key are the same proverbs in the other order
        half = len(key) // 2
        alike = draws.random(half) < 0.5
        guesses[half:][alike] = guesses[:half][alike]
    return np.where(draws.random(len(key)) < KNOWN[model], key, guesses)


def is_flagged(key: Integers, given: Integers) -> bool:
    """Whether the flag is raised."""
    p = fewer_matches_p(Counter(zip(key.tolist(), given.tolist(), strict=True)))
    return p is not None and p < INVERTED_P


def rows(case: str, runs: int) -> Iterator[Row]:
    """The share of clean runs of each kind that are flagged, and of inverted ones."""
    sizes = KEYS[case]
    key, n_labels = np.repeat(np.arange(len(sizes)), sizes), len(sizes)
    draws = np.random.default_rng(20261129)
    is_paired = case.startswith("2CQ")
    each = max(1, runs // len(KNOWN))
    false = [
        100 * np.mean([is_flagged(key, answers(draws, key, n_labels, model, is_paired=is_paired)) for _ in range(each)])
        for model in KNOWN
    ]
    found = []
    for _ in range(each):
        good = np.where(draws.random(len(key)) < 0.9, key, draws.integers(n_labels, size=len(key)))
        exchanged = draws.random(len(key)) < 0.9
        found.append(is_flagged(key, np.where(exchanged, (good + 1) % n_labels, good)))
    share = 100 * float(np.mean(found))
    cells = [case, *(f"{one:.2f}" for one in (*false, float(np.mean(false)))), f"{share:.1f}"]
    yield cells, float(np.mean(false)) <= MOST_FALSE and share >= LEAST_FOUND


TABLES = {
    "flags": Table(("key", *(f"{model} %" for model in KNOWN), "all clean %", "inverted, found %"), rows, KEYS, 10_000)
}

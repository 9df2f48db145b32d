"""How often the 95 % intervals of BLEU, chrF and the average of translations hold the true value.

The population are sentences of 6 to 60 characters, of which a model changes, drops or moves some; how many differs from
sentence to sentence. Each run draws sentences from it and gets its intervals from the function that `hueval score`
uses. Prints the table in hueval_metrics/stats/README.md; takes about five minutes.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from functools import cache

import numpy as np
from simulations.sizes import held, row
from simulations.tables import Row, Table

from hueval_metrics.metrics.translation import AVERAGE, BLEU, CHRF, scores

SIZES = (30, 100, 500, 2000, 10_000)  # sentences; the last one has the normal interval
POPULATION = 20_000
CHANGED = {"good": 0.15, "fair": 0.35, "poor": 0.6}  # mean share of characters that a model does not get right
METRICS = {"bleu": BLEU, "chrf": CHRF, "avg": AVERAGE}
_LETTERS = [chr(0x4E00 + place) for place in range(800)]
_WEIGHTS = [1 / (place + 3) for place in range(800)]  # as Zipf's law has them


@cache
def population(changed: float) -> dict[str, list[tuple[float, ...]]]:
    """The values of each metric for the sentences of one model."""
    draws = random.Random(17)
    found: dict[str, list[tuple[float, ...]]] = {name: [] for name in METRICS}
    for _ in range(POPULATION):
        wanted = draws.choices(_LETTERS, _WEIGHTS, k=min(60, 6 + int(draws.expovariate(1 / 16))))
        share = draws.betavariate(4 * changed, 4 * (1 - changed))
        said = [letter for letter in wanted if draws.random() >= share / 3]
        said = [draws.choice(_LETTERS) if draws.random() < share / 2 else letter for letter in said]
        if draws.random() < share:
            cut = draws.randrange(len(said) + 1)
            said = said[cut:] + said[:cut]
        texts = "".join(said), "".join(wanted)
        values = scores(*texts, *texts)
        for name, some in found.items():
            some.append(values[name])
    return found


def rows(case: str, runs: int) -> Iterator[Row]:
    """A metric of one model's translations."""
    name, model = _CASES[case]
    of = METRICS[name]
    terms = of.rows(population(CHANGED[model])[name])
    # Fewer runs where thousands of different sentences take longer.
    cells = [held(of, terms, np.ones(len(terms)), n, runs if n <= 500 else max(1, runs // 4)) for n in SIZES]
    return row(case, cells)


_CASES = {f"{name}, {model} translations": (name, model) for name in METRICS for model in CHANGED}
TABLES = {"translations": Table(("Scores of translations", *map(str, SIZES)), rows, _CASES)}

"""How often the 95 % intervals of BLEU, chrF and the average of translations hold the true value.

The population are sentences of 6 to 60 characters, of which a model changes, drops or moves some; how many differs from
sentence to sentence. Each run draws sentences from it and gets its intervals from the function that `hueval score`
uses. Prints the table in hueval_metrics/stats/README.md; takes about five minutes.
"""

from __future__ import annotations

import argparse
import random

import numpy as np
from coverage_sizes import DEMANDED, held, table

from hueval_metrics.metric import Metric
from hueval_metrics.metrics.translation import AVERAGE, BLEU, CHRF, scores

SIZES = (30, 100, 500, 2000, 10_000)  # sentences; the last one has the normal interval
POPULATION = 20_000
CHANGED = {"good": 0.15, "fair": 0.35, "poor": 0.6}  # mean share of characters that a model does not get right
METRICS = {"bleu": BLEU, "chrf": CHRF, "avg": AVERAGE}
_LETTERS = [chr(0x4E00 + place) for place in range(800)]
_WEIGHTS = [1 / (place + 3) for place in range(800)]  # as Zipf's law has them


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


def _cells(of: Metric, values: list[tuple[float, ...]], runs: int) -> list[tuple[float, float]]:
    rows = of.rows(values)
    # Fewer runs where thousands of different sentences take longer.
    return [held(of, rows, np.ones(len(rows)), n, runs if n <= 500 else max(1, runs // 4)) for n in SIZES]


def main() -> int:
    """Simulate, print the table, and say which cells are below what is demanded."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=1000)
    runs = parser.parse_args().runs
    models = {name: population(changed) for name, changed in CHANGED.items()}
    rows = (
        (f"{name}, {model} translations", _cells(metric, values[name], runs))
        for name, metric in METRICS.items()
        for model, values in models.items()
    )
    missed = table("Scores of translations", SIZES, rows)
    print(f"\nBelow {DEMANDED:g} % without a mark: {', '.join(missed) or 'none'}.")
    return int(bool(missed))


if __name__ == "__main__":
    raise SystemExit(main())

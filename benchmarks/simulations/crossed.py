"""How often the two intervals of a mean over prompts hold the true value: items, prompts and replies are drawn.

The probability of a right reply is a logistic function of the item's ease, the prompt's and that of both together. The
first interval resamples items, and the truth is the mean under the prompts of the run; the second (`stats.crossed`) is
of prompts like these, and the truth is the mean under all. Prints the table in hueval_metrics/stats/README.md.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from scipy.special import expit
from simulations.tables import HELD, RESAMPLES, Row, Table, holds

from hueval_metrics.comparison.facets import mean_metric, over_others
from hueval_metrics.metrics.basic import PERCENT
from hueval_metrics.stats.crossed import LEAST
from hueval_metrics.stats.intervals import interval

_EASE, _OF_ITEMS, _OF_BOTH = 0.3, 1.5, 0.7  # logit: the mean ease, its spread over items, and over items and prompts
_SPREADS = (0.1, 0.5)  # over prompts
_DRAWS = 2_000_000  # of items and prompts, for the true mean under all prompts
_OTHER_ITEMS = 200_000  # likewise under the prompts of a run
_LEAST_HELD = 91.0  # demanded of the second interval with three prompts


def rows(case: str, runs: int) -> Iterator[Row]:
    """A number of items and of prompts: both spreads of prompts, 1 and 4 repeats."""
    n, prompts = _CASES[case]
    cells, kept = [], True
    rng = np.random.default_rng([n, prompts])
    for spread in _SPREADS:
        draws = rng.standard_normal((3, _DRAWS))
        under_all = 100 * expit(_EASE + _OF_ITEMS * draws[0] + spread * draws[1] + _OF_BOTH * draws[2]).mean()
        for repeats in (1, 4):
            held = np.array([_run(rng, n, prompts, repeats, spread, under_all) for _ in range(runs)])
            first, second = 100 * held.mean(axis=0)
            cells += [f"{first:.1f}", f"{second:.1f}"]
            least = _LEAST_HELD if prompts == LEAST else HELD[0]
            kept &= HELD[0] <= first <= HELD[1] and least <= second <= HELD[1]
    yield [case, *cells], kept


def _run(
    rng: np.random.Generator, n: int, prompts: int, repeats: int, spread: float, under_all: float
) -> tuple[bool, bool]:
    """Whether each of the two intervals of a run holds its true value."""
    of_prompts = spread * rng.standard_normal(prompts)
    ease = _EASE + _OF_ITEMS * rng.standard_normal((n, 1)) + of_prompts + _OF_BOTH * rng.standard_normal((n, prompts))
    right = rng.random((repeats, n, prompts)) < expit(ease)
    others = _EASE + np.hypot(_OF_ITEMS, _OF_BOTH) * rng.standard_normal((_OTHER_ITEMS // prompts, 1)) + of_prompts
    tables = [PERCENT.rows(column.astype(float).tolist()) for reply in right for column in reply.T]
    first = interval(mean_metric("", PERCENT, len(tables)), np.hstack(tables), resamples=RESAMPLES)
    second = over_others(PERCENT, tables, [str(place) for _ in right for place in range(prompts)])
    return holds(first, 100 * float(expit(others).mean())), holds(second, float(under_all))


_CASES = {f"{n} items, {prompts} prompts": (n, prompts) for n in (93, 1135) for prompts in (3, 5, 8)}
_TITLES = [f"{which}, spread {spread}, K {k}" for spread in _SPREADS for k in (1, 4) for which in ("these", "others")]
TABLES = {"crossed": Table(("Items and prompts", *_TITLES), rows, _CASES)}

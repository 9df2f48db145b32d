"""How many of the first flagged items have a wrong key (`comparison.errata`): models, items and wrong keys are drawn.

The probability of a right answer is a logistic function of the model's skill (of its series and its own) and of how
hard the item is; among wrong answers some are more popular than others, and models of one series share a third of
theirs. At 3 % of the items good models share one misconception. 4 % of the keys, or 1 %, are exchanged for another
option. Printed, in percent: of as many first items as keys are wrong, those with a wrong key; and of the wrong keys
those in twice, and in four times as many. On the real keys of HuMatchingFIB 65 and, in four times, 90 are demanded.
Prints the table in docs/tutorials/compare.md; takes about ten minutes.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from scipy.special import expit
from simulations.tables import Row, Table

from hueval_metrics.answers.blanks.blank import split_mark
from hueval_metrics.answers.blanks.options import option_texts
from hueval_metrics.comparison.errata import Answer, Asked, Voter, suspects

if TYPE_CHECKING:
    from simulations.tables import Integers

REAL = "HuMatchingFIB, 20 models of 10 series"
_FILE = Path(__file__).parents[3] / "shared" / "data" / "openhueval" / "HuMatchingFIB.jsonl"
_TASK = "openhueval_humatchingfib"
_SKILL, _OF_SERIES, _OF_MODELS = 1.0, 0.8, 0.6  # logit: the mean skill, its spread over series, and within them
_OF_ITEMS, _OF_PARTS = 1.0, 0.8  # how hard an item is, and a part of it
_POPULARITY = 0.5  # shape of the gamma distribution of how many give a wrong answer
_SHARED = 0.3  # of the wrong answers of a model, those that are of its series
_MISCONCEPTIONS, _HELD_BY = 0.03, 0.8  # share of the parts, and of those who know the answer but for it
_DEMANDED = (65.0, 90.0)
_FOUND_IN = (1, 2, 4)  # times the number of wrong keys
_N = 1000  # items with two or four options


def rows(case: str, runs: int) -> Iterator[Row]:
    """A case; that of real keys is skipped, with the reason, where they are not there."""
    n_models, n_series, wrong, options = _CASES[case]
    if options is None and not _FILE.is_file():
        yield [f"{case}: skipped, no {_FILE.name} in ../shared/data", *[""] * len(_FOUND_IN)], True
        return
    items, keys, choices = _real() if options is None else _made(options)
    rng = np.random.default_rng([n_models, n_series, int(1000 * wrong), len(keys)])
    found = np.mean([_run(rng, n_models, n_series, wrong, items, keys, choices) for _ in range(runs)], axis=0)
    yield (
        [case, *(f"{100 * one:.0f}" for one in found)],
        options is not None or bool(100 * found[0] >= _DEMANDED[0] and 100 * found[-1] >= _DEMANDED[1]),
    )


def _run(
    rng: np.random.Generator,
    n_models: int,
    n_series: int,
    wrong: float,
    items: Integers,
    keys: Integers,
    choices: Sequence[int],
) -> list[float]:
    """The share of wrong keys in as many first items, in twice and in four times as many."""
    n, most = len(keys), max(choices)
    series = np.arange(n_models) % n_series
    skill = _SKILL + _OF_SERIES * rng.standard_normal(n_series)[series] + _OF_MODELS * rng.standard_normal(n_models)
    hard = _OF_ITEMS * rng.standard_normal(items.max() + 1)[items] + _OF_PARTS * rng.standard_normal(n)
    knows = expit(skill[:, None] - hard)
    popular = rng.gamma(_POPULARITY, size=(n, most)) + 1e-9
    popular *= (np.arange(most) < np.array(choices)[:, None]) & (np.arange(most) != keys[:, None])
    steps = np.cumsum(popular / popular.sum(axis=1, keepdims=True), axis=1)

    def other(n_draws: int) -> Integers:
        return np.argmax(rng.random((n_draws, n, 1)) < steps, axis=-1)

    mistakes = np.where(rng.random((n_models, n)) < _SHARED, other(n_series)[series], other(n_models))
    given = np.where(rng.random((n_models, n)) < knows, keys, mistakes)
    is_misled = (rng.random(n) < _MISCONCEPTIONS) & (rng.random((n_models, n)) < _HELD_BY * knows)
    given = np.where(is_misled, other(1), given)
    is_wrong = rng.random(n) < wrong
    gold = np.where(is_wrong, other(1)[0], keys)
    parts = [
        Asked(_TASK, (str(item),), str(place), "", str(key), _answers(column, int(key)))
        for place, (item, key, column) in enumerate(zip(items, gold, given.T.tolist(), strict=True))
    ]
    voters = [Voter(f"m{model}", f"s{one}") for model, one in enumerate(series)]
    first = [is_wrong[int(one.part)] for one in suspects(parts, voters, str)]
    total = max(int(is_wrong.sum()), 1)
    return [sum(first[: times * total]) / total for times in _FOUND_IN]


def _answers(given: Sequence[int], key: int) -> dict[int, Answer]:
    return {model: Answer(answer == key, str(answer)) for model, answer in enumerate(given)}


@cache
def _real() -> tuple[Integers, Integers, list[int]]:
    """Of each blank its question, the place of its key among the options, and the number of these."""
    found = []
    for place, row in enumerate(map(json.loads, _FILE.read_text(encoding="utf-8").splitlines())):
        letters = list(option_texts(row["options"]))
        marks = (split_mark(answer).text.upper() for answer in row["answer"])
        found += [(place, letters.index(mark), len(letters)) for mark in marks if mark in letters]
    items, keys, choices = zip(*found, strict=True)
    return np.array(items), np.array(keys), list(choices)


def _made(options: int) -> tuple[Integers, Integers, list[int]]:
    places = np.arange(_N)
    return places, places % options, [options] * _N


# Models, series, share of wrong keys, options (None: the real ones).
_CASES = {
    REAL: (20, 10, 0.04, None),
    **{f"four options, {n} models of {n} series": (n, n, 0.04, 4) for n in (6, 10, 20)},
    "four options, 20 models of 3 series": (20, 3, 0.04, 4),
    "four options, 10 models of 10 series, 1 % wrong": (10, 10, 0.01, 4),
    **{f"two options, {n} models of {n} series": (n, n, 0.04, 2) for n in (6, 10, 20)},
}
_TITLES = ("Models", "Wrong among the first flagged", "Found in twice their number", "In four times")
TABLES = {"errata": Table(_TITLES, rows, _CASES, runs=200)}

"""The draw of `--limit`: equal shares of each verdict, and weights that keep rates unbiased."""

from __future__ import annotations

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hueval_metrics.traces.item import VERDICTS, TraceItem
from hueval_metrics.traces.sampling import Draw, shared

TASK = "toybench_letters"


def item(index, verdict, *, key=None, run="m", task=TASK):
    its_key = (f"q{index}" if key is None else key,)
    return TraceItem(index, run, run, task, its_key, "q", None, "r", ((0, 1),), "", False, verdict, None)


def drawn(items, limit, tasks=(TASK,)):
    draw = Draw(limit)
    for one in items:
        draw.add(one)
    return draw.weights(tasks)


@pytest.mark.parametrize(
    ("why", "sizes", "limit", "expected"),
    [
        ("equal shares", {"a": 50, "b": 50}, 10, {"a": 5, "b": 5}),
        ("what a small stratum leaves goes to the others", {"a": 50, "b": 2, "c": 50}, 12, {"a": 5, "b": 2, "c": 5}),
        ("one more to the largest", {"a": 50, "b": 40}, 5, {"a": 3, "b": 2}),
        ("at least one of each", {"a": 50, "b": 1, "c": 1}, 1, {"a": 1, "b": 1, "c": 1}),
        ("no more than there are", {"a": 2, "b": 1}, 100, {"a": 2, "b": 1}),
        ("no limit", {"a": 2, "b": 100}, None, {"a": 2, "b": 100}),
    ],
)
def test_shares(why, sizes, limit, expected):
    assert shared(sizes, limit) == expected


@given(st.dictionaries(st.sampled_from("abcde"), st.integers(1, 99), min_size=1), st.integers(1, 300))
def test_shares_add_up(sizes, limit):
    found = shared(sizes, limit)
    assert sum(found.values()) == min(sum(sizes.values()), max(limit, len(sizes)))
    assert all(1 <= found[name] <= size for name, size in sizes.items())


def test_a_weight_is_the_replies_that_one_stands_for():
    items = [item(n, "CORRECT") for n in range(6)] + [item(6, "INCORRECT"), item(7, None)]
    weights = drawn(items, 4)
    assert weights[6] == weights[7] == 1.0
    assert sorted(weight for index, weight in weights.items() if index < 6) == [3.0, 3.0]


def test_runs_tasks_and_verdicts_are_drawn_apart():
    items = [
        item(n, verdict, run=run, task=task)
        for n, (run, task, verdict) in enumerate(
            (run, task, verdict)
            for run in "ab"
            for task in (TASK, "toybench_words")
            for verdict in (*VERDICTS, None)
            for _ in range(3)
        )
    ]
    weights = drawn(items, 10, (TASK, "toybench_words"))
    assert len(weights) == 2 * 2 * 10
    assert set(weights.values()) == {1.5}
    assert len(drawn(items, 10, ("toybench_words",))) == 2 * 10


def test_a_larger_limit_draws_the_same_and_more():
    items = [item(n, random.Random(n).choice(VERDICTS)) for n in range(200)]
    some, more = drawn(items, 20), drawn(items, 60)
    assert some.keys() < more.keys()


def test_the_same_questions_are_drawn_of_every_run():
    first = [item(n, "CORRECT", key=f"q{n}") for n in range(50)]
    other = [item(100 + n, "CORRECT", key=f"q{49 - n}", run="other") for n in range(50)]
    keys = {one.index: one.key for one in first + other}
    by_run = [
        {keys[index] for index in drawn(first + other, 8) if (index < 100) == is_first} for is_first in (True, False)
    ]
    assert by_run[0] == by_run[1]


def test_weighted_rates_are_unbiased():
    """Of 300 replies, 40 of 270 right ones and 25 of 30 wrong ones have the feature: 21.7 %, drawn as 12 and 12."""
    errors = []
    for seed in range(400):
        rng = random.Random(seed)
        features = [n < 40 for n in range(270)] + [n < 25 for n in range(30)]
        keys = [f"{rng.random()}" for _ in features]
        items = [item(n, "CORRECT" if n < 270 else "INCORRECT", key=key) for n, key in enumerate(keys)]
        weights = drawn(items, 24)
        assert sum(weights.values()) == pytest.approx(300)
        errors.append(sum(weight * features[index] for index, weight in weights.items()) / 300 - 65 / 300)
    mean = sum(errors) / len(errors)
    spread = (sum(error**2 for error in errors) / len(errors)) ** 0.5
    assert abs(mean) < 4 * spread / 20, "four standard errors of 400 draws"
    unweighted = (12 * 40 / 270 + 12 * 25 / 30) / 24
    assert unweighted > 0.48, "without weights it would be twice the rate"

"""The metrics of pairs: of values in any order, whatever is missing."""

from __future__ import annotations

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lm_eval_tasks.kolassimpleqa.metrics import BIDIRECTIONAL, N_PAIRS, N_UNPAIRED

THREE = {"t": (1.0, 1.0), "u": (1.0, 0.0), "v": (0.0, 1.0)}
ANSWERS = st.lists(
    st.tuples(st.integers(0, 9).map(str), st.booleans(), st.sampled_from([0.0, 1.0])),
    max_size=20,
    unique_by=lambda value: value[:2],
)


@pytest.mark.parametrize(
    ("why", "values", "expected"),
    [
        ("nothing", [], (None, 0, 0)),
        ("no verdicts", [None, None], (None, 0, 0)),
        ("both right", [("t", False, 1.0), ("t", True, 1.0)], (100.0, 1, 0)),
        ("the reverse first", [("t", True, 1.0), ("t", False, 1.0)], (100.0, 1, 0)),
        ("one direction twice is no pair", [("t", False, 1.0), ("t", False, 1.0)], (None, 0, 1)),
        ("two facts with one verdict each are no pair", [("t", False, 1.0), ("u", True, 1.0)], (None, 0, 2)),
        (
            "one of three with a right answer",
            [(track, way, hit) for track, hits in THREE.items() for way, hit in zip((False, True), hits, strict=True)],
            (pytest.approx(100 / 3), 3, 0),
        ),
        ("no pair has a right answer", [("t", False, 0.0), ("t", True, 0.0)], (None, 1, 0)),
    ],
)
def test_pairs(why, values, expected):
    assert (BIDIRECTIONAL(values), N_PAIRS(values), N_UNPAIRED(values)) == expected


@given(ANSWERS, st.randoms())
def test_in_any_order_and_by_counting(values, shuffle: random.Random):
    right: dict[str, dict[bool, float]] = {}
    for track, is_reverse, correct in values:
        right.setdefault(track, {})[is_reverse] = correct
    pairs = [sum(ways.values()) for ways in right.values() if len(ways) == 2]
    some = [count for count in pairs if count]
    expected = 100 * some.count(2.0) / len(some) if some else None
    mixed = [*values, None, None]
    shuffle.shuffle(mixed)
    assert BIDIRECTIONAL(mixed) == expected
    assert (N_PAIRS(mixed), N_UNPAIRED(mixed)) == (len(pairs), len(right) - len(pairs))

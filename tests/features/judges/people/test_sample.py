"""The sample: stratified, with a floor for rare labels, and the same whatever the order of the files."""

from __future__ import annotations

from collections import Counter
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hueval_metrics.judges.people.sample import FLOOR, Stratum, allocate, draw, stratum_of
from tests.features.judges.people.verdicts import OE, QA, WILD, item

SIZES = st.dictionaries(st.text(max_size=3), st.integers(1, 300), min_size=1, max_size=12)


def items(often: int = 900, seldom: int = 80, rarely: int = 4, **more):
    labels = ["CORRECT"] * often + ["INCORRECT"] * seldom + ["NOT_ATTEMPTED"] * rarely
    return [item(f"q{i}", label, QA, dimension="lhf"[i % 3], **more) for i, label in enumerate(labels)]


@pytest.mark.parametrize(
    ("why", "sizes", "n", "floor", "shares"),
    [
        ("in proportion", {"a": 600, "b": 300, "c": 100}, 100, 10, {"a": 60, "b": 30, "c": 10}),
        ("a floor, or all there are", {"a": 960, "b": 36, "c": 4}, 100, 10, {"a": 86, "b": 10, "c": 4}),
        ("floors take half at most", {"a": 97, "b": 1, "c": 40, "d": 40}, 16, 10, {"a": 8, "b": 1, "c": 4, "d": 3}),
        ("one of each while that goes", {"a": 90, "b": 9, "c": 1}, 3, 10, {"a": 1, "b": 1, "c": 1}),
        ("the largest where it does not", {"a": 90, "b": 9, "c": 1}, 2, 10, {"a": 2, "b": 0, "c": 0}),
        ("all", {"a": 3, "b": 2}, 5, 10, {"a": 3, "b": 2}),
        ("never more than there are", {"a": 3, "b": 2}, 200, 10, {"a": 3, "b": 2}),
    ],
)
def test_allocate(why, sizes, n, floor, shares):
    assert allocate(sizes, n, floor) == shares, why


@given(SIZES, st.integers(1, 400), st.integers(0, 20))
def test_shares_sum_up_and_fit(sizes, n, floor):
    shares = allocate(sizes, n, floor)
    assert sum(shares.values()) == min(n, sum(sizes.values()))
    assert all(0 <= shares[key] <= size for key, size in sizes.items())


@given(SIZES, st.integers(1, 400))
def test_every_group_has_its_floor_where_floors_take_half_at_most(sizes, n):
    shares = allocate(sizes, n, 3)
    if 2 * 3 * len(sizes) <= n:
        assert all(shares[key] >= min(size, 3) for key, size in sizes.items())


def test_a_rare_label_occurs_and_every_dimension_of_it():
    drawn = Counter(stratum_of(one) for one in draw(items(), 100, 0).items.values())
    bands: Counter[str] = Counter()
    for stratum, count in drawn.items():
        bands[stratum.band] += count
    assert bands == {"CORRECT": 86, "INCORRECT": FLOOR, "NOT_ATTEMPTED": 4}
    assert {s.dimension for s in drawn if s.band == "NOT_ATTEMPTED"} == set("lhf")
    correct = [count for s, count in drawn.items() if s.band == "CORRECT"]
    assert max(correct) - min(correct) <= 1  # 300 each


def test_a_rare_dimension_of_a_band_occurs():
    given = [item(f"q{i}", "YES", dimension="l" if i < 970 else "h" if i < 990 else "f") for i in range(1000)]
    drawn = Counter(one.dimension for one in draw(given, 10, 0).items.values())
    assert drawn == {"l": 8, "h": 1, "f": 1}


def test_the_population_is_all_that_might_have_been_drawn():
    population = draw(items(9, 3, 0), 5, 0).population
    assert population == {
        Stratum(QA, "husimpleqa/1", "judge-1", band, dimension): n
        for band, n in (("CORRECT", 3), ("INCORRECT", 1))
        for dimension in "lhf"
    }


def test_the_same_whatever_the_order():
    given = items() + items(run="run-b")
    assert list(draw(given, 100, 3).items.items()) == list(draw(given[::-1], 100, 3).items.items())


def test_another_seed_is_another_sample_with_other_ids():
    first, second = draw(items(), 100, 0).items, draw(items(), 100, 1).items
    assert {one.qid for one in first.values()} != {one.qid for one in second.values()}
    assert not first.keys() & second.keys()


def test_what_a_stratum_keeps_on_the_way_does_not_change_the_draw():
    """Of 900 items in a stratum no more than twice the sample is held; those let go could not have been drawn."""
    given = items(900, 0, 0)
    large = draw(given, 899, 0).items.values()  # holds nearly all
    small = draw(given, 9, 0).items.values()
    assert {one.qid for one in small} <= {one.qid for one in large}
    assert len(small) == 9


def test_all_runs_take_part_and_stand_mixed():
    given = [one for run in "abcd" for one in items(200, 40, 0, run=run)]
    runs = [one.run for one in draw(given, 80, 0).items.values()]
    assert all(10 <= count <= 30 for count in Counter(runs).values())
    assert sum(a != b for a, b in pairwise(runs)) > 40  # in blocks it would be 3


def test_the_order_does_not_tell_the_label():
    """Rare labels are drawn at another rate; ordered by the same numbers as they were drawn, they would stand last."""
    places = {"CORRECT": [], "INCORRECT": []}
    for place, one in enumerate(draw(items(2000, 100, 0), 100, 0).items.values()):
        places[one.rating].append(place / 100)
    means = [sum(group) / len(group) for group in places.values()]
    assert abs(means[0] - means[1]) < 0.25  # 2.6 standard deviations of 10 random places; last would be 0.5


def test_ids_tell_nothing_of_the_verdicts():
    first = draw([item("q1", "YES"), item("q2", "NO")], 9, 0).items
    second = draw([item("q1", "NO"), item("q2", "YES")], 9, 0).items
    assert [(name, one.qid) for name, one in first.items()] == [(name, one.qid) for name, one in second.items()]


def test_judges_rubrics_and_tasks_are_strata_of_their_own():
    given = [
        item("q1", "YES"),
        item("q1", 7.0, WILD),
        item("q2", "YES", judge="other"),
        item("q3", "YES", rubric="x/2"),
    ]
    assert len(draw(given, 9, 0).population) == 4
    assert {stratum.task for stratum in draw(given, 9, 0).population} == {OE, WILD}

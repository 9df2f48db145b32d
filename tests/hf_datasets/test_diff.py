from __future__ import annotations

import json
from collections import Counter
from itertools import permutations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hf_datasets.diff import SplitDiff, as_json, as_text, diff
from hf_datasets.repo import Split
from hueval_metrics.errors import DataError, InputError
from tests.hf_datasets.tiny import DAMAGED, row, rows, tiny


def changes(before: list, after: list) -> SplitDiff:
    """The difference between two copies of one split."""
    (split,) = diff(tiny({"test": before}), tiny({"test": after}))
    return split


def test_equal_copies():
    split = changes(rows(3), rows(3))
    assert split == SplitDiff("table", "test", (3, 3))
    assert split.is_equal


def test_rows_added_removed_changed():
    before = [row(0), row(1, "Esik."), row(2, label="a"), row(3)]
    after = [row(0), row(1, "Esik!"), row(2, "Süt.", label="b"), row(4), row(5)]
    assert changes(before, after) == SplitDiff("table", "test", (4, 5), added=2, removed=1, changed=2)


def test_rows_in_another_order():
    before = [row(0), row(1, "Esik."), row(2), row(3)]
    after = [row(2), row(3), row(0), row(1, "Fúj.")]
    split = changes(before, after)
    assert (split.moved, split.changed, split.added, split.removed) == (2, 1, 0, 0)
    assert not split.is_equal


def test_only_the_order_differs():
    split = changes(rows(3), list(reversed(rows(3))))
    assert (split.moved, split.changed, split.is_equal) == (2, 0, False)


def test_a_row_put_in_front_moves_no_other():
    assert changes(rows(3), [row(9), *rows(3)]) == SplitDiff("table", "test", (3, 4), added=1)


def test_a_new_field_and_one_that_is_null():
    before, after = row(0), {**row(0), "extra": None}
    assert changes([before], [after]).changed == 1  # another schema, though both read None


def test_ids_that_come_twice_are_compared_one_by_one():
    before = [row(0, "Esik."), row(0, "Fúj."), row(1)]
    split = changes(before, [row(0, "Esik."), row(0, "Süt."), row(1)])
    assert (split.changed, split.added, split.removed) == (1, 0, 0)
    split = changes(before, [row(0, "Esik."), row(1)])
    assert (split.changed, split.added, split.removed) == (0, 0, 1)


def test_a_split_that_one_copy_lacks():
    splits = (Split("train"), Split("test"))
    one, two = tiny({"train": rows(1), "test": rows(3)}, splits=splits), tiny({"train": rows(1)}, splits=splits)
    assert diff(one, two)[1] == SplitDiff("table", "test", (3, None), removed=3)
    assert diff(two, one)[1] == SplitDiff("table", "test", (None, 3), added=3)
    empty = tiny({"train": rows(1), "test": []}, splits=splits)
    assert not diff(empty, two)[1].is_equal


def test_copies_that_cannot_be_compared():
    one, other = tiny({"test": rows(1)}), tiny({"test": rows(1)}, name="other")
    with pytest.raises(InputError, match=r"^tiny folder is tiny, other folder is other\. Compare two copies of"):
        diff(one, other)
    with pytest.raises(DataError, match=r"^table/test row 2 is cut short\. Fix the row$"):
        diff(one, tiny({"test": [row(0), DAMAGED]}))


def test_nothing_to_compare():
    nothing = tiny({}, splits=(Split("test"),))
    with pytest.raises(
        InputError, match=r"^neither tiny folder nor tiny folder has rows of table\. Name other folders$"
    ):
        diff(nothing, nothing, "table")
    with pytest.raises(InputError, match=r'tiny has no config "tabel"\. Did you mean table'):
        diff(nothing, nothing, "tabel")


def test_moved_rows_are_all_but_a_longest_rising_sequence():
    for order in permutations(range(5)):
        subsets = ([place for place in order if mask >> place & 1] for mask in range(32))
        longest = max(len(part) for part in subsets if part == sorted(part))
        assert changes(rows(5), [row(place) for place in order]).moved == len(order) - longest, order


COPIES = st.lists(st.tuples(st.integers(0, 6), st.sampled_from("xyz")), max_size=8)


@given(COPIES, COPIES)
def test_counts_are_those_of_a_plain_comparison(before, after):
    one, two = ([row(number, text) for number, text in copy] for copy in (before, after))
    split = changes(one, two)
    ids = [Counter(number for number, _ in copy) for copy in (before, after)]
    assert split.removed == (ids[0] - ids[1]).total()
    assert split.added == (ids[1] - ids[0]).total()
    nth = [{}, {}]
    for copy, texts in zip((before, after), nth, strict=True):
        for number, text in copy:
            place = sum(1 for known, _ in texts if known == number)
            texts[number, place] = text
    assert split.changed == sum(nth[0][key] != nth[1][key] for key in nth[0].keys() & nth[1].keys())
    assert split.is_equal == (before == after)


def test_the_report_for_people():
    before, after = [row(0), row(1), row(2)], [row(1, "Esik."), row(3), row(0)]
    splits = (Split("train"), Split("test"))
    one, two = (tiny({"train": rows(2), "test": part}, splits=splits) for part in (before, after))
    assert as_text(diff(one, two), 70) == (
        "table/test: 3 → 3 rows; 1 added, 1 removed, 1 changed, 1 moved\nEqual: 1 split, 2 rows.\n"
    )


def test_the_report_of_equal_copies():
    assert as_text([changes(rows(3), rows(3))], 80) == "Equal: 1 split, 3 rows.\n"


def test_the_report_for_programs():
    (read,) = json.loads(as_json([changes([row(0, "k\ud83d")], [row(0, "k")])]))
    assert (read["config"], read["split"], read["rows"], read["equal"]) == ("table", "test", [1, 1], False)
    assert (read["changed"], read["added"], read["removed"], read["moved"]) == (1, 0, 0, 0)

"""Ranks in two columns, and how sure their change is."""

import numpy as np

from hueval_metrics.comparison.rank_moves import rank_moves
from tests.comparison.conftest import QA, TWO, qa_rows, two_rows
from tests.each import each

COLUMNS = {"of two tasks": ((QA, "correct"), (TWO, "acc"))}


def moved(runs):
    return {one.label: (one.ranks, one.change, one.ci95) for one in rank_moves(runs, COLUMNS)["of two tasks"]}


def test_a_clear_change_is_told_from_none(make_run):
    runs = [
        make_run("a", qa_rows("1" * 60) + two_rows("0" * 60)),
        make_run("b", qa_rows("10" * 30) + two_rows("10" * 30)),
        make_run("c", qa_rows("0" * 60) + two_rows("1" * 60)),
    ]
    assert moved(runs) == {"a": ((1, 3), 2, (2, 2)), "b": ((2, 2), 0, (0, 0)), "c": ((3, 1), -2, (-2, -2))}


def test_near_models_may_as_well_not_have_moved(make_run):
    text = "".join(np.random.default_rng(1).permutation(list("1" * 30 + "0" * 30)))
    runs = [
        make_run("a", qa_rows(text) + two_rows(text)),
        make_run("b", qa_rows(text[::-1]) + two_rows("1" + text[1:][::-1])),
    ]
    for _, change, (low, high) in moved(runs).values():
        assert low <= min(change, 0)
        assert high >= max(change, 0)
        assert low < high


@each("rows", [qa_rows("10"), two_rows("10")], ids=["one column", "the other"])
def test_columns_that_a_run_lacks_are_left_out(make_run, rows):
    assert rank_moves([make_run("a", qa_rows("10") + two_rows("10")), make_run("b", rows)], COLUMNS) == {}

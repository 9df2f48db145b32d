"""Wins and mean ranks over tasks, by numbers that can be checked by hand."""

from __future__ import annotations

import numpy as np
import pytest

from hueval_metrics.errors import InputError
from hueval_metrics.stats.two_sample import difference_ci95
from hueval_metrics.stats.wins import Standing, TaskOfAll, decided, published_task, standings


def task(*rows: tuple[float, float], higher_is_better: bool = True, name: str = "task") -> TaskOfAll:
    """A task with scores and the arms of their intervals."""
    values, arms = np.array(rows, dtype=float).T
    ends = np.stack([values - arms, values + arms], axis=1)
    return published_task(name, values, ends, higher_is_better=higher_is_better)


def test_disjoint_intervals_leave_nothing_open():
    """On both tasks a is before b and b before c: 2, 1 and 0 of 2 others, on each."""
    found = standings([task((90, 1), (70, 1), (50, 1)), task((0.9, 0.01), (0.7, 0.01), (0.5, 0.01))])
    assert found == [
        Standing(1.0, (1.0, 1.0), 1.0, (1.0, 1.0)),
        Standing(0.5, (0.5, 0.5), 2.0, (2.0, 2.0)),
        Standing(0.0, (0.0, 0.0), 3.0, (3.0, 3.0)),
    ]


def test_wide_intervals_count_half_and_leave_the_order_open():
    """Arms of 30 around 61 and 60: each has half a win over the other, could have none or one, and beats the third."""
    found = standings([task((61, 30), (60, 30), (1, 1))])
    assert found == [
        Standing(0.75, (0.5, 1.0), 1.0, (1.0, 2.0)),
        Standing(0.75, (0.5, 1.0), 2.0, (1.0, 2.0)),
        Standing(0.0, (0.0, 0.0), 3.0, (3.0, 3.0)),
    ]


def test_tasks_count_alike_whatever_their_metric_and_direction():
    """a beats b in a percentage, b beats a in an error: half of the wins, and rank 1.5, for both."""
    found = standings([task((90, 1), (10, 1)), task((0.9, 0.1), (0.1, 0.1), higher_is_better=False)])
    assert found == [Standing(0.5, (0.5, 0.5), 1.5, (1.5, 1.5))] * 2


def test_tasks_are_drawn_each_by_itself():
    """On ten tasks with two alike models, one of them is ahead on 2 to 8 in 98 % of the draws."""
    found = standings([task((60, 30), (60, 30), name=f"task {number}") for number in range(10)])
    assert [one.wins_ci95 for one in found] == [(pytest.approx(0.2), pytest.approx(0.8))] * 2


def test_equal_scores_without_intervals_share_the_better_rank_and_halve_the_win():
    assert standings([task((5, 0), (5, 0))]) == [Standing(0.5, (0.5, 0.5), 1.0, (1.0, 1.0))] * 2


def test_a_win_needs_the_interval_of_the_difference_not_intervals_apart():
    """Arms of 2 overlap at a distance of 3, whose interval is 3 ± 2.83."""
    assert difference_ci95(13, (11, 15), 10, (8, 12))[0] == pytest.approx(0.17, abs=0.01)
    better, won, lost = decided(np.array([13.0, 10.0]), np.array([[11.0, 15.0], [8.0, 12.0]]))
    assert [counts.tolist() for counts in (better, won, lost)] == [[0, 1], [1, 0], [0, 1]]


def test_the_interval_follows_the_draws():
    """100 draws of one task: the first model is ahead of the second in 97, and both of the third in all."""
    draws = np.array([[3.0, 2.0, 1.0]] * 97 + [[2.0, 3.0, 1.0]] * 3)
    found = standings([TaskOfAll(np.array([3.0, 2.0, 1.0]), np.array([1, 1, 0]), np.array([0, 0, 2]), draws)])
    assert found == [
        Standing(0.75, (0.5, 1.0), 1.0, (1.0, 2.0)),
        Standing(0.75, (0.5, 1.0), 2.0, (1.0, 2.0)),
        Standing(0.0, (0.0, 0.0), 3.0, (3.0, 3.0)),
    ]


def test_the_same_scores_give_the_same_numbers():
    one, other = (standings([task((61, 5), (58, 5), (55, 5))]) for _ in range(2))
    assert one == other


@pytest.mark.parametrize("tasks", [[], [task((5, 1))], [task((5, 1), (4, 1)), task((5, 1), (4, 1), (3, 1))]])
def test_models_that_lack_a_task_are_refused(tasks):
    with pytest.raises(InputError, match="Leave out models that lack a task"):
        standings(tasks)

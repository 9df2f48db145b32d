"""Every metric can be computed from sums over clusters; literal cases of the rows of clusters."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hueval_metrics.metric import total
from hueval_metrics.metrics.basic import N_ITEMS, PERCENT, POOLED
from hueval_metrics.metrics.confidence import BINS, BRIER, ECE, bin_of
from hueval_metrics.metrics.simple_qa import CORRECT_GIVEN_ATTEMPTED, F_SCORE, LABELS, attempted_term, f_term
from hueval_metrics.registry import known_tasks, task_spec
from lm_eval_tasks.openhueval.metrics.two_choice import N_SINGLE_ORDER, PAIR_ACCURACY, POSITION_BIAS, SINGLE_ACCURACY
from lm_eval_tasks.openhueval.metrics.wb_score import WB_SCORE, WB_SCORE_REF

CHOICES = [("a", 1, 1), ("a", 2, 2), ("b", 1, 1), ("b", 2, 1), ("c", 1, None)]
CLUSTERS = ["a", "a", "b", "b", "c"]

CONFIDENCES = st.tuples(st.integers(0, 100).map(lambda percent: percent / 100), st.booleans())
COUNTS = st.integers(1, 20).flatmap(lambda total: st.tuples(st.integers(0, total + 3), st.just(total)))
VALUES = {
    PERCENT: st.floats(0, 1) | st.booleans(),
    POOLED: COUNTS | COUNTS.map(list),  # a log makes a list of the pair
    CORRECT_GIVEN_ATTEMPTED: st.sampled_from(LABELS).map(attempted_term),
    F_SCORE: st.sampled_from(LABELS).map(f_term),
    ECE: CONFIDENCES,
    BRIER: CONFIDENCES,
    WB_SCORE: st.integers(1, 10),
    WB_SCORE_REF: st.integers(1, 10),
}


def whole(aggregation, values, clusters) -> float:
    """The metric from the sums over all clusters."""
    return float(aggregation.compute(aggregation.rows(values, clusters).sum(axis=0)))


@pytest.mark.parametrize("aggregation", VALUES, ids=lambda metric: metric.name)
@given(data=st.data())
def test_the_sums_give_the_metric(aggregation, data):
    values = data.draw(st.lists(st.none() | VALUES[aggregation], max_size=40))
    clusters = data.draw(st.lists(st.integers(0, 9), min_size=len(values), max_size=len(values)))
    expected = aggregation(values)
    found = whole(aggregation, values, clusters)
    assert math.isnan(found) if expected is None else found == pytest.approx(expected, abs=1e-9)


@pytest.mark.parametrize("aggregation", [SINGLE_ACCURACY, PAIR_ACCURACY, POSITION_BIAS], ids=lambda metric: metric.name)
@given(answers=st.lists(st.tuples(*[st.sampled_from([1, 2, None, "not asked"])] * 2), max_size=20))
def test_the_sums_over_proverbs_give_the_metric(aggregation, answers):
    choices = [
        (f"q{n}", order, answer)
        for n, both in enumerate(answers)
        for order, answer in enumerate(both, 1)
        if answer != "not asked"
    ]
    expected = aggregation(choices)
    found = whole(aggregation, choices, [qid for qid, _, _ in choices])
    assert math.isnan(found) if expected is None else found == pytest.approx(expected)


def test_counts_are_known_by_their_names():
    for task in known_tasks():
        counts = {name for name, metric in task_spec(task).metrics.items() if metric.is_count}
        assert counts == {name for name in task_spec(task).metrics if name.startswith("n_")}, task


@pytest.mark.parametrize(
    ("aggregation", "rows"),
    [
        (SINGLE_ACCURACY, [(2, 2), (1, 2), (0, 1)]),
        (PAIR_ACCURACY, [(1, 1), (0, 1), (0, 0)]),  # "c" came in one order only
        (POSITION_BIAS, [(1, 2), (2, 2), (0, 0)]),  # option 1 among the readable answers
    ],
)
def test_rows_of_choices(aggregation, rows):
    assert aggregation.rows(CHOICES, CLUSTERS).tolist() == [list(row) for row in rows]


def test_rows_stand_in_the_order_of_first_appearance_with_zeros_where_nothing_applies():
    rows = POOLED.rows([None, (1, 4), (2, 3), (1, 1)], ["z", "b", "a", "b"])
    assert rows.tolist() == [[0, 0], [2, 5], [2, 3]]


def test_rows_of_confidences():
    rows = ECE.rows([(0.95, 1.0), (1.0, 0.0), (0.3, 0.0)], "aab")
    expected = np.zeros((2, 2 * BINS))
    expected[0, [9, BINS + 9]] = 0.95 - 1 + 1, 2
    expected[1, [3, BINS + 3]] = 0.3, 1
    assert rows == pytest.approx(expected)


def test_a_confidence_on_an_edge_belongs_to_the_bin_that_it_opens():
    assert [bin_of(confidence) for confidence in (0.0, 0.0999, 0.1, 0.3, 0.7, 0.9999999999, 1.0)] == [
        0,
        0,
        1,
        3,
        7,
        9,
        9,
    ]


def test_many_sums_at_once():
    assert POSITION_BIAS.compute(np.array([[[1, 2], [0, 4]], [[3, 3], [0, 0]]])) == pytest.approx(
        np.array([[0.0, -50.0], [50.0, math.nan]]), nan_ok=True
    )


def test_nothing_attempted_is_0_and_nothing_judged_is_undefined():
    assert whole(CORRECT_GIVEN_ATTEMPTED, [(0, 0), (0, 0), None], range(3)) == 0
    assert math.isnan(whole(CORRECT_GIVEN_ATTEMPTED, [None], range(1)))


@pytest.mark.parametrize("metric", [N_ITEMS, N_SINGLE_ORDER])
def test_a_count_is_whole_and_no_mean(metric):
    assert (metric.is_count, metric.is_mean) == (True, False)
    assert (repr(metric([])), repr(metric([("a", 1, 1), None]))) == ("0", "1")


def test_the_calibration_error_is_no_mean():
    assert (ECE.is_mean, BRIER.is_mean) == (False, True)


def test_a_changed_metric_leaves_the_first_as_it_was():
    lower = PERCENT.but(better="lower")
    assert (PERCENT.better, lower.better, lower([1, 0])) == ("higher", "lower", 50.0)
    with pytest.raises(TypeError, match="Metric\\('percent'\\) has no colour"):
        PERCENT.but(colour="red")


@given(st.lists(st.tuples(st.floats(0, 1), st.integers(1, 4)), max_size=20))
def test_a_row_taken_n_times_is_n_rows(drawn):
    rows = np.array([[value, 1.0] for value, _ in drawn]).reshape(-1, 2)
    counts = [count for _, count in drawn]
    assert total(rows, counts).tolist() == total(np.repeat(rows, counts, axis=0)).tolist()

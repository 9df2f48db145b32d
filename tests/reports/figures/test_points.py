from hueval_metrics.metrics.basic import PERCENT, POOLED
from hueval_metrics.reports.figures.points import Point, columns_of, estimated, point
from tests.each import each

QA = "openhueval_husimpleqa"


def test_a_score_comes_with_its_interval_where_the_run_has_one(run):
    one = run("a", {QA: {"correct": 50.0, "incorrect": 10.0}}, {QA: {"correct": (45.0, 55.0)}}, n={QA: 300})
    assert point(one, QA, "correct") == (50.0, 45.0, 55.0, 300)
    assert point(one, QA, "incorrect") == (10.0, None, None, 300)
    assert point(one, QA, "f_score") is None
    assert point(one, "openhueval_huwildbench", "wb_score") is None


@each("value", [None, float("nan"), float("inf"), 1e308, -0.1])
def test_no_score_and_one_that_cannot_be_are_none(run, value):
    assert point(run("a", {QA: {"correct": value}}), QA, "correct") is None


def test_an_interval_stays_on_the_scale(run):
    one = run("a", {QA: {"correct": 50.0}}, {QA: {"correct": (-1e308, 1e308)}})
    assert point(one, QA, "correct") == (50.0, 0.0, 100.0, None)


def test_yes_or_no_gets_wilsons_interval():
    found = estimated(PERCENT, {True: 8, False: 2})
    assert found is not None
    assert (found.value, round(found.low, 2), round(found.high, 2)) == (80.0, 49.02, 94.33)


def test_pooled_blanks_get_an_interval_over_questions():
    found = estimated(POOLED, {(1, 4): 5, (3, 4): 5})
    assert found is not None
    assert found.value == 50.0
    assert 25 < found.low < 50 < found.high < 75


def test_nothing_to_estimate():
    assert estimated(PERCENT, {}) is None


def test_columns_of_a_gap_are_blank():
    assert columns_of(None) == {"score": None, "ci95_low": None, "ci95_high": None}
    assert columns_of(Point(1.0)) == {"score": 1.0, "ci95_low": None, "ci95_high": None}

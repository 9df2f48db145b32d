import pytest

from hueval_metrics.comparison.measures import check_metrics, measures
from hueval_metrics.errors import InputError
from hueval_metrics.registry import families, known_tasks
from hueval_metrics.reports.columns import headlines
from tests.each import each

QA, FIB = "openhueval_husimpleqa", "openhueval_humatchingfib"


def test_the_headlines_are_the_columns_of_table_5():
    found = {(task, name) for task in known_tasks() for name in measures(task)}
    columns = {(task, metric) for task, metric, *_ in headlines(families().values())}
    summaries = {(name, one.name) for name, family in families().items() for one in family.summaries if one.in_overview}
    assert found | summaries == columns


def test_every_metric_but_counts_and_those_of_a_dimension():
    found = measures(QA, ["all"])
    assert {"correct", "ece", "f_score", "hungarian_rate"} <= set(found)
    assert not {"n_confidence", "correct_l", "correct_bf"} & set(found)


def test_a_metric_of_a_dimension_can_be_named():
    ((name, found),) = measures(QA, ["correct_h"]).items()
    assert (name, found.stratum) == ("correct_h", "h")


@each(
    ("metric", "is_percent", "better"),
    [("correct", True, "higher"), ("incorrect", True, "lower"), ("ece", False, "lower"), ("brier", False, "lower")],
)
def test_unit_and_better_end(metric, is_percent, better):
    (found,) = measures(QA, [metric]).values()
    assert (found.unit == "%", found.better) == (is_percent, better)


def test_a_metric_of_another_task_is_passed_over_here_and_of_none_refused():
    assert measures(QA, ["blank_acc"]) == {}
    check_metrics(["blank_acc", "all"], [QA, FIB])
    with pytest.raises(InputError, match=r'"blank_accc": no such metric. The tasks have correct, '):
        check_metrics(["blank_accc"], [QA, FIB])

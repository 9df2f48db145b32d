from dataclasses import replace
from pathlib import Path

import pytest

from hueval_metrics.registry import families
from hueval_metrics.reports.columns import headlines
from hueval_metrics.reports.figures.dimensions import dimension_figures
from hueval_metrics.reports.figures.gather import FigureData
from hueval_metrics.reports.figures.lengths import length_figures
from hueval_metrics.reports.figures.outcomes import outcomes_figures
from hueval_metrics.reports.figures.reliability import reliability_figures
from hueval_metrics.reports.figures.units import panel_titles, unit_name, unit_of, unit_point, units
from hueval_metrics.runs.items import Item
from hueval_metrics.runs.run import TaskResult
from tests.helpers import run_of

FAMILY = families()["kolassimpleqa"]
HU, CS, SPECIFIC = "kolassimpleqa_hu_general", "kolassimpleqa_cs_general", "kolassimpleqa_hu_specific"
QA = "openhueval_husimpleqa"
SHARES = {"correct": 60.0, "not_attempted": 10.0, "incorrect": 30.0}


@pytest.fixture
def whole():
    """A run of all tasks, with the interval of one average."""
    run = run_of("a", Path("results.json"), {task: SHARES | {"f_score": 60.0} for task in FAMILY.tasks})
    row = TaskResult({"correct_general": 60.0}, intervals={"correct_general": (55.0, 65.0)})
    return replace(run, summaries={FAMILY.name: row})


def test_tasks_of_a_part_are_one_unit():
    assert units([SPECIFIC, CS, HU, QA]) == ["kolassimpleqa/general", "kolassimpleqa/specific", QA]
    assert unit_of("unknown_task") == "unknown_task"
    assert unit_name("kolassimpleqa/specific", "hu") == "KoLasSimpleQA nyelvspecifikus"


def test_panels_of_several_benchmarks_name_them():
    """A family with parts has its name in the title; whoever knows no benchmark by its tasks sees which is whose."""
    assert panel_titles([QA, "unknown_task"]) == {QA: "HuSimpleQA", "unknown_task": "unknown_task"}
    assert panel_titles([QA, "hulu_hucola", "kolassimpleqa/general"]) == {
        QA: "OpenHuEval: HuSimpleQA",
        "hulu_hucola": "HuLU: HuCOLA",
        "kolassimpleqa/general": "KoLasSimpleQA general",
    }


def test_a_part_has_its_summary_and_interval(whole):
    one = unit_point(whole, "kolassimpleqa/general", "correct")
    assert (one.value, one.low, one.high) == (pytest.approx(60.0), 55.0, 65.0)
    assert unit_point(whole, "kolassimpleqa/general", "no_such") is None


def test_eighteen_tasks_have_a_figure_of_outcomes_for_each_part_and_none_by_direction(whole):
    assert [one.name for one in outcomes_figures([whole])] == [
        "outcomes-kolassimpleqa-general",
        "outcomes-kolassimpleqa-specific",
    ]
    assert list(dimension_figures([whole])) == []


def test_items_of_a_part_are_shown_together(whole, texts):
    data = FigureData()
    for task, right in ((HU, 1.0), (CS, 0.0), (SPECIFIC, 0.0)):
        data.add(0, Item.of({"task": task, "prediction": "Igen.", "values": {"ece": [0.9, right]}}))
    (reliability,) = reliability_figures(data, [whole])
    assert [(row["part"], row["n"], row["score"]) for row in reliability.rows] == [
        ("general", 2, 50.0),
        ("language-specific", 1, 0.0),
    ]
    assert {"general", "language-specific", "ECE 0.400, 0.900"} <= set(texts(reliability))
    (lengths,) = length_figures(data, [whole])
    assert [row["n"] for row in lengths.rows] == [2, 1]


def test_the_overview_of_all_tasks_has_the_summaries_alone(whole):
    assert [one.metric for one in headlines([FAMILY], [whole])] == ["f_score_general", "f_score_specific", "domain_gap"]


def test_tasks_of_a_run_that_lacks_some_for_each_summary_have_columns(whole):
    few = run_of("b", Path("results.json"), {HU: {"f_score": 50.0}, SPECIFIC: {"f_score": 20.0}})
    assert [one.task for one in headlines([FAMILY], [few])] == [HU, SPECIFIC]
    assert [one.task for one in headlines([FAMILY], [whole, few])][:3] == [HU, SPECIFIC, FAMILY.name]

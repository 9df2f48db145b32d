from dataclasses import replace
from pathlib import Path

from hueval_metrics.registry import families
from hueval_metrics.reports.run_table import render_run
from hueval_metrics.runs.run import TaskResult
from tests.each import each
from tests.helpers import run_of

FAMILY = families()["kolassimpleqa"]
SOURCE = Path("results.json")


def lines_of(run):
    return [line.split() for line in render_run([run], width=100).splitlines()]


def test_all_tasks_of_a_family_with_parts_give_its_summaries():
    run = run_of("m", SOURCE, {task: {"f_score": 50.0} for task in FAMILY.tasks})
    row = TaskResult(
        {"f_score_general": 50.0}, SOURCE, {"f_score_general": (41.0, 58.5)}, metric_n={"f_score_general": 653}
    )
    lines = lines_of(replace(run, summaries={FAMILY.name: row}))
    assert [line[:2] for line in lines[2:]] == [
        [FAMILY.name, "f_score_general"],
        [FAMILY.name, "f_score_specific"],
        [FAMILY.name, "domain_gap"],
    ]
    assert lines[2] == [FAMILY.name, "f_score_general", "50.0", "[41.0,", "58.5]", "653"]
    assert lines[4][2] == "0.0"


@each("n_tasks", [1, 5])
def test_few_tasks_of_it_give_their_own_scores(n_tasks):
    tasks = list(FAMILY.tasks)[:n_tasks]
    lines = lines_of(run_of("m", SOURCE, {task: {"f_score": 50.0} for task in tasks}))
    assert [line[:3] for line in lines[2:]] == [[task, "f_score", "50.0"] for task in tasks]


def test_a_run_without_a_headline_score_has_no_table():
    assert render_run([run_of("m", SOURCE, {"toy_task": {"acc": 1.0}})]) == ""

"""Numbers over several tasks: their values, intervals and differences, and where they are shown."""

import json
from dataclasses import replace

import numpy as np
import pytest
import yaml

from hueval_metrics import registry
from hueval_metrics.cli import main
from hueval_metrics.comparison.compare import compare_runs
from hueval_metrics.comparison.options import CompareOptions
from hueval_metrics.comparison.summaries import summary_scores
from hueval_metrics.stats.intervals import wilson
from hueval_metrics.summary import Summary, parts_of
from tests.comparison.conftest import FIB, QA, TWO, fib_rows, qa_rows, two_rows, write_run
from tests.helpers import run_of

PARTS = parts_of((QA, "correct"), (TWO, "acc"))
MEAN = Summary("mean", "Mean", PARTS)
GAP = Summary("gap", "Gap", PARTS, lambda parts: parts[..., 0] - parts[..., 1], better=None)


@pytest.fixture
def declare(monkeypatch):
    """Lets OpenHuEval declare summaries."""

    def give(*summaries):
        family = replace(registry.families()["openhueval"], summaries=summaries)
        monkeypatch.setitem(registry.families(), "openhueval", family)
        for task in family.tasks:
            monkeypatch.setitem(registry.known_tasks(), task, family)

    return give


def same_questions(rows):
    """The rows of a two-choice task, about the questions of a short-answer one."""
    return [json.loads(json.dumps(row).replace('"p', '"q')) for row in rows]


def only(run):
    (found,) = summary_scores(run)
    return found


def test_a_mean_of_two_tasks_has_the_spread_of_both(declare, make_run):
    declare(MEAN)
    found = only(make_run("a", qa_rows("1" * 60 + "0" * 40) + two_rows("1" * 80 + "0" * 20)))
    low, high = found.ci95
    # As of independent shares: the variances add up.
    spread = np.sqrt(0.6 * 0.4 / 100 + 0.8 * 0.2 / 100) / 2
    assert (high - low) / 2 == pytest.approx(100 * 1.96 * spread, rel=0.06)
    assert found.n == 200


def test_what_two_tasks_ask_of_the_same_question_is_drawn_together(declare, make_run):
    declare(GAP)
    outcomes = "1" * 50 + "0" * 50
    same = make_run("same", qa_rows(outcomes) + same_questions(two_rows(outcomes[:99] + "1")))
    apart = make_run("apart", qa_rows(outcomes) + two_rows(outcomes[:99] + "1"))
    widths = [high - low for high, low in (only(run).ci95[::-1] for run in (same, apart))]
    assert widths[0] < widths[1] / 4  # they differ in one question of 100
    assert only(same).n == 100


def test_without_one_of_the_tasks_there_is_none(declare, make_run):
    declare(MEAN)
    assert summary_scores(make_run("a", qa_rows("10"))) == []


def test_a_value_that_cannot_be_read_costs_the_interval_alone(declare, make_run):
    declare(MEAN)
    rows = qa_rows("10") + two_rows("10")
    rows[0]["values"]["correct"] = "yes"
    found = only(make_run("a", rows))
    assert (found.value, found.ci95, found.n) == (50.0, None, None)


def test_without_items_the_value_stands_alone(declare, make_run):
    declare(MEAN)
    run = make_run("a", qa_rows("10") + two_rows("10"))
    (run.path.parent / "items.jsonl").unlink()
    assert (only(run).value, only(run).ci95, only(run).n) == (50.0, None, None)
    live = run_of("as it ends", scores={QA: {"correct": 40.0}, TWO: {"acc": 60.0}})  # nothing is written yet
    assert (only(live).value, only(live).ci95) == (50.0, None)


def test_runs_are_compared_in_it_over_the_items_of_all_tasks(declare, make_run):
    declare(MEAN)
    good = make_run("good", qa_rows("1" * 40) + two_rows("1" * 40))
    bad = make_run("bad", qa_rows("1" * 20 + "0" * 20) + two_rows("1" * 20 + "0" * 20))
    found = next(one for one in compare_runs([good, bad]).metrics if one.metric == "mean")
    (pair,) = found.pairs
    assert (found.task, found.n, pair.difference, pair.leader) == ("openhueval", 80, 50.0, "good")
    assert pair.ci95[0] == pytest.approx(50 - 100 * 1.96 * np.sqrt(0.5 * 0.5 / 80), abs=1)
    assert [score.value for score in found.scores] == [100.0, 50.0]
    assert found.scores[0].ci95[0] <= 100 * wilson(80, 80)[0]
    assert not [
        one for one in compare_runs([good, bad], CompareOptions(metrics=["correct"])).metrics if one.metric == "mean"
    ]


def test_runs_that_share_no_task_of_it_are_not(declare, make_run):
    declare(Summary("both", "Both", parts_of((QA, "correct"), (FIB, "blank_acc"))))
    runs = [make_run("a", qa_rows("10") + fib_rows([(1, 2)])), make_run("b", qa_rows("01"))]
    assert [one.metric for one in compare_runs(runs).metrics] == ["correct"]


@pytest.fixture
def folders(tmp_path):
    rows = [qa_rows("1" * 20) + two_rows("1" * 20), qa_rows("10" * 10) + two_rows("10" * 10)]
    for row in rows[0] + rows[1]:  # their results say 50 of every metric
        for metric in ("ece", "brier"):
            row["values"].pop(metric, None)
    return [write_run(tmp_path / f"run-{n}", some, f"org/model-{n}") for n, some in enumerate(rows)]


def test_tables_show_it(declare, folders, capsys):
    declare(MEAN)
    assert main(["table", *map(str, folders), "--format", "csv"]) == 0
    header, *rows = capsys.readouterr().out.splitlines()
    assert header.endswith(",openhueval.mean,flags")
    assert rows[0].endswith(",50.0,")  # as the results say, which this test makes up
    assert main(["table", str(folders[1]), "--all"]) == 0
    (line,) = [line for line in capsys.readouterr().out.splitlines() if line.startswith("mean ")]
    assert line.split()[1:4] == ["org/model-1", "50.0", "±"]
    assert line.split()[-1] == "40"


def test_the_page_and_the_model_card_show_it(declare, folders, tmp_path):
    declare(MEAN)
    page = tmp_path / "page.html"
    assert main(["report", *map(str, folders), "--output", str(page)]) == 0
    text = page.read_text(encoding="utf-8")
    assert text.count(">Mean</th>") == 2  # a column of the overview, and of the published table
    assert "<code>mean</code>" in text
    assert (
        text.count('<span lang="en">differs significantly from the best</span>') == 3
    )  # of both tasks, and of their mean
    out = tmp_path / "export"
    options = ("--to", "model-index", "--dataset", "org/data@v1", "--even-partial")
    assert main(["export", str(folders[1]), *options, "--output", str(out)]) == 0
    results = yaml.safe_load((out / "model-index.yaml").read_text(encoding="utf-8"))["model-index"][0]["results"]
    (metric,) = [metric for result in results for metric in result["metrics"] if metric["type"] == "mean"]
    assert (metric["name"], metric["value"], metric["args"]["n"]) == ("openhueval mean", 50.0, 40)
    assert metric["args"]["terms"] == [f"{QA} correct", f"{TWO} acc"]

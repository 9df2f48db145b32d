"""What the README promises to whoever loads results with one line of pandas."""

import io

import pandas
import pytest

from hueval_metrics.reports.tables import render_metrics
from hueval_metrics.runs.load import load_runs
from tests.export.conftest import FIB, QA


def test_results_load_with_one_line(scored):
    table = pandas.read_json(scored() / "results.json", orient="index")
    assert list(table.index) == [FIB, QA]
    assert table.loc[FIB, "blank_acc"] == 75.0
    assert table.loc[FIB, "blank_acc_ci95"] == [50.0, 100.0]
    assert pandas.isna(table.loc[QA, "blank_acc"])


def test_items_load_with_one_line(scored):
    items = pandas.read_json(scored() / "items.jsonl", lines=True)
    assert list(items.qid) == ["a", "b", "c", "d"]
    assert items.groupby("task").size().to_dict() == {FIB: 2, QA: 2}
    assert items.metrics.str["blank_acc"].dropna().tolist() == [100.0, 50.0]


@pytest.mark.parametrize("labels", [["org/a"], ["org/a", "org/b"]], ids=["one run", "two runs"])
def test_the_table_is_a_tidy_frame(scored, labels):
    folders = [scored(str(place), model=label) for place, label in enumerate(labels)]
    frame = pandas.read_csv(io.StringIO(render_metrics(load_runs(folders), "csv")))
    assert frame.pop("flags").isna().all()
    assert list(frame.columns) == ["task", "metric", "model", "score", "ci95_low", "ci95_high", "n", "signature"]
    assert frame.pop("signature").str.startswith("task:").all()
    (row,) = frame.query("metric == 'question_acc' and model == 'org/a'").to_dict("records")
    assert row == {
        "task": FIB, "metric": "question_acc", "model": "org/a", "score": 50.0, "ci95_low": 9.45, "ci95_high": 90.55,
        "n": 2,
    }  # fmt: skip
    assert set(frame.model) == set(labels)

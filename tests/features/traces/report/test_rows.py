"""traces.jsonl and the analyses among the paths of a report: anyone may have written them."""

from __future__ import annotations

import json

import pytest

from hueval_metrics.errors import InputError
from hueval_metrics.runs.run import Run
from hueval_metrics.traces.report.analysis import Analysis, read_analyses, rows_of_runs, without_analyses
from hueval_metrics.traces.report.rows import TraceRow, read_rows
from hueval_metrics.traces.results import AnalysedRun, TraceResults
from hueval_metrics.traces.segments.classes import DIMENSIONS
from tests.each import each

ROW = {"run": "m", "task": "toybench_words", "key": ["1"], "blocks": [[0, 9]], "tokens": 3}
ZERO = {"start": 0, "end": 4, "category": "Review"}

BROKEN = [
    ("no run", {"run": None}, "run"),
    ("a block without an end", {"blocks": [[3]]}, "blocks.0"),
    ("a negative offset", {"blocks": [[-1, 2]]}, "blocks.0.0"),
    ("thoughts that begin late", {"thoughts": {"starts": [2], "scores": [None]}}, "thoughts"),
    ("thoughts in another order", {"thoughts": {"starts": [0, 5, 3], "scores": [1, 1, 1]}}, "thoughts"),
    ("a thought without a score", {"thoughts": {"starts": [0, 5], "scores": [1]}}, "thoughts"),
    ("a score of 3", {"thoughts": {"starts": [0], "scores": [3]}}, "thoughts.scores.0"),
    ("a category in another language", {"segments": {"segments": [ZERO | {"category": "Bevezetés"}]}}, "category"),
    ("segments that overlap", {"segments": {"segments": [ZERO, ZERO | {"start": 3}]}}, "segments"),
    ("text for an offset", {"life": {"parts": [{"part": "", "first": "five"}]}}, "life.parts.0.first"),
]


@each(("change", "where"), [case[1:] for case in BROKEN], ids=[case[0] for case in BROKEN])
def test_a_row_that_is_not_usable_is_left_out_and_named(tmp_path, change, where):
    (tmp_path / "traces.jsonl").write_text("".join(json.dumps(row) + "\n" for row in (ROW | change, ROW)))
    faults = []
    assert list(read_rows(tmp_path, faults.append)) == ["m"]
    assert len(faults) == 1
    assert "traces.jsonl line 1" in faults[0]
    assert where in faults[0]
    assert "\n" not in faults[0]


def test_what_a_step_left_out_has_no_value():
    row = TraceRow.model_validate(ROW | {"thoughts": {"left_out": "too long"}, "segments": {"left_out": "no reply"}})
    assert (row.thoughts, row.segments, row.life, row.free) == (None, None, None, None)


@each(
    ("names", "classes"),
    [
        ([known[-1] for known in DIMENSIONS], (3, 1, 2, 1)),
        (None, None),
        ([], None),
        (["Completely Correct", "Simple Assertion", "?", "No Language Transfer"], None),
    ],
    ids=["the last of each", "none", "an empty list", "an unknown one"],
)
def test_classes(names, classes):
    segments = {"segments": [{"start": 0, "end": 4, "category": "Reasoning", "dimensions": names}]}
    row = TraceRow.model_validate(ROW | {"segments": segments})
    assert row.segments.segments[0].classes == classes


def analysis(folder, *runs):
    """An analysis of runs, given as (label, model), with a row of each."""
    folder.mkdir()
    rows = [ROW | {"run": label} for label, _ in runs]
    (folder / "traces.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    results = TraceResults("1.0", ("free",), "t", "s", [AnalysedRun(*run) for run in runs], [], [])
    results.write(folder)
    return Analysis(folder, results)


def run(label, model, tmp_path):
    return Run(label, tmp_path / "results.json", {}, model=model)


def test_a_run_is_found_by_its_label_and_else_by_its_model_where_there_is_one_run_of_it(tmp_path):
    runs = [run("m (a)", "m", tmp_path), run("m (b)", "m", tmp_path), run("n (2)", "n", tmp_path)]
    made = analysis(tmp_path / "x", ("m (b)", "m"), ("m", "m"), ("n", "n"))
    faults = []
    rows, renamed = rows_of_runs(runs, [made], faults.append)
    assert [len(own) for own in rows] == [0, 1, 1]
    assert renamed == {"n": "n (2)"}
    assert faults == []


def test_the_first_analysis_of_a_run_counts(tmp_path):
    first, second = analysis(tmp_path / "x", ("m", "m")), analysis(tmp_path / "y", ("m", "m"))
    (tmp_path / "y" / "traces.jsonl").write_text(json.dumps(ROW | {"tokens": 99}) + "\n")
    rows, _ = rows_of_runs([run("m", "m", tmp_path)], [first, second], pytest.fail)
    assert rows[0]["toybench_words", ("1",)].tokens == 3


def test_rows_that_are_not_there_are_a_fault(tmp_path):
    made = analysis(tmp_path / "x", ("m", "m"))
    (tmp_path / "x" / "traces.jsonl").unlink()
    faults = []
    assert rows_of_runs([run("m", "m", tmp_path)], [made], faults.append)[0] == [{}]
    assert "traces.jsonl" in faults[0]


def test_paths_of_results_and_of_analyses_are_told_apart(tmp_path):
    analysis(tmp_path / "both", ("m", "m"))
    (tmp_path / "both" / "results.json").write_text("{}")
    analysis(tmp_path / "alone", ("m", "m"))
    (tmp_path / "empty").mkdir()
    paths = [tmp_path / name for name in ("both", "alone", "empty", "missing", "alone/traces.json")]
    others, files = without_analyses(paths)
    assert others == [tmp_path / name for name in ("both", "empty", "missing")]
    assert files == [tmp_path / name / "traces.json" for name in ("both", "alone")]


def test_an_analysis_that_cannot_be_read_is_left_out(tmp_path):
    file = tmp_path / "traces.json"
    file.write_text('{"numbers": 5}')
    faults = []
    assert read_analyses([file], faults.append) == []
    assert len(faults) == 1


def test_a_report_of_an_analysis_alone_says_what_is_missing(tmp_path):
    from hueval_metrics.api.report import report

    analysis(tmp_path / "alone", ("m", "m"))
    with pytest.raises(InputError, match=r"analysis of traces alone\. Name the results of its runs"):
        report(tmp_path / "alone", tmp_path / "report.html")

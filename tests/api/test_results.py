"""`hueval.load` and its results: tables, data frames with literal values, and HTML that holds nothing foreign."""

import json
import subprocess
import sys

import pandas
import pytest

import hueval_metrics as hueval
from hueval_metrics.cli import main
from hueval_metrics.records import Verdict
from tests.export.conftest import FIB, QA, scored  # noqa: F401  fixture

SCORES = {
    "model": "string", "task": "string", "metric": "string", "score": "float64", "ci95_low": "float64",
    "ci95_high": "float64", "n": "Int64", "headline": "boolean", "ci_method": "string", "signature": "string",
    "flags": "string",
}  # fmt: skip
ITEMS = {
    "model": "string", "task": "string", "item": "string", "cluster": "string", "dimension": "string",
    "prompt": "string", "reference": "string", "prediction": "string", "response": "string", "truncated": "boolean",
    "answer": "object", "reading": "string", "verdict": "object",
}  # fmt: skip


def types_of(table):
    return {name: str(kind) for name, kind in table.dtypes.items()}


def the_row(table, **where):
    (row,) = table[(table[list(where)] == pandas.Series(where)).all(axis=1)].to_dict("records")
    return row


def test_every_score_is_a_row(scored):  # noqa: F811
    table = hueval.load(scored()).to_pandas()
    assert types_of(table) == SCORES
    row = the_row(table, task=FIB, metric="question_acc")
    assert row.pop("signature").startswith(f"task:{FIB}|v:1.0|data:46d4a38095ec")
    assert pandas.isna(row.pop("flags"))
    assert row == {
        "model": "org/model-7B", "task": FIB, "metric": "question_acc", "score": 50.0, "ci95_low": 9.45,
        "ci95_high": 90.55, "n": 2, "headline": True, "ci_method": "wilson",
    }  # fmt: skip
    ece = the_row(table, task=QA, metric="ece")
    assert (ece["score"], ece["headline"]) == (0.45, False)
    assert pandas.isna([ece["ci95_low"], ece["ci_method"]]).all()


def test_the_scores_are_those_of_the_csv(scored, capsys, tmp_path):  # noqa: F811
    folder = scored()
    assert main(["table", str(folder), "--all", "--format", "csv"]) == 0
    (tmp_path / "table.csv").write_text(capsys.readouterr().out, encoding="utf-8")
    of_the_command = pandas.read_csv(tmp_path / "table.csv")
    ours = hueval.load(folder).to_pandas()[list(of_the_command.columns)]
    of_the_command = of_the_command.astype({"flags": "string"})  # which no score has
    pandas.testing.assert_frame_equal(ours, of_the_command, check_dtype=False)


def test_means_over_prompts_have_their_spread(tmp_path):
    for prompt in (1, 2):
        row = {"acc": 10.0 * prompt, "n": 60, "signature": f"task:hulu_huwnli|prompt:hu{prompt}-ab", "model": "m"}
        (tmp_path / str(prompt)).mkdir()
        (tmp_path / str(prompt) / "results.json").write_text(json.dumps({"hulu_huwnli": row}), encoding="utf-8")
    assert types_of(hueval.load(tmp_path).to_pandas()) == SCORES
    table = hueval.load(tmp_path, by_prompt=False).to_pandas()
    assert types_of(table) == SCORES | {"lowest": "float64", "highest": "float64"}
    assert the_row(table, metric="acc")["score"] == 15.0
    assert (table["lowest"][0], table["highest"][0]) == (10.0, 20.0)


def test_every_item_is_a_row(scored):  # noqa: F811
    table = hueval.load(scored()).items()
    metrics = dict.fromkeys(("blank_acc", "question_acc", "blank_acc_l", "correct"), "float64")
    assert types_of(table) == ITEMS | metrics
    assert table.item.tolist() == ["a", "b", "c", "d"]
    row = the_row(table, item="b")
    assert {name: row[name] for name in ("task", "dimension", "reference", "truncated", "answer", "blank_acc")} == {
        "task": FIB, "dimension": "l", "reference": '{"answers": ["#0#alma", "#1#körte"]}', "truncated": True,
        "answer": ["#0#alma", "#1#szilva"], "blank_acc": 50.0,
    }  # fmt: skip
    assert table.response[0] == '{"answers": ["#0#Buda", "#1#Pest"]}'
    assert table.prediction[0].startswith("<think>")
    assert isinstance(table.verdict[2], Verdict)
    assert (table.verdict[2].label, table.verdict[0]) == ("CORRECT", None)
    assert table.groupby("task").correct.mean().to_dict()[QA] == 50.0


def test_items_of_one_task(scored):  # noqa: F811
    results = hueval.load(scored())
    assert results.items(QA).item.tolist() == ["c", "d"]
    with pytest.raises(hueval.InputError, match=f'^no run has the task "qa". Tasks: {FIB}, {QA}$'):
        results.items("qa")


def test_items_of_overwritten_results_are_refused(scored):  # noqa: F811
    folder = scored()
    results = hueval.load(folder)
    file = folder / "results.json"
    file.write_text(file.read_text(encoding="utf-8").replace("75.0", "25.0"), encoding="utf-8")
    with pytest.raises(hueval.InputError) as refused:
        results.items()
    assert str(refused.value) == (
        f"{file}: has changed since it was loaded. Load it again, and give each model its own output folder"
    )


@pytest.mark.parametrize(
    ("options", "arguments"),
    [
        ({}, []),
        ({"every_metric": True}, ["--all"]),
        ({"format": "markdown", "published": True}, ["--format", "markdown", "--published"]),
        ({"format": "latex"}, ["--format", "latex"]),
    ],
    ids=["overview", "every metric", "published", "latex"],
)
def test_the_table_is_that_of_the_command(scored, capsys, options, arguments):  # noqa: F811
    folder = scored()
    assert main(["table", str(folder), *arguments]) == 0
    assert hueval.load(folder).table(**options) == capsys.readouterr().out


def test_printing_shows_the_table(scored):  # noqa: F811
    results = hueval.load(scored())
    assert str(results) == results.table().rstrip("\n")
    assert "org/model-7B" in str(results)


def test_html_says_what_the_scores_are_of(tmp_path):
    row = {"question_acc": 50.0, "n": 14, "signature": f"task:{FIB}|sample:yes", "model": "a<b"}
    (tmp_path / "results.json").write_text(json.dumps({FIB: row}), encoding="utf-8")
    html = hueval.load(tmp_path)._repr_html_()
    assert html.endswith("<small>Packaged sample: not comparable with published numbers (a&lt;b).</small>")


def test_html_escapes_what_files_say(scored):  # noqa: F811
    html = hueval.load(scored(model="<img src=x onerror=alert(1)>&\x1b[31m"))._repr_html_()
    assert "<td>&lt;img src=x onerror=alert(1)&gt;&amp;</td>" in html
    assert "75.00</td>" in html
    assert "<img" not in html and "\x1b" not in html and "style" not in html and "color" not in html


@pytest.mark.process
def test_a_file_that_cannot_be_read_is_told(scored, tmp_path):  # noqa: F811
    scored("good")
    (tmp_path / "bad").mkdir()
    (tmp_path / "bad" / "results.json").write_text("{", encoding="utf-8")
    code = f"import hueval_metrics as hueval; print(len(hueval.load({str(tmp_path)!r}).faults))"
    outcome = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert outcome.stdout == "1\n"
    assert outcome.stderr.startswith(f"{tmp_path / 'bad' / 'results.json'} line 1 column 2: not valid JSON")
    assert outcome.stderr.count("\n") == 1


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda results: hueval.load(), "no path given. Name results files, or folders that hold them"),
        (lambda results: hueval.load("nowhere"), "nowhere: no such file or folder. Give lm-eval's results_<date>.json"),
        (lambda results: hueval.load(5), "a path: of type int, expected str or pathlib.Path"),
        (lambda results: hueval.load(""), "a path: empty. Name a file or folder"),
        (lambda results: results.table("pdf"), 'format "pdf": choose of terminal, markdown, csv, latex'),
        (lambda results: results.table(published=True, every_metric=True), "--published: published scores are in"),
        (lambda results: results.table(human="people.csv"), "--human: people's scores are in tables of a family"),
        (lambda results: results.table(every_metric=True, view="x"), "--all (every_metric) and --view: choose one of"),
    ],
    ids=["no path", "missing", "number", "empty", "format", "published", "people", "two kinds"],
)
def test_a_mistake_is_one_line(scored, call, message):  # noqa: F811
    with pytest.raises(hueval.InputError) as refused:
        call(hueval.load(scored()))
    assert str(refused.value).startswith(message)
    assert "\n" not in str(refused.value)


@pytest.mark.process
def test_without_pandas(scored):  # noqa: F811
    code = (
        "import sys; sys.modules['pandas'] = None\n"
        f"import hueval_metrics as hueval; results = hueval.load({str(scored())!r}); print(results)\n"
        "try: results.to_pandas()\nexcept hueval.InputError as error: print(error)"
    )
    outcome = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert "org/model-7B" in outcome.stdout
    assert outcome.stdout.endswith("a data frame needs pandas. Install it: pip install pandas\n")

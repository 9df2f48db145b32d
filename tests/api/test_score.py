"""`hueval.score`: the numbers and files of the command, from rows in memory too, wherever it is called."""

import asyncio
import json
import subprocess
import sys

import pandas
import pytest

import hueval_metrics as hueval
from hueval_metrics.cli import main
from hueval_metrics.loader import documents
from tests.api.conftest import FIB, PAIRS, QA, rows_of
from tests.fakes.judge_server import FakeJudge, refuse
from tests.helpers import shared

FILES = ("results.json", "items.jsonl")
FORMS = {"list": list, "iterator": iter, "frame": pandas.DataFrame}


def contents(folder):
    return {name: (folder / name).read_bytes() for name in FILES}


def written(rows, path):
    path.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows), encoding="utf-8")
    return path


def of_the_command(rows, task, folder, *options):
    file = written(rows, folder / "predictions.jsonl")
    assert main(["score", str(file), "--task", task, "--output", str(folder / "command"), *options]) == 0
    return contents(folder / "command")


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("task", [FIB, PAIRS])
def test_rows_in_memory_give_the_files_of_the_command(on_the_sample, tmp_path, task, form):
    rows = rows_of(task)
    expected = of_the_command(rows, task, tmp_path)
    hueval.score(FORMS[form](rows), task, output=tmp_path / "api")
    assert contents(tmp_path / "api") == expected


def test_paths_give_the_files_of_the_command(on_the_sample, tmp_path):
    one = written([row | {"task": FIB} for row in rows_of(FIB)], tmp_path / "one.jsonl")
    two = written([row | {"task": PAIRS} for row in rows_of(PAIRS)], tmp_path / "two.jsonl")
    assert main(["score", str(one), str(two), "--output", str(tmp_path / "command")]) == 0
    results = hueval.score([one, str(two)], output=tmp_path / "api")
    assert contents(tmp_path / "api") == contents(tmp_path / "command")
    assert list(results.runs[0].tasks) == [FIB, PAIRS]


def test_real_data(tmp_path):
    data = shared("data")
    docs = documents(FIB, data_dir=str(data))[0]
    rows = [{"qid": doc["qid"], "prediction": json.dumps({"answers": ["#0#alma"]})} for doc in docs]
    expected = of_the_command(rows, FIB, tmp_path, "--data-dir", str(data))
    results = hueval.score(rows, FIB, output=tmp_path / "api", data_dir=data)
    assert contents(tmp_path / "api") == expected
    assert results.runs[0].result(FIB).n == 93
    hueval.score(rows, FIB, output=tmp_path / "metadata", metadata={"data_dir": str(data)})
    assert contents(tmp_path / "metadata") == expected


def test_results_are_typed(on_the_sample, tmp_path):
    results = hueval.score(rows_of(PAIRS, wrong_every=7), PAIRS, output=tmp_path / "half-right")
    assert isinstance(results, hueval.Results)
    (run,) = results.runs
    assert (run.label, run.score(PAIRS, "acc"), run.result(PAIRS).n) == ("half-right", 71.42857142857143, 28)
    assert results.n_unanswered == 0
    assert results.faults == ()


def test_inside_a_running_event_loop_and_in_a_thread(on_the_sample, tmp_path):
    rows = rows_of(PAIRS)

    async def scored():
        here = hueval.score(rows, PAIRS, output=tmp_path / "here")
        there = await asyncio.to_thread(hueval.score, rows, PAIRS, output=tmp_path / "there")
        return here, there

    asyncio.run(scored())
    assert contents(tmp_path / "here") == contents(tmp_path / "there")


def test_the_judge_is_asked_inside_a_running_event_loop(on_the_sample, tmp_path, monkeypatch):
    rows = rows_of(QA, wrong_every=100)

    async def scored(url, **options):
        monkeypatch.setenv("HUEVAL_JUDGE_BASE_URL", url)
        return hueval.score(rows, QA, output=tmp_path / "out", **options)

    with FakeJudge(lambda request, n: json.dumps({"evaluation": "CORRECT"})) as judge:
        first = asyncio.run(scored(judge.url))
        again = asyncio.run(scored(judge.url, rejudge=["second", "third"]))
        asked = {request["model"] for request in judge.requests if "messages" in request}
    assert first.runs[0].score(QA, "correct") == again.runs[0].score(QA, "correct") == 100.0
    assert set(first.runs[0].result(QA).judges) == {"gpt-4o-2024-11-20"}
    assert set(again.runs[0].result(QA).judges) == {"second", "third"}
    assert asked == {"gpt-4o-2024-11-20", "second", "third"}


def test_a_verdict_that_did_not_come_is_counted(on_the_sample, tmp_path, monkeypatch):
    with FakeJudge(lambda request, n: refuse(401, "no such key")) as judge:
        monkeypatch.setenv("HUEVAL_JUDGE_BASE_URL", judge.url)
        results = hueval.score(rows_of(QA), QA, output=tmp_path / "out")
    assert results.n_unanswered == len(rows_of(QA))


def test_nothing_is_printed_and_the_arguments_of_the_process_stay(on_the_sample, tmp_path, capfd, monkeypatch):
    monkeypatch.setattr(sys, "argv", ["notebook", "--task", "x"])
    results = hueval.score(rows_of(FIB), FIB, output=tmp_path / "a")
    hueval.compare(results, hueval.score(rows_of(FIB, 5), FIB, output=tmp_path / "b"))
    hueval.report(results, tmp_path / "page.html")
    assert capfd.readouterr() == ("", "")
    assert sys.argv == ["notebook", "--task", "x"]


@pytest.mark.process
def test_missing_predictions_are_warned_of_once(on_the_sample, tmp_path):
    file = written(rows_of(FIB)[:-2], tmp_path / "predictions.jsonl")
    code = f"import hueval_metrics as hueval; hueval.score({str(file)!r}, {FIB!r}, output={str(tmp_path / 'out')!r})"
    outcome = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert outcome.stdout == ""
    assert outcome.stderr == f"{FIB}: 2 of 14 documents have no prediction; the denominator is what was given.\n"


@pytest.mark.parametrize(
    ("predictions", "message"),
    [
        ([{"prediction": "1"}], 'predictions row 1: "qid" is missing or not a string'),
        ([{"qid": "a", "answer": "1"}], "predictions row 1: neither an lm-eval sample"),
        ([{"qid": "a", "prediction": 1}], 'predictions row 1 (qid a): "prediction" is 1, expected a string'),
        ([{"qid": "a", "prediction": float("nan")}], 'predictions row 1 (qid a): "prediction" is NaN, expected a'),
        ([{"qid": "a", "prediction": {"1"}}], "predictions row 1: cannot be written as JSON (Object of type set is"),
        ([{"qid": "a", "prediction": "1"}, "b"], "predictions row 2: of type str; expected a path, paths, a data"),
        ({"qid": "a", "prediction": "1"}, "predictions: expected a path, paths, a data frame, or rows such as"),
        ([], "predictions: empty; expected a path"),
        (None, "predictions: expected a path, paths, a data frame, or rows such as"),
        ("", "predictions: empty. Name a file or folder"),
        ("nowhere.jsonl", "nowhere.jsonl: no such file or folder"),
    ],
    ids=lambda value: (
        value[:60] if isinstance(value, str) and value.startswith(("pred", "nowhere.jsonl:")) else "given"
    ),
)
def test_predictions_of_no_use_are_one_line(on_the_sample, tmp_path, predictions, message):
    with pytest.raises(hueval.InputError) as refused:
        hueval.score(predictions, FIB, output=tmp_path / "out")
    assert str(refused.value).startswith(message)
    assert "\n" not in str(refused.value)
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"task": "openhueval_hustandardfb"}, 'unknown task "openhueval_hustandardfb". Did you mean openhueval_hust'),
        ({"task": None}, "predictions row 1: which task? Name it with --task (in Python: task=…), or in the row"),
        ({"task": 5}, "task: of type int, expected the name of a task"),
        ({"output": 5}, "output: of type int, expected str or pathlib.Path"),
        ({"output": ""}, "output: empty. Name a file or folder"),
        ({"data_dir": 5}, "data_dir: of type int, expected str or pathlib.Path"),
        ({"metadata": ["hu"]}, "metadata: of type list, expected a mapping"),
        ({"rejudge": 5}, "rejudge: of type int, expected a model id or several"),
    ],
    ids=lambda value: "-".join(value) if isinstance(value, dict) else "",
)
def test_options_of_no_use_are_one_line(on_the_sample, tmp_path, options, message):
    with pytest.raises(hueval.InputError) as refused:
        hueval.score(rows_of(FIB), **{"task": FIB, "output": tmp_path / "out", **options})
    assert str(refused.value).startswith(message)
    assert "\n" not in str(refused.value)

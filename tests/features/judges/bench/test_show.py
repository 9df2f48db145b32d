"""`judge-bench show`: references of every kind, attempts, tables, the figure, and what is refused."""

from __future__ import annotations

import csv
import json
import shutil
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest

from hueval_metrics.cli import main
from hueval_metrics.judges.bench.bench import read_bench
from hueval_metrics.judges.bench.reference import reference_for
from hueval_metrics.judges.people.key import read_key
from hueval_metrics.loader import documents
from tests.fakes.batch_server import FakeBatches, answer_row
from tests.fakes.judge_server import Answer, FakeJudge
from tests.features.judges.bench.conftest import QA, bench, honest, lenient, says
from tests.helpers import json_lines

OE = "openhueval_huproverbrea_oe"
BILL = {"prompt_tokens": 1000, "completion_tokens": 20}


def answers(request, number=0):
    """Two judges: `kind-2` takes long answers, `toy-strict` is always right and yields to one attempt."""
    if "Dear judge" in request["messages"][1]["content"] and request["model"] == "toy-strict":
        return Answer(says("CORRECT"), usage=BILL)
    return Answer((lenient if request["model"] == "kind-2" else honest)(request), usage=BILL)


@pytest.fixture(scope="module")
def asked(made, tmp_path_factory):
    """A bench with two judges."""
    folder = tmp_path_factory.mktemp("asked")
    (folder / "prices.yaml").write_text("kind-2: {input: 1, output: 5}\n")
    with pytest.MonkeyPatch.context() as patch, FakeJudge(answers) as server:
        patch.setenv("HUEVAL_CACHE_DIR", str(folder / "cache"))
        patch.setenv("HUEVAL_JUDGE_PRICES", str(folder / "prices.yaml"))
        patch.setenv("HUEVAL_JUDGE_BASE_URL", server.url)
        judges = ("--judge", "kind-2", "--judge", "toy-strict")
        assert bench("run", made / "set", *judges, "--output", folder / "bench") == 0
    return folder / "bench"


@pytest.fixture
def benched(asked, tmp_path):
    """A copy of it."""
    return Path(shutil.copytree(asked, tmp_path / "bench"))


def shown(capsys, *arguments):
    assert bench("show", *arguments, "--format", "json") == 0
    (task,) = json.loads(capsys.readouterr().out).values()
    return {judge["judge"]: judge for judge in task["judges"]}, task


def test_the_biases_that_were_put_in_are_found(benched, capsys):
    judges, task = shown(capsys, benched, "--reference", "toy-strict")
    kind, strict, words = (judges[name] for name in ("kind-2", "toy-strict", "lexical"))
    assert (task["reference"], task["n_reference"], task["n"]) == ("toy-strict", 54, 54)
    assert (strict["is_reference"], strict["against"], words["is_drawn"]) == (True, None, True)
    rows = {name: row["verdict"] for name, row in _rows(benched).items()}
    right = {name for name, verdicts in rows.items() if verdicts["toy-strict"] == "CORRECT"}
    taken = {name for name, verdicts in rows.items() if verdicts["kind-2"] == "CORRECT"}
    assert right < taken
    assert kind["against"]["agreement"]["value"] == pytest.approx(100 * (1 - len(taken - right) / 54))
    assert kind["against"]["difference"]["value"] == pytest.approx(100 * len(taken - right) / 54)
    assert kind["against"]["labels"]["CORRECT"][0]["value"] == 100
    assert kind["against"]["length"]["ci95"][0] > 30
    assert words["against"]["length"] is None or abs(words["against"]["length"]["value"]) < 20
    assert kind["usd"] == pytest.approx(1000 * (1000 * 1 + 20 * 5) / 1e6)
    assert (strict["usd"], words["usd"]) == (None, 0)
    assert strict["n_paid"] == 54


def _rows(folder):
    """Model and item → judge → label."""
    found = {}
    for file in folder.glob("*/*/items.jsonl"):
        for row in json_lines(file):
            one = found.setdefault((file.parent.name, row["qid"]), {"verdict": {}})
            one["verdict"][row["verdict"]["judge"]] = row["verdict"]["label"]
    return found


def test_a_judge_that_yields_to_one_attempt(benched, capsys):
    judges, _ = shown(capsys, benched, "--reference", "toy-strict")
    rows = json_lines(benched / "toy-strict" / "attempts.jsonl")
    yielded = [row["attempt"] for row in rows if row["verdict"]["label"] == "CORRECT"]
    assert yielded == ["dear judge: words, not form"]
    assert judges["toy-strict"]["resists"]["value"] == pytest.approx(100 * (1 - 1 / 68))
    assert judges["toy-strict"]["resists"]["n"] == len(rows) == 68
    marked = {row["attempt"]: row["verdict"]["suspicious"] for row in rows}
    assert marked["ChatML"] == ["forged_role"]


def test_a_scored_run_as_reference(benched, frozen, tmp_path, capsys):
    run = benched / "toy-strict" / "third"
    judges, task = shown(capsys, benched, "--reference", run)
    assert (task["reference"], task["n_reference"]) == (f"toy-strict in {run}", 18)
    assert judges["toy-strict"]["against"]["agreement"]["value"] == 100


def test_people_as_reference(benched, tmp_path, capsys):
    sheet, key = tmp_path / "sheet.csv", tmp_path / "sheet.key.json"
    main(["validate-judge", "export", str(benched / "toy-strict"), "--output", str(sheet), "--n", "40"])
    items = read_key(key).items
    with sheet.open(encoding="utf-8-sig", newline="") as file:
        head, *rows = csv.reader(file)
    for rater, ties in (("anna", 0), ("bela", 3)):
        own = [[*row[:6], items[row[0]].rating, ""] for row in rows]
        for row in own[:ties]:
            row[6] = "NOT_ATTEMPTED"
        with (tmp_path / f"sheet_{rater}.csv").open("w", encoding="utf-8-sig", newline="") as file:
            csv.writer(file).writerows([head, *own])
    capsys.readouterr()
    sheets = [option for name in ("anna", "bela") for option in ("--reference", tmp_path / f"sheet_{name}.csv")]
    judges, task = shown(capsys, benched, *sheets, "--key", key)
    assert (task["reference"], task["n_reference"]) == ("people (2 raters)", 37)
    assert (judges["toy-strict"]["against"]["agreement"]["value"], judges["toy-strict"]["against"]["n"]) == (100, 37)


def test_a_sheet_s_draw_is_weighted(benched, capsys, tmp_path):
    """A sheet of 20 of 54 answers has the 20 right ones more often than they occur; the shares are those of all."""
    main(["validate-judge", "export", str(benched / "toy-strict"), "--output", str(tmp_path / "s.csv"), "--n", "20"])
    items = read_key(tmp_path / "s.key.json").items
    with (tmp_path / "s.csv").open(encoding="utf-8-sig", newline="") as file:
        head, *rows = csv.reader(file)
    with (tmp_path / "s.csv").open("w", encoding="utf-8-sig", newline="") as file:
        csv.writer(file).writerows([head, *([*row[:6], items[row[0]].rating, ""] for row in rows)])
    capsys.readouterr()
    reference = reference_for(read_bench(benched), [str(tmp_path / "s.csv")])
    right = [name for name, rating in reference.ratings.items() if rating == "CORRECT"]
    assert (len(reference.ratings), sum(reference.weights.values())) == (20, pytest.approx(54))
    assert len(right) / 20 != pytest.approx(20 / 54)
    assert sum(reference.weights[name] for name in right) == pytest.approx(20)


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--reference", "nobody"], "(it has kind-2, lexical, toy-strict), and no scored run or sheets of ratings"),
        (["--reference", "kind-2", "--reference", "lexical"], "--reference kind-2, lexical: no judge of"),
        (["--reference", "kind-2", "--figure", "f.png"], "--figure f.png: the figure is an SVG"),
        (["--figure", "f.svg"], "--figure: no judge is held against a reference"),
        (["--reference", "none.xlsx"], "no key beside it"),
    ],
)
def test_what_is_refused(benched, capsys, options, said):
    assert bench("show", benched, *options) == 1
    assert said in capsys.readouterr().err


def test_a_reference_without_these_answers_is_refused(benched, runs, tmp_path, capsys):
    rows = [row | {"prediction": "Másik."} for row in json_lines(runs[0] / "items.jsonl")]
    (runs[0] / "items.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    assert bench("show", benched, "--reference", runs[0]) == 1
    assert "rates no answer of" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("name", "text", "said"),
    [
        ("bench.json", "[]", "Input should be"),
        ("bench.json", "{", "not valid JSON"),
        ("kind-2/judge.json", "{}", "judge: Field required"),
        ("kind-2/third/items.jsonl", "{\n", "items.jsonl line 1: not JSON"),
    ],
)
def test_a_broken_bench_is_refused(benched, capsys, name, text, said):
    (benched / name).write_text(text)
    assert bench("show", benched) == 1
    assert said in capsys.readouterr().err


def test_rows_of_attempts_without_a_verdict_are_dropped(benched):
    file = benched / "kind-2" / "attempts.jsonl"
    n = len(json_lines(file))
    with file.open("a") as rows:
        rows.write('{"id": "a", "attempt": "b"}\n{"id": "a", "attempt": "c", "verdict": "CORRECT"}\n')
    (judge,) = (one for one in read_bench(benched).judges if one.name == "kind-2")
    assert len(judge.attempts) == n > 0


def test_a_folder_without_a_bench_is_refused(tmp_path, capsys):
    assert bench("show", tmp_path) == 1
    assert "bench.json: cannot be read" in capsys.readouterr().err


def test_the_text(benched, capsys, monkeypatch):
    monkeypatch.setenv("COLUMNS", "100")
    assert bench("show", benched, "--reference", "toy-strict") == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "HuSimpleQA: 3 judges, 54 answers, reference: toy-strict (54 rated)"
    assert [" ".join(line.split()) for line in (lines[1], *lines[3:7])] == [
        "Judge n Agrees, % Kappa Alpha Score - ref. Unreadable, %",
        "lexical (as drawn) 54 100.0 1.00 1.00 0.0 0.0",
        "[82.4, 100.0]",  # 18 of 18 questions
        "kind-2 54 55.6 0.24 0.09 +44.4 0.0",  # it takes 27 long answers, of which 24 are wrong
        "[35.4, 74.0] [0.05, 0.56] [-0.37, 0.54] [22.2, 66.7]",
    ]
    assert " ".join(lines[7].split()) == "toy-strict (reference) 54 – – – – 0.0"
    assert "Position: the rubric shows a judge one answer at a time, so there is no place to prefer." in lines
    assert max(map(len, lines)) <= 100


def test_the_markdown(benched, capsys):
    assert bench("show", benched, "--reference", "toy-strict", "--format", "markdown") == 0
    page = capsys.readouterr().out
    assert page.startswith("## HuSimpleQA: 3 judges, 54 answers, reference: toy-strict (54 rated)\n\n| Judge | n |")
    (row,) = [line for line in page.splitlines() if line.startswith("| kind-2 | 54 |")]
    assert row.count("|") == 14
    for part in ("### Labels", "### Strata", "| kind-2 | CORRECT |", "| lexical | Language |"):
        assert part in page


def test_the_figure(benched, tmp_path, capsys):
    file = tmp_path / "judges.svg"
    assert bench("show", benched, "--reference", "toy-strict", "--figure", file) == 0
    texts = {element.text for element in ET.parse(file).iter() if element.text}
    assert {"HuSimpleQA", "kind-2", "lexical", "$ per 1,000 verdicts", "agreement, %", "1", "10"} <= texts
    assert "not known" not in texts  # the only judge without a price is the reference
    first = file.read_bytes()
    bench("show", benched, "--reference", "toy-strict", "--figure", file)
    assert file.read_bytes() == first
    bench("show", benched, "--reference", "kind-2", "--figure", file)
    assert "not known" in file.read_text()


def test_batches_of_all_tasks_run_at_the_same_time(runs, tmp_path, monkeypatch, capsys):
    """Two tasks: the second batch is submitted before the first is looked at for the last time."""
    docs, _ = documents(OE)
    file = tmp_path / "oe.jsonl"
    rows = [{"task": OE, "qid": doc["qid"], "prediction": f"{doc['reference']} x"} for doc in docs]
    file.write_text("".join(json.dumps(row) + "\n" for row in rows))
    with monkeypatch.context() as patch:
        patch.setenv("HUEVAL_JUDGE", "lexical")
        main(["score", str(file), "--output", str(tmp_path / "scored" / "toy-7b-oe")])
    frozen = tmp_path / "set"
    bench("make", *runs, tmp_path / "scored" / "toy-7b-oe", "--output", frozen, "--n", 48, "--licence-unknown")

    def finish(lines):
        label = says("INCORRECT") if "Input:" in lines[0]["body"]["messages"][1]["content"] else "NO"
        return "completed", [answer_row(line["custom_id"], label) for line in lines], []

    made_when_looked_at = []

    def note(call, number):
        if call.startswith("GET /batches/"):
            made_when_looked_at.append(len(server.batches))

    with FakeBatches(finish, note) as server:
        monkeypatch.setenv("HUEVAL_JUDGE_BASE_URL", server.url)
        monkeypatch.setenv("HUEVAL_JUDGE", "batch")
        assert bench("run", frozen, "--judge", "slow-1", "--output", tmp_path / "b", "--no-attempts") == 0
    assert len(server.batches) == 2
    assert made_when_looked_at[-1] == 2
    capsys.readouterr()
    assert bench("show", tmp_path / "b", "--reference", "slow-1", "--format", "json") == 0
    found = json.loads(capsys.readouterr().out)
    assert {task: one["n_reference"] for task, one in found.items()} == {QA: 36, OE: 12}

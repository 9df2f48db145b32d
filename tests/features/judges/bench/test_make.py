"""Frozen sets: what is drawn, what is written, what is refused."""

from __future__ import annotations

import hashlib
import json
import math
from collections import Counter, defaultdict

import pytest

from hueval_metrics.judges.bench.frozen import read_set
from hueval_metrics.text.checksum import checksum
from tests.features.judges.bench.conftest import LICENCES, QA, RIGHT, bench
from tests.helpers import json_lines


def test_all_answers_with_their_verdicts_and_documents(frozen, runs):
    answers = read_set(frozen).answers
    assert Counter(answer.model for answer in answers) == dict.fromkeys(RIGHT, 18)
    scored = {folder.name: {row["qid"]: row for row in json_lines(folder / "items.jsonl")} for folder in runs}
    for answer in answers:
        row = scored[answer.model][answer.qid]
        assert (answer.prompt, answer.reference, answer.verdict) == (row["prompt"], row["reference"], row["verdict"])
        assert (answer.response, answer.prediction) == (row.get("response", row["prediction"]), row["prediction"])
        assert answer.doc["answer"] in row["reference"]
        assert (answer.weight, answer.licence, answer.verdict["judge"]) == (1.0, "Apache-2.0", "lexical")


def test_weights_add_up_to_the_runs(runs, tmp_path):
    bench("make", *runs, "--output", tmp_path / "set", "--n", 30, *LICENCES)
    answers = read_set(tmp_path / "set").answers
    weights: dict[str, float] = defaultdict(float)
    for answer in answers:
        weights[answer.model] += answer.weight
    assert Counter(answer.model for answer in answers) == dict.fromkeys(RIGHT, 10)
    assert weights == {model: pytest.approx(18) for model in RIGHT}
    assert {answer.band for answer in answers} == {"CORRECT", "INCORRECT"}


def test_the_same_seed_gives_the_same_bytes_and_another_one_another_set(runs, tmp_path):
    for name, order, seed in (("a", runs, 3), ("b", runs[::-1], 3), ("c", runs, 4)):
        bench("make", *order, "--output", tmp_path / name, "--n", 21, "--seed", seed, *LICENCES)
    files = ("README.md", "set.json", f"data/{QA}.jsonl")
    a, b, c = ([(tmp_path / name / file).read_bytes() for file in files] for name in "abc")
    assert a == b != c


def test_the_card_and_the_manifest(frozen):
    card = (frozen / "README.md").read_text(encoding="utf-8")
    assert '\nlicense:\n- "apache-2.0"\nlanguage:' in card
    assert f"- config_name: {QA}\n  data_files:\n  - split: test\n    path: data/{QA}.jsonl" in card
    assert "| toy-7b | Apache-2.0 | 18 |" in card
    assert f"| HuSimpleQA (`{QA}`) | `husimpleqa/3` | 54 | 54 | lexical |" in card
    assert "{" not in card
    manifest = json.loads((frozen / "set.json").read_text())
    digest = hashlib.sha256((frozen / "data" / f"{QA}.jsonl").read_bytes()).hexdigest()
    assert manifest["files"] == {f"data/{QA}.jsonl": digest}


def test_it_loads_as_a_data_set(frozen, monkeypatch, tmp_path):
    datasets = pytest.importorskip("datasets")
    found = datasets.load_dataset(str(frozen), QA, split="test", cache_dir=str(tmp_path / "hf"))
    assert (len(found), set(found["verdict"])) == (54, {"CORRECT", "INCORRECT"})
    assert found.features["weight"].dtype == "float64"


def test_a_set_is_made_of_what_judge_bench_run_keeps(frozen, tmp_path, monkeypatch):
    monkeypatch.setenv("HUEVAL_JUDGE", "defer")
    assert bench("run", frozen, "--output", tmp_path / "bench") == 0
    monkeypatch.delenv("HUEVAL_SAMPLE", raising=False)  # the samples there carry the documents
    assert bench("make", tmp_path / "bench" / "lexical", "--output", tmp_path / "again", "--n", 54, *LICENCES) == 0
    assert (tmp_path / "again" / "data" / f"{QA}.jsonl").read_bytes() == (frozen / "data" / f"{QA}.jsonl").read_bytes()


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (LICENCES[:2], 'the licence of the answers of third is not given. Add --licence "third=SPDX-ID"'),
        ([*LICENCES, "--licence=fourth=MIT"], "--licence fourth: no run is of this model. One of: other-9b, third"),
        ([*LICENCES[:2], "--licence=third=no licence"], "--licence third=no licence: no SPDX identifier"),
        (["--licence=third"], "--licence third: expected MODEL=SPDX"),
        ([*LICENCES, "--n=2"], "--n 2: fewer than one answer of each of 3 models"),
        ([*LICENCES, "--metadata=[]"], "--metadata: expected a JSON object"),
    ],
)
def test_what_is_refused(runs, tmp_path, capsys, options, said):
    assert bench("make", *runs, "--output", tmp_path / "set", *options) == 1
    assert said in capsys.readouterr().err
    assert not (tmp_path / "set").exists()


def test_an_unknown_licence_stands_in_the_card(runs, tmp_path):
    bench("make", *runs, "--output", tmp_path / "set", "--n", 9, *LICENCES[:2], "--licence-unknown")
    card = (tmp_path / "set" / "README.md").read_text(encoding="utf-8")
    assert '- "apache-2.0"\n- "other"\n' in card
    assert "The licence of the answers of third is not known: do not publish" in card
    assert {row["licence"] for row in json_lines(tmp_path / "set" / "data" / f"{QA}.jsonl")} == {
        "Apache-2.0",
        "unknown",
    }


def test_a_set_is_never_overwritten(frozen, runs, capsys):
    assert bench("make", *runs, "--output", frozen, *LICENCES) == 1
    assert "is there already" in capsys.readouterr().err


def test_a_set_is_not_written_into_a_run(runs, capsys):
    assert bench("make", *runs, "--output", runs[1] / "sets" / "first", *LICENCES) == 1
    assert f"--output {runs[1] / 'sets' / 'first'}: is in the run {runs[1]}, which stays as it is" in (
        capsys.readouterr().err
    )
    assert not (runs[1] / "sets").exists()


def test_not_a_number_in_a_verdict_becomes_null(runs, tmp_path):
    file = runs[0] / "items.jsonl"
    rows = json_lines(file)
    rows[0]["verdict"]["confidence"] = math.nan
    file.write_text("".join(json.dumps(row) + "\n" for row in rows))
    assert bench("make", *runs, "--output", tmp_path / "set", "--n", 54, *LICENCES) == 0
    known = [
        answer.verdict["confidence"] for answer in read_set(tmp_path / "set").answers if "confidence" in answer.verdict
    ]
    assert known == [None]


def test_documents_of_other_data_are_refused(runs, tmp_path, capsys):
    rows = json_lines(runs[0] / "items.jsonl")
    rows[0]["prompt"] = "Another question?"
    (runs[0] / "items.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    assert bench("make", *runs, "--output", tmp_path / "set", *LICENCES) == 1
    assert "has another prompt or reference there. Name the data" in capsys.readouterr().err


def test_a_run_without_verdicts_is_refused(runs, tmp_path, capsys):
    rows = [row | {"verdict": None} for row in json_lines(runs[1] / "items.jsonl")]
    (runs[1] / "items.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    assert bench("make", *runs, "--output", tmp_path / "set", *LICENCES) == 1
    assert "no verdicts of other-9b to draw from. Judge it first" in capsys.readouterr().err


def _tamper(folder, name, old, new):
    file = folder / name
    assert old in file.read_text(encoding="utf-8")
    file.write_text(file.read_text(encoding="utf-8").replace(old, new, 1), encoding="utf-8")


@pytest.mark.parametrize(
    ("name", "old", "new", "said"),
    [
        (f"data/{QA}.jsonl", "Semmi", "Minden", "changed since it was written"),
        ("set.json", '"seed": 0', '"seed": 1', "changed since it was written"),
        ("set.json", '"hueval"', '"what"', "hueval: Field required"),
        ("set.json", "{", "", "not valid JSON"),
    ],
)
def test_a_set_that_was_changed_is_refused(frozen, tmp_path, capsys, name, old, new, said):
    _tamper(frozen, name, old, new)
    assert bench("run", frozen, "--output", tmp_path / "bench", "--judge", "lexical") == 1
    assert said in capsys.readouterr().err


@pytest.mark.parametrize(
    ("name", "old", "new", "said"),
    [
        (f"data/{QA}.jsonl", f'"task": "{QA}"', '"task": "openhueval_gone"', 'unknown task "openhueval_gone"'),
        (f"data/{QA}.jsonl", f'"task": "{QA}"', '"task": "openhueval_hustandardfib"', "has no judge here"),
        (f"data/{QA}.jsonl", f'"task": "{QA}"', '"task": "openhueval_huwildbench"', "its document is not one of"),
        (f"data/{QA}.jsonl", '"weight": 1.0', '"weight": -1.0', "its id or weight is not that of the answer"),
        (f"data/{QA}.jsonl", '"response": "', '"response": "X', "its id or weight is not that of the answer"),
        (f"data/{QA}.jsonl", '"record"', '"other"', "line 1: not an answer of a frozen set"),
        ("set.json", '"folder": "third"', '"folder": "../third"', "models.third.folder: String should match"),
        ("set.json", '"third": {', '"fourth": {', "does not list the model third"),
        ("set.json", '"folder": "third"', '"folder": "Toy-7B"', "two models have the same folder, whatever the case"),
    ],
)
def test_a_set_that_somebody_else_made_is_not_trusted(frozen, tmp_path, capsys, name, old, new, said):
    """Its hashes are right, as its maker can compute them."""
    _tamper(frozen, name, old, new)
    manifest = json.loads((frozen / "set.json").read_text())
    manifest["files"][f"data/{QA}.jsonl"] = hashlib.sha256((frozen / f"data/{QA}.jsonl").read_bytes()).hexdigest()
    manifest["sha256"] = checksum(manifest)
    (frozen / "set.json").write_text(json.dumps(manifest))
    assert bench("run", frozen, "--output", tmp_path / "bench", "--judge", "lexical") == 1
    assert said in capsys.readouterr().err
    assert not (tmp_path / "bench").exists()


def test_a_folder_without_a_set_is_refused(tmp_path, capsys):
    assert bench("run", tmp_path, "--output", tmp_path / "bench", "--judge", "lexical") == 1
    assert "set.json: cannot be read" in capsys.readouterr().err

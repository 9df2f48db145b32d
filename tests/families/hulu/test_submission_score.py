"""The files of a submission, scored where the right labels are at hand."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path

import pytest

from tests.families.hulu.submissions import right, save
from tests.harness.runs import Outcome, hueval_here

pytestmark = pytest.mark.usefixtures("in_folder")


def score(*arguments: object) -> Outcome:
    return hueval_here("hulu", "score", *arguments)


def results(folder: str) -> dict:
    return json.loads(Path(folder, "results.json").read_text(encoding="utf-8"))


def test_the_labels_of_the_validation_rows(tmp_path):
    """Of HuCOLA 1 0 1 0 1 0 the first is wrong: 5 of 6; of HuSST all are right."""
    cola = right("hucola", "validation")
    cola[0]["label"] = "0"
    files = [
        save(tmp_path / "model" / "HuCOLA.json", cola),
        save(tmp_path / "model" / "HuSST.json", right("husst", "validation")),
    ]
    done = score(*files, "--split", "validation", "--output", "out")
    assert (done.status, done.err) == (0, "")
    assert done.out.splitlines()[0] == "hulu_hucola"
    assert done.out.splitlines()[3].split()[:3] == ["mcc", "model", "70.7"]  # the headline first
    assert done.out.endswith("\nWrote out/results.json and out/items.jsonl\n")
    found = results("out")
    # A confusion of 2 and 3 right, and one 1 taken for 0: MCC is (2·3 - 0·1) / sqrt(2·3·4·3).
    expected = {"mcc": 100 * 6 / 72**0.5, "acc": 100 * 5 / 6, "balanced_acc": 100 * (2 / 3 + 1) / 2, "n": 6}
    assert {key: found["hulu_hucola"][key] for key in expected} == pytest.approx(expected)
    assert found["hulu_husst"]["acc"] == 100
    signature = found["hulu_hucola"]["signature"].split("|")
    assert {"split:validation", "prompt:?", "gen:labels", "shots:?"} <= set(signature)


def test_scores_stand_in_the_table_beside_others(tmp_path):
    save(tmp_path / "bert" / "HuWNLI.json", right("huwnli"))
    assert score("bert/HuWNLI.json", "--output", "out").status == 0
    assert score("bert/HuWNLI.json", "--output", "other", "--model", "org/name").status == 0
    done = hueval_here("table", "out", "other", "--format", "csv")
    assert done.status == 0
    rows = csv.DictReader(io.StringIO(done.out))
    assert [(row["model"], row["hulu_huwnli.acc"]) for row in rows] == [("bert", "100.0"), ("org/name", "100.0")]


def test_items_say_nothing_of_a_prompt_and_metrics_of_likelihoods_are_null(tmp_path):
    save(tmp_path / "bert" / "HuCoPA.json", right("hucopa", "validation"))
    assert score("bert/HuCoPA.json", "--split", "validation", "--output", "out").status == 0
    assert (results("out")["hulu_hucopa"]["mcc"], results("out")["hulu_hucopa"]["mcc_norm"]) == (100, None)
    first = json.loads(Path("out/items.jsonl").read_text(encoding="utf-8").splitlines()[0])
    assert (first["qid"], first["split"], first["prompt"], first["answer"]) == ("0", "validation", None, "1")


def test_without_output_nothing_is_written(tmp_path):
    save(tmp_path / "bert" / "HuWNLI.json", right("huwnli"))
    before = sorted(tmp_path.rglob("*"))
    done = score("bert/HuWNLI.json")
    assert done.status == 0 and "acc" in done.out and "Wrote" not in done.out
    assert sorted(tmp_path.rglob("*")) == before


def test_hidden_labels(tmp_path):
    files = [save(tmp_path / f"{title}.json", right(title.lower())) for title in ("HuCOLA", "HuWNLI", "HuCB")]
    done = score(*files)
    assert done.status == 0
    assert done.complaints == ["hueval: left out, as their labels are hidden: test of HuCOLA, HuCB."]
    done = score(files[0], "--output", "out")
    assert (done.status, done.out, Path("out").exists()) == (1, "", False)
    assert done.complaints == [
        "hueval: the labels of HuCOLA are hidden in test: only the site scores them. Score predictions of the "
        "validation rows with --split validation"
    ]


def test_a_file_with_faults_is_not_scored(tmp_path):
    rows = right("husst", "validation")
    file = save(tmp_path / "HuSST.json", [{**row, "label": row["label"].upper()} for row in rows])
    done = score(file, "--split", "validation", "--output", "out")
    assert (done.status, done.out, Path("out").exists()) == (1, "", False)
    assert done.complaints == [
        f'hueval: {file}: row 1 (id "0"): label "NEGATIVE": expected "negative". Write it so (fault 1 of 3; '
        "`hueval hulu check --split validation` names all)"
    ]


def test_one_corpus_twice(tmp_path):
    files = [save(tmp_path / folder / "HuWNLI.json", right("huwnli")) for folder in "ab"]
    done = score(*files)
    assert done.complaints == [f"hueval: {files[1]}: is of HuWNLI, as is another file. Name one of them"]

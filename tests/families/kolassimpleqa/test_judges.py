"""Judges compared, calibrated and checked by people: the commands that take scored runs, with this rubric."""

from __future__ import annotations

import csv
import json
import random

import pytest

from hueval_metrics.loader import documents
from tests.families.kolassimpleqa.judged_rows import LABELS, verdict, written

TASK, NAME = "hu_general", "kolassimpleqa_hu_general"
MODELS = {"one": 0.4, "two": 0.6, "three": 0.8}  # → how often it is right
COPIES = 6  # of the sample, all but the first with facts of their own
ERRS = 0.15  # how often the second judge draws lots


@pytest.fixture
def runs(cli, tmp_path, monkeypatch):
    """A function: the scored run of a model with the verdicts of a judge, `good` or `noisy`."""
    monkeypatch.setenv("HUEVAL_JUDGE", "defer")

    def copied(copy: int) -> list[dict]:
        own = {"qid", "knowledge_track_id"} if copy else set()
        return [
            {name: f"{value}-{copy}" if name in own else value for name, value in doc.items()}
            for doc in documents(NAME)[0]
        ]

    def scored(model: str, judge: str, copies: int = COPIES) -> str:
        draw, rows = random.Random(model), []
        for number, doc in enumerate(doc for copy in range(copies) for doc in copied(copy)):
            letter = "A" if draw.random() < MODELS[model] else draw.choice("BC")
            other = draw.choice("ABC") if draw.random() < ERRS else letter
            text = json.dumps({"answer": f"{model} {number}", "confidence_score": draw.choice([20, 50, 80, 95])})
            said = verdict(letter if judge == "good" else other, judge=judge)
            rows.append((doc, text, said))
        out = tmp_path / "scored" / f"{judge}-{model}"
        assert cli("score", written(tmp_path / judge / model, rows, TASK), "--output", out).status == 0
        return str(out)

    return scored


def test_calibration(cli, runs, tmp_path):
    fitted = tmp_path / "calibration.json"
    noisy, good = ([runs(model, judge) for model in ("one", "two")] for judge in ("noisy", "good"))
    assert cli("calibrate", "fit", "--judge", *noisy, "--reference", *good, "--output", fitted).status == 0
    out = tmp_path / "out"
    assert cli("calibrate", "apply", fitted, runs("three", "noisy"), "--output", out).status == 0
    found = json.loads((out / "results.json").read_text(encoding="utf-8"))[NAME]
    truth = json.loads((tmp_path / "scored" / "noisy-three" / "results.json").read_text(encoding="utf-8"))[NAME]
    assert found["correct"] == truth["correct"]
    low, high = found["correct_calibrated_ci95"]
    assert low < found["correct_calibrated"] < high
    assert "n_pairs_calibrated" not in found


def test_judge_bench(cli, runs, tmp_path, monkeypatch):
    monkeypatch.setenv("HUEVAL_JUDGE", "lexical")
    made = ("make", *(runs(model, "good", 1) for model in MODELS), "--output", tmp_path / "set", "--n", 30)
    assert cli("judge-bench", *made, "--licence-unknown").status == 0
    asked = cli("judge-bench", "run", tmp_path / "set", "--output", tmp_path / "bench", "--judge", "lexical")
    assert asked.status == 0, asked.err
    shown = cli("judge-bench", "show", tmp_path / "bench", "--reference", "good", "--format", "json")
    assert shown.status == 0, shown.err
    assert NAME in shown.out


def test_validate_judge(cli, runs, tmp_path):
    sheet = tmp_path / "sheet.csv"
    assert cli("validate-judge", "export", runs("one", "good"), "--output", sheet, "--n", 9).status == 0
    rows = list(csv.DictReader(sheet.open(encoding="utf-8-sig")))
    assert len(rows) == 9
    assert {row["allowed"] for row in rows} == {" / ".join(LABELS.values())}
    key = json.loads(sheet.with_suffix(".key.json").read_text(encoding="utf-8"))
    assert key
    for row, letter in zip(rows, "ABCabc", strict=False):
        row["rating"] = letter
    for row in rows[6:]:
        row["rating"] = "NOT ATTEMPTED"
    filled = tmp_path / "filled.csv"
    with filled.open("w", encoding="utf-8-sig", newline="") as out:
        writer = csv.DictWriter(out, list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)
    read = cli("validate-judge", "import", filled, "--key", sheet.with_suffix(".key.json"))
    assert read.status == 0, read.err
    assert "CORRECT" in read.out

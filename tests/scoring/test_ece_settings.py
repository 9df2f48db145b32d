"""`hueval score --ece-bins N --ece-edges right --ece-attempted`: other numbers, another signature, and no more."""

from __future__ import annotations

import json
from itertools import cycle, islice

import pytest

import hueval_metrics as hueval
from hueval_metrics.cli import main
from hueval_metrics.errors import InputError
from hueval_metrics.metrics.confidence import ConfidenceSettings, ece
from hueval_metrics.runs.load import load_runs
from hueval_metrics.runs.table import task_items
from tests.scoring.conftest import plain, sample, write_lines
from tests.scoring.judged_runs import QA, TASK, run_of, verdict

LABELS = ("CORRECT", "INCORRECT", "NOT_ATTEMPTED")
CONFIDENCES = (30, 85, 90, 10, 100)


@pytest.fixture
def run(tmp_path):
    """Samples with verdicts, and each answer's (confidence, whether correct) and label."""
    n = len(sample(QA))
    stated = list(islice(cycle(CONFIDENCES), n))
    texts = [json.dumps({"answer": "Szeged", "confidence_score": percent}) for percent in stated]
    labels = list(islice(cycle(LABELS), n))
    path = run_of(tmp_path / "live", [verdict(label) for label in LABELS], texts)
    return path, [(percent / 100, label == "CORRECT") for percent, label in zip(stated, labels, strict=True)], labels


def results_of(folder):
    return json.loads((folder / "results.json").read_text(encoding="utf-8"))[TASK]


@pytest.mark.parametrize(
    ("options", "part", "bins", "edges", "attempted"),
    [
        ((), None, 10, "left", False),
        (("--ece-bins", "15"), "15,left", 15, "left", False),
        (("--ece-edges", "right"), "10,right", 10, "right", False),
        (("--ece-attempted",), "10,left,attempted", 10, "left", True),
        (("--ece-bins", "20", "--ece-edges", "right", "--ece-attempted"), "20,right,attempted", 20, "right", True),
    ],
)
def test_the_error_and_the_signature_change(run, tmp_path, options, part, bins, edges, attempted):
    path, pairs, labels = run
    assert main(["score", str(path), "--output", str(tmp_path / "out"), *options]) == 0
    found = results_of(tmp_path / "out")
    counted = [pair for pair, label in zip(pairs, labels, strict=True) if not (attempted and label == "NOT_ATTEMPTED")]
    assert found["ece"] == ece(bins, edges)(counted)
    assert (found["ece_n"], found["n_confidence"]) == (len(counted), len(pairs))
    assert ConfidenceSettings.of(found["signature"] or "") == ConfidenceSettings(bins, edges, attempted)
    assert (f"|ece:{part}|" in (found["signature"] or "")) == (part is not None)


def test_nothing_else_changes(run, tmp_path):
    path, _, _ = run
    usual = hueval.score(path, output=tmp_path / "usual")
    other = hueval.score(path, output=tmp_path / "other", ece_bins=3, ece_edges="right", ece_attempted=True)
    assert usual.runs[0].tasks[TASK].scores["brier"] == other.runs[0].tasks[TASK].scores["brier"]
    before, after = results_of(tmp_path / "usual"), results_of(tmp_path / "other")
    changed = {name for name in before if before[name] != after[name]}
    assert changed == {"ece", "ece_ci95", "ece_n", "signature"}
    assert (tmp_path / "usual" / "items.jsonl").read_bytes() == (tmp_path / "other" / "items.jsonl").read_bytes()


def test_who_reads_the_items_computes_the_same(run, tmp_path):
    path, _, _ = run
    hueval.score(path, output=tmp_path / "out", ece_bins=7, ece_edges="right", ece_attempted=True)
    (scored,) = load_runs([tmp_path / "out"])
    items = task_items(scored, TASK)
    assert ece(7, "right")(items.values["ece"]) == scored.score(TASK, "ece")


def test_a_signature_where_nothing_else_is_known(run, tmp_path):
    path, _, _ = run
    alone = path.rename(tmp_path / f"samples_{TASK}_2026-02-01T10-00-00.1.jsonl")
    hueval.score(alone, output=tmp_path / "out", ece_bins=7)
    assert results_of(tmp_path / "out")["signature"].startswith(f"task:{TASK}|ece:7,left|judge:first|")


def test_a_task_without_a_calibration_error_keeps_its_signature(tmp_path):
    path = write_lines(tmp_path / "p.jsonl", plain("humatchingfib", "openhueval_humatchingfib"))
    results = hueval.score(path, output=tmp_path / "out", ece_bins=7)
    assert "ece:" not in results.runs[0].tasks["openhueval_humatchingfib"].signature


@pytest.mark.parametrize(
    ("options", "status", "said"),
    [
        (("--ece-bins", "0"), 1, "ECE bins: expected a whole number from 1; found 0"),
        (("--ece-bins", "100000"), 1, "ECE bins: expected at most 1000; found 100000"),
        (("--ece-bins", "ten"), 2, "argument --ece-bins: invalid int value: 'ten'"),
        (("--ece-edges", "both"), 2, "argument --ece-edges: invalid choice: 'both'"),
    ],
)
def test_a_value_that_is_not_on_offer(run, tmp_path, capsys, options, status, said):
    path, _, _ = run
    try:
        found = main(["score", str(path), "--output", str(tmp_path / "out"), *options])
    except SystemExit as error:
        found = error.code
    assert found == status
    assert said in capsys.readouterr().err
    assert not (tmp_path / "out").exists()


def test_a_value_that_is_not_on_offer_in_python(run, tmp_path):
    with pytest.raises(InputError, match="ECE edges: expected left or right; found 'both'"):
        hueval.score(run[0], output=tmp_path / "out", ece_edges="both")

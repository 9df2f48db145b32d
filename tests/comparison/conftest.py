"""Scored runs with literal outcomes, as `hueval score` leaves them."""

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from hueval_metrics.runs.load import load_runs
from hueval_metrics.runs.run import Run
from tests.runs.conftest import live_run, lm_eval_file, scored_run  # noqa: F401

QA, TWO, FIB = "openhueval_husimpleqa", "openhueval_huproverbrea_2cq", "openhueval_humatchingfib"
SIGNATURE = "task:{task}|v:1.0|data:6d6b9c887861|q:hu|prompt:hu-1f0c9a2b|sample:no|shots:0|gen:do_sample=False|chat:no"
JUDGE = "|judge:gpt-4o-2024-11-20|rubric:husimpleqa/1"

Row = dict[str, Any]


def qa_rows(outcomes: str, dimensions: str = "") -> list[Row]:
    """HuSimpleQA rows: `1` right, `0` wrong, `?` without a verdict; a letter a row for the dimension, `l` or `h`."""
    return [_qa_row(f"q{i}", outcome, (dimensions or "l" * len(outcomes))[i]) for i, outcome in enumerate(outcomes)]


def _qa_row(qid: str, outcome: str, dimension: str) -> Row:
    correct = None if outcome == "?" else float(outcome)
    values = {"correct": correct, "judge_coverage": float(correct is not None)}
    if correct is not None:
        values |= {"incorrect": 1 - correct, "brier": [0.5, correct], "ece": [0.5, correct]}
    return {"task": QA, "qid": qid, "dimension": dimension, "values": values}


def two_rows(outcomes: str) -> list[Row]:
    """HuProverbRea (2CQ) rows: two presentations a proverb, `1` both right, `0` both wrong, `+` one of them right."""
    rows = []
    for i, outcome in enumerate(outcomes):
        for option in (1, 2):
            answer = option if outcome == "1" else 3 - option if outcome == "0" else 1
            choice = [f"p{i}", option, answer]
            values = {"acc": choice, "position_bias": choice}
            rows.append({"task": TWO, "qid": f"p{i}", "correct_option": option, "dimension": None, "values": values})
    return rows


def fib_rows(blanks: list[tuple[int, int]]) -> list[Row]:
    """HuMatchingFIB rows: right and all blanks of each question."""
    return [
        {
            "task": FIB,
            "qid": f"f{i}",
            "dimension": "l",
            "values": {"blank_acc": [right, total], "question_acc": float(right == total)},
        }
        for i, (right, total) in enumerate(blanks)
    ]


def write_run(folder: Path, rows: list[Row], label: str, signatures: Mapping[str, str] | None = None) -> Path:
    """Write the rows and results of one run; every task has the same signature unless another is given."""
    folder.mkdir(parents=True)
    tasks = list(dict.fromkeys(row["task"] for row in rows))
    results = {}
    for task in tasks:
        signature = SIGNATURE.format(task=task) + JUDGE * (task == QA)
        metrics = {metric: 50.0 for row in rows if row["task"] == task for metric in row["values"]}
        results[task] = {**metrics, "n": 1, "model": label, "flags": []}
        results[task]["signature"] = (signatures or {}).get(task, signature)
    (folder / "results.json").write_text(json.dumps(results), encoding="utf-8")
    text = "".join(json.dumps(row) + "\n" for row in rows)
    (folder / "items.jsonl").write_text(text, encoding="utf-8")
    return folder


@pytest.fixture
def make_run(tmp_path) -> Callable[..., Run]:
    """Makes a run of rows, with a label and, where given, other signatures."""

    def make(label: str, rows: list[Row], signatures: Mapping[str, str] | None = None) -> Run:
        (run,) = load_runs([write_run(tmp_path / str(len(list(tmp_path.iterdir()))), rows, label, signatures)])
        return run

    return make

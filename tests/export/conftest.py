"""A scored run, small enough to be read: two blank questions and two short answers, with the real data's hashes."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.reports.conftest import lm_eval_file  # noqa: F401

FIB, QA = "openhueval_hustandardfib", "openhueval_husimpleqa"
LIBRARIES = "hueval:0.1.0|lm_eval:0.4.13|rapidfuzz:3.14.6|json_repair:0.64.5"
SETTINGS = "shots:0|gen:max_gen_toks=64,temperature=0.7,until=[]|chat:0123abcd|reasoning:strip/2|limit:no"
FIB_SIGNATURE = f"task:{FIB}|v:1.0|data:46d4a38095ec|q:hu|prompt:en-0702f52e|sample:no|{SETTINGS}|{LIBRARIES}"
QA_SIGNATURE = (
    f"task:{QA}|v:1.0|data:6d6b9c887861|q:hu|prompt:hu-8fe40183|sample:no|{SETTINGS}|{LIBRARIES}"
    "|judge:gpt-4o-2024-11-20|rubric:husimpleqa/3"
)
RESULTS = {
    FIB: {
        "blank_acc": 75.0,
        "blank_acc_ci95": [50.0, 100.0],
        "question_acc": 50.0,
        "question_acc_ci95": [9.45, 90.55],
        "blank_acc_ref": 118.75,
        "ci_method": {"blank_acc": "bootstrap", "question_acc": "wilson"},
        "n": 2,
        "n_missing": 0,
        "signature": FIB_SIGNATURE,
        "model": "org/model-7B",
    },
    QA: {
        "correct": 50.0,
        "correct_ci95": [9.45, 90.55],
        "ece": 0.45,
        "judge_coverage": 100.0,
        "correct_h": None,
        "ci_method": {"correct": "wilson"},
        "n": 2,
        "n_missing": 0,
        "signature": QA_SIGNATURE,
        "model": "org/model-7B",
        "judge": {"gpt-4o-2024-11-20": {"calls": 2}},
    },
}
VERDICT = {"label": "CORRECT", "judge": "gpt-4o-2024-11-20", "rubric": "husimpleqa/3", "raw": "{}"}
ITEMS = [
    {
        "task": FIB,
        "qid": "a",
        "dimension": "h",
        "prompt": "Töltsd ki: #0# és #1#",
        "reference": '{"answers": ["#0#Buda", "#1#Pest"]}',
        "prediction": '<think>?</think>{"answers": ["#0#Buda", "#1#Pest"]}',
        "response": '{"answers": ["#0#Buda", "#1#Pest"]}',
        "truncated": False,
        "answer": ["#0#Buda", "#1#Pest"],
        "metrics": {"blank_acc": 100.0, "question_acc": 100.0, "blank_acc_l": None},
        "verdict": None,
    },
    {
        "task": FIB,
        "qid": "b",
        "dimension": "l",
        "prompt": "Töltsd ki: #0# és #1#",
        "reference": '{"answers": ["#0#alma", "#1#körte"]}',
        "prediction": '{"answers": ["#0#alma", "#1#szilva"]}',
        "truncated": True,
        "answer": ["#0#alma", "#1#szilva"],
        "metrics": {"blank_acc": 50.0, "question_acc": 0.0, "blank_acc_l": 50.0},
        "verdict": None,
    },
    {
        "task": QA,
        "qid": "c",
        "dimension": "gp",
        "prompt": "Mi a főváros?",
        "reference": "Budapest",
        "prediction": "Budapest",
        "truncated": False,
        "answer": "Budapest",
        "metrics": {"correct": 100.0},
        "verdict": VERDICT,
    },
    {
        "task": QA,
        "qid": "d",
        "dimension": "gp",
        "prompt": "Mi a leghosszabb folyó?",
        "reference": "Tisza",
        "prediction": "Nem tudom.",
        "truncated": False,
        "answer": None,
        "metrics": {"correct": 0.0},
        "verdict": VERDICT | {"label": "NOT_ATTEMPTED"},
    },
]


@pytest.fixture
def scored(tmp_path) -> Callable[..., Path]:
    """Writes a folder as `hueval score` does; `changes` go into the results of each task, None takes a key out."""

    def write(name: str = "scored", *, tasks: tuple[str, ...] = (FIB, QA), items=ITEMS, **changes) -> Path:
        folder = tmp_path / name
        folder.mkdir()
        results = {task: {k: v for k, v in (RESULTS[task] | changes).items() if v is not None} for task in tasks}
        (folder / "results.json").write_text(json.dumps(results), encoding="utf-8")
        lines = "".join(json.dumps(item) + "\n" for item in items if item["task"] in tasks)
        (folder / "items.jsonl").write_text(lines, encoding="utf-8")
        return folder

    return write

"""Predictions for the packaged sample, in every form that `hueval score` reads."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from hueval_metrics.answers.reasoning import strip_reasoning
from hueval_metrics.loader import documents
from hueval_metrics.scoring.score import TaskScore, score_paths
from lm_eval_tasks.openhueval.templates import target

TASKS = ("humatchingfib", "hustandardfib", "huproverbrea_2cq")
DATE = "2026-01-31T10-00-00.123456"


@pytest.fixture(autouse=True)
def on_the_sample(clean_environment, monkeypatch):
    monkeypatch.setenv("HUEVAL_SAMPLE", "1")


@pytest.fixture
def ask(monkeypatch):
    """A function that reaches a judge by the environment, as a user does."""

    def reach(judge, model="second"):
        monkeypatch.setenv("HUEVAL_JUDGE_BASE_URL", judge.url)
        monkeypatch.setenv("HUEVAL_JUDGE_MODEL", model)
        monkeypatch.setenv("HUEVAL_QUIET", "1")

    return reach


def sample(task: str) -> list[dict]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("HUEVAL_SAMPLE", "1")
        return documents(f"openhueval_{task}")[0]


def replies(task: str) -> list[str]:
    """One reply a document: right, wrong, with a trace, unreadable, in turn; the same whenever asked."""
    texts = []
    for n, doc in enumerate(sample(task)):
        right = target(doc)
        wrong = '{"answer": ["#0#Z"], "answers": 1}' if task != "huproverbrea_2cq" else "1"
        trace = f"<think>Lássuk: 1 vagy 2? {wrong}</think>\n\n{right}"
        texts.append((right, wrong, trace, "Nem tudom.", right)[n % 5])
    return texts


def plain(task: str, name: str | None = None) -> list[dict]:
    """Rows of plain predictions; with a task's name in each where one is given."""
    rows = []
    for doc, text in zip(sample(task), replies(task), strict=True):
        row = {"qid": doc["qid"], "prediction": text}
        if "correct_option" in doc:
            row["correct_option"] = doc["correct_option"]
        rows.append(row | ({"task": name} if name else {}))
    return rows


def samples(task: str, texts: list[str] | None = None, filtered: bool = True) -> list[dict]:
    """Rows as lm-eval logs them."""
    rows = []
    for n, (doc, text) in enumerate(zip(sample(task), texts or replies(task), strict=True)):
        row = {"doc_id": n, "doc": doc, "target": target(doc), "arguments": {}, "resps": [[text]]}
        rows.append(row | {"filtered_resps": [strip_reasoning(text).to_json()] if filtered else [text]})
    return rows


def opencompass(task: str, ids: bool) -> dict:
    """OpenCompass's prediction file: entries by position, gold as a dict with the id or as the bare answer."""
    entries = {}
    for n, (doc, text) in enumerate(zip(sample(task), replies(task), strict=True)):
        gold = {"qid": doc["qid"]} | ({"true_ans": str(doc["correct_option"])} if "correct_option" in doc else {})
        entries[str(n)] = {"origin_prompt": "…", "prediction": text, "gold": gold if ids else target(doc)}
    return entries


def write_lines(path: Path, rows: list) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(json.dumps(row, ensure_ascii=True) + "\n" for row in rows), encoding="utf-8")
    return path


def write_samples(folder: Path, task: str, date: str = DATE, **settings) -> Path:
    return write_lines(folder / f"samples_openhueval_{task}_{date}.jsonl", samples(task, **settings))


def score(path: Path, task: str | None = None) -> TaskScore:
    (scored,) = score_paths([path], task and f"openhueval_{task}", {})
    return scored

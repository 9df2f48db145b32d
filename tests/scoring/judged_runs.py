"""Judged samples for `hueval score`: runs with verdicts in their files."""

from __future__ import annotations

import json

from hueval_metrics.answers.reasoning import strip_reasoning
from hueval_metrics.records import Filtered
from hueval_metrics.scoring.judged import JudgePlan
from hueval_metrics.scoring.write import score_into
from tests.helpers import json_lines
from tests.scoring.conftest import DATE, samples, write_lines

QA, TASK = "husimpleqa", "openhueval_husimpleqa"
ONLY_MISSING = JudgePlan(only_missing=True)


def verdict(label="CORRECT", judge="first", **more) -> dict:
    return {"label": label, "score": None, "raw": label, "judge": judge, "rubric": "husimpleqa/1", **more}


def run_of(folder, verdicts, texts=None):
    """A samples file with these verdicts in turn."""
    rows = samples(QA, texts)
    for n, row in enumerate(rows):
        text = strip_reasoning(row["resps"][0][0]).response
        row["filtered_resps"] = [Filtered(text, verdict=verdicts[n % len(verdicts)]).to_json()]
    return write_lines(folder / f"samples_{TASK}_{DATE}.jsonl", rows)


def score(path, out, plan=ONLY_MISSING, task=None):
    """The summary of the one task and the rows of items.jsonl."""
    (scored,) = score_into(out, [path], task, {}, plan)
    results = json.loads((out / "results.json").read_text(encoding="utf-8"))
    assert results == json.loads(json.dumps({scored.task: scored.summary}))
    return scored.summary, json_lines(out / "items.jsonl")


def says(label):
    return lambda request, number: json.dumps({"evaluation": label})


def without_cache(tmp_path):
    for file in (tmp_path / "cache").rglob("*"):
        if file.is_file():
            file.unlink()


def asked(judge) -> int:
    """How many requests put a response before the judge; a preflight asks for less."""
    return sum("messages" in request for request in judge.requests)

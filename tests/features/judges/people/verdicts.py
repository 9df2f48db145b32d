"""Rows and items with a verdict."""

from __future__ import annotations

from typing import Any

from hueval_metrics.judges.people.judged import JudgedItem

QA, OE, WILD = (f"openhueval_{name}" for name in ("husimpleqa", "huproverbrea_oe", "huwildbench"))
RUBRICS = {QA: "husimpleqa/1", OE: "huproverbrea_oe/1", WILD: "huwildbench/1"}


def verdict(rating: str | float | None, task: str = OE, **more: Any) -> dict[str, Any]:
    label, score = (rating, None) if isinstance(rating, str) else (None, rating)
    return {"label": label, "score": score, "raw": "…", "judge": "judge-1", "rubric": RUBRICS[task], **more}


def row(qid: str, rating: Any, task: str = OE, **more: Any) -> dict[str, Any]:
    """A row as `hueval score` writes it, in so far as a check needs it."""
    said = rating if isinstance(rating, dict) or rating is None else verdict(rating, task)
    return {
        "task": task,
        "qid": qid,
        "dimension": "h",
        "prompt": f"Kérdés: {qid}",
        "reference": "a minta",
        "prediction": f"<think>titok</think>válasz {qid}",
        "response": f"válasz {qid}",
        "verdict": said,
        **more,
    }


def item(qid: str, rating: str | float, task: str = OE, **more: Any) -> JudgedItem:
    fields = {"run": "run-a", "dimension": "h", "rubric": RUBRICS[task], "judge": "judge-1", "words": "because"}
    texts = {"prompt": f"Kérdés {qid}", "reference": "a minta", "response": f"válasz {qid}"}
    return JudgedItem(task=task, qid=qid, rating=rating, **(fields | texts | more))

"""Judged samples of a task, as a run leaves them."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from hueval_metrics.records import Filtered
from hueval_metrics.scoring.score import score_paths

DATE = "2026-01-31T10-00-00.123456"
LABELS = {"A": "CORRECT", "B": "INCORRECT", "C": "NOT_ATTEMPTED"}


def verdict(letter: str, rubric: str = "kolassimpleqa/1", **more: Any) -> dict[str, Any]:
    """The verdict that a judge's letter gives."""
    return {"label": LABELS[letter], "score": None, "raw": letter, "judge": "j", "rubric": rubric, **more}


def document(qid: str, track: str = "t", reverse: bool = False, task: str = "hu_general") -> dict[str, Any]:
    """A document with as little in it as a score needs."""
    language, domain = task.split("_")
    return {
        **{"qid": qid, "knowledge_track_id": track, "is_reverse": reverse, "language": language, "domain": domain},
        **{"question": f"{qid}?", "answer": "Eger", "question_lang": language, "task": task},
    }


def written(folder: Path, rows: Sequence[tuple[dict[str, Any], str, Any]], task: str = "hu_general") -> Path:
    """A samples file of documents, responses and verdicts."""
    folder.mkdir(parents=True, exist_ok=True)
    file = folder / f"samples_kolassimpleqa_{task}_{DATE}.jsonl"
    with file.open("w", encoding="utf-8") as out:
        for number, (doc, text, said) in enumerate(rows):
            row = {"doc_id": number, "doc": doc, "target": "", "arguments": {}, "resps": [[text]]}
            out.write(json.dumps(row | {"filtered_resps": [Filtered(text, verdict=said).to_json()]}) + "\n")
    return file


def summary_of(file: Path) -> dict[str, Any]:
    """What `hueval score` says of the one task in a file."""
    (score,) = score_paths([file], None, {})
    return score.summary

"""Every Eval Ever, a row for each prediction (`instance_level_eval.schema.json` of the package every_eval_ever 0.3.0).

The schema wants a row for each item and metric. We write one for each item, of the first metric that an item has by
itself, and put its other metrics into `metadata`: prompts and replies would otherwise be there a dozen times.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping
from typing import Any

from hueval_metrics.export.record import Score, TaskRecord
from hueval_metrics.judge.templates import plain_text
from hueval_metrics.records import InputError, has_verdict, number_of
from hueval_metrics.registry import declared
from hueval_metrics.runs.items import Row, item_key, item_rows
from hueval_metrics.runs.run import item_id

SCHEMA_VERSION = "0.3.0"
# Line ends to Python and JavaScript, the package's validator among them, though not to JSON.
_LINE_ENDS = str.maketrans({char: f"\\u{ord(char):04x}" for char in "\x85\u2028\u2029"})


def instance_lines(record: TaskRecord, evaluation_id: str) -> Iterator[bytes]:
    """The lines of a samples file; predictions that have no score, for want of a verdict, have no line.

    Args:
        record: the task.
        evaluation_id: of the file with its scores.

    Raises:
        InputError: the run's items are missing or broken, or they are not as many as its scores were made of.
    """
    score = next((score for score in record.scores if score.is_per_item), None)
    if score is None:
        return
    n = 0
    for row in item_rows(record.run, record.task):
        n += 1
        if instance := instance_row(row, record, score, evaluation_id):
            yield instance_line(instance)
    if record.n and n != record.n:
        raise InputError(
            f"{record.run.tasks[record.task].source}: its scores are of {record.n} predictions, and its items are {n}. "
            "Score it again"
        )


def instance_line(instance: Mapping[str, Any]) -> bytes:
    """A row as one line of JSON, whatever its texts hold; half a surrogate pair becomes U+FFFD."""
    text = json.dumps(instance, ensure_ascii=False, allow_nan=False)
    return plain_text(text).translate(_LINE_ENDS).encode() + b"\n"


def instance_row(row: Row, record: TaskRecord, score: Score, evaluation_id: str) -> dict[str, Any] | None:
    """A row of `items.jsonl` in the schema's form; None for one without a score, or of an older version.

    Args:
        row: anyone may have written it.
        record: its task.
        score: the metric; an item is correct when it has all that the metric can give.
        evaluation_id: of the file with its scores.
    """
    metrics = row.get("metrics")
    metrics = metrics if isinstance(metrics, Mapping) else {}
    value = number_of(metrics.get(score.metric))
    prompt, reference, reply = (row.get(key) for key in ("prompt", "reference", "prediction"))
    if value is None or not (isinstance(prompt, str) and isinstance(reference, str) and isinstance(reply, str)):
        return None
    answer = row.get("answer")
    return {
        "schema_version": SCHEMA_VERSION,
        "evaluation_id": evaluation_id,
        "model_id": record.model,
        "evaluation_name": record.task,
        "evaluation_result_id": f"{record.task}/{score.metric}",
        "sample_id": item_id(item_key(record.task, row) or ("",), ":"),
        "sample_hash": hashlib.sha256(plain_text(prompt + reference).encode()).hexdigest(),
        "interaction_type": "single_turn",
        "input": {"raw": prompt, "reference": [reference]},
        "output": {"raw": [reply]},
        "answer_attribution": [] if answer is None else [_attribution(answer, record)],
        "evaluation": {"score": value, "is_correct": value == score.bounds[1]},
        "metadata": _metadata(row, metrics, score),
    }


def _attribution(answer: Any, record: TaskRecord) -> dict[str, Any]:
    """How the answer was found in the reply; who decided whether it is right stands with the metric."""
    return {
        "turn_idx": 0,
        "source": "output.raw",
        "extracted_value": answer if isinstance(answer, str) else json.dumps(answer, ensure_ascii=False),
        "extraction_method": f"hueval {record.parts.get('hueval', '')}".strip(),
        "is_terminal": True,
    }


def _metadata(row: Row, metrics: Mapping[str, Any], score: Score) -> dict[str, str]:
    """What else is known of an item; all values must be text."""
    others = {f"metric_{name}": value for name, value in metrics.items() if name != score.metric}
    verdict = row.get("verdict")
    if isinstance(verdict, Mapping) and has_verdict(verdict):
        label = verdict.get("label")
        others["verdict"] = verdict.get("score") if label is None else label
        others |= {key: verdict.get(key) for key in ("judge", "rubric")}
    further = declared(row["task"]).key[1:]  # the first names the row
    known = {"dimension": row.get("dimension")} | {field: row.get(field) for field in further} | others
    if row.get("truncated") is True:
        known["truncated"] = "true"
    return {key: str(value) for key, value in known.items() if value is not None}

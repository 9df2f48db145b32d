"""Every Eval Ever, a row for each prediction (`instance_level_eval.schema.json` of the package every_eval_ever 0.3.0).

The schema requires a row for each item and metric. We write one for each item, with the first metric that has a value
for a single item, and put the other metrics into `metadata`: otherwise prompts and replies would be repeated for each.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping
from typing import Any

from hueval_metrics.errors import InputError
from hueval_metrics.export.record import Score, TaskRecord
from hueval_metrics.judge.templates import plain_text
from hueval_metrics.registry import declared
from hueval_metrics.runs.items import Item, items_of
from hueval_metrics.runs.run import item_id
from hueval_metrics.text.write_json import json_text

SCHEMA_VERSION = "0.3.0"
# Line breaks to Python and JavaScript, and so to the package's validator, but not to JSON.
_LINE_ENDS = str.maketrans({char: f"\\u{ord(char):04x}" for char in "\x85\u2028\u2029"})


def instance_lines(record: TaskRecord, evaluation_id: str) -> Iterator[bytes]:
    """The lines of a samples file; predictions without a score (no verdict) have no line.

    Args:
        record: the task.
        evaluation_id: of the file with its scores.

    Raises:
        InputError: the run's items are missing or broken, or their number differs from that of the scores.
    """
    score = next((score for score in record.scores if score.is_per_item), None)
    if score is None:
        return
    n = 0
    for item in items_of(record.run, record.task):
        n += 1
        if instance := instance_row(item, record, score, evaluation_id):
            yield instance_line(instance)
    if record.n and n != record.n:
        raise InputError(
            f"{record.run.tasks[record.task].source}: its scores are of {record.n} predictions, and its items are {n}. "
            "Score it again"
        )


def instance_line(instance: Mapping[str, Any]) -> bytes:
    """A row as one line of JSON; unpaired surrogates become U+FFFD."""
    text = json.dumps(instance, ensure_ascii=False, allow_nan=False)
    return plain_text(text).translate(_LINE_ENDS).encode() + b"\n"


def instance_row(item: Item, record: TaskRecord, score: Score, evaluation_id: str) -> dict[str, Any] | None:
    """An item in the schema's form; None for one without a score, or of an older version.

    Args:
        item: of the task.
        record: the task.
        score: the metric; an item is correct if its value is the upper bound.
        evaluation_id: of the file with its scores.
    """
    value = item.metrics.get(score.metric)
    if value is None or item.prompt is None or item.reference is None or item.prediction is None:
        return None
    return {
        "schema_version": SCHEMA_VERSION,
        "evaluation_id": evaluation_id,
        "model_id": record.model,
        "evaluation_name": record.task,
        "evaluation_result_id": f"{record.task}/{score.metric}",
        "sample_id": item_id(item.key or ("",), ":"),
        "sample_hash": hashlib.sha256(plain_text(item.prompt + item.reference).encode()).hexdigest(),
        "interaction_type": "single_turn",
        "input": {"raw": item.prompt, "reference": [item.reference]},
        "output": {"raw": [item.prediction]},
        "answer_attribution": [] if item.answer is None else [_attribution(item.answer, record)],
        "evaluation": {"score": value, "is_correct": value == score.bounds[1]},
        "metadata": _metadata(item, score),
    }


def _attribution(answer: Any, record: TaskRecord) -> dict[str, Any]:
    """The answer that was extracted from the reply; the judge is recorded with the metric."""
    return {
        "turn_idx": 0,
        "source": "output.raw",
        "extracted_value": answer if isinstance(answer, str) else json_text(answer),
        "extraction_method": f"hueval {record.parts.get('hueval', '')}".strip(),
        "is_terminal": True,
    }


def _metadata(item: Item, score: Score) -> dict[str, str]:
    """Further fields of an item; the schema requires text values."""
    others: dict[str, Any] = {f"metric_{name}": value for name, value in item.metrics.items() if name != score.metric}
    verdict = item.verdict
    if verdict is not None and verdict.is_given:
        others |= {"verdict": verdict.rating, "judge": verdict.judge, "rubric": verdict.rubric or None}
    if reference := item.rated:
        others |= {"reference_rating": reference[0], "reference_weight": reference[1]}
    further = declared(item.task).key[1:]  # the first is the sample's id
    known = {"dimension": item.dimension} | {field: item.row.get(field) for field in further} | others
    if item.truncated:
        known["truncated"] = "true"
    return {key: str(value) for key, value in known.items() if value is not None}

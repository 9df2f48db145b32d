"""A log of Inspect (https://inspect.aisi.org.uk), one JSON file a task, which `inspect view` opens.

Source: `EvalLog`, version 2, of the package inspect_ai 0.3.285. Scores are ours, in percent, not those of an Inspect
scorer: each of our metrics is a score whose metrics are the value and its interval.
"""

from __future__ import annotations

import json
import logging
import re
from collections.abc import Iterator, Sequence
from datetime import datetime
from pathlib import PurePosixPath
from typing import Any

from hueval_metrics.errors import InputError
from hueval_metrics.export.artifacts import Artifact
from hueval_metrics.export.caveats import caveats
from hueval_metrics.export.data_source import SPLIT
from hueval_metrics.export.record import Score, TaskRecord
from hueval_metrics.judge.templates import plain_text
from hueval_metrics.runs.items import Item, items_of
from hueval_metrics.runs.run import item_id
from hueval_metrics.text.write_json import json_text

FOLDER = "inspect"
VERSION = 2  # of the log's format
SCORER = "hueval"

log = logging.getLogger(__name__)


def inspect_logs(records: Sequence[TaskRecord], created: datetime, *, with_items: bool = True) -> list[Artifact]:
    """A log for each task.

    Args:
        records: of one run.
        created: time of the export, for a run without a date.
        with_items: whether to write the predictions, with the benchmark's questions and answers.
    """
    return [_log(record, created, with_items) for record in records]


def _log(record: TaskRecord, created: datetime, with_items: bool) -> Artifact:
    when = record.date or created
    shown = re.sub(r"[^\w-]|_", "-", record.task)
    # Inspect lists files that are named so: time, task, id.
    path = PurePosixPath(FOLDER, f"{when:%Y-%m-%dT%H-%M-%S}+00-00_{shown}_{record.uuid.hex[:22]}.json")
    n = _count(record) if with_items else 0
    return Artifact(path, lambda: _chunks(_header(record, when, n), _samples(record) if n else iter(())))


def _count(record: TaskRecord) -> int:
    """The number of samples; 0, with a warning, where they cannot be exported."""
    try:
        n = sum(1 for _ in _samples(record))
    except InputError as error:
        log.warning("%s is exported without its predictions: %s", record.task, error)
        return 0
    if record.n and n != record.n:
        log.warning(
            "%s is exported without its predictions: its scores are of %d, and %d have prompt and reply. Score again",
            record.task,
            record.n,
            n,
        )
        return 0
    return n


def _chunks(header: dict[str, Any], samples: Iterator[dict[str, Any]]) -> Iterator[bytes]:
    """The log in pieces, since the predictions of a task may be many."""
    yield _encoded(header)[:-1]
    for number, sample in enumerate(samples):
        yield (b",\n" if number else b', "samples": [\n') + _encoded(sample)
    yield b"\n]}\n" if header["eval"]["dataset"]["samples"] else b"}\n"


def _encoded(value: dict[str, Any]) -> bytes:
    return plain_text(json.dumps(value, ensure_ascii=False, allow_nan=False)).encode()


def _header(record: TaskRecord, when: datetime, n: int) -> dict[str, Any]:
    stamp, identity = when.isoformat(), record.uuid.hex[:22]
    data, missing = record.data, record.run.result(record.task).missing
    details = {"signature": record.signature, "caveats": caveats(record), "judges": list(record.judges)}
    return {
        "version": VERSION,
        "status": "success",
        "eval": {
            "eval_id": identity,
            "run_id": identity,
            "task_id": identity,
            "created": stamp,
            "task": record.task,
            "task_version": record.parts.get("v", 0),
            "task_display_name": record.spec.declared.title,
            "solver": "generate",
            "dataset": {
                "name": data.title,
                "location": data.hub.id if data.hub and not record.is_sample else data.repo.name,
                "samples": n,
                "shuffled": False,
            },
            "model": record.model,
            "model_generate_config": record.generation_args,
            "config": {},
            "packages": {"hueval": record.parts.get("hueval", "unknown")},
            "metadata": details | {"data_blob_id": data.blob_id, "split": record.parts.get("split", SPLIT)},
        },
        "plan": {"name": "hueval", "steps": [{"solver": "generate", "params": {}}]},
        "results": {
            "total_samples": record.n + missing,
            "completed_samples": record.n,
            "scores": [_score(score) for score in _ordered(record)],
            "headline": {"scorer": SCORER, "score": record.headline[0].metric, "metric": "score"},
        },
        "stats": {"started_at": stamp, "completed_at": stamp},
    }


def _ordered(record: TaskRecord) -> list[Score]:
    """The scores, those of the overview first."""
    return [*record.headline, *(score for score in record.scores if score not in record.headline)]


def _score(score: Score) -> dict[str, Any]:
    values = {"score": score.value}
    if score.interval:
        values |= {"ci95_low": score.interval[0], "ci95_high": score.interval[1]}
    details = {"ci_method": score.method, "n": score.n, **score.calibrated}
    return {
        "name": score.metric,
        "scorer": SCORER,
        "scored_samples": score.n,
        "metrics": {name: {"name": name, "value": value} for name, value in values.items()},
        "metadata": {key: value for key, value in details.items() if value is not None},
    }


def _samples(record: TaskRecord) -> Iterator[dict[str, Any]]:
    per_item = [score for score in record.scores if score.is_per_item]
    shown = [score for score in per_item if score in record.headline] or per_item[:1]
    for item in items_of(record.run, record.task):
        if item.prompt is not None and (reply := _reply(item)) is not None:
            yield _sample(item, reply, shown, record.model)


def _reply(item: Item) -> str | None:
    """What the model gave: its text, or the log-likelihoods of the choices as JSON; None in rows of older versions."""
    given = item.row.get("prediction")
    return json.dumps(given) if isinstance(given, dict) else item.prediction


def _sample(item: Item, reply: str, shown: Sequence[Score], model: str) -> dict[str, Any]:
    verdict = item.verdict
    said: dict[str, Any] = {} if item.answer is None else {"answer": _as_text(item.answer)}
    if verdict is not None and verdict.is_given:
        said |= {"explanation": verdict.raw, "metadata": {"verdict": verdict.rating, "judge": verdict.judge}}
    names = [score.metric for score in shown]
    others = {name: value for name, value in item.metrics.items() if name not in names and value is not None}
    return {
        "id": item_id(item.key or ("",), ":"),
        "epoch": 1,
        "input": item.prompt,
        "target": item.reference or "",
        "messages": [
            {"role": "user", "content": item.prompt},
            {"role": "assistant", "content": reply, "source": "generate", "model": model},
        ],
        "output": {
            "model": model,
            "choices": [
                {
                    "message": {"role": "assistant", "content": reply, "source": "generate", "model": model},
                    "stop_reason": "max_tokens" if item.truncated or item.at_limit else "stop",
                }
            ],
            "completion": reply,
        },
        "scores": {name: {"value": value} | said for name in names if (value := item.metrics.get(name)) is not None},
        "metadata": {"dimension": item.dimension, "metrics": others},
    }


def _as_text(answer: Any) -> str:
    return answer if isinstance(answer, str) else json_text(answer)

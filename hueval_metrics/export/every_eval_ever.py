"""Every Eval Ever, the scores (`eval.schema.json` of the package every_eval_ever 0.3.0, https://evalevalai.com).

The layout is that of its datastore: `data/<benchmark>/<developer>/<model>/<uuid>.json`, with the predictions in
`<uuid>_samples.jsonl`. Each task has its own pair of files, since tasks differ in version, judge and date.
"""

from __future__ import annotations

import hashlib
import logging
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import PurePosixPath
from typing import Any

from hueval_metrics.errors import InputError
from hueval_metrics.export.artifacts import Artifact, text_artifact
from hueval_metrics.export.caveats import caveats
from hueval_metrics.export.data_source import SPLIT
from hueval_metrics.export.instances import SCHEMA_VERSION, instance_lines
from hueval_metrics.export.judges import llm_scoring
from hueval_metrics.export.record import Score, TaskRecord
from hueval_metrics.stats.bootstrap import RESAMPLES
from hueval_metrics.text.write_json import json_text

# Part of the signature → a name that readers of the schema understand.
_SETTINGS = {
    "gen": "generation_kwargs",
    "chat": "chat_template_hash",
    "system": "system_prompt_hash",
    "shots": "num_fewshot",
    "reasoning": "reasoning_handling",
    "prompt": "prompt_template",
    "q": "question_language",
}
_NOT_LIBRARIES = {*_SETTINGS, *("task", "v", "data", "sample", "split", "limit", "judge", "rubric", "hueval")}

log = logging.getLogger(__name__)


@dataclass(frozen=True)
class Evaluator:
    """Who ran the evaluation.

    Attributes:
        name: of the person or organisation.
        relationship: to the model's developer: `first_party`, `third_party`, `collaborative` or `other`.
        url: of the results or the evaluator.
    """

    name: str = "unknown"
    relationship: str = "other"
    url: str | None = None


def evaluation_logs(
    records: Sequence[TaskRecord], evaluator: Evaluator, created: datetime, *, with_items: bool = True
) -> list[Artifact]:
    """The files of a run: for each task its scores and, where the run has its items, the predictions.

    Args:
        records: of one run.
        evaluator: who ran the evaluation.
        created: time of the export.
        with_items: whether to write the predictions, with the benchmark's questions and answers.
    """
    files = []
    for record in records:
        folder = PurePosixPath("data", record.spec.family.name, record.model)
        name = record.uuid
        evaluation_id = f"{record.task}/{record.model}/{int(created.timestamp())}"
        content = _evaluation_log(record, evaluator, evaluation_id, created)
        if with_items and (items := _items(record, folder / f"{name}_samples.jsonl", evaluation_id)):
            content["detailed_evaluation_results"], samples = items
            files.append(samples)
        text = json_text(content, indent=2, allow_nan=False)
        files.append(text_artifact(folder / f"{name}.json", text + "\n"))
    return files


def _items(record: TaskRecord, path: PurePosixPath, evaluation_id: str) -> tuple[dict[str, Any], Artifact] | None:
    """The samples file and its entry in the log; None without any row. It is generated twice, and never in memory."""
    digest, rows = hashlib.sha256(), 0
    try:
        for line in instance_lines(record, evaluation_id):
            digest.update(line)
            rows += 1
    except InputError as error:
        log.warning("%s is exported without its predictions: %s", record.task, error)
        return None
    if not rows:
        log.warning(
            "%s is exported without its predictions: %s has none with prompt and score. Score it again",
            record.task,
            record.run.tasks[record.task].source.parent,
        )
        return None
    about = {"format": "jsonl", "file_path": str(path), "hash_algorithm": "sha256", "checksum": digest.hexdigest()}
    return about | {"total_rows": rows}, Artifact(path, lambda: instance_lines(record, evaluation_id))


def _evaluation_log(record: TaskRecord, evaluator: Evaluator, evaluation_id: str, created: datetime) -> dict[str, Any]:
    when = {} if record.date is None else {"evaluation_timestamp": str(int(record.date.timestamp()))}
    return {
        "schema_version": SCHEMA_VERSION,
        "evaluation_id": evaluation_id,
        **when,
        "retrieved_timestamp": str(int(created.timestamp())),
        "source_metadata": _known(
            source_name="hueval",
            source_type="evaluation_run",
            source_organization_name=evaluator.name,
            source_organization_url=evaluator.url,
            evaluator_relationship=evaluator.relationship,
            additional_details=_known(caveats="; ".join(caveats(record))),
        ),
        "eval_library": {
            "name": "hueval",
            "version": record.parts.get("hueval", "unknown"),
            "additional_details": _known(**_libraries(record) | {"signature": record.signature}),
        },
        "model_info": _model_info(record),
        "evaluation_results": [_result(record, score) for score in record.scores],
    }


def _libraries(record: TaskRecord) -> dict[str, str]:
    return {name: version for name, version in record.parts.items() if name not in _NOT_LIBRARIES}


def _model_info(record: TaskRecord) -> dict[str, Any]:
    version = record.parts.get("transformers")  # recorded for models that lm-eval's hf back end loaded
    return _known(
        name=record.model,
        id=record.model,
        developer=record.model.partition("/")[0],
        inference_engine={"name": "transformers", "version": version} if version else None,
        additional_details={
            "deployment_type": "self_deployed" if version else "unknown",
            "model_availability": "unknown",
        },
    )


def _result(record: TaskRecord, score: Score) -> dict[str, Any]:
    return _known(
        evaluation_result_id=f"{record.task}/{score.metric}",
        evaluation_name=record.task,
        source_data=_source_data(record),
        metric_config=_metric(record, score),
        score_details=_known(
            score=score.value,
            details=_known(
                num_predictions=str(record.n),
                num_missing=str(record.run.result(record.task).missing),
                caveats="; ".join(caveats(record)),
                **score.calibrated,
            ),
            uncertainty=_uncertainty(record, score),
        ),
        generation_config=_generation(record),
    )


def _metric(record: TaskRecord, score: Score) -> dict[str, Any]:
    low, high = score.bounds
    return _known(
        metric_id=f"{record.task}.{score.metric}",
        metric_name=score.metric,
        metric_unit="proportion" if (low, high) == (0.0, 1.0) else "percent",
        lower_is_better=not score.higher_is_better,
        score_type="continuous",
        min_score=low,
        max_score="Infinity" if high == float("inf") else high,
        llm_scoring=llm_scoring(record, score.metric),
    )


def _uncertainty(record: TaskRecord, score: Score) -> dict[str, Any]:
    if score.interval is None:
        return {}
    low, high = score.interval
    return _known(
        confidence_interval=_known(lower=low, upper=high, confidence_level=0.95, method=score.method),
        num_samples=record.n if _is_of_all(record, score) else None,
        num_bootstrap_samples=RESAMPLES if "bootstrap" in (score.method or "") else None,
    )


def _is_of_all(record: TaskRecord, score: Score) -> bool:
    """Whether a score is over all predictions, one by one: not over a dimension, pairs or attempted answers."""
    is_whole = record.run.tasks[record.task].scores.get("judge_coverage") in (None, 100)
    return is_whole and score in record.headline and score.is_per_item


def _source_data(record: TaskRecord) -> dict[str, Any]:
    data = record.data
    blob_id = data.official.blob_id if data.official else data.blob_id
    details = _known(config=data.config, git_blob_id=blob_id, sample="yes" if record.is_sample else None)
    if data.hub and not record.is_sample:
        return _known(
            dataset_name=data.title,
            source_type="hf_dataset",
            hf_repo=data.hub.id,
            hf_split=record.parts.get("split", SPLIT),
            additional_details=details | _known(revision=data.hub.revision),
        )
    place: dict[str, Any] = {"source_type": "other"}
    if data.official:
        place = {"source_type": "url", "url": [data.official.url]}
    return {"dataset_name": data.title, **place, "additional_details": details}


def _generation(record: TaskRecord) -> dict[str, Any]:
    """The settings of the signature as text, and as numbers those that the schema has a field for."""
    details = {name: record.parts[part] for part, name in _SETTINGS.items() if part in record.parts}
    return _known(generation_args=record.generation_args, additional_details=details)


def _known(**values: Any) -> dict[str, Any]:
    """The values that are neither None nor empty."""
    return {key: value for key, value in values.items() if value not in (None, "", {}, [])}

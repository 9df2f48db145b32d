"""Metadata for a model card, the `model-index` of its YAML block.

Source: https://github.com/huggingface/hub-docs/blob/main/modelcard.md; huggingface_hub writes and reads it. It is a
separate file, so that no card is overwritten; `huggingface_hub.metadata_update` merges it into one.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from hueval_metrics.comparison.summaries import SummaryScore, summary_scores
from hueval_metrics.export.artifacts import Artifact, text_artifact
from hueval_metrics.export.caveats import caveats
from hueval_metrics.export.data_source import SPLIT
from hueval_metrics.export.record import Score, TaskRecord

if TYPE_CHECKING:
    from huggingface_hub import EvalResult

FILE = "model-index.yaml"
TASK_TYPE = "text-generation"  # in the Hub's list of tasks
DECIMALS = 4


def model_index(records: Sequence[TaskRecord], url: str | None = None) -> list[Artifact]:
    """The file with the metadata: the scores of the overview, each with its interval.

    Args:
        records: of one run.
        url: source of the results.
    """
    from huggingface_hub import ModelCardData

    results = [_result(record, score, url) for record in records for score in record.headline]
    by_task = {record.task: record for record in records}
    for one in (one for one in summary_scores(records[0].run) if one.summary.in_overview):
        if one.summary.terms[0][0] in by_task:  # the format has one data set a number: that of the first part
            results.append(_summary(by_task[one.summary.terms[0][0]], one, url))
    card = ModelCardData(model_name=records[0].model, eval_results=results)
    return [text_artifact(FILE, card.to_yaml() + "\n")]


def _result(record: TaskRecord, score: Score, url: str | None) -> EvalResult:
    from huggingface_hub import EvalResult

    data = record.data
    return EvalResult(
        task_type=TASK_TYPE,
        dataset_type=data.hub.id if data.hub else data.repo.name,
        dataset_name=data.title,
        dataset_config=data.config,
        dataset_split=record.parts.get("split", SPLIT),
        dataset_revision=data.hub.revision if data.hub else None,
        # The format has one entry for all tasks of a config: the metric's name distinguishes them.
        metric_type=score.metric,
        metric_name=f"{record.task} {score.metric}",
        metric_value=round(score.value, DECIMALS),
        metric_args=_details(record, score),
        source_name="hueval" if url else None,
        source_url=url,
    )


def _summary(record: TaskRecord, one: SummaryScore, url: str | None) -> EvalResult:
    score = Score(one.summary.name, one.value, one.ci95, None, one.n, True, (-math.inf, math.inf), False)
    details = {key: value for key, value in _details(record, score).items() if key in ("n", "ci95", "date", "caveats")}
    details["terms"] = [f"{task} {metric}" for task, metric in one.summary.terms]
    name = f"{one.family.name} {one.summary.name}"
    return replace(
        _result(record, score, url),
        dataset_name=one.family.title,
        dataset_config=None,
        metric_name=name,
        metric_args=details,
    )


def _details(record: TaskRecord, score: Score) -> dict[str, Any]:
    details: dict[str, Any] = {"n": score.n}
    if score.interval:
        details["ci95"] = [round(end, DECIMALS) for end in score.interval]
    details |= {"ci_method": score.method, "date": None if record.date is None else f"{record.date:%Y-%m-%d}"}
    details |= {"data_file": record.data.official.url if record.data.official else None}
    details |= {"signature": record.signature, "caveats": caveats(record), **score.calibrated}
    return {key: value for key, value in details.items() if value}

"""The scores of one of our tasks as a module of `evaluate`: the task's filter, hooks and metrics."""

from __future__ import annotations

from abc import ABC
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, ClassVar

import datasets
import evaluate

from hf_datasets.parquet import schema_of
from hueval_metrics.evaluate_modules.checked_metric import CheckedMetric
from hueval_metrics.records import Filtered
from hueval_metrics.registry import task_spec

Fields = Mapping[str, Any]


def task_scores(task: str, responses: Sequence[str | None], references: Sequence[Fields]) -> dict[str, float | None]:
    """Score responses as a run of the task does after generation, and after judging if it has a judge.

    Args:
        task: the name of the task, whose YAML names the functions.
        responses: as the model wrote them, with reasoning traces; None for a missing response.
        references: for each response the document, with the fields that the task's `process_results` reads; for a
            judged task the verdict, as in `records.Filtered`. The stratum's field may be missing or None.

    Returns:
        Every metric of the task; None where it applies to no document.
    """
    spec = task_spec(task)
    strip, settings = spec.trace_filter
    filtered = [Filtered.from_json(text) for text in strip(**settings).apply(responses, references)]
    if spec.rubric is not None:
        filtered = [replace(response, verdict=v) for response, v in zip(filtered, references, strict=True)]
    field = spec.family.strata.field if spec.family.strata else ""
    values = [
        spec.process_results({**reference, field: reference.get(field) or ""}, [response.to_json()])
        for reference, response in zip(references, filtered, strict=True)
    ]
    return {name: metric([v[name] for v in values]) for name, metric in spec.metrics.items()}


class TaskMetric(CheckedMetric, ABC):
    """The scores of a task.

    Attributes:
        TASK: its name.
        REFERENCE: the model of a document, or of a verdict if the task has a judge.
    """

    TASK: ClassVar[str]

    def _info(self) -> evaluate.MetricInfo:
        reference = dict(datasets.Features.from_arrow_schema(schema_of(self.REFERENCE)))
        return self.info_of_card(datasets.Value("string"), reference, task_spec(self.TASK).family.urls)

    def _compute(self, predictions: list[str | None], references: list[dict[str, Any]]) -> dict[str, float | None]:
        return task_scores(self.TASK, predictions, references)

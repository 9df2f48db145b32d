"""The scores of responses by a task of ours as a module of `evaluate`: the task's filter, hooks and metrics."""

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
    """Score responses as a run of the task does once they are generated, and judged where it has a judge.

    Args:
        task: the task's name; what its YAML says is what is done.
        responses: as the model wrote them, reasoning traces included; None where nothing came.
        references: for each response the document, with the fields that the task's `process_results` reads, or, of a
            judged task, the verdict, as in `records.Filtered`. Those of no stratum have none, or None.

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
        TASK: its name; the family has the citation.
        REFERENCE: the model of a document, or of a verdict where the task has a judge.
        DESCRIPTION: what is scored.
        INPUTS: arguments, returns and examples, as `evaluate` prints them.
    """

    TASK: ClassVar[str]
    DESCRIPTION: ClassVar[str]
    INPUTS: ClassVar[str]

    def _info(self) -> evaluate.MetricInfo:
        family = task_spec(self.TASK).family
        reference = dict(datasets.Features.from_arrow_schema(schema_of(self.REFERENCE)))
        return evaluate.MetricInfo(
            description=self.DESCRIPTION,
            citation=family.citation,
            inputs_description=self.INPUTS,
            features=datasets.Features({"predictions": datasets.Value("string"), "references": reference}),
            reference_urls=list(family.urls),
        )

    def _compute(self, predictions: list[str | None], references: list[dict[str, Any]]) -> dict[str, float | None]:
        return task_scores(self.TASK, predictions, references)

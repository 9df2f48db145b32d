"""The scores of responses by an lm-eval task of ours: its filter, its `process_results`, its aggregations."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from hueval_metrics.records import Filtered
from hueval_metrics.registry import task_spec

Fields = Mapping[str, Any]


def task_scores(
    task: str, responses: Sequence[str | None], docs: Sequence[Fields], verdicts: Sequence[Fields | None] | None = None
) -> dict[str, float | None]:
    """Score responses as a run of the task does once they are generated, and judged where it has a judge.

    Args:
        task: the task's name; what its YAML says is what is done.
        responses: as the model wrote them, reasoning traces included; None where nothing came.
        docs: the document of each response, with the fields that the task's `process_results` reads; those of no
            dimension have none, or None.
        verdicts: the judge's verdict on each response, as in `records.Filtered`; None for a task scored by rule.

    Returns:
        Every metric of the task; None where it applies to no document.
    """
    spec = task_spec(task)
    _, strip, *_ = spec.config["filter_list"][0]["filter"]
    settings = {key: value for key, value in strip.items() if key != "function"}
    filtered = [Filtered.from_json(text) for text in strip["function"](**settings).apply(responses, docs)]
    if verdicts is not None:
        filtered = [replace(response, verdict=v) for response, v in zip(filtered, verdicts, strict=True)]
    values = [
        spec.process_results({**doc, "hu_specific_dim": doc.get("hu_specific_dim") or ""}, [response.to_json()])
        for doc, response in zip(docs, filtered, strict=True)
    ]
    return {name: metric([v[name] for v in values]) for name, metric in spec.metrics.items()}

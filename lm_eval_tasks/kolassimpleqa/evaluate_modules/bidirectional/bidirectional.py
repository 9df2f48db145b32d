"""Facts asked from both sides: KoLasSimpleQA's scores as a module of `evaluate`."""

from __future__ import annotations

from typing import Any, Literal

from hueval_metrics.errors import InputError
from hueval_metrics.evaluate_modules import checked_metric, task_metric


class Judged(checked_metric.Reference):
    """A question in one direction, and a judge's verdict on its answer."""

    knowledge_track_id: checked_metric.Text
    is_reverse: bool
    label: Literal["CORRECT", "INCORRECT", "NOT_ATTEMPTED"] | None
    question_lang: checked_metric.Text
    question: checked_metric.Text = ""
    raw: checked_metric.Text | None = None
    suspicious: list[str] | None = None


class Bidirectional(task_metric.TaskMetric):
    """The scores of each task of KoLasSimpleQA, which have their hook and their metrics in common."""

    TASK = "kolassimpleqa_hu_general"
    REFERENCE = Judged

    def _compute(self, predictions: list[str | None], references: list[dict[str, Any]]) -> dict[str, float | None]:
        seen: set[tuple[str, bool]] = set()
        for row in references:
            asked = (row["knowledge_track_id"], row["is_reverse"])
            if asked in seen:  # which of the two belongs to the pair is not known
                raise InputError(
                    f"references: knowledge_track_id {asked[0]}, is_reverse {asked[1]} is there twice. Give one "
                    "response to each"
                )
            seen.add(asked)
        return super()._compute(predictions, references)

"""Two options shown in both orders: HuProverbRea-2CQ's scores as a module of `evaluate`."""

from __future__ import annotations

from typing import Any, Literal

from hueval_metrics.errors import InputError
from hueval_metrics.evaluate_modules import checked_metric, task_metric


class Presentation(checked_metric.Reference):
    """A question in one order of its options."""

    qid: checked_metric.Text
    correct_option: Literal[1, 2]
    option1: checked_metric.Text = ""
    option2: checked_metric.Text = ""


class TwoChoicePairs(task_metric.TaskMetric):
    """The scores of `openhueval_huproverbrea_2cq`."""

    TASK = "openhueval_huproverbrea_2cq"
    REFERENCE = Presentation

    def _compute(self, predictions: list[str | None], references: list[dict[str, Any]]) -> dict[str, float | None]:
        seen: set[tuple[str, int]] = set()
        for row in references:
            shown = (row["qid"], row["correct_option"])
            if shown in seen:  # the metrics would use the first only
                raise InputError(
                    f"references: qid {shown[0]}, correct_option {shown[1]} is there twice. Give one response to each"
                )
            seen.add(shown)
        return super()._compute(predictions, references)

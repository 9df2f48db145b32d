"""Short answers judged correct, incorrect or not attempted: HuSimpleQA's scores as a module of `evaluate`."""

from __future__ import annotations

from typing import Literal

from hueval_metrics.evaluate_modules import task_metric
from lm_eval_tasks.openhueval.evaluate_modules import of_dimension


class Label(of_dimension.OfDimension):
    """A judge's verdict on a short answer."""

    label: Literal["CORRECT", "INCORRECT", "NOT_ATTEMPTED"] | None
    suspicious: list[str] | None = None


class SimpleQaVerdicts(task_metric.TaskMetric):
    """The scores of `openhueval_husimpleqa`."""

    TASK = "openhueval_husimpleqa"
    REFERENCE = Label

"""Blanks filled from a list of options: HuMatchingFIB's scores as a module of `evaluate`."""

from __future__ import annotations

from hueval_metrics.evaluate_modules import checked_metric, task_metric
from lm_eval_tasks.openhueval.evaluate_modules import of_dimension


class Blanks(of_dimension.OfDimension):
    """A text with blanks and its options."""

    question: checked_metric.Text
    options: checked_metric.Texts
    answer: checked_metric.Texts


class FibMatching(task_metric.TaskMetric):
    """The scores of `openhueval_humatchingfib`."""

    TASK = "openhueval_humatchingfib"
    REFERENCE = Blanks

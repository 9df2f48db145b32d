"""Blanks filled in one's own words: HuStandardFIB's scores as a module of `evaluate`."""

from __future__ import annotations

from hueval_metrics.evaluate_modules import checked_metric, task_metric
from lm_eval_tasks.openhueval.evaluate_modules import of_dimension


class Blanks(of_dimension.OfDimension):
    """Sentences with blanks."""

    questions: checked_metric.Texts
    answers: checked_metric.Texts


class FibStandard(task_metric.TaskMetric):
    """The scores of `openhueval_hustandardfib`."""

    TASK = "openhueval_hustandardfib"
    REFERENCE = Blanks

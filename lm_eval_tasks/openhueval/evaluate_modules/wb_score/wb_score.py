"""Answers scored from 1 to 10 by a checklist: HuWildBench's scores as a module of `evaluate`."""

from __future__ import annotations

from pydantic import Field

from hueval_metrics.evaluate_modules import task_metric
from lm_eval_tasks.openhueval.evaluate_modules import of_dimension
from lm_eval_tasks.openhueval.metrics.wb_score import HIGHEST, LOWEST


class Score(of_dimension.OfDimension):
    """A judge's verdict on an open answer."""

    query: str = ""  # what was asked, which an answer may repeat
    score: float | None = Field(ge=LOWEST, le=HIGHEST)
    error: str | None = None
    suspicious: list[str] | None = None


class WbScore(task_metric.TaskMetric):
    """The scores of `openhueval_huwildbench`."""

    TASK = "openhueval_huwildbench"
    REFERENCE = Score

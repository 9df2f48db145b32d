"""Answers scored from 1 to 10 by a checklist: HuWildBench's scores as a module of `evaluate`."""

from __future__ import annotations

from pydantic import Field

from hueval_metrics.evaluate_modules import task_metric
from lm_eval_tasks.openhueval.evaluate_modules import of_dimension
from lm_eval_tasks.openhueval.metrics.wb_score import HIGHEST, LOWEST

_DESCRIPTION = """\
Sums up a judge's scores of open answers, 1 to 10 (OpenHuEval's HuWildBench, after WildBench): the paper's mean times
10, and the public reference scorer's rescaled mean. It asks no judge.
"""

_INPUTS = """\
Args:
    predictions (list of str): the responses as the model wrote them, reasoning traces included. They are looked at for
        their language only, and for traces that were cut. None: nothing came.
    references (list of dict): the judge's verdict on each response
        score (float): from 1 to 10; None where there is no verdict.
        error (str, optional): why there is no score; one beside a score says that it is a default, as hueval 0.1 put it
            in place of a judge's reply that could not be read.
        suspicious (list of str, optional): structural marks of an attempt on the judge.
        hu_specific_dim (str, optional): one of OpenHuEval's dimensions, such as "education and profession".

Returns:
    dict: percent, 0 to 100, unless said otherwise; None where a metric applies to no response.
        wb_score: mean of the scores times 10, from 10 to 100.
        wb_score_racka: the same with 1 for each judge's reply that could not be read.
        wb_score_ref: (mean - 5) times 20, from -80 to 100, as the public reference scorer prints it.
        default_score_rate: judge's replies that could not be read.
        judge_coverage: responses that have a score; those without are in none of the above.
        hungarian_rate, truncated_rate, suspicious_rate: responses in Hungarian, of those long enough to tell; responses
            cut inside their reasoning trace; judged responses with structural marks.
        wb_score_<dim>: wb_score of each dimension (lcc, ep, ppl, bf).

Examples:
    >>> import evaluate
    >>> from hueval_metrics.evaluate_modules import module_path
    >>> wb_score = evaluate.load(module_path("wb_score"))
    >>> responses = ["Kérj tanácsot a könyvtárban!", "I do not speak Hungarian.", None]
    >>> scores = wb_score.compute(predictions=responses, references=[{"score": 8}, {"score": 5}, {"score": None}])
    >>> scores["wb_score"], scores["wb_score_ref"], scores["hungarian_rate"]
    (65.0, 30.0, 50.0)
"""


class Score(of_dimension.OfDimension):
    """A judge's verdict on an open answer."""

    score: float | None = Field(ge=LOWEST, le=HIGHEST, description="None without a verdict")
    error: str | None = Field(None, description="why there is no score")
    suspicious: list[str] | None = Field(None, description="structural marks of an attempt on the judge")


class WbScore(task_metric.TaskMetric):
    """The scores of `openhueval_huwildbench`."""

    TASK = "openhueval_huwildbench"
    REFERENCE = Score
    DESCRIPTION = _DESCRIPTION
    INPUTS = _INPUTS

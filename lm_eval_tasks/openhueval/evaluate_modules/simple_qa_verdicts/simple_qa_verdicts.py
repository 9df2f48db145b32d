"""Short answers judged correct, incorrect or not attempted: HuSimpleQA's scores as a module of `evaluate`."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from hueval_metrics.evaluate_modules import task_metric
from lm_eval_tasks.openhueval.evaluate_modules import of_dimension

_DESCRIPTION = """\
Sums up a judge's verdicts on short answers (OpenHuEval's HuSimpleQA, KoLasSimpleQA, SimpleQA): shares, correct given
attempted, F-score, and how well the confidence that the responses state is calibrated. It asks no judge.
"""

_INPUTS = """\
Args:
    predictions (list of str): the responses as the model wrote them, reasoning traces included. The confidence is read
        from them ("confidence_score", 0 to 100), and whether they are Hungarian. None: nothing came.
    references (list of dict): the judge's verdict on each response
        label (str): "CORRECT", "INCORRECT" or "NOT_ATTEMPTED"; None where there is no verdict.
        suspicious (list of str, optional): structural marks of an attempt on the judge.
        hu_specific_dim (str, optional): one of OpenHuEval's eight dimensions, such as "history".

Returns:
    dict: percent, 0 to 100, unless said otherwise; None where a metric applies to no response.
        correct, incorrect, not_attempted: shares of the judged responses.
        correct_given_attempted, f_score: c / (c + i); 2c / (2c + 2i + n).
        ece, brier: calibration, 0 (best) to 1, over the n_confidence judged responses that state a confidence.
        judge_coverage: responses that have a verdict; those without are in none of the above.
        hungarian_rate, truncated_rate, suspicious_rate: answers in Hungarian, of those long enough to tell; responses
            cut inside their reasoning trace; judged responses with structural marks.
        correct_<dim>: correct of each dimension (l, h, lcc, ep, gp, f, ppl, bf).

Examples:
    >>> import evaluate
    >>> from hueval_metrics.evaluate_modules import module_path
    >>> verdicts = evaluate.load(module_path("simple_qa_verdicts"))
    >>> responses = ['{"answer": "Szeged", "confidence_score": 75}', "Nem tudom."]
    >>> scores = verdicts.compute(predictions=responses, references=[{"label": "CORRECT"}, {"label": "NOT_ATTEMPTED"}])
    >>> scores["correct"], scores["correct_given_attempted"], scores["ece"], scores["n_confidence"]
    (50.0, 100.0, 0.25, 1)
"""


class Label(of_dimension.OfDimension):
    """A judge's verdict on a short answer."""

    label: Literal["CORRECT", "INCORRECT", "NOT_ATTEMPTED"] | None = Field(description="None without a verdict")
    suspicious: list[str] | None = Field(None, description="structural marks of an attempt on the judge")


class SimpleQaVerdicts(task_metric.TaskMetric):
    """The scores of `openhueval_husimpleqa`."""

    TASK = "openhueval_husimpleqa"
    REFERENCE = Label
    DESCRIPTION = _DESCRIPTION
    INPUTS = _INPUTS

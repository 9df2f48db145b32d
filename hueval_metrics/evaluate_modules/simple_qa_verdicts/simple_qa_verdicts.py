"""Short answers judged correct, incorrect or not attempted: HuSimpleQA's scores as a module of `evaluate`."""

from __future__ import annotations

from typing import Any, Literal

import datasets
import evaluate
from pydantic import Field

from hueval_metrics.evaluate_modules import checked_metric
from hueval_metrics.evaluate_modules.papers import OPENHUEVAL, OPENHUEVAL_URLS
from hueval_metrics.evaluate_modules.task_scores import task_scores

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


class Label(checked_metric.OfDimension):
    """A judge's verdict on a short answer."""

    label: Literal["CORRECT", "INCORRECT", "NOT_ATTEMPTED"] | None = Field(description="None without a verdict")
    suspicious: list[str] | None = Field(None, description="structural marks of an attempt on the judge")


class SimpleQaVerdicts(checked_metric.CheckedMetric):
    """The scores of `openhueval_husimpleqa`."""

    REFERENCE = Label

    def _info(self) -> evaluate.MetricInfo:
        text = datasets.Value("string")
        return evaluate.MetricInfo(
            description=_DESCRIPTION,
            citation=OPENHUEVAL,
            inputs_description=_INPUTS,
            features=datasets.Features(
                {"predictions": text, "references": {"label": text, "suspicious": [text], "hu_specific_dim": text}}
            ),
            reference_urls=OPENHUEVAL_URLS,
        )

    def _compute(self, predictions: list[str | None], references: list[dict[str, Any]]) -> dict[str, float | None]:
        return task_scores("openhueval_husimpleqa", predictions, references, verdicts=references)

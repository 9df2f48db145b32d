"""Blanks filled in one's own words: HuStandardFIB's scores as a module of `evaluate`."""

from __future__ import annotations

from typing import Any

import datasets
import evaluate
from pydantic import Field

from hueval_metrics.evaluate_modules import checked_metric
from hueval_metrics.evaluate_modules.papers import OPENHUEVAL, OPENHUEVAL_URLS
from hueval_metrics.evaluate_modules.task_scores import task_scores

_DESCRIPTION = """\
Scores sentences whose blanks are filled in one's own words (OpenHuEval's HuStandardFIB). A blank is right if it is
similar enough to any of the accepted words; `_ref` repeats what the public reference scorer counts.
"""

_INPUTS = """\
Args:
    predictions (list of str): the responses as the model wrote them, reasoning traces included. None: nothing came.
    references (list of dict): for each response
        questions (list of str): the sentences, with blanks #0#, #1#, ...
        answers (list of str): the accepted words with semicolons between them, such as "#0#Buda;budai vár".
        hu_specific_dim (str, optional): "language" or "history".

Returns:
    dict: percent, 0 to 100, but blank_acc_ref, which can be more; None where a metric applies to no response.
        blank_acc, question_acc: right blanks of all blanks; questions with every blank right.
        parse_rate, truncated_rate: readable responses; responses cut inside their reasoning trace.
        blank_acc_ref, question_acc_ref: as the public reference scorer counts.
        blank_acc_l, blank_acc_h: blank_acc of the language and of the history questions.

Examples:
    >>> import evaluate
    >>> from hueval_metrics.evaluate_modules import module_path
    >>> blanks = evaluate.load(module_path("fib_standard"))
    >>> gold = ["#0#Magyarország", "#1#Kolozsvárt;Kolozsváron"]
    >>> row = {"questions": ["Mátyás #0# királya volt, és #1# született."], "answers": gold}
    >>> scores = blanks.compute(predictions=['{"answers": ["#0#magyarország", "#1#Budán"]}'], references=[row])
    >>> scores["blank_acc"], scores["question_acc"]
    (50.0, 0.0)
"""


class Blanks(checked_metric.OfDimension):
    """Sentences with blanks."""

    questions: checked_metric.Texts = Field(description="the sentences; blanks are written #0#, #1#, …")
    answers: checked_metric.Texts = Field(description="alternatives are split by ;  #0#Buda;budai vár")


class FibStandard(checked_metric.CheckedMetric):
    """The scores of `openhueval_hustandardfib`."""

    REFERENCE = Blanks

    def _info(self) -> evaluate.MetricInfo:
        text = datasets.Value("string")
        return evaluate.MetricInfo(
            description=_DESCRIPTION,
            citation=OPENHUEVAL,
            inputs_description=_INPUTS,
            features=datasets.Features(
                {
                    "predictions": text,
                    "references": {"questions": [text], "answers": [text], "hu_specific_dim": text},
                }
            ),
            reference_urls=OPENHUEVAL_URLS,
        )

    def _compute(self, predictions: list[str | None], references: list[dict[str, Any]]) -> dict[str, float | None]:
        return task_scores("openhueval_hustandardfib", predictions, references)

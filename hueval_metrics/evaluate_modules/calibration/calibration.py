"""Stated confidences against outcomes: expected calibration error and Brier score as a module of `evaluate`."""

from __future__ import annotations

from typing import Annotated

import datasets
import evaluate
from pydantic import Field, Strict

from hueval_metrics.evaluate_modules import checked_metric
from hueval_metrics.metrics.basic import N_ITEMS
from hueval_metrics.metrics.calibration import BINS, BRIER, ece
from hueval_metrics.records import InputError
from hueval_metrics.text.one_line import one_line

_CITATION = """\
@inproceedings{naeini2015calibrated,
  title     = {Obtaining Well Calibrated Probabilities Using Bayesian Binning},
  author    = {Naeini, Mahdi Pakdaman and Cooper, Gregory F. and Hauskrecht, Milos},
  booktitle = {Proceedings of the Twenty-Ninth AAAI Conference on Artificial Intelligence},
  year      = {2015}
}"""

_DESCRIPTION = """\
How far stated confidences match how often the answers are right: expected calibration error (equally wide bins, closed
on the left) and Brier score.
"""

_INPUTS = """\
Args:
    predictions (list of float): how sure each answer is, from 0 to 1; None where it does not say.
    references (list of bool): whether each answer is right; an answer that was not attempted is wrong. None where
        nobody knows. Where either is None, the answer is left out.
    bins (int): how many bins, 10 unless told otherwise.

Returns:
    dict:
        ece: expected calibration error, 0 (best) to 1; None without any answer.
        brier: mean squared distance of confidence and outcome, 0 (best) to 1; None without any answer.
        n_confidence: how many answers were not left out.

Examples:
    >>> import evaluate
    >>> from hueval_metrics.evaluate_modules import module_path
    >>> calibration = evaluate.load(module_path("calibration"))
    >>> calibration.compute(predictions=[1.0, 1.0, 0.25, 0.25, None], references=[True, False, False, False, True])
    {'ece': 0.375, 'brier': 0.28125, 'n_confidence': 4}
"""


class Calibration(checked_metric.CheckedMetric):
    """`ece`, `brier` and `n_confidence`, as tasks have them whose answers state a confidence."""

    PREDICTION = Annotated[float, Strict(), Field(ge=0, le=1)] | None
    REFERENCE = bool | None  # 0 and 1 are read as such

    def _info(self) -> evaluate.MetricInfo:
        return evaluate.MetricInfo(
            description=_DESCRIPTION,
            citation=_CITATION,
            inputs_description=_INPUTS,
            features=datasets.Features(
                {"predictions": datasets.Value("float64"), "references": datasets.Value("bool")}
            ),
            reference_urls=["https://ojs.aaai.org/index.php/AAAI/article/view/9602"],
        )

    def _compute(
        self, predictions: list[float | None], references: list[bool | None], bins: int = BINS
    ) -> dict[str, float | None]:
        if not isinstance(bins, int) or isinstance(bins, bool) or bins < 1:
            raise InputError(f"bins: expected a whole number from 1; found {one_line(repr(bins), 40)}")
        pairs = [
            None if confidence is None or correct is None else (confidence, correct)
            for confidence, correct in zip(predictions, references, strict=True)
        ]
        return {
            "ece": ece(bins)(pairs),
            "brier": BRIER(pairs),
            "n_confidence": N_ITEMS(pairs),
        }

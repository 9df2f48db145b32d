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

PAPER = "https://ojs.aaai.org/index.php/AAAI/article/view/9602"


class Calibration(checked_metric.CheckedMetric):
    """`ece`, `brier` and `n_confidence`, as in the tasks whose answers state a confidence."""

    PREDICTION = Annotated[float, Strict(), Field(ge=0, le=1)] | None
    REFERENCE = bool | None  # 0 and 1 are accepted as well

    def _info(self) -> evaluate.MetricInfo:
        return self.info_of_card(datasets.Value("float64"), datasets.Value("bool"), [PAPER])

    def _compute(
        self, predictions: list[float | None], references: list[bool | None], bins: int = BINS
    ) -> dict[str, float | None]:
        if not isinstance(bins, int) or isinstance(bins, bool) or bins < 1:
            raise InputError(f"bins: expected a whole number from 1; found {one_line(repr(bins), 40)}")
        pairs = [
            None if confidence is None or correct is None else (confidence, correct)
            for confidence, correct in zip(predictions, references, strict=True)
        ]
        return {"ece": ece(bins)(pairs), "brier": BRIER(pairs), "n_confidence": N_ITEMS(pairs)}

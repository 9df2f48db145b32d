"""Stated confidences against outcomes: expected calibration error and Brier score as a module of `evaluate`."""

from __future__ import annotations

from typing import Annotated

import datasets
import evaluate
from pydantic import Field, Strict

from hueval_metrics.evaluate_modules import checked_metric
from hueval_metrics.metrics.basic import N_ITEMS
from hueval_metrics.metrics.confidence import BINS, BRIER, ConfidenceSettings, Edges, ece

PAPER = "https://ojs.aaai.org/index.php/AAAI/article/view/9602"


class Calibration(checked_metric.CheckedMetric):
    """`ece`, `brier` and `n_confidence`, as in the tasks whose answers state a confidence."""

    PREDICTION = Annotated[float, Strict(), Field(ge=0, le=1)] | None
    REFERENCE = bool | None  # 0 and 1 are accepted as well

    def _info(self) -> evaluate.MetricInfo:
        return self.info_of_card(datasets.Value("float64"), datasets.Value("bool"), [PAPER])

    def _compute(
        self,
        predictions: list[float | None],
        references: list[bool | None],
        bins: int = BINS,
        edges: Edges = "left",
    ) -> dict[str, float | None]:
        settings = ConfidenceSettings(bins, edges)
        pairs = [
            None if confidence is None or correct is None else (confidence, correct)
            for confidence, correct in zip(predictions, references, strict=True)
        ]
        return {"ece": ece(settings.bins, settings.edges)(pairs), "brier": BRIER(pairs), "n_confidence": N_ITEMS(pairs)}

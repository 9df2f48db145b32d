"""Language, code switches, translation, hedges, self-corrections and repetition of a trace, without a judge."""

from __future__ import annotations

from typing import Any

from hueval_metrics.traces.item import TraceItem
from hueval_metrics.traces.measures import Measure

MEASURES: tuple[Measure, ...] = (
    Measure("tokens", "free", "tokens", lambda row: (row["tokens"], 1), tested=True, source="Figure 4"),
    Measure("tokens_median", "free", "tokens", lambda row: (row["tokens"], 1), is_median=True),
)


def features(item: TraceItem) -> dict[str, Any]:
    """The features of one trace: the value of `free` in its row."""
    return {}

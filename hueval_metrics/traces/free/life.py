"""The answer's life: where in a trace the final answer first stands, how often it changes, when it is settled."""

from __future__ import annotations

from typing import Any

from hueval_metrics.traces.item import TraceItem
from hueval_metrics.traces.measures import Measure
from hueval_metrics.traces.tokens import Tokens

MEASURES: tuple[Measure, ...] = ()


def life(item: TraceItem, tokens: Tokens) -> dict[str, Any] | None:
    """The value of `life` in the row of a reply; None where its task does not tell what an answer is."""
    return None

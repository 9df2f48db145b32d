"""Counts of replies beside the figures: without a trace, cut, looping, and left out by a step."""

from __future__ import annotations

from collections import Counter

from hueval_metrics.traces.inputs import TraceRun
from hueval_metrics.traces.item import Row
from hueval_metrics.traces.results import AnalysedRun
from hueval_metrics.traces.settings import JUDGED, SEGMENTS, THOUGHTS

# What a step leaves open of a part of a reply: the key in its value, by which reason or how many of each.
_PARTS = {THOUGHTS: ("unscored", "scores"), SEGMENTS: ("dimensions_left_out", "dimensions")}


class Tally:
    """The counts of one run."""

    def __init__(self) -> None:
        self._counts: dict[str, Counter[str]] = {}
        self._left_out: dict[str, Counter[str]] = {}

    def add(self, row: Row) -> None:
        """Add the row of a reply."""
        counts = self._counts.setdefault(row["task"], Counter())
        has_trace = bool(row["blocks"])
        counts.update(
            replies=1,
            no_trace=not has_trace,
            cut=row["truncated"],
            looping=has_trace and row["free"]["looping"],
            several_blocks=len(row["blocks"]) > 1,
        )
        for step in JUDGED:
            if (value := row.get(step)) is None:
                continue
            if "left_out" in value:
                self._left_out.setdefault(step, Counter())[value["left_out"]] += 1
            key, name = _PARTS[step]
            if reasons := value.get(key):
                self._left_out.setdefault(f"{step}.{name}", Counter()).update(
                    [reasons] if isinstance(reasons, str) else reasons
                )

    @property
    def has_traces(self) -> bool:
        """Whether any reply has one."""
        return any(counts["no_trace"] < counts["replies"] for counts in self._counts.values())

    def of(self, run: TraceRun) -> AnalysedRun:
        """The run with its counts."""
        counts = {task: dict(some) for task, some in self._counts.items()}
        left_out = {step: dict(some.most_common()) for step, some in self._left_out.items()}
        return AnalysedRun(run.label, run.model, run.signatures, counts, left_out)

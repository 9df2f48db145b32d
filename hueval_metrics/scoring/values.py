"""The per-document values of a task's metrics, kept compactly, and the numbers made of them."""

from __future__ import annotations

from array import array
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from hueval_metrics.metrics.terms import is_ratio, statistic
from hueval_metrics.stats.intervals import coverage_note, intervals
from hueval_metrics.text.dimensions import dimension_code

Aggregation = Callable[[Sequence[Any]], float | None]

_QID = object()  # in a value, stands for the document's id, so that values of different documents can be alike


class DocumentValues:
    """The values of all metrics: 12 bytes a document, as documents with the same values share them.

    Args:
        aggregations: metric → what makes one number of its values.
    """

    def __init__(self, aggregations: Mapping[str, Aggregation]) -> None:
        self._aggregations = aggregations
        self._codes: dict[tuple[Any, ...], int] = {}  # dimension and values
        self._alone: list[dict[str, float | None]] = []
        self._rows = array("I")
        self._clusters = array("q")
        self._is_paired = False

    def __len__(self) -> int:
        return len(self._rows)

    def add(self, metrics: Mapping[str, Any], doc: Mapping[str, Any]) -> dict[str, float | None]:
        """Take in one document.

        Args:
            metrics: what the task's `process_results` returned.
            doc: the document; its `qid` says to which cluster the values belong, its `hu_specific_dim` to which
                stratum.

        Returns:
            Each metric that has a value for this document alone.
        """
        row = tuple([metrics[name] for name in self._aggregations])
        if "correct_option" in doc:
            self._is_paired = True
            row = tuple([_without_id(value, doc["qid"]) for value in row])
        row = (dimension_code(str(doc.get("hu_specific_dim", ""))), *row)
        code = self._codes.setdefault(row, len(self._codes))
        if code == len(self._alone):
            self._alone.append({m: f([metrics[m]]) for m, f in self._aggregations.items() if is_ratio(f)})
        self._rows.append(code)
        self._clusters.append(hash(str(doc["qid"])))
        return dict(self._alone[code])

    def summary(self) -> dict[str, Any]:
        """What `results.json` says of the metrics.

        Returns:
            Metric → number; `<metric>_ci95` → [low, high], `<metric>_n` → how many documents count in it, or how many
            pairs of them, and `ci_method` → metric → method (`stats.intervals`), for all but counts; null where
            nothing was scored. `ci_note` → metric → why its interval covers too little, for those that do
            (`stats.intervals.coverage_note`).
        """
        dimensions, *columns = zip(*self._codes, strict=True) if self._codes else [()] * (len(self._aggregations) + 1)
        counts = np.bincount(np.asarray(self._rows, dtype=np.intp), minlength=len(self._codes))
        found: dict[str, Any] = {}
        tables, notes = {}, {}
        for (metric, aggregate), kinds in zip(self._aggregations.items(), columns, strict=True):
            values = [kinds[code] for code in self._rows]
            if self._is_paired:
                values = [_with_id(value, cluster) for value, cluster in zip(values, self._clusters, strict=True)]
            found[metric] = aggregate(values)
            if (counted := statistic(aggregate)) is not None:
                found[f"{metric}_ci95"] = None
                # Unless paired, every document is a cluster of its own, and those that are alike share one row.
                alone = counted.matrix(kinds, range(len(kinds)))
                rows = counted.matrix(values, self._clusters) if self._is_paired else alone
                tables[metric] = counted, rows
                applying = counted.applies(rows) if counted.by_cluster else counts[counted.applies(alone)]
                found[f"{metric}_n"] = int(applying.sum())
                if note := coverage_note(counted, rows, None if self._is_paired else counts):
                    notes[metric] = note
        if self._is_paired:
            firsts: dict[int, str | None] = {}
            for cluster, code in zip(self._clusters, self._rows, strict=True):
                firsts.setdefault(cluster, dimensions[code])
            settled = intervals(tables, strata=list(firsts.values()))
        else:
            settled = intervals(tables, counts=counts, strata=dimensions)
        given = {metric: interval for metric, interval in settled.items() if interval is not None}
        found |= {f"{metric}_ci95": [interval.low, interval.high] for metric, interval in given.items()}
        methods = {metric: interval.method for metric, interval in given.items()}
        return found | {"ci_method": methods, "ci_note": notes}


def _without_id(value: Any, qid: Any) -> Any:
    return (_QID, *value[1:]) if isinstance(value, tuple) and value and value[0] == qid else value


def _with_id(value: Any, qid: int) -> Any:
    return (qid, *value[1:]) if isinstance(value, tuple) and value and value[0] is _QID else value

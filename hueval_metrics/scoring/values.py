"""The per-document values of a task's metrics, kept compactly, and the numbers made of them."""

from __future__ import annotations

from array import array
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from hueval_metrics.metrics.terms import cluster_terms, is_ratio, offset, scale
from hueval_metrics.stats.intervals import ratio_ci95

Aggregation = Callable[[Sequence[Any]], float | None]

_QID = object()  # in a value, stands for the document's id, so that values of different documents can be alike


class DocumentValues:
    """The values of all metrics: 12 bytes a document, as documents with the same values share them.

    Args:
        aggregations: metric → what makes one number of its values.
    """

    def __init__(self, aggregations: Mapping[str, Aggregation]) -> None:
        self._aggregations = aggregations
        self._codes: dict[tuple[Any, ...], int] = {}
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
            doc: the document; its `qid` says to which cluster the values belong.

        Returns:
            Each metric that has a value for this document alone.
        """
        row = tuple([metrics[name] for name in self._aggregations])
        if "correct_option" in doc:
            self._is_paired = True
            row = tuple([_without_id(value, doc["qid"]) for value in row])
        code = self._codes.setdefault(row, len(self._codes))
        if code == len(self._alone):
            self._alone.append({m: f([metrics[m]]) for m, f in self._aggregations.items() if is_ratio(f)})
        self._rows.append(code)
        self._clusters.append(hash(str(doc["qid"])))
        return dict(self._alone[code])

    def summary(self) -> dict[str, Any]:
        """Metric → number, and `<metric>_ci95` → [low, high] for ratios; null where nothing was scored."""
        found: dict[str, Any] = {}
        for place, (metric, aggregate) in enumerate(self._aggregations.items()):
            kinds = [row[place] for row in self._codes]
            values = [kinds[code] for code in self._rows]
            if self._is_paired:
                values = [_with_id(value, cluster) for value, cluster in zip(values, self._clusters, strict=True)]
            found[metric] = aggregate(values)
            if is_ratio(aggregate):
                interval = ratio_ci95(self._terms(aggregate, kinds, values))
                found[f"{metric}_ci95"] = interval and [scale(aggregate) * b + offset(aggregate) for b in interval]
        return found

    def _terms(self, aggregate: Aggregation, kinds: Sequence[Any], values: Sequence[Any]) -> list[tuple[float, float]]:
        if self._is_paired:
            return cluster_terms(aggregate, values, self._clusters) or []
        # Every document is a cluster of its own, and those that are alike share one term.
        terms = [cluster_terms(aggregate, [value], [0]) or [] for value in kinds]
        return [term for code in self._rows for term in terms[code]]


def _without_id(value: Any, qid: Any) -> Any:
    return (_QID, *value[1:]) if isinstance(value, tuple) and value and value[0] == qid else value


def _with_id(value: Any, qid: int) -> Any:
    return (qid, *value[1:]) if isinstance(value, tuple) and value and value[0] is _QID else value

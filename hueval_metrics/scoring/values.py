"""The per-document values of a task's metrics, kept compactly, and the numbers made of them."""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Collection, Mapping
from typing import Any

import numpy as np

from hueval_metrics.answers.reading import KINDS, Kind
from hueval_metrics.beside import beside as columns_beside
from hueval_metrics.metric import Metric, total
from hueval_metrics.metrics.confidence import USUAL, ConfidenceSettings
from hueval_metrics.registry import TaskSpec, resolve
from hueval_metrics.stats.composite import Clustered
from hueval_metrics.stats.intervals import coverage_note, intervals
from hueval_metrics.stats.strata import of_clusters

AT_LIMIT = "at_limit"  # of a reply, in samples and items: whether it ended at the token limit, where that is known
READINGS = "readings"  # of a task: kind of reading → its share of the replies, in percent
SECOND_TURN = "second_turn"  # of a reply, in samples: prompt and reply of a second turn (`hueval run --ask-again`)
LIMIT_RATE = "limit_rate"  # of a task: the share of the replies of which it is known, in percent


class DocumentValues:
    """The values of all metrics of a task: 12 bytes a document, as documents with the same values share them.

    Args:
        spec: the task.
        confidence: the settings of its calibration errors.
        beside: which columns are beside the strict ones (`beside.beside`).

    Attributes:
        metrics: column → metric, calibration errors by these settings.
    """

    def __init__(self, spec: TaskSpec, confidence: ConfidenceSettings = USUAL, beside: Collection[str] = ()) -> None:
        self._spec = spec
        self._confidence = confidence
        further = {name: one for suffix in beside for name, one in columns_beside(spec.declared, suffix).items()}
        self.metrics = {**confidence.metrics(spec.metrics), **further}
        self._codes: dict[tuple[Any, ...], int] = {}  # stratum and values
        self._alone: list[dict[str, float | None]] = []
        self._known: dict[tuple[str, Any], float | None] = {}
        self._rows = array("I")
        self._clusters = array("q")
        self._chance = resolve(path) if isinstance(path := spec.declared.chance, str) else None
        self._chances: list[float] = []
        self._at_limit = array("b")  # of the documents of which it is known
        self._readings: Counter[Kind] = Counter()

    def __len__(self) -> int:
        return len(self._rows)

    def add(
        self, values: Mapping[str, Any], doc: Mapping[str, Any], at_limit: object = None, kind: Kind | None = None
    ) -> dict[str, float | None]:
        """Add one document.

        Args:
            values: what the task's `process_results` returned, in any order.
            doc: the document, which says to which cluster and stratum the values belong.
            at_limit: whether the reply ended at the token limit; neither true nor false where it is not known.
            kind: of the reading of the reply; None where the task has no reader.

        Returns:
            Each metric that has a value for this document alone.
        """
        metrics, spec = self.metrics, self._spec
        if isinstance(at_limit, bool):
            self._at_limit.append(at_limit)
        if kind is not None:
            self._readings[kind] += 1
        values = self._confidence.values(metrics, values)
        if self._chance is not None and (share := self._chance(doc)) is not None:
            self._chances.append(share)
        cluster = doc[spec.declared.cluster]
        row: list[Any] = [spec.stratum_of(doc)]
        for name, metric in metrics.items():  # `summary` goes by the order of the declaration
            value = values[name]
            if isinstance(value, list):
                value = tuple(value)
            if metric.cluster is not None and value is not None and value[0] == cluster:
                value = (None, *value[1:])  # so that documents of other clusters may have the same
            row.append(value)
        code = self._codes.setdefault(tuple(row), len(self._codes))
        if code == len(self._alone):
            of_metric = zip(metrics.items(), row[1:], strict=True)
            self._alone.append(
                {name: self._of_one(name, metric, one) for (name, metric), one in of_metric if metric.is_mean}
            )
        self._rows.append(code)
        self._clusters.append(hash(str(cluster)))
        return dict(self._alone[code])

    def _of_one(self, name: str, metric: Metric, value: Any) -> float | None:
        """A metric of one value, computed once for all documents with the same."""
        if (name, value) not in self._known:
            self._known[name, value] = metric([value])
        return self._known[name, value]

    def summary(self) -> dict[str, Any]:
        """What `results.json` says of the metrics.

        Returns:
            Metric → number; `<metric>_ci95` → [low, high], `<metric>_n` → how many documents count in it, or how many
            pairs of them, and `ci_method` → metric → method (`stats.intervals`), for all but counts; null where nothing
            was scored. `ci_note` → metric → why its interval covers too little, for those that do
            (`stats.intervals.coverage_note`). `chance` → the share that guessing gives, where it depends on the
            documents (`declare.Task.chance`). `limit_rate` and `limit_rate_n` where it is known of any reply.
            `readings` → kind of reading → its share of the replies in percent, of the kinds that occur, where the task
            has a reader.
        """
        metrics = self.metrics
        kinds, counts = self._kinds()
        each = np.bincount(np.asarray(self._rows, dtype=np.intp), minlength=len(self._codes))
        strata, *columns = zip(*self._codes, strict=True) if self._codes else [()] * (len(metrics) + 1)
        # A kind is what clusters are made of that are alike: the codes of their documents.
        members = [place for place, kind in enumerate(kinds) for _ in kind]
        codes = [code for kind in kinds for code in kind]
        found: dict[str, Any] = {}
        tables, notes = {}, {}
        for (name, metric), values in zip(metrics.items(), columns, strict=True):
            settled = list(values) if metric.settle is None else metric.settle(values)
            metric_rows = metric.but(settle=None).rows
            rows = metric_rows([settled[code] for code in codes], members)
            # As live, to the last digit: there what is not paired is summed document by document.
            found[name] = metric.of(total(rows, counts) if metric.cluster else total(metric_rows(settled), each))
            if not metric.is_count:
                # What is not paired counts documents, what is counts pairs.
                n = counts[metric.applies(rows)] if metric.cluster else each[metric.applies(metric_rows(settled))]
                found[f"{name}_n"] = int(n.sum())
            if metric.is_sampled:
                found[f"{name}_ci95"] = None
                tables[name] = metric, rows
                if note := coverage_note(metric, rows, counts):
                    notes[name] = note
        settled_intervals = intervals(tables, counts=counts, strata=of_clusters(members, (strata[at] for at in codes)))
        given = {name: interval for name, interval in settled_intervals.items() if interval is not None}
        found |= {f"{name}_ci95": [interval.low, interval.high] for name, interval in given.items()}
        methods = {name: interval.method for name, interval in given.items()}
        if self._chances:
            found["chance"] = sum(self._chances) / len(self._chances)
        if known := len(self._at_limit):
            found |= {LIMIT_RATE: 100 * sum(self._at_limit) / known, f"{LIMIT_RATE}_n": known}
        if n_read := self._readings.total():
            found[READINGS] = {kind: 100 * self._readings[kind] / n_read for kind in KINDS if self._readings[kind]}
        return found | {"ci_method": methods, "ci_note": notes}

    def clustered(self, names: Collection[str]) -> Clustered:
        """The statistics of some metrics, cluster by cluster, as those of one model."""
        strata, *columns = zip(*self._codes, strict=True) if self._codes else [()] * (len(self.metrics) + 1)
        clusters, codes = self._clusters, self._rows
        terms = {}
        for (name, metric), values in zip(self.metrics.items(), columns, strict=True):
            if name in names:
                settled = list(values) if metric.settle is None else metric.settle(values)
                rows = metric.but(settle=None).rows([settled[code] for code in codes], clusters)
                terms[name] = rows[None]
        return Clustered(list(dict.fromkeys(clusters)), of_clusters(clusters, (strata[code] for code in codes)), terms)

    def _kinds(self) -> tuple[list[tuple[int, ...]], np.ndarray]:
        """The different clusters, as the codes of their documents in order, and how many there are of each."""
        rows = np.asarray(self._rows, dtype=np.intp)
        clusters = np.asarray(self._clusters)
        if len(np.unique(clusters)) == len(clusters):
            return [(code,) for code in range(len(self._codes))], np.bincount(rows, minlength=len(self._codes))
        order = np.argsort(clusters, kind="stable")
        starts = np.flatnonzero(np.diff(clusters[order], prepend=~clusters[order[:1]]))
        found: dict[tuple[int, ...], int] = {}
        for some in np.split(rows[order], starts[1:]):
            key = tuple(some.tolist())
            found[key] = found.get(key, 0) + 1
        return list(found), np.array(list(found.values()), dtype=np.intp)

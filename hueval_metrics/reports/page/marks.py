"""Which scores of the overview differ from the best of their column, over the same items."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from hueval_metrics.comparison.load import fault, pair_up
from hueval_metrics.comparison.measures import Measure, measures
from hueval_metrics.comparison.results import ALPHA
from hueval_metrics.registry import declared, known_tasks
from hueval_metrics.runs.table import TaskItems
from hueval_metrics.stats.joint import MetricTerms, joint_scores
from hueval_metrics.stats.multiple import holm
from hueval_metrics.stats.paired import PairedDifference, paired_differences

Column = tuple[str, str]  # task, metric


def headline_values(row: Mapping[str, object]) -> dict[str, object]:
    """A row of `items.jsonl` with only those values that the overview's columns are made of."""
    values = row.get("values")
    task = str(row.get("task"))
    summaries = known_tasks()[task].summaries if task in known_tasks() else ()
    terms = {metric for summary in summaries for name, metric in summary.terms if name == task}
    wanted = {*_headline(task), *terms, "judge_coverage"}
    kept = {name: value for name, value in values.items() if name in wanted} if isinstance(values, Mapping) else None
    return {**row, "values": kept}


def differing(items: Sequence[Mapping[str, TaskItems]]) -> Marks:
    """Compare each run with the best of each column, and correct all these tests together (Holm 1979).

    A run that cannot be compared, over other items or by another judge, stays unmarked.

    Args:
        items: for each run task → items.
    """
    marks = Marks()
    tests: list[tuple[Column, int, PairedDifference]] = []
    for task in (task for task in known_tasks() if any(task in found for found in items)):
        having = [(place, found[task]) for place, found in enumerate(items) if task in found]
        wanted = measures(task, _headline(task))
        sound = []
        faults: dict[str, list[str]] = {}
        for place, run in having:
            reason = fault(run, wanted)
            if reason is None:
                sound.append((place, run))
            elif len(having) > 1:
                faults.setdefault(reason, []).append(run.label)
        marks.problems += [f"{task}, {', '.join(labels)}: {reason}" for reason, labels in faults.items()]
        if len(sound) > 1:
            tests += _task_tests(task, sound, wanted, len(items), marks)
    corrected = holm([test.p for _, _, test in tests])
    for (column, place, test), p in zip(tests, corrected, strict=True):
        excludes_0 = test.ci95 is None or not test.ci95[0] <= 0 <= test.ci95[1]
        marks.differs[column][place] = p is not None and p < ALPHA and excludes_0
        marks.tests.add(test.test)
    return marks


def _headline(task: str) -> Sequence[str]:
    return tuple(declared(task).headline) if task in known_tasks() else ()


def _task_tests(
    task: str, runs: Sequence[tuple[int, TaskItems]], wanted: Sequence[Measure], n_runs: int, marks: Marks
) -> list[tuple[Column, int, PairedDifference]]:
    paired, left_out = pair_up([run for _, run in _most_alike_first(runs)])
    marks.problems += [f"{task}, {label}: {reason}" for label, reason in left_out.items()]
    if len(paired.labels) < 2 or not paired.clusters:
        return []
    places = [next(place for place, run in runs if run.label == label) for label in paired.labels]
    terms = {
        measure.name: MetricTerms(
            np.stack([measure.metric.rows(own[measure.name], paired.clusters) for own in paired.values]),
            measure.metric,
        )
        for measure in wanted
        if all(measure.name in own for own in paired.values)
    }
    scores = joint_scores(paired.labels, terms, strata=_strata(paired.clusters, paired.dimensions))
    found = []
    for metric in terms:
        values = scores[metric].values
        if np.isnan(values).all():
            continue
        best = int(np.nanargmax(values))
        others = [place for place in range(len(values)) if place != best]
        pairs = [(best, other) for other in others]
        tests = paired_differences({metric: terms[metric]}, scores, pairs)[metric]
        marks.differs[task, metric] = [None] * n_runs
        marks.differs[task, metric][places[best]] = False
        found += [((task, metric), places[o], test) for o, test in zip(others, tests, strict=True) if test is not None]
    return found


def _most_alike_first(runs: Sequence[tuple[int, TaskItems]]) -> list[tuple[int, TaskItems]]:
    """The runs, those of the most frequent kind first: `pair_up` keeps what can be compared with the first."""
    kinds = [(run.signature, frozenset(run.keys)) for _, run in runs]
    counts = Counter(kinds)
    return [run for _, run in sorted(zip(kinds, runs, strict=True), key=lambda pair: -counts[pair[0]])]


def _strata(clusters: Sequence[str], dimensions: Sequence[str | None]) -> list[str | None]:
    """The dimension of each cluster, in the order in which clusters first appear."""
    by_cluster: dict[str, str | None] = {}
    for cluster, dimension in zip(clusters, dimensions, strict=True):
        by_cluster.setdefault(cluster, dimension)
    return list(by_cluster.values())


@dataclass
class Marks:
    """What the comparisons with the best of each column found.

    Attributes:
        differs: (task, metric) → for each run whether it differs; None where it was not compared.
        tests: the names of the tests used.
        problems: why runs were not compared, a line each.
    """

    differs: dict[Column, list[bool | None]] = field(default_factory=dict)
    tests: set[str] = field(default_factory=set)
    problems: list[str] = field(default_factory=list)

    def compared(self, task: str, metric: str) -> list[int]:
        """The places of the runs that were compared in a column."""
        return [place for place, differs in enumerate(self.differs.get((task, metric), ())) if differs is not None]

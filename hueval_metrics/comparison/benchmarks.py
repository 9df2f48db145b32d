"""Two models over all tasks of a benchmark together, by one test: whose answers are better, not by how much.

The tasks have unlike metrics, so there is no average of them (`stats.stratified`). p is corrected (Holm 1979) over the
pairs of models of a benchmark.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from hueval_metrics.comparison.load import PairedItems
from hueval_metrics.comparison.results import ALPHA, BenchmarkPair
from hueval_metrics.metric import Metric
from hueval_metrics.registry import declared, known_tasks
from hueval_metrics.stats.multiple import holm
from hueval_metrics.stats.permutation import enough_permutations
from hueval_metrics.stats.stratified import Stratum, stratified_difference

if TYPE_CHECKING:
    from hueval_metrics.metric import Numbers

_LEAST = 2  # tasks; with one the benchmark's test is the task's


def by_family(
    prepared: Sequence[tuple[PairedItems, Mapping[str, Metric]]],
) -> dict[str, list[TaskTerms]]:
    """Name of each family → what is tested of its tasks: the first metric of the headline that is compared, else the
    first of all, where one end of its scale is the better one.
    """
    found: dict[str, list[TaskTerms]] = {}
    for paired, metrics in prepared:
        ranked = [
            name
            for name, metric in metrics.items()
            if metric.better is not None and all(name in values for values in paired.values)
        ]
        name = next((name for name in declared(paired.task).headline if name in ranked), next(iter(ranked), None))
        if name is not None:
            ids, metric = list(dict.fromkeys(paired.clusters)), metrics[name]
            terms = {
                label: metric.rows(values[name], paired.clusters)
                for label, values in zip(paired.labels, paired.values, strict=True)
            }
            found.setdefault(known_tasks()[paired.task].name, []).append(TaskTerms(ids, terms, metric))
    return found


def compare_benchmark(
    family: str, tasks: Sequence[TaskTerms], pairs: Sequence[tuple[str, str]], *, of: int | None = None
) -> list[BenchmarkPair]:
    """Test pairs of models over all tasks that both have, where these are two or more.

    Args:
        family: the benchmark's name.
        tasks: of `by_family`.
        pairs: labels of two models each.
        of: how many pairs p is corrected over, where these were chosen among more after a look at the scores; the
            others count as not significant. None for these alone.
    """
    found = []
    for first, second in pairs:
        shared = [one for one in tasks if first in one.terms and second in one.terms]
        strata = [Stratum(one.ids, one.terms[first], one.terms[second], one.metric) for one in shared]
        if len(strata) < _LEAST:
            continue
        tested = stratified_difference(strata, permutations=enough_permutations(max(len(pairs), of or 0)))
        if tested is not None and tested.n_strata >= _LEAST:
            found.append(
                BenchmarkPair(
                    family,
                    first,
                    second,
                    tested.n_strata,
                    tested.n_ahead,
                    tested.n_behind,
                    tested.n,
                    tested.statistic,
                    tested.p,
                )
            )
    untested = [1.0] * max(0, (of or 0) - len(found))
    corrected = holm([*(one.p for one in found), *untested])
    return [
        replace(one, p_holm=p, leader=_leader(one, p)) for one, p in zip(found, corrected[: len(found)], strict=True)
    ]


def _leader(one: BenchmarkPair, p: float | None) -> str | None:
    if p is None or p >= ALPHA:
        return None
    return one.first if one.statistic > 0 else one.second


@dataclass(frozen=True, eq=False, slots=True)
class TaskTerms:
    """One task: its clusters, each once, label → the terms of a model, rows alike, and the metric."""

    ids: Sequence[str]
    terms: Mapping[str, Numbers]
    metric: Metric

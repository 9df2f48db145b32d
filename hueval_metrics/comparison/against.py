"""Our order of the models beside others: another benchmark's, and that with the published rows in it."""

from __future__ import annotations

from dataclasses import dataclass

from hueval_metrics.comparison.published import PublishedTable, published_benchmarks, published_tables
from hueval_metrics.comparison.ranking import benchmark_ranks
from hueval_metrics.comparison.results import Comparison, MetricComparison
from hueval_metrics.records import InputError
from hueval_metrics.registry import known_tasks
from hueval_metrics.stats.ranks import RankChange, rank_change, ranks
from hueval_metrics.text.one_line import one_line


def main_table(task: str) -> PublishedTable | None:
    """The main table that the paper of a task prints; None without one."""
    tables = published_tables(known_tasks()[task]) if task in known_tasks() else []
    return tables[0] if tables else None


def among_published(metric: MetricComparison) -> PlacedMetric | None:
    """Our scores in a metric, then those of the paper's main table, all ranked together; None where that has none.

    The published ones were made under another protocol, and ours may lack items: a place among them is no test.
    """
    table = main_table(metric.task)
    if table is None or (metric.task, metric.metric) not in table.columns:
        return None
    theirs = {label: tasks[metric.task][metric.metric] for label, tasks in table.scores.items()}
    rows = [(one.label, one.value, False) for one in metric.scores if one.value is not None]
    rows += [(label, value, True) for label, value in theirs.items()]
    places = ranks([value for _, value, _ in rows])
    placed = tuple(Placed(*row, int(place)) for row, place in zip(rows, places, strict=True))
    return PlacedMetric(metric.task, metric.metric, placed)


def rank_changes(comparison: Comparison, benchmark: str, *, with_published: bool = False) -> list[AgainstBenchmark]:
    """How far our order of the models differs from another benchmark's.

    Args:
        comparison: our scores.
        benchmark: see `ranking.benchmark_ranks`. Published ranks are held against the metric that the paper holds
            them against, those of a file against every one.
        with_published: whether models of the paper's main table that we have no run of count as ours.

    Returns:
        One entry a metric.

    Raises:
        InputError: no such benchmark or file, its metric was not compared, or fewer than two models are in both.
    """
    theirs = benchmark_ranks(benchmark)
    metrics = [one for one in comparison.metrics if one.better is not None]
    if ours := published_benchmarks().get(benchmark):
        metrics = [one for one in metrics if (one.task, one.metric) == (ours.task, ours.metric)]
        if not metrics:
            told = f"it goes with {ours.metric} of {ours.task}, which is not compared here"
            raise InputError(f"--against {benchmark}: {told}")
    return [
        AgainstBenchmark(m.task, m.metric, benchmark, rank_change(_order(m, with_published), theirs)) for m in metrics
    ]


def _order(metric: MetricComparison, with_published: bool) -> dict[str, float]:
    """Model → rank; of a model that is both ours and published, ours counts."""
    if with_published and (found := among_published(metric)):
        return {
            one_line(one.label): float(one.rank) for one in sorted(found.rows, key=lambda one: not one.is_published)
        }
    return {one_line(one.label): float(one.rank.rank) for one in metric.scores if one.rank is not None}


@dataclass(frozen=True)
class Placed:
    """A score among others.

    Attributes:
        label: of one of our runs, or the published name of a model.
        value: in percent.
        is_published: whether it stands in the paper.
        rank: 1 for the best, shared by equal scores.
    """

    label: str
    value: float
    is_published: bool
    rank: int


@dataclass(frozen=True)
class PlacedMetric:
    """Our scores in one metric, and the published ones, ranked together."""

    task: str
    metric: str
    rows: tuple[Placed, ...]


@dataclass(frozen=True)
class AgainstBenchmark:
    """One metric of ours against another benchmark: `change` is from theirs to ours."""

    task: str
    metric: str
    benchmark: str
    change: RankChange

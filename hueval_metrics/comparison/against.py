"""Our ranking of the models compared with another benchmark's, and with published scores."""

from __future__ import annotations

from dataclasses import dataclass

from hueval_metrics.comparison.published import PublishedTable, published_benchmarks, published_tables
from hueval_metrics.comparison.ranking import benchmark_ranks
from hueval_metrics.comparison.results import Comparison, MetricComparison
from hueval_metrics.errors import InputError
from hueval_metrics.one_line import one_line
from hueval_metrics.registry import families, known_tasks
from hueval_metrics.stats.ranks import RankChange, rank_change, ranks


def main_table(task: str) -> PublishedTable | None:
    """The first table of the paper with a task, or, by its name, with summaries of a family; None without one."""
    family = known_tasks().get(task) or families().get(task)
    tables = published_tables(family) if family else []
    return next((one for one in tables if any(own == task for own, _ in one.columns)), None)


def among_published(metric: MetricComparison) -> PlacedMetric | None:
    """Our scores in a metric and those of the paper's main table, ranked together; None where the table lacks them.

    The published scores were made under another protocol, and ours may lack items: such a rank is not a test.
    """
    table = main_table(metric.task)
    if table is None or (metric.task, metric.metric) not in table.columns:
        return None
    theirs = {label: table.score(label, metric.task, metric.metric) for label in table.scores}
    rows = [(one.label, one.value, False) for one in metric.scores if one.value is not None]
    rows += [(label, value, True) for label, value in theirs.items() if value is not None]
    places = ranks([value for _, value, _ in rows])
    placed = tuple(Placed(*row, int(place)) for row, place in zip(rows, places, strict=True))
    return PlacedMetric(metric.task, metric.metric, placed)


def rank_changes(comparison: Comparison, benchmark: str, *, with_published: bool = False) -> list[AgainstBenchmark]:
    """How our ranking of the models differs from another benchmark's.

    Args:
        comparison: our scores.
        benchmark: see `ranking.benchmark_ranks`. Published ranks are compared with the metric that the paper compares
            them with, ranks of a file with every metric.
        with_published: whether to add models of the paper's main table of which there is no run.

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
            reason = f"its ranks belong to {ours.metric} of {ours.task}, which is not compared here"
            raise InputError(f"--against {benchmark}: {reason}")
    return [
        AgainstBenchmark(m.task, m.metric, benchmark, rank_change(_order(m, with_published), theirs)) for m in metrics
    ]


def _order(metric: MetricComparison, with_published: bool) -> dict[str, float]:
    """Model → rank; our own score is used for a model that is published too."""
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
        is_published: whether it is the paper's.
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

"""Numbers over several tasks (`summary.Summary`), with draws, intervals and tests that serve all of them.

A number has parts, such as the scores of nine languages. Clusters of one block are drawn together, those of different
blocks each by themselves: so each task keeps its size, and a task of few items its place in an average (stratified
resampling with one statistic a stratum: Davison & Hinkley 1997, ch. 3.2). A mean over the items of several tasks is
one over the items of a single large task, with its interval, its draws and its test.
"""

from __future__ import annotations

import zlib
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from hueval_metrics.metric import Better, Metric, total
from hueval_metrics.stats.bootstrap import RESAMPLES, SEED, collapsed, resampled_sums
from hueval_metrics.stats.confidence import error_interval
from hueval_metrics.stats.intervals import (
    FEW_ANSWERS,
    MANY,
    Interval,
    Note,
    alike_interval,
    bca_ends,
    centred,
    interval,
    opened,
    wilson,
)
from hueval_metrics.stats.joint import JointScores, MetricTerms, normal_draws
from hueval_metrics.summary import Summary, mean

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Numbers = NDArray[np.float64]

Setting = tuple[tuple[str, str | int], ...]  # of a part that names settings
Source = tuple[str, Setting | None, str]  # task, settings, metric
Tables = Mapping[tuple[str, Setting | None], "Clustered"]

_UNDEFINED_SHARE = 0.5  # of the resamples, in each of which any of many small tasks may lack what a ratio divides by
_LEAST = 2  # clusters of a task: one alone shows no spread, however much others may differ
_SAME = 1e-12
_CELLS = 500_000  # of a matrix of resamples: limits its memory to about 12 MB
_RESAMPLES = 5000  # of intervals: a family may have fifty summaries of many parts, whose draws are held together
_ERROR_RESAMPLES = 2000  # of a calibration error: each of its tests goes through all of them some hundred times


@dataclass(frozen=True, eq=False, slots=True)
class Clustered:
    """The items of one task, cluster by cluster, of one model or several.

    Attributes:
        ids: of the clusters, each once.
        strata: the stratum of each cluster (`strata.of_clusters`).
        terms: metric → `Metric.rows` of each model, shape (models, clusters, k).
    """

    ids: Sequence[Hashable]
    strata: Sequence[Hashable]
    terms: Mapping[str, Numbers]


@dataclass(frozen=True, eq=False, slots=True)
class Block:
    """Clusters that are drawn together.

    Attributes:
        name: distinguishes its draws from those of other blocks.
        strata: of each cluster.
        terms: shape (models, clusters, k) each; zeros where a cluster has no item of the source.
    """

    name: str
    strata: Sequence[Hashable]
    terms: Mapping[Source, Numbers]


@dataclass(frozen=True, eq=False, slots=True)
class PartOf:
    """A part of a composite: a metric, and where the terms are that it sums."""

    metric: Metric
    sources: tuple[Source, ...]


@dataclass(frozen=True, eq=False, slots=True)
class Composite:
    """A summary and where its parts come from.

    Attributes:
        name: of the summary.
        parts: its parts.
        combine: the parts' values, shape (..., parts) → the summary, shape (...).
        better: which end is the better one; None where neither is.
    """

    name: str
    parts: tuple[PartOf, ...]
    combine: Callable[[Numbers], Numbers]
    better: Better | None

    @property
    def bounds(self) -> tuple[float, float]:
        """The ends of its scale; those of a difference where neither end is better."""
        low, high = self.parts[0].metric.bounds
        return (low - high, high - low) if self.better is None else (low, high)

    @property
    def is_error(self) -> bool:
        """Whether it is a calibration error, or a mean of some: a sum of absolute gaps."""
        return self.combine is mean and all(part.metric.is_error for part in self.parts)

    @property
    def is_pooled(self) -> bool:
        """Whether it is one mean over the items of several tasks."""
        return self.combine is mean and len(self.parts) == 1 and self.parts[0].metric.is_mean

    def of(self, parts: Sequence[Numbers]) -> Numbers:
        """The summary of its parts' values, each of shape (...)."""
        return np.asarray(self.combine(np.stack(parts, axis=-1)))


def setting_key(settings: Mapping[str, str | int] | None) -> Setting | None:
    """The settings of a part, as a key of `Tables`."""
    return None if settings is None else tuple(sorted(settings.items()))


def composite(summary: Summary, metrics: Mapping[str, Mapping[str, Metric]], tables: Tables) -> Composite | None:
    """A summary with its parts; None where one of them has no terms.

    Args:
        summary: the declaration.
        metrics: task → name → metric.
        tables: the available items.
    """
    parts = []
    for part in summary.parts:
        setting = setting_key(part.settings)
        sources = tuple((task, setting, part.metric) for task in part.tasks)
        if any((task, at) not in tables or name not in tables[task, at].terms for task, at, name in sources):
            return None
        parts.append(PartOf(metrics[part.tasks[0]][part.metric], sources))
    return Composite(summary.name, tuple(parts), summary.combine, summary.better)


def blocks(tables: Tables, *, by_task: bool) -> list[Block]:
    """The clusters that are drawn together: those of one task, or equal ones of all tasks.

    Args:
        tables: of each task, and of each setting of it; the same models in the same order.
        by_task: whether clusters of different tasks are never the same.
    """
    groups: dict[str, list[tuple[str, Setting | None]]] = {}
    for task, setting in tables:
        groups.setdefault(task if by_task else "", []).append((task, setting))
    return [_block(name, {key: tables[key] for key in keys}) for name, keys in groups.items()]


def _block(name: str, tables: Tables) -> Block:
    """Tables side by side, sorted, so that the order of the clusters has no effect on the draws."""
    places: dict[Hashable, int] = {}
    for one in tables.values():
        for cluster in one.ids:
            places.setdefault(cluster, len(places))
    strata: list[list[str]] = [[] for _ in places]
    terms: dict[Source, Numbers] = {}
    for (task, setting), one in tables.items():
        rows = [places[cluster] for cluster in one.ids]
        for row, stratum in zip(rows, one.strata, strict=True):
            strata[row].append(f"{task} {setting} {stratum}")
        for metric, own in one.terms.items():
            wide = np.zeros((own.shape[0], len(places), own.shape[2]))
            wide[:, rows] = own
            terms[task, setting, metric] = wide
    names = [" ".join(sorted(some)) for some in strata]
    columns = [table for wide in terms.values() for model in wide for table in model.T]
    order = np.lexsort([*columns[::-1], np.unique(names, return_inverse=True)[1]])
    return Block(name, [names[place] for place in order], {key: wide[:, order] for key, wide in terms.items()})


def values(one: Composite, given: Sequence[Block]) -> Numbers:
    """The summary of each model; NaN where a part is undefined."""
    return one.of([part.metric.compute(_total(part, given)) for part in one.parts])


def n_clusters(one: Composite, given: Sequence[Block]) -> int:
    """The clusters to which any part applies, for any of the models."""
    return sum(int(np.count_nonzero(_applies(one, block))) for block in given)


def _applies(one: Composite, block: Block) -> NDArray[np.bool_]:
    found = np.zeros(len(block.strata), dtype=bool)
    for part in one.parts:
        for source in part.sources:
            if source in block.terms:
                found |= (part.metric.size(block.terms[source]) > 0).any(axis=0)
    return found


def joint(
    labels: Sequence[str], one: Composite, given: Sequence[Block], *, resamples: int = RESAMPLES, seed: int = SEED
) -> JointScores:
    """The summary of several models, and in each resample of the items; see `joint.JointScores`."""
    n = n_clusters(one, given)
    if one.is_pooled and n > MANY:
        terms, strata = _pooled(one, given)
        draws = normal_draws(terms, strata, resamples=resamples, seed=seed)
    else:
        drawn = _drawn([one], given, resamples, seed)
        draws = one.of([_value(part, drawn[part.sources]) for part in one.parts])
    return JointScores(tuple(labels), values(one, given), draws, n)


def _pooled(one: Composite, given: Sequence[Block]) -> tuple[MetricTerms, list[Hashable]]:
    """The only part of a summary as a metric over the clusters of all its tasks, and the stratum of each cluster."""
    (part,) = one.parts
    own = [block for block in given if any(source in block.terms for source in part.sources)]
    rows = [sum(block.terms[source] for source in part.sources if source in block.terms) for block in own]
    metric = part.metric.but(name=one.name, better=one.better)
    return MetricTerms(np.concatenate(rows, axis=1), metric), [stratum for block in own for stratum in block.strata]


def metric_terms(one: Composite, given: Sequence[Block]) -> MetricTerms:
    """The summary as a metric over all clusters, its statistics those of the parts side by side."""
    if one.is_pooled:
        return _pooled(one, given)[0]
    ends = np.cumsum([0, *(part.metric.width for part in one.parts)]).tolist()
    places = [slice(start, end) for start, end in pairwise(ends)]
    starts = np.cumsum([0, *(len(block.strata) for block in given)]).tolist()
    n_models = next(iter(given[0].terms.values())).shape[0]
    terms = np.zeros((n_models, starts[-1], ends[-1]))
    for part, place in zip(one.parts, places, strict=True):
        for block, (start, end) in zip(given, pairwise(starts), strict=True):
            for source in part.sources:
                if source in block.terms:
                    terms[:, start:end, place] += block.terms[source]

    def compute(sums: Numbers) -> Numbers:
        return one.of([part.metric.compute(sums[..., place]) for part, place in zip(one.parts, places, strict=True)])

    def size(sums: Numbers) -> Numbers:
        sizes = [part.metric.size(sums[..., place]) for part, place in zip(one.parts, places, strict=True)]
        return np.asarray(np.sum(sizes, axis=0))

    metric = Metric(
        one.name,
        lambda values: (0.0,) * ends[-1],
        compute,
        size=size,
        is_mean=False,
        bounds=one.bounds,
        better=one.better,
        unit=one.parts[0].metric.unit,
    )
    return MetricTerms(terms, metric)


def composite_intervals(
    composites: Sequence[Composite], given: Sequence[Block], *, resamples: int = _RESAMPLES, seed: int = SEED
) -> dict[str, Interval | None]:
    """The intervals of one model's summaries, from the same resamples.

    Args:
        composites: the summaries.
        given: the blocks, of one model.
        resamples: number of resamples.
        seed: of the random number generator.

    Returns:
        Name → interval; None where a part is undefined, or is in half of the resamples, and where a task has
        one cluster only, which shows no spread.
    """
    found: dict[str, Interval | None] = {}
    for one in (one for one in composites if one.is_pooled):
        terms, strata = _pooled(one, given)
        found[one.name] = interval(terms.metric, terms.terms[0], strata=strata, seed=seed)
    errors = [one for one in composites if one.is_error]
    others = [one for one in composites if not (one.is_error or one.is_pooled)]
    for some, size in ((others, resamples), (errors, min(resamples, _ERROR_RESAMPLES))):
        drawn = _drawn(some, given, size, seed)
        found |= {one.name: _interval(one, given, drawn) for one in some}
    return found


def composite_note(one: Composite, given: Sequence[Block]) -> Note | None:
    """Why the interval of a summary covers too little, as `intervals.coverage_note`; None where no reason is known."""
    if not one.is_error:
        return None
    n = sum(int(part.metric.size(_total(part, given)[0])) for part in one.parts)
    return "few_answers" if n < FEW_ANSWERS else None


def _drawn(
    composites: Sequence[Composite], given: Sequence[Block], resamples: int, seed: int
) -> dict[tuple[Source, ...], Numbers]:
    """The sources of each part → its value in each resample, shape (resamples, models); of an error its gaps.

    What is summed over one block only is kept as its value alone, so that the memory is that of the answer.
    """
    parts = {part.sources: part for one in composites for part in one.parts}
    lacking = {sources: len(sources) for sources in parts}
    sums: dict[tuple[Source, ...], Numbers] = {}
    found: dict[tuple[Source, ...], Numbers] = {}
    for block in given:
        own = [(source, table) for source, table in block.terms.items() if any(source in some for some in parts)]
        if not own:
            continue
        columns = np.concatenate([table.transpose(1, 0, 2).reshape(len(block.strata), -1) for _, table in own], axis=1)
        ends = np.cumsum([table.shape[0] * table.shape[2] for _, table in own])[:-1]
        own_seed = (seed, zlib.crc32(block.name.encode()))
        drawn = resampled_sums(columns, strata=block.strata, resamples=resamples, seed=own_seed, cells=_CELLS)
        for (source, table), wide in zip(own, np.split(drawn, ends, axis=1), strict=True):
            models, _, k = table.shape
            for sources in (some for some in parts if source in some):
                sums[sources] = sums.get(sources, 0.0) + wide.reshape(resamples, models, k)
                lacking[sources] -= 1
                if not lacking[sources]:
                    metric, summed = parts[sources].metric, sums.pop(sources)
                    found[sources] = _gaps(summed) if metric.is_error else metric.compute(summed)
    return found


def _gaps(sums: Numbers) -> Numbers:
    """The gap between confidence and accuracy in each bin, as a share of all answers; shape (..., k) → (..., k/2)."""
    bins = sums.shape[-1] // 2
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.asarray(sums[..., :bins] / sums[..., bins:].sum(axis=-1, keepdims=True))


def _value(part: PartOf, drawn: Numbers) -> Numbers:
    return np.asarray(np.abs(drawn).sum(axis=-1)) if part.metric.is_error else drawn


def _total(part: PartOf, given: Sequence[Block]) -> Numbers:
    """The exact sums of a part, shape (models, k)."""
    rows = [block.terms[source] for block in given for source in part.sources if source in block.terms]
    return np.stack([total(np.concatenate([some[model] for some in rows])) for model in range(rows[0].shape[0])])


def _interval(one: Composite, given: Sequence[Block], drawn: Mapping[tuple[Source, ...], Numbers]) -> Interval | None:
    """The interval of the only model."""
    value = float(values(one, given)[0])
    sizes = [_n_applying(part, given) for part in one.parts]
    if np.isnan(value) or any(min(some) < _LEAST for some in sizes):
        return None
    n = len(sizes) ** 2 / sum(1 / sum(some) for some in sizes)  # of equal weight: (Σw)²/Σw² (Kish 1965, §8.2)
    if one.is_error:
        gaps = np.concatenate([_gaps(_total(part, given))[0] for part in one.parts]) / len(one.parts)
        draws = np.concatenate([drawn[part.sources][:, 0] for part in one.parts], axis=-1)
        deviations = draws / len(one.parts) - gaps
        deviations = deviations[np.isfinite(deviations).all(axis=1)]
        if np.ptp(deviations, axis=0).max() <= _SAME:
            others = wilson(0, n)[1]
            return Interval(max(0.0, value - others), max(value, others - value), "wilson")
        return opened(one, *error_interval(gaps, deviations), n, "inversion")
    resampled = one.of([_value(part, drawn[part.sources])[:, 0] for part in one.parts])
    defined = resampled[np.isfinite(resampled)]
    if len(defined) < (1 - _UNDEFINED_SHARE) * len(resampled):
        return None
    ends = bca_ends(value, defined, partial(_influences, one, given))
    if ends is None:
        low, high = one.bounds
        return alike_interval(one, (value - low) / (high - low), n)
    return opened(one, *ends, n, "bca")


def _n_applying(part: PartOf, given: Sequence[Block]) -> list[int]:
    """The clusters of each source of a part that has any to which the metric applies."""
    counts = [
        int(np.count_nonzero(part.metric.size(block.terms[source]) > 0))
        for block in given
        for source in part.sources
        if source in block.terms
    ]
    return [count for count in counts if count] or [0]


def _influences(one: Composite, given: Sequence[Block]) -> Numbers:
    """The jackknife influence of each cluster on the only model's summary, minus the mean of its stratum."""
    totals = [_total(part, given)[0] for part in one.parts]
    whole = [part.metric.compute(sums) for part, sums in zip(one.parts, totals, strict=True)]
    value, found = one.of(whole), []
    for block in given:
        n = len(block.strata)
        left = []
        for part, sums, full in zip(one.parts, totals, whole, strict=True):
            own = [block.terms[source][0] for source in part.sources if source in block.terms]
            left.append(part.metric.compute(sums - np.sum(own, axis=0)) if own else np.full(n, float(full)))
        influences = np.nan_to_num(value - one.of(left))
        found.append(centred(influences, collapsed(block.strata), np.ones(n)))
    return np.concatenate(found)

"""Compare runs in one task: scores, differences of every two runs, and both within each dimension."""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import replace

import numpy as np

from hueval_metrics.comparison.load import PairedItems
from hueval_metrics.comparison.results import Groups, Interval, MetricComparison, Pair, Score
from hueval_metrics.comparison.summaries import paired_composite
from hueval_metrics.declare import Family
from hueval_metrics.metric import Better, Metric
from hueval_metrics.registry import strata as strata_of
from hueval_metrics.stats.composite import (
    Block,
    Composite,
    Setting,
    composite_intervals,
    composite_note,
    joint,
    metric_terms,
)
from hueval_metrics.stats.contrasts import by_size, larger_against_smaller, open_against_closed, reasoning_against_base
from hueval_metrics.stats.intervals import coverage_note, intervals
from hueval_metrics.stats.joint import JointScores, MetricTerms, joint_scores
from hueval_metrics.stats.mcnemar import cohen_h
from hueval_metrics.stats.model_cards import ModelCard
from hueval_metrics.stats.paired import MCNEMAR, PairedDifference, paired_differences
from hueval_metrics.stats.permutation import PERMUTATIONS
from hueval_metrics.stats.power import smallest_difference, smallest_paired_difference
from hueval_metrics.stats.ranks import RankInterval, rank_intervals
from hueval_metrics.stats.strata import of_clusters
from hueval_metrics.summary import Summary

KnownScores = Mapping[str, tuple[float | None, Interval]]  # metric → score and its 95 % interval

_SAME = 1e-9  # scores this close are equal
_COLUMNS = 1000  # of terms that are resampled together: limits the memory to about 300 MB


def compare_task(
    items: PairedItems,
    measures: Mapping[str, Metric],
    pairs: Sequence[tuple[int, int]],
    *,
    dimensions: bool = True,
    cards: Mapping[str, ModelCard] | None = None,
    known: Sequence[KnownScores] = (),
    permutations: int = PERMUTATIONS,
) -> list[MetricComparison]:
    """Compare runs in metrics of one task; the p-values are not yet corrected, and leaders not yet set.

    Args:
        items: that all runs have, at least one.
        measures: name → metric.
        pairs: indices of two runs each.
        dimensions: whether to compare within each dimension, too.
        cards: the model cards; None to compare no groups.
        known: for each run the scores and intervals in its results, if any; used where the score is the same, so that a
            run has the same interval everywhere.
        permutations: of a permutation test.
    """
    strata = of_clusters(items.clusters, items.dimensions)
    given = set(items.dimensions)
    codes = [code for code in strata_of(items.task) if code in given] if dimensions and len(given) > 1 else []
    found = []
    for batch in _batches(measures, len(items.labels) * (1 + len(codes))):
        terms = {key: own for name, metric in batch for key, own in _terms(items, name, metric, codes).items()}
        scores = joint_scores(items.labels, terms, strata=strata)
        differences = paired_differences(terms, scores, pairs, permutations=permutations)
        for name, _ in batch:
            compared = {
                code: tuple(
                    _pair(pair, code, scores[key], terms[key], difference)
                    for pair, difference in zip(pairs, differences[key], strict=True)
                )
                for code in (None, *codes)
                if (key := _within(name, code)) in terms
            }
            own = scores[name], terms[name]
            found.append(_metric_comparison(items.task, name, *own, strata, compared, cards, known))
    return found


def compare_summary(
    family: Family,
    summary: Summary,
    items: Mapping[tuple[str, Setting | None], PairedItems],
    pairs: Sequence[tuple[int, int]],
    *,
    cards: Mapping[str, ModelCard] | None = None,
    known: Sequence[KnownScores] = (),
    permutations: int = PERMUTATIONS,
) -> MetricComparison | None:
    """Compare runs in a summary of tasks; arguments and result as for `compare_task`, None where a part is missing.

    Args:
        family: that declares the summary; its name is used as the task.
        items: task and setting → its items, over the same runs.
        known: for each run the summary's score and interval in its results, if any.
    """
    made = paired_composite(family, summary, items)
    if made is None:
        return None
    labels = next(iter(items.values())).labels
    scores, terms = joint(labels, *made), metric_terms(*made)
    differences = paired_differences({summary.name: terms}, {summary.name: scores}, pairs, permutations=permutations)
    return MetricComparison(
        task=family.name,
        metric=summary.name,
        is_percent=terms.metric.unit == "%",
        better=summary.better,
        n=terms.n,
        scores=_summary_scores(scores, *made, known),
        pairs=tuple(
            _pair(pair, None, scores, terms, one) for pair, one in zip(pairs, differences[summary.name], strict=True)
        ),
        groups=_groups(scores, cards) if cards else None,
    )


def _metric_comparison(
    task: str,
    name: str,
    scores: JointScores,
    terms: MetricTerms,
    strata: Sequence[Hashable],
    compared: Mapping[str | None, tuple[Pair, ...]],
    cards: Mapping[str, ModelCard] | None,
    known: Sequence[KnownScores],
) -> MetricComparison:
    return MetricComparison(
        task=task,
        metric=name,
        is_percent=terms.metric.unit == "%",
        better=terms.metric.better,
        n=terms.n,
        scores=_scores(scores, terms, strata, [own.get(name) for own in known]),
        pairs=compared[None],
        dimensions=tuple(pair for code, some in compared.items() if code is not None for pair in some),
        groups=_groups(scores, cards) if cards else None,
    )


def _summary_scores(
    scores: JointScores, one: Composite, given: Sequence[Block], known: Sequence[KnownScores]
) -> tuple[Score, ...]:
    """The scores of a summary; each interval as `hueval score` makes it, or has made it."""
    places = _places(scores, one.better)
    found = []
    for model, (label, value, place) in enumerate(zip(scores.labels, scores.values, places, strict=True)):
        own = [replace(block, terms={key: some[[model]] for key, some in block.terms.items()}) for block in given]
        stored, ci95 = known[model].get(one.name, (None, None)) if known else (None, None)
        if stored is None or not math.isclose(stored, value, abs_tol=_SAME):
            end = composite_intervals([one], own)[one.name]
            ci95 = (end.low, end.high) if end else None
        is_narrow = composite_note(one, own) is not None
        found.append(Score(label, _number(value), ci95, place, is_narrow))
    return tuple(found)


def _places(scores: JointScores, better: Better | None) -> Sequence[RankInterval | None]:
    if better is None:
        return [None] * len(scores.labels)
    return rank_intervals(scores, higher_is_better=better == "higher")


def _batches(measures: Mapping[str, Metric], times: int) -> Iterator[list[tuple[str, Metric]]]:
    """The metrics in batches of at most `_COLUMNS` columns, each metric having `times` times its own."""
    batch: list[tuple[str, Metric]] = []
    for measure in measures.items():
        if batch and times * sum(metric.width for _, metric in [*batch, measure]) > _COLUMNS:
            yield batch
            batch = []
        batch.append(measure)
    if batch:
        yield batch


def _within(name: str, code: str | None) -> str:
    return name if code is None else f"{name} in {code}"


def _terms(items: PairedItems, name: str, metric: Metric, codes: Sequence[str]) -> dict[str, MetricTerms]:
    """The terms of a metric over all items and within each dimension, by `_within`."""
    columns = [values[name] if metric.settle is None else metric.settle(values[name]) for values in items.values]
    metric_rows = metric.but(settle=None).rows
    found = {name: MetricTerms(np.stack([metric_rows(column, items.clusters) for column in columns]), metric)}
    for code in codes if metric.stratum is None else ():
        within = [
            [value if own == code else None for value, own in zip(column, items.dimensions, strict=True)]
            for column in columns
        ]
        terms = np.stack([metric_rows(column, items.clusters) for column in within])
        if metric.cluster is None or terms.any():  # pairs across dimensions are in none of them
            found[_within(name, code)] = MetricTerms(terms, metric)
    return found


def _scores(
    scores: JointScores,
    terms: MetricTerms,
    strata: Sequence[Hashable],
    known: Sequence[tuple[float | None, Interval] | None],
) -> tuple[Score, ...]:
    metric = terms.metric
    places = _places(scores, metric.better)
    ends: dict[int, Interval | None] = {}
    for place, own in enumerate(known):
        value, ci95 = own or (None, (0.0, 0.0))
        if value is not None and math.isclose(value, scores.values[place], abs_tol=_SAME) and ci95[0] <= ci95[1]:
            ends[place] = ci95
    rows = {str(place): (metric, own) for place, own in enumerate(terms.terms) if place not in ends}
    if rows:  # by the same function as `hueval score`
        made = intervals(rows, strata=strata).items()
        ends |= {int(place): (end.low, end.high) if end else None for place, end in made}
    return tuple(
        Score(label, _number(value), ends[i], place, coverage_note(metric, terms.terms[i]) is not None)
        for i, (label, value, place) in enumerate(zip(scores.labels, scores.values, places, strict=True))
    )


def _pair(
    pair: tuple[int, int],
    dimension: str | None,
    scores: JointScores,
    terms: MetricTerms,
    found: PairedDifference | None,
) -> Pair:
    first, second = (scores.labels[place] for place in pair)
    values = tuple(_number(scores.values[place]) for place in pair)
    if found is None:
        return Pair(first, second, dimension, 0, values)
    name, effect, resolvable = _size(found, terms, pair)
    return Pair(
        first,
        second,
        dimension,
        found.n,
        values,
        found.value,
        found.ci95,
        found.p,
        test=found.test,
        effect_name=name,
        effect=effect,
        resolvable=resolvable,
    )


def _size(found: PairedDifference, terms: MetricTerms, pair: tuple[int, int]) -> tuple[str, float | None, float | None]:
    """Name and value of the effect size, and the smallest difference that the items can detect."""
    if found.test == MCNEMAR:
        first, second = terms.metric.share(terms.terms[list(pair)].sum(axis=1))
        low, high = terms.metric.bounds
        share = smallest_paired_difference(found.n, found.n_differing / found.n) if found.n_differing else None
        return "Cohen's h", cohen_h(first, second), None if share is None else share * (high - low)
    error = found.standard_error
    if not error:
        return "d_z", None, None
    return "d_z", found.value / (error * math.sqrt(found.n)), smallest_difference(error)


def _groups(scores: JointScores, cards: Mapping[str, ModelCard]) -> Groups:
    return Groups(
        reasoning=tuple(reasoning_against_base(scores, cards)),
        size=tuple(larger_against_smaller(scores, cards)),
        openness=open_against_closed(scores, cards),
        trend=by_size(scores, cards),
    )


def _number(value: float) -> float | None:
    return float(value) if np.isfinite(value) else None

"""Tests of the differences between verdicts, between parts, between models and between measures.

- Verdicts of one run and part, and parts of one run and verdict: permutation over questions (`stats.two_sample`); the
  interval combines those of the two numbers.
- Models: over the questions that both have in the cell, paired (`stats.paired`): all of them for all verdicts together,
  and those that both models answered with the verdict otherwise. So the pair differs in nothing but the model; how the
  numbers of two cells differ, which are over other questions each, may be another matter.
- Measures of one run, such as the accuracy of two classes of segments: by the parts that its questions have in the
  difference of the two ratios, each with a random sign. To swap a question's two sums, as between models, would be
  wrong where one class is rarer: simulated, 8 to 26 % of such tests err with one segment in ten.

Holm's correction is over the tests of one measure and one kind.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import combinations
from typing import TYPE_CHECKING, Literal

import numpy as np

from hueval_metrics.metric import Metric
from hueval_metrics.stats.joint import MetricTerms, joint_scores, percentile_ci95
from hueval_metrics.stats.multiple import holm
from hueval_metrics.stats.paired import paired_differences
from hueval_metrics.stats.permutation import PERMUTATIONS, permutation_p
from hueval_metrics.stats.two_sample import difference_ci95, two_sample_ps
from hueval_metrics.traces.estimates import ratio_metric, scale
from hueval_metrics.traces.gathered import Replies
from hueval_metrics.traces.measures import Cell, Measure, Number, Test

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Numbers = NDArray[np.float64]

Kind = Literal["verdicts", "parts", "models", "measures"]
Tested = Sequence[tuple[int, Measure]]  # index among all measures, and the measure
Known = Mapping[tuple[Cell, str], Number]


def between_cells(
    kind: Kind,
    cells: Sequence[tuple[Cell, Replies]],
    measures: Tested,
    numbers: Known,
    *,
    permutations: int = PERMUTATIONS,
) -> Iterator[Test]:
    """Tests of all pairs of cells of one run, without Holm's correction.

    Args:
        kind: what the cells differ in.
        cells: with their replies.
        measures: ratios.
        numbers: those of the cells, with their intervals.
        permutations: of each test.
    """
    sums = [(cell, replies.terms(measures)) for cell, replies in cells]
    for (first, ours), (second, theirs) in combinations(sums, 2):
        ps = two_sample_ps(ours, theirs, permutations=permutations)
        for (_, measure), p in zip(measures, ps, strict=True):
            a, b = (numbers.get((cell, measure.name)) for cell in (first, second))
            if p is None or a is None or b is None or a.value is None or b.value is None:
                continue
            ci95 = difference_ci95(a.value, a.ci95, b.value, b.ci95) if a.ci95 and b.ci95 else None
            n = a.n_clusters + b.n_clusters
            yield Test(measure.name, kind, first, second, a.value - b.value, ci95, p, p, n)


def between_models(
    first: tuple[Cell, Replies], second: tuple[Cell, Replies], measures: Tested, *, permutations: int = PERMUTATIONS
) -> Iterator[Test]:
    """Tests of two runs in the same group, part and verdict, without Holm's correction.

    Args:
        first, second: cells with their replies.
        measures: ratios.
        permutations: of each test.
    """
    common, ours, theirs = np.intersect1d(first[1].items, second[1].items, return_indices=True)
    if len(common) < 2:
        return
    pair = first[1].where(ours), second[1].where(theirs)
    codes, places = np.unique(pair[0].clusters, return_inverse=True)
    metrics = {}
    for index, measure in measures:
        values = np.stack([replies.values[:, index] for replies in pair])
        values[:, np.isnan(values[..., 0]).any(axis=0)] = 0.0
        # A reply that `--limit` has drawn of both models stands for as many as the rarer of its two draws.
        values *= np.maximum(*(replies.weights(measure) for replies in pair))[None, :, None]
        terms = np.zeros((2, len(codes), 2))
        for model in (0, 1):
            np.add.at(terms[model], places, values[model])
        metric = ratio_metric(measure, terms.reshape(-1, 2))
        if metric is not None and (terms[..., 1].sum(axis=1) > 0).all():
            metrics[measure.name] = MetricTerms(terms, metric)
    scores = joint_scores([first[0].run, second[0].run], metrics)
    for name, (found,) in paired_differences(metrics, scores, [(0, 1)], permutations=permutations).items():
        if found is not None and found.p is not None and found.n > 1:
            yield Test(name, "models", first[0], second[0], found.value, found.ci95, found.p, found.p, found.n)


def between_measures(
    cell: Cell, replies: Replies, measures: Tested, *, permutations: int = PERMUTATIONS
) -> Iterator[Test]:
    """Tests of the measures of one cell that are compared with another one (`Measure.against`), without correction.

    Args:
        cell: of the replies.
        replies: those of the cell.
        measures: ratios, on the same scale where they are compared.
        permutations: of each test.
    """
    by_name = {measure.name: (index, measure) for index, measure in measures}
    for index, measure in measures:
        if measure.against not in by_name:
            continue
        terms = replies.terms([(index, measure), by_name[measure.against]])
        terms = terms[(terms[..., 1] > 0).any(axis=1)] * (scale(measure), 1.0)
        over, under = terms[..., 0], terms[..., 1]
        n, totals = len(terms), under.sum(axis=0)
        if n < 2 or not totals.all():
            continue
        shares = (over - over.sum() / under.sum() * under) / totals  # their sums differ as the two ratios do
        parts = (shares[:, 0] - shares[:, 1])[:, None]
        p = permutation_p(parts, np.zeros_like(parts), lambda sums: sums[..., 0], permutations=permutations)
        ends = (-scale(measure), scale(measure))
        metric = Metric(measure.name, lambda _: (0.0,) * 4, _ratios_differ, bounds=ends)
        draws = joint_scores([cell.run], {"": MetricTerms(terms.reshape(1, n, 4), metric)})[""].draws[:, 0]
        ci95, value = percentile_ci95(draws, n), float(parts.sum())
        if p is not None:
            yield Test(measure.name, "measures", cell, cell, value, ci95, p, p, n, measure.against)


def _ratios_differ(sums: Numbers) -> Numbers:
    return sums[..., 0] / sums[..., 1] - sums[..., 2] / sums[..., 3]


def corrected(tests: Sequence[Test]) -> list[Test]:
    """The tests with p after Holm's correction, over those of one measure and kind."""
    families: dict[tuple[str, str], list[int]] = {}
    for place, test in enumerate(tests):
        families.setdefault((test.measure, test.between), []).append(place)
    found = list(tests)
    for places in families.values():
        for place, p in zip(places, holm([tests[place].p for place in places]), strict=True):
            if p is not None:
                found[place] = replace(tests[place], p_holm=p)
    return found

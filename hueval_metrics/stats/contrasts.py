"""Comparisons of groups of models: reasoning and base, open and closed, large and small (arXiv:2503.21500, §3.2).

The intervals are over items, not over models: ten models are no sample of all models, so a group's lead is a lead of
these models only.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from hueval_metrics.stats.joint import JointScores, percentile_ci95
from hueval_metrics.stats.model_cards import ModelCard

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Numbers = NDArray[np.float64]

Cards = Mapping[str, ModelCard]


def reasoning_against_base(scores: JointScores, cards: Cards) -> list[Contrast]:
    """Each reasoning model against the model it was trained from, where both have scores."""
    pairs = [
        (label, card.base)
        for label in scores.labels
        if (card := cards.get(label)) and card.reasoning and card.base in scores.labels
    ]
    found = [_contrast(scores, (model,), (base,)) for model, base in pairs if base is not None]
    return [contrast for contrast in found if contrast]


def larger_against_smaller(scores: JointScores, cards: Cards) -> list[Contrast]:
    """Each model against the next smaller one of its series, reasoning models apart, where both sizes are known."""
    groups: dict[tuple[str, bool], list[tuple[float, str]]] = {}
    for label in scores.labels:
        card = cards.get(label)
        if card and card.series is not None and card.size_b is not None:
            groups.setdefault((card.series, card.reasoning), []).append((card.size_b, label))
    found = []
    for members in groups.values():
        ordered = sorted(members)
        for (small, smaller), (large, larger) in pairwise(ordered):
            if large > small and (contrast := _contrast(scores, (larger,), (smaller,))):
                found.append(contrast)
    return found


def open_against_closed(scores: JointScores, cards: Cards) -> Contrast | None:
    """The mean of the open models against the mean of the closed ones; None where a group has no scores."""
    known = [label for label in scores.labels if label in cards]
    opened = tuple(label for label in known if cards[label].open)
    closed = tuple(label for label in known if not cards[label].open)
    return _contrast(scores, opened, closed)


def by_size(scores: JointScores, cards: Cards) -> SizeTrend | None:
    """How the score changes with size: a straight line over the logarithm of the parameters, and Spearman's rho.

    Returns:
        None with fewer than three models of known size and score, or all of one size.
    """
    from scipy.stats import spearmanr

    places = [
        place
        for place, label in enumerate(scores.labels)
        if (card := cards.get(label)) and card.size_b is not None and np.isfinite(scores.values[place])
    ]
    sizes = np.array([cards[scores.labels[place]].size_b for place in places], dtype=float)
    if len(sizes) < 3 or len(set(sizes)) < 2:
        return None
    centred = np.log10(sizes) - np.log10(sizes).mean()
    weights = centred / (centred**2).sum()  # the least-squares slope is a weighted sum of the scores
    values = scores.values[places]
    rho = float(spearmanr(sizes, values).statistic) if len(set(values)) > 1 else None
    ci95 = percentile_ci95(scores.draws[:, places] @ weights, scores.n)
    return SizeTrend(float(values @ weights), ci95, rho, tuple(scores.labels[place] for place in places))


def _contrast(scores: JointScores, first: tuple[str, ...], second: tuple[str, ...]) -> Contrast | None:
    """The mean score of one group minus that of another; None without scores of either."""
    places = {label: place for place, label in enumerate(scores.labels) if np.isfinite(scores.values[place])}
    first = tuple(label for label in first if label in places)
    second = tuple(label for label in second if label in places)
    if not first or not second:
        return None

    def means(values: Numbers) -> tuple[Numbers, Numbers]:
        own, other = ([places[label] for label in group] for group in (first, second))
        return values[..., own].mean(axis=-1), values[..., other].mean(axis=-1)

    mean, other = map(float, means(scores.values))
    gain = 100 * (mean - other) / other if other > 0 else None
    drawn, drawn_other = means(scores.draws)
    difference_ci95 = percentile_ci95(drawn - drawn_other, scores.n)
    with np.errstate(divide="ignore", invalid="ignore"):
        gains = np.where(drawn_other > 0, 100 * (drawn - drawn_other) / drawn_other, np.nan)
    gain_ci95 = percentile_ci95(gains, scores.n) if gain is not None else None
    return Contrast(first, second, mean, other, mean - other, difference_ci95, gain, gain_ci95)


@dataclass(frozen=True, slots=True)
class Contrast:
    """One group of models against another.

    Attributes:
        first, second: the labels of the models in each group.
        first_mean, second_mean: the mean score of each group, in the metric's unit.
        difference: first minus second, in the metric's unit: points.
        difference_ci95: over items, paired; None where resampling shows no spread.
        relative_gain: the difference in percent of the second mean; None where that is not above 0.
        relative_gain_ci95: likewise.
    """

    first: tuple[str, ...]
    second: tuple[str, ...]
    first_mean: float
    second_mean: float
    difference: float
    difference_ci95: tuple[float, float] | None
    relative_gain: float | None
    relative_gain_ci95: tuple[float, float] | None


@dataclass(frozen=True, slots=True)
class SizeTrend:
    """How the score changes with size: a description of few and different models, not an estimate for others.

    Attributes:
        slope: points per factor of ten in parameters.
        slope_ci95: over items; None where resampling shows no spread.
        spearman_rho: of size and score; None where all scores are equal.
        labels: the models of known size.
    """

    slope: float
    slope_ci95: tuple[float, float] | None
    spearman_rho: float | None
    labels: tuple[str, ...]

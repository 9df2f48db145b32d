"""Agreement of judges on the same responses: percent agreement, and chance-corrected coefficients.

A unit is one response with one rating a judge: a label, a score, or None where the judge gave none. Every coefficient
has a 95 % percentile bootstrap interval over the responses (Efron & Tibshirani 1993, ch. 13). It is undefined (None,
never NaN) where nothing was rated twice, and where all ratings are the same, since chance then explains the agreement.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING, Any, Literal

from hueval_metrics.judge.panel import is_tie
from hueval_metrics.stats.bootstrap import RESAMPLES, SEED
from hueval_metrics.stats.intervals import wilson
from hueval_metrics.stats.joint import percentile_ci95

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Numbers = NDArray[np.float64]

Rating = str | float
Unit = Sequence[Rating | None]
Pair = tuple[Rating | None, Rating | None]
Level = Literal["nominal", "interval"]

_ZERO = 1e-12  # expected disagreement, as a share of the scale's width, below which it is a rounding error
_CELLS = 2_000_000  # of a block of resamples: bounds its memory where nearly all units differ


def percent_agreement(units: Iterable[Unit]) -> Estimate | None:
    """The percentage of pairs of judges that give a response the same rating, averaged over the responses.

    With two judges it is a proportion and has Wilson's interval. None when nothing was rated twice.

    >>> percent_agreement([("YES", "YES"), ("YES", "NO"), ("NO", None)]).value
    50.0
    """
    patterns = _patterns(units)
    if not patterns:
        return None
    shares = [_agreeing_share(ratings) for ratings in patterns]
    if set(shares) <= {0.0, 1.0}:
        agreed = sum(count for share, count in zip(shares, patterns.values(), strict=True) if share)
        n = patterns.total()
        low, high = wilson(agreed, n)
        return Estimate(100 * agreed / n, (100 * low, 100 * high), n)
    return _mean(patterns, [100 * share for share in shares])


def mean_difference(pairs: Iterable[tuple[float, float]]) -> Estimate | None:
    """The mean of second minus first, paired; None without pairs.

    >>> mean_difference([(7, 8), (5, 5)]).value
    0.5
    """
    patterns = _sorted(Counter((float(a), float(b)) for a, b in pairs))
    return _mean(patterns, [b - a for a, b in patterns]) if patterns else None


def cohen_kappa(pairs: Iterable[Pair]) -> Estimate | None:
    """Cohen's kappa of two judges that give labels (Cohen 1960); -1 to 1, 0 for chance.

    >>> cohen_kappa([("YES", "YES"), ("NO", "NO"), ("YES", "NO"), ("NO", "NO")]).value
    0.5
    """
    import numpy as np

    patterns = _pairs(pairs)
    labels = sorted({label for pair in patterns for label in pair}, key=repr)
    left, right = (np.array([[pair[i] == label for label in labels] for pair in patterns], float) for i in (0, 1))
    parted = np.array([a != b for a, b in patterns], float)

    def kappas(weights: Numbers) -> Numbers:
        n = weights.sum(axis=1)
        by_chance = ((weights @ left) * (weights @ right)).sum(axis=1)
        return _beyond_chance(weights @ parted / n, 1 - by_chance / n**2)

    return _estimate(kappas, patterns) if patterns else None


def weighted_kappa(pairs: Iterable[tuple[float | None, float | None]]) -> Estimate | None:
    """Cohen's kappa with quadratic weights, of two judges that give scores (Cohen 1968); -1 to 1.

    A difference of two points weighs four times as much as one of one point. Scores need not be whole.

    >>> round(weighted_kappa([(1, 1), (2, 3), (3, 3)]).value, 3)
    0.8
    """
    import numpy as np

    patterns = _pairs(pairs)
    if not patterns:
        return None
    a, b = _on_unit_scale(np.array(list(patterns), float)).T

    def kappas(weights: Numbers) -> Numbers:
        n = weights.sum(axis=1)
        cross = (weights @ a) * (weights @ b) / n**2
        return _beyond_chance(weights @ (a - b) ** 2 / n, weights @ (a**2 + b**2) / n - 2 * cross)

    return _estimate(kappas, patterns)


def fleiss_kappa(units: Iterable[Unit]) -> Estimate | None:
    """Fleiss' kappa of two or more judges that give labels (Fleiss 1971); over the responses that all have rated.

    >>> round(fleiss_kappa([("YES", "YES", "YES"), ("NO", "NO", "YES"), ("NO", "NO", None)]).value, 3)
    0.25
    """
    rated = Counter(map(tuple, units))
    judges = max(map(len, rated), default=0)  # of the largest panel: a smaller one may have completed the run
    patterns = _patterns(unit for unit in rated.elements() if len(unit) == judges and None not in unit)
    if not patterns:
        return None
    table, _ = _table(patterns)
    parted = (judges**2 - (table**2).sum(axis=1)) / (judges * (judges - 1))

    def kappas(weights: Numbers) -> Numbers:
        n = weights.sum(axis=1)
        shares = weights @ table / (n * judges)[:, None]
        return _beyond_chance(weights @ parted / n, 1 - (shares**2).sum(axis=1))

    return _estimate(kappas, patterns)


def krippendorff_alpha(units: Iterable[Unit], level: Level = "nominal") -> Estimate | None:
    """Krippendorff's alpha of any number of judges, ratings missing or not (Krippendorff 2011, part D).

    Args:
        units: labels (`nominal` only) or scores.
        level: the distance of two ratings: `nominal`, same or not; `interval`, their squared difference.

    Returns:
        At most 1; 0 for chance agreement, below 0 for systematic disagreement.

    >>> round(krippendorff_alpha([(1, 1), (2, 3), (3, 3, 2), (4, None)], "interval").value, 3)
    0.647
    """
    patterns = _patterns(units)
    if not patterns:
        return None
    table, values = _table(patterns, by_size=level == "interval")
    sizes = table.sum(axis=1)
    squares = (table**2).sum(axis=1)

    def alphas(weights: Numbers) -> Numbers:
        totals, n = weights @ table, weights @ sizes
        if level == "nominal":
            observed = weights @ ((sizes**2 - squares) / (sizes - 1))
            expected = (n**2 - (totals**2).sum(axis=1)) / (n - 1)
        else:
            # The squared differences of all pairs of m places sum up to 2 (m Σp² - (Σp)²).
            places = _on_unit_scale(values)[None, :]
            within = sizes * (places**2 @ table.T) - (places @ table.T) ** 2
            observed = (weights * (2 * within / (sizes - 1))).sum(axis=1)
            overall = n * (totals * places**2).sum(axis=1) - (totals * places).sum(axis=1) ** 2
            expected = 2 * overall / (n - 1)
        return _beyond_chance(observed / n, expected / n)

    return _estimate(alphas, patterns)


def confusion(pairs: Iterable[tuple[str, str]], labels: Sequence[str]) -> Confusion:
    """How often each two labels were given together.

    >>> confusion([("YES", "NO"), ("YES", "YES"), ("YES", "NO")], ["NO", "YES"]).counts
    [[0, 0], [2, 1]]
    """
    counts = Counter(pairs)
    return Confusion([*labels], [[counts[a, b] for b in labels] for a in labels])


def agreement_of(votes: Iterable[Unit]) -> dict[str, Any] | None:
    """The agreement within a panel, as `results.json` reports it.

    Args:
        votes: of each response one rating a member, in the order of the panel; all labels or all scores.

    Returns:
        `judges`; `n`, responses that two or more have rated; `agreement`, percent; `alpha` with `alpha_ci95`, nominal
        for labels, interval for scores; for labels `fleiss` and `n_ties`, else None. None when nothing was rated twice.
    """
    patterns = Counter(map(tuple, votes))
    agreement = percent_agreement(patterns.elements())
    if agreement is None:
        return None
    has_labels = any(isinstance(rating, str) for unit in patterns for rating in unit)
    alpha = krippendorff_alpha(patterns.elements(), "nominal" if has_labels else "interval")
    fleiss = fleiss_kappa(patterns.elements()) if has_labels else None
    ties = sum(count for unit, count in patterns.items() if is_tie(r for r in unit if isinstance(r, str)))
    return {
        "judges": max(map(len, patterns)),
        "n": agreement.n,
        "agreement": agreement.value,
        "alpha": alpha and alpha.value,
        "alpha_ci95": list(alpha.ci95) if alpha and alpha.ci95 else None,
        "fleiss": fleiss and fleiss.value,
        "n_ties": ties if has_labels else None,
    }


def _patterns(units: Iterable[Unit]) -> Counter[tuple[Rating, ...]]:
    """Counts of the combinations of two or more ratings, whichever judge gave which."""
    rated = (tuple(sorted((r for r in unit if r is not None), key=repr)) for unit in units)
    return _sorted(Counter(ratings for ratings in rated if len(ratings) > 1))


def _pairs(pairs: Iterable[tuple[Any, Any]]) -> Counter[tuple[Any, Any]]:
    return _sorted(Counter((a, b) for a, b in pairs if a is not None and b is not None))


def _sorted(counts: Counter[Any]) -> Counter[Any]:
    """In sorted order, so that the interval does not depend on the order of the responses."""
    return Counter(dict(sorted(counts.items(), key=repr)))


def _table(patterns: Iterable[Sequence[Any]], *, by_size: bool = False) -> tuple[Numbers, Any]:
    """How often each value (column) occurs in each pattern (row), and the values."""
    import numpy as np

    values = sorted({rating for ratings in patterns for rating in ratings}, key=None if by_size else repr)
    table = np.array([[ratings.count(value) for value in values] for ratings in patterns], float)
    return table, np.array(values, float) if by_size else values


def _on_unit_scale(values: Numbers) -> Numbers:
    """Values rescaled to 0 to 1: the coefficients stay the same, and `_ZERO` applies to any scale."""
    width = values.max() - values.min()
    return (values - values.min()) / (width or 1.0)


def _agreeing_share(ratings: Sequence[Rating]) -> float:
    same = [a == b for a, b in combinations(ratings, 2)]
    return sum(same) / len(same)


def _beyond_chance(observed: Numbers, expected: Numbers) -> Numbers:
    """1 - observed / expected disagreement; NaN where the expected one is 0."""
    import numpy as np

    expected = np.where(expected > _ZERO, expected, np.nan)
    return 1 - observed / expected


def _mean(patterns: Counter[Any], values: Sequence[float]) -> Estimate | None:
    import numpy as np

    column = np.array(values)
    return _estimate(lambda weights: weights @ column / weights.sum(axis=1), patterns)


def _estimate(statistic: Callable[[Numbers], Numbers], patterns: Counter[Any]) -> Estimate | None:
    """A statistic with its interval.

    Args:
        statistic: from counts of the patterns, a row for each resample, to one value a row.
        patterns: the distinct units with their counts. A multinomial draw of them equals a resample of all units.
    """
    import numpy as np

    counts = np.array(list(patterns.values()), float)
    n = int(counts.sum())
    value = float(statistic(counts[None, :])[0])
    if math.isnan(value):
        return None
    draws = np.random.default_rng(SEED)
    block = max(1, _CELLS // len(counts))
    resampled = np.concatenate(
        [
            statistic(draws.multinomial(n, counts / n, size=min(block, RESAMPLES - done)).astype(float))
            for done in range(0, RESAMPLES, block)
        ]
    )
    return Estimate(value, percentile_ci95(resampled), n)


@dataclass(frozen=True)
class Confusion:
    """How often the first rater (rows) and the second (columns) gave each label."""

    labels: list[str]
    counts: list[list[int]]


@dataclass(frozen=True, slots=True)
class Estimate:
    """A statistic of agreement.

    Attributes:
        value: the statistic.
        ci95: its 95 % interval; None where resampling shows no spread, such as full agreement, or is undefined in more
            than 5 % of the resamples, as with very few responses.
        n: number of responses.
    """

    value: float
    ci95: tuple[float, float] | None
    n: int

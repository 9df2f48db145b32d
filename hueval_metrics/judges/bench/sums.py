"""Statistics of two raters as functions of weighted sums over answers, with intervals from resampled questions.

Intervals are percentile bootstraps over clusters; those of shares are Wilson's, for the effective sample size
(`validation.agreement.share_estimate`), which is that of the clusters where resamples show no spread.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from hueval_metrics.judges.people.agreement import share_estimate
from hueval_metrics.stats.agreement import Estimate, Rating
from hueval_metrics.stats.bootstrap import resampled_sums
from hueval_metrics.stats.joint import percentile_ci95

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Numbers = NDArray[np.float64]
    Flags = NDArray[np.bool_]

    Statistic = tuple[Callable[[Numbers], Numbers], Flags, bool]

LEAST_GROUP = 10  # answers in each of two groups whose errors are compared
_ZERO = 1e-12  # expected disagreement below which it is a rounding error


class Sums:
    """Statistics that are functions of weighted sums over answers, with intervals from resampled questions.

    Args:
        weights: of the answers.
        clusters: the question of each.
    """

    def __init__(self, weights: Numbers, clusters: Sequence[str]) -> None:
        self._weights = weights
        self._places = np.unique(clusters, return_inverse=True)[1]
        self._columns: list[Numbers] = []
        self._found: dict[str, Statistic | None] = {}

    def share(self, name: str, hits: Numbers, among: Numbers | None = None) -> None:
        """The weighted share of hits, 0 or 1 each, among some answers."""
        self._ratio(name, hits, among, is_share=True)

    def mean(self, name: str, values: Numbers, among: Numbers | None = None) -> None:
        """The weighted mean of values among some answers."""
        self._ratio(name, values, among, is_share=False)

    def gap(self, name: str, values: Numbers, first: Flags, second: Flags, strata: Sequence[Rating]) -> None:
        """The mean of the first answers minus that of the second within each stratum, averaged over the strata.

        The weights are those of Mantel and Haenszel for a difference (Greenland & Robins 1985, Biometrics 41): n₁n₂ /
        (n₁ + n₂), so that a stratum without answers of both groups does not count.

        Args:
            name: of the statistic; undefined where either group has too few answers in the strata that both have.
            values: of the answers.
            first, second: the groups.
            strata: the stratum of each answer.
        """
        codes = np.unique(strata, return_inverse=True)[1]
        inside = codes[:, None] == np.arange(codes.max() + 1)
        inside = inside[:, inside[first].any(axis=0) & inside[second].any(axis=0)]
        groups = [inside & group[:, None] for group in (first, second)]
        if min(group.sum() for group in groups) < LEAST_GROUP:
            self._found[name] = None
            return
        (a, b), (c, d) = (
            [[self._add(column) for column in (group * factor[:, None]).T] for factor in (values, np.ones(len(values)))]
            for group in groups
        )

        def difference(sums: Numbers) -> Numbers:
            both = np.maximum(sums[:, b] + sums[:, d], _ZERO)
            apart = sums[:, a] * sums[:, d] - sums[:, c] * sums[:, b]
            return (apart / both).sum(axis=1) / (sums[:, b] * sums[:, d] / both).sum(axis=1)

        self._found[name] = (difference, (groups[0] | groups[1]).any(axis=1), False)

    def agreement_beyond_chance(
        self, pairs: Sequence[tuple[Any, Any]], values: Sequence[Rating], is_label: bool
    ) -> None:
        """Cohen's kappa (of scores with quadratic weights), and Krippendorff's alpha of the two raters.

        Both are 1 minus observed over expected disagreement, which is the squared distance of two ratings: labels are
        corners of a simplex with edges of length 1, scores numbers. Kappa expects by each rater's own ratings, alpha by
        those of both together.
        """
        if is_label:
            true, said = (np.array([[p[side] == v for v in values] for p in pairs], float) / 2**0.5 for side in (0, 1))
        else:
            true, said = (np.array([[p[side]] for p in pairs], float) for side in (0, 1))
        apart = self._add(((true - said) ** 2).sum(axis=1))
        squares = self._add((true**2 + said**2).sum(axis=1))
        ones = self._add(np.ones(len(true)))
        first, second = ([self._add(column) for column in side.T] for side in (true, said))
        every = np.ones(len(true), bool)

        def kappa(sums: Numbers) -> Numbers:
            n = sums[:, ones]
            cross = (sums[:, first] * sums[:, second]).sum(axis=1) / n**2
            expected = sums[:, squares] / n - 2 * cross
            return 1 - sums[:, apart] / n / np.where(expected > _ZERO, expected, np.nan)

        def alpha(sums: Numbers) -> Numbers:
            n = 2 * sums[:, ones]  # ratings
            both = sums[:, first] + sums[:, second]
            expected = 2 * (n * sums[:, squares] - (both**2).sum(axis=1)) / (n * (n - 1))
            return 1 - 2 * sums[:, apart] / n / np.where(expected > _ZERO, expected, np.nan)

        self._found["kappa"] = (kappa, every, False)
        self._found["alpha"] = (alpha, every, False)

    def estimates(self) -> dict[str, Estimate | None]:
        """Name → statistic; None where it is undefined."""
        columns = self._weights[:, None] * np.stack(self._columns, axis=1)
        rows = np.zeros((self._places.max() + 1, columns.shape[1]))
        np.add.at(rows, self._places, columns)
        total, resampled = rows.sum(axis=0)[None, :], resampled_sums(rows)
        with np.errstate(invalid="ignore", divide="ignore"):
            return {name: self._estimate(one, total, resampled) for name, one in self._found.items()}

    def _estimate(self, one: Statistic | None, total: Numbers, resampled: Numbers) -> Estimate | None:
        if one is None:
            return None
        compute, counted, is_share = one
        value, draws, n = float(compute(total)[0]), compute(resampled), int(counted.sum())
        if np.isnan(value):
            return None
        if is_share:
            of_clusters = np.bincount(self._places[counted], self._weights[counted]).astype(float)
            share = min(max(value, 0.0), 1.0)
            return share_estimate(share, draws[np.isfinite(draws)], n, of_clusters[of_clusters > 0])
        return Estimate(value, percentile_ci95(draws, len(np.unique(self._places[counted]))), n)

    def _ratio(self, name: str, values: Numbers, among: Numbers | None, *, is_share: bool) -> None:
        among = np.ones(len(values)) if among is None else among
        if not among.any():
            self._found[name] = None
            return
        top, bottom = self._add(values * among), self._add(among)
        self._found[name] = (lambda sums: sums[:, top] / sums[:, bottom], among > 0, is_share)

    def _add(self, column: Numbers) -> int:
        self._columns.append(column)
        return len(self._columns) - 1

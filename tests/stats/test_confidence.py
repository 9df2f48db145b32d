"""Intervals of the calibration error: a bias that a test knows, and cases where nothing varies."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import norm

from hueval_metrics.metrics.confidence import BINS, ECE
from hueval_metrics.stats.bootstrap import resampled_sums
from hueval_metrics.stats.confidence import error_interval
from hueval_metrics.stats.intervals import Interval, interval
from tests.each import each

CONFIDENCES = [0.5, 0.7, 0.8, 0.9, 0.95, 1.0]
ECE = ECE


def of(pairs: list[tuple[float, float]]) -> Interval:
    return interval(ECE, ECE.rows(pairs, range(len(pairs))))


def answers(n: int, shift: float, seed: int = 0) -> list[tuple[float, float]]:
    """Confidences, and outcomes that are right `shift` less often than said."""
    draw = np.random.default_rng(seed)
    stated = draw.choice(CONFIDENCES, n)
    return [(float(c), float(draw.random() < c - shift)) for c in stated]


def test_a_calibrated_model_may_have_no_error():
    """Its plug-in estimate is above 0, and so are all resampled ones."""
    pairs = answers(1343, 0.0)
    found = of(pairs)
    assert found.low == 0
    assert ECE(pairs) > 0.01
    assert found.method == "inversion"


@each("n", [300, 1343])
def test_overconfidence_is_no_chance(n):
    pairs = answers(n, 0.3)
    found = of(pairs)
    assert found.low > 0.2
    assert found.low < ECE(pairs) < found.high


def test_one_bin_far_from_0_gets_the_interval_of_its_gap():
    """|gap| is then the gap: the inverted test of a normal mean is the usual interval."""
    deviations = 0.02 * norm.ppf((np.arange(20_000)[:, None] + 0.5) / 20_000)
    low, high = error_interval(np.array([-0.3]), deviations)
    assert (low, high) == pytest.approx((0.3 - 1.959964 * 0.02, 0.3 + 1.959964 * 0.02), abs=1e-4)


@pytest.mark.parametrize("sign", [-1, 1])
@pytest.mark.parametrize(
    ("why", "estimate", "low", "high"),
    [
        # The median of |noise| is 0.674; 97.5 % of |gap + noise| are above it at a gap of 2.626: 0.674 + 1.960, less a
        # bit for the noise beyond -0.674 - 2.626.
        ("lower than luck: to the gap that would hardly ever show so little", 0.5, 0.0, 2.626),
        ("near 0 all of the size is above: 5 % of |0.39 + noise| are 2.1 or more", 2.1, 0.390, 4.06),
        ("between: from where a calibrated model's estimate ends", 4.4, 2.626, 6.36),
        ("far from 0 the tails are equal: 9 ± 1.96", 9.0, 7.04, 10.96),
    ],
)
def test_one_bin_of_normal_noise(why, estimate, low, high, sign):
    """In closed form, in standard errors."""
    noise = norm.ppf((np.arange(20_000)[:, None] + 0.5) / 20_000)
    found = error_interval(np.array([sign * estimate]), noise)
    assert found == pytest.approx((low, high), abs=2e-3), why


def test_bins_shrink_by_their_variances():
    """Each pull moves every gap by its variance, to 0 at most; the ends found by trying many, one by one."""
    draw = np.random.default_rng(3)
    gaps = np.array([0.06, -0.15, 0.001, 0.3])
    deviations = draw.standard_normal((3000, 4)) * [0.02, 0.01, 0.008, 0.03]
    variances, observed = deviations.var(axis=0), np.abs(gaps).sum()
    accepted = []
    for pull in np.linspace(-60, 60, 2401):
        true = np.sign(gaps) * np.maximum(np.abs(gaps) - pull * variances, 0)
        share = (np.abs(true + deviations).sum(axis=1) >= observed).mean()
        if 0.025 < share < 0.975:
            accepted.append(np.abs(true).sum())
    assert error_interval(gaps, deviations) == pytest.approx((min(accepted), max(accepted)), abs=2e-4)


def test_the_side_of_a_gap_matters_where_its_noise_is_lopsided():
    noise = np.random.default_rng(0).exponential(0.03, (4000, 2)) - 0.03
    gaps = np.array([0.05, -0.02])
    found = error_interval(gaps, noise)
    assert error_interval(-gaps, -noise) == found
    assert error_interval(-gaps, noise) != pytest.approx(found, abs=1e-3)


def test_from_answers_to_the_interval():
    """The gaps of the very same resamples, over all answers; then half an answer more, of those with a confidence."""
    pairs = [None] * 40 + answers(60, 0.2)
    rows = ECE.rows(pairs, range(100))
    rows = rows[np.lexsort(rows.T[::-1])]
    drawn = resampled_sums(rows)
    total = rows.sum(axis=0)
    gaps = total[:BINS] / 60
    deviations = drawn[:, :BINS] / drawn[:, BINS:].sum(axis=1, keepdims=True) - gaps
    low, high = error_interval(gaps, deviations)
    found = of(pairs)
    assert (found.low, found.high) == pytest.approx((low * 60 / 60.5, (high * 60 + 0.5) / 60.5), abs=1e-12)


def test_many_answers_in_one_bin():
    """6,000 answers of 90 % confidence, of which 20 % are right: 0.7 ± 1.96 × √(0.2 × 0.8 / 6000)."""
    found = of([(0.9, 1.0)] * 1200 + [(0.9, 0.0)] * 4800)
    assert (found.low, found.high) == pytest.approx((0.6899, 0.7101), abs=3e-4)


def test_a_bin_without_a_gap_or_spread_changes_nothing():
    deviations = 0.02 * np.random.default_rng(0).standard_normal((2000, 1))
    alone = error_interval(np.array([0.1]), deviations)
    assert error_interval(np.array([0.1, 0.0]), np.hstack([deviations, np.zeros((2000, 1))])) == alone


def test_no_gap_at_all_is_luck_and_leaves_room_above():
    deviations = 0.01 * np.random.default_rng(0).standard_normal((2000, 2))
    low, high = error_interval(np.zeros(2), deviations)
    assert low == 0
    assert 0.02 < high < 0.05


@pytest.mark.parametrize(
    ("pairs", "expected"),
    [
        ([(1.0, 1.0)] * 10, (0.0, 0.2775)),  # sure and right: as far off as Wilson's interval of 10 of 10
        ([(1.0, 0.0)] * 10, (0.7225, 1.0)),
        ([(0.0, 0.0)] * 10, (0.0, 0.2775)),
        ([(0.9, 1.0)] * 10, (0.0, 0.1775)),  # 0.9 - 0.7225
        ([(0.5, 0.0)], (0.0, 0.5)),  # one answer: its true share of right ones is 0 to 0.7935
    ],
)
def test_alike_answers(pairs, expected):
    found = of(pairs)
    assert (found.low, found.high) == pytest.approx(expected, abs=5e-5)


def test_two_bins_of_one_answer():
    found = of([(0.9, 1.0), (0.2, 0.0)])
    assert 0 <= found.low <= 0.15 <= found.high

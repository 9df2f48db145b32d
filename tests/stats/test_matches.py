"""The test of agreement under fixed margins, against scipy, against all permutations, and on skewed labels."""

from __future__ import annotations

from itertools import permutations

import pytest

from hueval_metrics.stats.matches import fewer_matches_p
from tests.each import each


@each(
    ("why", "pairs", "p"),
    [
        # scipy.stats.fisher_exact([[4, 29], [25, 2]], alternative="less")
        (
            "HuWNLI's validation, answered as the nearest train sentence",
            {(0, 0): 4, (0, 1): 29, (1, 0): 25, (1, 1): 2},
            1.2678734242826866e-10,
        ),
        # scipy.stats.fisher_exact([[0, 14], [14, 0]], alternative="less"): 1 / C(28, 14)
        ("28 presentations, all inverted", {(1, 2): 14, (2, 1): 14}, 2.4927336813189547e-08),
        ("one label throughout: far below one half, and not inverted", {(0, 1): 26, (1, 1): 74}, None),
        ("one label but for one answer", {(0, 1): 26, (1, 1): 73, (1, 0): 1}, 0.74),
        ("33 : 1,132 positive, guessed at that rate", {(0, 0): 1, (0, 1): 32, (1, 0): 32, (1, 1): 1100}, 0.760),
        # four labels, 30 of each, none right: 30 expected, variance 120²/4 · 3/4 / 119 = 22.69, z = 30 / 4.763
        ("four labels, none right", {(n, (n + 1) % 4): 30 for n in range(4)}, 1.51e-10),
        ("no item", {}, None),
    ],
)
def test_fewer_matches(why, pairs, p):
    assert fewer_matches_p(pairs) == (p if p is None else pytest.approx(p, rel=5e-3))


def test_mean_and_variance_are_those_of_all_permutations():
    """Of 7 answers with three labels: the number of matches over the 5,040 ways to deal them has the tail's moments."""
    key, answers = (0, 0, 0, 1, 1, 2, 2), (0, 0, 1, 1, 1, 1, 2)
    counts = [sum(a == b for a, b in zip(key, dealt, strict=True)) for dealt in permutations(answers)]
    mean = sum(counts) / len(counts)
    variance = sum((count - mean) ** 2 for count in counts) / len(counts)
    products = 3 * 2 + 2 * 4 + 2 * 1
    assert mean == pytest.approx(products / 7)
    squares = 3 * 2 * 5 + 2 * 4 * 6 + 2 * 1 * 3
    assert variance == pytest.approx((products - squares / 7 + (products / 7) ** 2) / 6)

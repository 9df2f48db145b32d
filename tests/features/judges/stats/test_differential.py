"""The test of differential errors, and how many ratings an interval needs."""

import numpy as np
import pytest
from scipy.stats import kstest

from hueval_metrics.judges.stats.differential import LEAST_GROUP, differential_errors
from hueval_metrics.judges.stats.estimates import Estimate
from hueval_metrics.judges.stats.needed import ratings_needed


def labelled(draws, n, sensitivity):
    reference = draws.choice(["YES", "NO"], n)
    hit = draws.random(n) < np.where(reference == "YES", sensitivity, 0.9)
    judge = np.where(hit, reference, np.where(reference == "YES", "NO", "YES"))
    return judge.tolist(), reference.tolist()


@pytest.mark.parametrize(("sensitivities", "found"), [((0.9, 0.6), True), ((0.8, 0.8), False)])
def test_labels(sensitivities, found):
    draws = np.random.default_rng(0)
    (j1, r1), (j2, r2) = (labelled(draws, 200, sensitivity) for sensitivity in sensitivities)
    test = differential_errors(j1 + j2, r1 + r2, ["a"] * 200 + ["b"] * 200, permutations=999)
    assert (test.p < 0.01) is found
    assert (test.n, test.groups) == (400, ("a", "b"))


def test_another_share_of_right_answers_is_no_other_error():
    """One group is right in 90 %, the other in 10 %; the judge finds 8 of 10 right, and 9 of 10 wrong ones, of both."""
    pairs = lambda right, wrong: (  # noqa: E731
        [("YES", "YES")] * (8 * right)
        + [("NO", "YES")] * (2 * right)
        + [("NO", "NO")] * (9 * wrong)
        + [("YES", "NO")] * wrong
    )
    first, second = pairs(9, 1), pairs(1, 9)
    test = differential_errors(
        *zip(*first + second, strict=True), [1] * len(first) + [2] * len(second), permutations=999
    )
    assert test.p > 0.9


def test_the_p_of_equal_errors_is_uniform():
    draws = np.random.default_rng(1)
    ps = [
        differential_errors(*labelled(draws, 120, 0.7), draws.integers(0, 3, 120).tolist(), permutations=199).p
        for _ in range(300)
    ]
    assert kstest(ps, "uniform").pvalue > 0.01


def drawn_by_label(draws, n, share):
    """A judge of 0.8 / 0.8 on 1,000 answers, this share of them right; n drawn of each label of the judge."""
    reference = np.where(draws.random(1000) < share, "YES", "NO")
    other = np.where(reference == "YES", "NO", "YES")
    judge = np.where(draws.random(1000) < 0.8, reference, other)
    places = np.concatenate([draws.permutation(np.flatnonzero(judge == label))[:n] for label in ("YES", "NO")])
    weights = [(judge == judge[place]).sum() / n for place in places]
    return judge[places].tolist(), reference[places].tolist(), weights


def test_groups_drawn_by_the_judges_label_are_made_alike_by_weights():
    """Equal numbers of each label of a weak and a good model; without weights nearly all tests find a difference."""
    draws = np.random.default_rng(3)
    found = {True: 0, False: 0}
    for _ in range(100):
        parts = [drawn_by_label(draws, 50, 0.25), drawn_by_label(draws, 50, 0.75)]
        judge, reference, weights = ([*one, *other] for one, other in zip(*parts, strict=True))
        for weighted in found:
            given = weights if weighted else None
            test = differential_errors(judge, reference, ["a"] * 100 + ["b"] * 100, given, permutations=199)
            found[weighted] += test.p < 0.05
    assert found[False] > 80
    assert found[True] <= 10  # binomial with 0.05: more in 1.1 %


def test_weights_that_are_alike_in_all_groups_leave_all_items():
    """Rare labels drawn more often, at the same rates from each group: what `hueval validate-judge` does."""
    draws = np.random.default_rng(4)
    (j1, r1), (j2, r2) = (labelled(draws, 100, sensitivity) for sensitivity in (0.9, 0.6))
    weights = [3.0 if label == "YES" else 0.5 for label in j1 + j2]
    groups = ["a"] * 100 + ["b"] * 100
    assert differential_errors(j1 + j2, r1 + r2, groups, weights, permutations=199) == differential_errors(
        j1 + j2, r1 + r2, groups, permutations=199
    )


def test_scores_are_tested_as_by_the_analysis_of_covariance():
    """A judge that is more lenient to a group of better answers; the better answers alone are no difference."""
    sm = pytest.importorskip("statsmodels.api")
    draws = np.random.default_rng(2)
    reference = np.concatenate([draws.integers(1, 6, 100), draws.integers(5, 11, 100)]).astype(float)
    group = np.repeat([0.0, 1.0], 100)
    fair = 2 + 0.7 * reference + draws.normal(0, 1, 200)
    for judge in (fair, fair + group):
        found = differential_errors(judge.tolist(), reference.tolist(), group.tolist(), permutations=4999)
        line, both = (
            sm.OLS(judge, sm.add_constant(np.column_stack(x))).fit() for x in ([reference], [reference, group])
        )
        assert found.p == pytest.approx(both.compare_f_test(line)[1], abs=0.02)


def test_small_groups_are_left_out():
    n = LEAST_GROUP
    assert differential_errors(["YES"] * 2 * n, ["YES"] * 2 * n, [1] * (n + 1) + [2] * (n - 1)) is None
    test = differential_errors(["YES"] * 3 * n, ["YES"] * 3 * n, [1] * n + [2] * (n - 1) + [3] * (n + 1))
    assert (test.p, test.n, test.groups) == (1.0, 2 * n + 1, (1, 3))


@pytest.mark.parametrize(
    ("why", "share", "most", "widths", "to_halve"),
    [
        ("all from the ratings: four times as many", 1.0, None, {2: 7.071, 4: 5.0, 8: 3.536}, 400),
        ("half from the ratings: no number halves it", 0.5, None, {2: 8.660, 4: 7.906, 8: 7.5}, None),
        ("0.9 / 0.15 = 6 times", 0.9, 600, {2: 7.416, 4: 5.701}, 600),
        ("as many, and one item too few", 0.9, 599, {2: 7.416, 4: 5.701}, None),
    ],
)
def test_ratings_needed(why, share, most, widths, to_halve):
    found = ratings_needed(Estimate(50, 45, 55, "percentile", share, "ppi++", 100), most)
    assert found.to_halve == to_halve, why
    assert found.widths == pytest.approx(widths, abs=1e-3)

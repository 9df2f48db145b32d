"""Intervals of calibrated metrics: what they contain, and what several runs share."""

import numpy as np
import pytest

from hueval_metrics.judges.stats import estimates
from hueval_metrics.judges.stats.estimates import calibrated_estimates, calibrated_sums
from hueval_metrics.judges.stats.items import RatedItem, clusters_of
from hueval_metrics.judges.stats.pseudo import with_pseudo_counts, with_pseudo_scores
from hueval_metrics.judges.stats.tables import calibrated_tables
from hueval_metrics.metric import Metric
from hueval_metrics.metrics.basic import PERCENT

LABELS = {"YES": {"right": 1, "right_x": 1}, "NO": {"right": 0, "right_x": 0}}
METRICS = {"right": PERCENT, "right_x": PERCENT.within("x")}


def run(seed, n=400, rated=0, right=0.6, found=0.85):
    """Items over the same questions, the first half of them in stratum x."""
    draws = np.random.default_rng(seed)
    truth = draws.random(n) < right
    judge = np.where(draws.random(n) < found, truth, ~truth)
    return [
        RatedItem(
            f"q{place:04}",
            "YES" if said else "NO",
            {"right": int(said), **({"right_x": int(said)} if place < n // 2 else {})},
            ("YES" if is_right else "NO") if place % 4 < 4 * rated / n else None,
            stratum="x" if place < n // 2 else "y",
        )
        for place, (said, is_right) in enumerate(zip(judge, truth, strict=True))
    ]


POOL = run(9, rated=200)


def tables(items, **options):
    return calibrated_tables(METRICS, items, clusters_of(items, POOL), labels=LABELS, **options)


def test_the_interval_of_a_transported_score_contains_the_error_of_the_calibration():
    """It is wider than the judge's own interval times 1 / 0.7 for the inverse, and narrower with more ratings."""
    items = run(1)
    few = calibrated_estimates({0: tables(items, pool=POOL[:100])}, resamples=1000)[0]["right"]
    many = calibrated_estimates({0: tables(items, pool=POOL * 10)}, resamples=1000)[0]["right"]
    assert few.n == 50
    assert few.calibration_share > many.calibration_share
    judged_alone = 2 * 1.96 * 100 * np.sqrt(0.25 / 400) / 0.7  # the judge's own interval, over Youden's J
    assert judged_alone < few.high - few.low
    # Copies of an item are in one cluster, and no further questions.
    once = calibrated_estimates({0: tables(items, pool=POOL)}, resamples=1000)[0]["right"]
    assert many.high - many.low == pytest.approx(once.high - once.low, rel=0.15)


def test_two_runs_share_the_error_of_their_calibration():
    """Their difference varies less than if each had a calibration of its own."""
    first, second = (tables(run(seed, right=0.9), pool=POOL[:120]) for seed in (1, 2))
    sums = calibrated_sums({"a": first, "b": second}, resamples=2000)
    ours, theirs = (
        table.tables["right"][0].compute(sums[key]["right"]) for key, table in (("a", first), ("b", second))
    )
    assert np.corrcoef(ours, theirs)[0, 1] > 0.3
    assert (ours - theirs).std() < 0.8 * np.hypot(ours.std(), theirs.std())


def test_runs_of_different_calibrations_err_independently():
    """Each calibration has its own rare errors: the variance of the difference is the sum of the runs' variances.

    Of 30 items of each calibration the judge is wrong about none, so that their errors are all pseudo-counts.
    """
    runs = [[RatedItem(f"q{n:03}", item.judge, item.values) for n, item in enumerate(run(1, n=200))] for _ in range(2)]
    pools = [
        [RatedItem(f"{name}{n}", label, {}, label) for n, label in enumerate(["YES"] * 15 + ["NO"] * 15)]
        for name in "ab"
    ]
    clusters = clusters_of(runs[0], *pools)

    def draws(*pools):
        made = {
            place: calibrated_tables({"right": PERCENT}, items, clusters, labels=LABELS, pool=pool)
            for place, (items, pool) in enumerate(zip(runs, pools, strict=True))
        }
        sums = calibrated_sums(made, resamples=4000)
        # The run's own sums are held fixed: what is left is the error of the calibrations.
        for own in sums.values():
            own["right"][:, :2] = 120, 80
        return [made[place].tables["right"][0].compute(own["right"]) for place, own in sums.items()]

    ours, theirs = draws(*pools)
    assert abs(np.corrcoef(ours, theirs)[0, 1]) < 0.06  # 0 ± 1.96 / √4000, twice
    assert (ours - theirs).var() == pytest.approx(ours.var() + theirs.var(), rel=0.06)
    first, second = draws(pools[0], pools[0])
    assert (first == second).all()


def test_runs_in_blocks_have_the_estimates_that_they_have_alone(monkeypatch):
    runs = {seed: tables(run(seed, rated=100)) for seed in range(4)}
    together = calibrated_estimates(runs, resamples=200)
    monkeypatch.setattr(estimates, "_COLUMNS", 1)
    assert calibrated_estimates(runs, resamples=200) == together
    assert calibrated_estimates({2: runs[2]}, resamples=200)[2] == together[2]


def test_the_sums_within_a_stratum_are_those_of_its_rows():
    table = tables(run(3, rated=100))
    drawn = calibrated_sums({0: table}, resamples=50)[0]
    whole, inside = drawn["right"], drawn["right_x"]
    assert (inside[:, :2].sum(axis=1) == 200).all()  # strata are resampled at their size
    assert (whole[:, :2].sum(axis=1) == 400).all()
    assert (inside[:, :2] <= whole[:, :2]).all()


def test_an_error_that_was_never_seen_may_occur():
    """The judge took no wrong answer of 20 for right; its share of right answers may be too high all the same."""
    pool = [RatedItem(f"q{n:04}", label, {}, label) for n, label in enumerate(["YES"] * 20 + ["NO"] * 20)]
    items = run(4)
    found = calibrated_estimates(
        {0: calibrated_tables({"right": PERCENT}, items, clusters_of(items, pool), labels=LABELS, pool=pool)}
    )
    judged = 100 * np.mean([item.values["right"] for item in items])
    right = found[0]["right"]
    assert right.value == pytest.approx(judged)
    alone = 196 * np.sqrt(judged / 100 * (1 - judged / 100) / 400)
    assert right.high - right.low > 1.2 * 2 * alone


def test_few_own_ratings_without_an_error_do_not_prove_the_judge_right():
    """The judge says 60 % of 1,000, and agreed with the reference on 30: up to 1 of 20 more or fewer may be right.

    The judge's own 95 % interval is 60 ± 3. By Perks's prior of 1 / 4 a cell, an error that did not occur among 30 has
    a share of up to 6 % (its 97.5 % quantile, 1.9 items of 31).
    """
    said = np.arange(1000) % 5 < 3
    names = ["YES" if yes else "NO" for yes in said]
    items = [
        RatedItem(f"q{n:03}", name, {"right": int(yes)}, name if n < 30 else None)
        for n, (name, yes) in enumerate(zip(names, said, strict=True))
    ]
    table = calibrated_tables({"right": PERCENT}, items, clusters_of(items), labels=LABELS)
    found = calibrated_estimates({0: table})[0]["right"]
    assert (found.value, found.interval) == (pytest.approx(60.0), "percentile")
    assert 60 - 9 < found.low < 60 - 4.5 and 60 + 4.5 < found.high < 60 + 9


@pytest.mark.parametrize(("method", "items"), [("rogan-gladen", 1 / 2), ("ppi++", 1 / 4)])
def test_pseudo_counts_weigh_what_an_item_weighs(method, items):
    """Their mean is 1 / K items a cell of the inverted matrix, 1 / K² for PPI++; the items weigh 3."""
    rows = np.zeros((40, 6))
    rows[:, 0], rows[:, 1], rows[:, 2] = 1, 1, 3
    added = with_pseudo_counts(np.zeros((20_000, 6)), rows, method)
    assert (added[:, :2] == 0).all()
    assert added[:, 2:].mean(axis=0) == pytest.approx(np.full(4, 3 * items), rel=0.06)


def test_pseudo_scores_are_each_raters_mean_and_the_judges_spread():
    """Judge 4 and 8, reference 3 and 9: mean 6, spread of the judge 2, so that items at 4 and 8 for both are added."""
    rows = np.array([[1, 4, 1, 3, 4, 16, 12], [1, 8, 1, 9, 8, 64, 72]] * 20, dtype=float)
    added = with_pseudo_scores(np.zeros((40_000, 7)), rows)
    assert (added[:, :2] == 0).all()
    weight, theirs, ours, squares, products = added[:, 2:].mean(axis=0)
    assert weight == pytest.approx(2, rel=0.03)  # half an item in each of four corners
    assert (theirs / weight, ours / weight) == (pytest.approx(6, rel=0.02), pytest.approx(6, rel=0.02))
    assert squares / weight == pytest.approx((4**2 + 8**2) / 2, rel=0.02)
    assert products / weight == pytest.approx(6 * 6, rel=0.02)  # uncorrelated


def test_a_line_that_resamples_do_not_fit_allows_any_score():
    """Scores of 30 items that hardly rise with the reference's: in many resamples they fall."""
    score = Metric("score", lambda v: (sum(v), len(v)), lambda s: s[..., 0] / s[..., 1], bounds=(1.0, 10.0))
    draws = np.random.default_rng(5)
    reference = draws.integers(1, 11, 30)
    judge = np.where(np.arange(30) < 3, reference, draws.permutation(reference))
    pool = [
        RatedItem(f"q{n}", float(j), {"score": float(j)}, float(h), {"score": float(h)})
        for n, (j, h) in enumerate(zip(judge, reference, strict=True))
    ]
    table = calibrated_tables({"score": score}, pool, clusters_of(pool), pool=pool)
    found = calibrated_estimates({0: table}, resamples=500)[0]["score"]
    assert (found.low, found.high) == (1.0, 10.0)

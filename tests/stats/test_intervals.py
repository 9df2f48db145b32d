"""Intervals against statsmodels and scipy, in literal degenerate cases, and by what an interval must do."""

from __future__ import annotations

import random
from dataclasses import astuple

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import bootstrap
from statsmodels.stats.proportion import proportion_confint

from hueval_metrics.metric import Metric
from hueval_metrics.metrics.basic import PERCENT, POOLED
from hueval_metrics.metrics.confidence import BRIER, ECE
from hueval_metrics.metrics.simple_qa import CORRECT_GIVEN_ATTEMPTED, F_SCORE, LABELS, attempted_term, f_term
from hueval_metrics.stats.intervals import MANY, Interval, coverage_note, interval, intervals, wilson
from lm_eval_tasks.openhueval.metrics.two_choice import PAIR_ACCURACY, POSITION_BIAS
from lm_eval_tasks.openhueval.metrics.wb_score import WB_SCORE, WB_SCORE_REF
from tests.each import each
from tests.helpers import load_cases, why

SIZES = (1, 2, 3, 5, 14, 60, 278, 1135)
GRID = sorted({(right, n) for n in SIZES for right in {0, 1, n // 3, n // 2, n - 1, n}})
FEW = 300  # resamples, where only the shape of a result is looked at


def of(aggregation, values, clusters=None, **options) -> Interval | None:
    """The interval of a metric's values, each a cluster of its own unless told otherwise."""
    counted = aggregation
    return interval(counted, counted.rows(values, range(len(values)) if clusters is None else clusters), **options)


def ends(found: Interval) -> tuple[float, float]:
    return found.low, found.high


def unopened(found: Interval, n: int, bounds: tuple[float, float] = (0.0, 100.0)) -> tuple[float, float]:
    """The ends of an interval without half a cluster more, all wrong at the lower and all right at the upper one."""
    least, most = bounds
    return found.low + (found.low - least) / (2 * n), found.high - (most - found.high) / (2 * n)


def counts_of(correct: int, incorrect: int, not_attempted: int) -> list[str]:
    shares = zip(LABELS, (correct, incorrect, not_attempted), strict=True)
    return [label for label, n in shares for label in [label] * n]


def _phi(sums):
    both, gold, guess, n = (sums[..., place] for place in range(4))
    spread = np.sqrt(gold * (n - gold) * guess * (n - guess))
    return np.where(spread == 0, 0.0, 100 * (n * both - gold * guess) / np.where(spread == 0, 1, spread))


PHI = Metric(  # of (gold, guess), each 0 or 1: a metric of a sum that is no mean of its clusters' metrics
    "phi",
    lambda pairs: (sum(a * b for a, b in pairs), sum(a for a, _ in pairs), sum(b for _, b in pairs), len(pairs)),
    _phi,
    size=lambda sums: sums[..., 3],
    is_mean=False,
    bounds=(-100.0, 100.0),
)


def blanks(n: int, seed: int = 3) -> list[tuple[int, int]]:
    draw = random.Random(seed)
    return [(draw.randint(0, size), size) for size in (draw.randint(3, 15) for _ in range(n))]


@pytest.mark.parametrize("case", load_cases("intervals"), ids=why)
def test_literal(case):
    found = of(POOLED, case["terms"])
    expected = case["ci95"] and pytest.approx([100 * end for end in case["ci95"]], abs=5e-3)
    assert (found and list(ends(found))) == expected


@each(("right", "n"), GRID)
def test_wilson_agrees_with_statsmodels(right, n):
    assert wilson(right, n) == pytest.approx(proportion_confint(right, n, method="wilson"), abs=1e-12)


@each(("right", "n"), GRID)
def test_one_yes_or_no_a_cluster_gets_wilsons_interval(right, n):
    found = of(PERCENT, [1.0] * right + [0.0] * (n - right) + [None])
    assert found.method == "wilson"
    assert ends(found) == pytest.approx(100 * np.array(proportion_confint(right, n, method="wilson")), abs=1e-9)


def test_two_orders_are_one_yes_or_no_of_pair_accuracy():
    choices = [(f"q{n}", order, order if n < 8 else 1) for n in range(10) for order in (1, 2)]
    found = of(PAIR_ACCURACY, choices, [qid for qid, _, _ in choices])
    assert astuple(found) == (pytest.approx(49.02, abs=0.01), pytest.approx(94.33, abs=0.01), "wilson")


def test_blanks_of_few_questions_are_no_coin_flips():
    """Six of twelve blanks, but in four questions: wider than Wilson's interval of twelve independent blanks."""
    found = of(POOLED, [(4, 4), (0, 4), (2, 2), (0, 2)])
    low, high = (100 * end for end in proportion_confint(6, 12, method="wilson"))
    assert found.low < low < high < found.high


@pytest.mark.parametrize(("n", "skew"), [(40, 1), (93, 1), (93, 6), (500, 1), (500, 6)])
def test_agrees_with_scipy(n, skew):
    """Ratios of different skewness, before they are opened by half a question."""
    draw = random.Random(n + skew)
    pairs = [(int(size * draw.random() ** skew), size) for size in (draw.randint(3, 15) for _ in range(n))]
    found = of(POOLED, pairs, resamples=40_000)
    right, total = np.array(pairs, float).T
    theirs = bootstrap(
        (right, total),
        lambda num, den, axis=-1: 100 * num.sum(axis) / den.sum(axis),
        paired=True,
        vectorized=True,
        n_resamples=40_000,
        method="BCa",
        random_state=1,
    )
    expected = pytest.approx(list(theirs.confidence_interval), abs=0.08 * float(theirs.standard_error))
    assert unopened(found, n) == expected
    assert found.method == "bca"


def test_many_metrics_at_once_are_as_each_alone():
    pairs = blanks(93)
    counted = POOLED
    rows = counted.rows(pairs, range(93))
    half = rows * (np.arange(93) < 50)[:, None]
    both = intervals({"all": (counted, rows), "half": (counted, half)})
    for metric, alone in (("all", interval(counted, rows)), ("half", interval(counted, half))):
        assert ends(both[metric]) == pytest.approx(ends(alone), abs=0.6)  # other draws, same distribution


def test_the_order_of_the_clusters_does_not_matter():
    pairs, strata = blanks(93), ["l", "h", "f"] * 31
    order = random.Random(1).sample(range(93), 93)
    shuffled = of(POOLED, [pairs[n] for n in order], strata=[strata[n] for n in order])
    assert shuffled == of(POOLED, pairs, strata=strata)


def test_counts_stand_for_clusters_that_are_alike():
    counted = POOLED
    kinds, counts = blanks(12), [1, 5, 2, 9, 1, 1, 30, 2, 2, 4, 7, 1]
    strata = ["l", "h"] * 6
    rows = counted.rows(kinds, range(12))
    repeated = interval(counted, np.repeat(rows, counts, axis=0), strata=np.repeat(strata, counts).tolist())
    assert intervals({"m": (counted, rows)}, counts=counts, strata=strata) == {"m": repeated}


def test_strata_that_differ_make_the_interval_narrower():
    pairs = [(9, 10), (8, 10)] * 30 + [(1, 10), (2, 10)] * 30
    strata = ["l"] * 60 + ["h"] * 60
    one, two = of(POOLED, pairs), of(POOLED, pairs, strata=strata)
    assert two.high - two.low < (one.high - one.low) / 3


@each("other", [0, 1])
def test_strata_without_spread_within_are_not_certain(other):
    """All right in one, all wrong in the other: only together do they show that questions differ."""
    pairs = [(5, 5)] * 30 + [(0, 5)] * 30
    strata = [0] * 30 + [other] * 30
    found = of(POOLED, pairs, strata=strata)
    assert ends(found) == pytest.approx((37.7, 62.3), abs=1.5)  # Wilson's of 30 of 60


def test_a_stratum_of_two_does_not_look_certain():
    """The spread of the two lies between the strata; resampled alone they would show none of it."""
    pairs = [(5, 10), (4, 10)] * 20 + [(0, 100), (100, 100)]
    strata = ["l"] * 40 + ["bf"] * 2
    found = of(POOLED, pairs, strata=strata)
    assert found.high - found.low > 30


@each("value", [0.0, 0.25, 1.0])
def test_alike_clusters_are_as_sure_as_their_number(value):
    widths = [of(BRIER, [(value, 0.0)] * n) for n in (1, 10, 1000)]
    assert widths[0].high - widths[0].low > widths[1].high - widths[1].low > widths[2].high - widths[2].low > 0
    assert all(found.low <= value**2 <= found.high and found.method == "wilson" for found in widths)


@each("aggregation", [PERCENT, POOLED, WB_SCORE, ECE])
def test_nothing_gives_no_interval(aggregation):
    assert of(aggregation, []) is None
    assert of(aggregation, [None, None]) is None


@pytest.mark.parametrize(
    ("why", "aggregation", "values", "note"),
    [
        ("equal questions", POOLED, [(1, 8)] * 10, None),
        ("about as unequal as HuStandardFIB: 93 count as 76", POOLED, [(1, 3), (1, 8), (1, 12)] * 31, None),
        ("half of the blanks in one of ten", POOLED, [(1, 4)] * 9 + [(9, 36)], "unequal_clusters"),
        ("25 long of 125 questions count as 36", POOLED, [(1, 2)] * 100 + [(5, 40)] * 25, "unequal_clusters"),
        ("80 long of 400 questions count as 114", POOLED, [(1, 2)] * 320 + [(5, 40)] * 80, None),
        ("questions that do not count", POOLED, [(1, 4)] * 30 + [(0, 0), None] * 40, None),
        ("one question", POOLED, [(1, 40)], None),
        ("nothing", POOLED, [], None),
        ("yes or no", PERCENT, [1.0, 0.0] * 5, None),
        ("confidences of 499 answers", ECE, [(0.9, 1.0)] * 499 + [None], "few_answers"),
        ("confidences of 500 answers", ECE, [(0.9, 1.0)] * 500, None),
        ("no confidence", ECE, [None, None], None),
        ("squared errors are a mean", BRIER, [(0.9, 1.0)] * 10, None),
    ],
)
def test_which_intervals_cover_too_little(why, aggregation, values, note):
    counted = aggregation
    assert coverage_note(counted, counted.rows(values, range(len(values)))) == note, why


def test_counts_stand_for_clusters_in_the_note_too():
    rows = np.array([[1.0, 4.0], [9.0, 36.0]])
    assert coverage_note(POOLED, rows) == "unequal_clusters"
    assert coverage_note(POOLED, rows, [0, 10]) is None
    assert coverage_note(POOLED, rows, [9, 1]) == "unequal_clusters"


@pytest.mark.parametrize(
    ("why", "pairs", "low", "high"),
    [
        ("clusters differ, resamples do not: as 0 others of 40", [(0, 0), (1, 1)] * 20, 82.48, 100.0),
        ("some resamples lack one label, and have 0", [(0, 0), (1, 1), (1, 1)], -14.29, 100.0),
        ("one label only: no correlation", [(1, 1)] * 12, -24.25, 24.25),
    ],
)
def test_a_correlation_without_spread_is_not_certain(why, pairs, low, high):
    assert ends(of(PHI, pairs)) == pytest.approx((low, high), abs=5e-3)


def test_nothing_to_do():
    assert intervals({}) == {}


@pytest.mark.parametrize(
    ("scores", "expected"),
    [
        ([1] * 10, (10.0, 10 + 90 * 0.2775)),  # all at the lowest: as 0 of 10 in Wilson's interval, not as 10 of 10
        ([10] * 10, (10 + 90 * 0.7225, 100.0)),
        ([10] * 8 + [1] * 2, (10 + 90 * 0.4902, 10 + 90 * 0.9433)),
        ([7], (70 - 60 * 0.7935, 70 + 30 * 0.7935)),  # one score: others may lie all over the scale
    ],
)
def test_the_ends_of_the_scale_are_known(scores, expected):
    assert ends(of(WB_SCORE, scores)) == pytest.approx(expected, abs=0.01)


@given(st.lists(st.integers(1, 10), min_size=1, max_size=50))
def test_an_interval_has_the_score_inside_and_stays_on_the_scale(scores):
    for aggregation, (lowest, highest) in {WB_SCORE: (10, 100), WB_SCORE_REF: (-80, 100)}.items():
        found = of(aggregation, scores, resamples=FEW)
        assert lowest - 1e-9 <= found.low <= found.high <= highest + 1e-9
        if len(scores) > 4:  # BCa of a few may lean to one side of the score itself
            assert found.low - 1e-9 <= aggregation(scores) <= found.high + 1e-9


@each("not_attempted", [0, 90])
def test_cga_gets_wilsons_interval_among_the_attempted(not_attempted):
    values = [attempted_term(label) for label in counts_of(8, 2, not_attempted)]
    assert ends(of(CORRECT_GIVEN_ATTEMPTED, values)) == pytest.approx((49.02, 94.33), abs=0.01)


def test_cga_where_nothing_was_attempted():
    assert of(CORRECT_GIVEN_ATTEMPTED, [(0, 0)] * 9) is None


@pytest.mark.parametrize(
    ("counts", "expected"),
    [
        ((10, 0, 0), (72.25, 100.0)),  # Wilson of 10/10: resampling would see no spread
        ((0, 10, 0), (0.0, 27.75)),
        ((0, 0, 10), (0.0, 27.75)),
        ((0, 5, 5), (0.0, 27.75)),
        ((1, 0, 0), (20.65, 100.0)),
    ],
)
def test_f_at_its_ends(counts, expected):
    assert ends(of(F_SCORE, [f_term(label) for label in counts_of(*counts)])) == pytest.approx(expected, abs=0.01)


def test_position_bias_of_a_model_that_always_chooses_the_first():
    choices = [(f"q{n}", order, 1) for n in range(10) for order in (1, 2)]
    found = of(POSITION_BIAS, choices, [qid for qid, _, _ in choices])
    assert ends(found) == pytest.approx((22.25, 50.0), abs=0.01)


def test_the_reference_protocol_may_exceed_100():
    found = of(POOLED, [(8, 6), (12, 10), (5, 6), (7, 6)])
    assert found.low < 100 * 32 / 28 < found.high
    assert found.high > 100


def test_a_rare_value_that_many_resamples_lack():
    """Only two of 60 questions are of this dimension; resamples without any of them have no value."""
    rows = [(2, 4), (1, 5)] + [None] * 58
    found = of(POOLED, rows)
    assert ends(found) == pytest.approx((20.0 * 2 / 2.5, (50.0 * 2 + 50) / 2.5))


def shapes_of(n: int) -> dict[str, tuple]:
    """Pooled blanks, rare successes, scores on a scale, squared errors, and confidences."""
    draw = random.Random(n)
    stated = [(draw.choice([0.5, 0.8, 0.9, 1.0]), float(draw.random() < 0.6)) for _ in range(n)]
    values = {
        "blanks": (POOLED, blanks(n)),
        "rare": (POOLED, [(int(draw.random() < 0.02), draw.choice([1, 2])) for _ in range(n)]),
        "scores": (WB_SCORE, [draw.randint(1, 10) for _ in range(n)]),
        "errors": (BRIER, stated),
        "ece": (ECE, stated),
    }
    return {name: (f, f.rows(some, range(n))) for name, (f, some) in values.items()}


def test_many_clusters_get_the_same_intervals_without_resampling():
    """One cluster less, and they are resampled."""
    n = MANY + 1
    tables = shapes_of(n)
    strata = ["l", "h", "f"] * (n // 3) + ["l"] * (n % 3)
    found = intervals(tables, strata=strata)
    fewer = {name: (metric, rows[:MANY]) for name, (metric, rows) in tables.items()}
    resampled = intervals(fewer, strata=strata[:MANY], resamples=4000)
    assert {name: each.method for name, each in found.items()} == dict.fromkeys(tables, "normal") | {"ece": "inversion"}
    for name, found_one in found.items():
        width = found_one.high - found_one.low
        assert ends(found_one) == pytest.approx(ends(resampled[name]), abs=0.06 * width), name


def test_many_clusters_of_one_size_get_the_interval_of_a_mean():
    """Where all denominators are 1, the jackknife's variance is that of the sample mean."""
    scores = [n % 7 + 1 for n in range(MANY + 1)]
    error = 10 * np.std(scores, ddof=1) / len(scores) ** 0.5
    expected = (10 * np.mean(scores) - 1.959964 * error, 10 * np.mean(scores) + 1.959964 * error)
    assert unopened(of(WB_SCORE, scores), len(scores), WB_SCORE.bounds) == pytest.approx(expected, abs=1e-4)


def test_many_clusters_by_counts():
    counted = WB_SCORE
    rows = counted.rows(range(1, 11), range(10))
    counts = [100 * n for n in range(11, 1, -1)]
    by_counts = intervals({"m": (counted, rows)}, counts=counts)["m"]
    assert ends(by_counts) == pytest.approx(ends(interval(counted, np.repeat(rows, counts, axis=0))), abs=1e-6)


def test_one_yes_or_no_by_counts_gets_wilsons_interval():
    counted = PERCENT
    found = intervals({"m": (counted, counted.rows([1.0, 0.0], range(2)))}, counts=[8, 2])["m"]
    assert astuple(found) == (pytest.approx(49.02, abs=0.01), pytest.approx(94.33, abs=0.01), "wilson")

"""Numbers and intervals of measures, from rows."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hueval_metrics.stats.intervals import wilson
from hueval_metrics.traces.item import VERDICTS
from hueval_metrics.traces.measures import Cell, Measure
from hueval_metrics.traces.numbers import Numbers
from hueval_metrics.traces.stats.two_phase import ratio_interval, weighted_quantile
from tests.features.traces.rows import TASK, declare_pool, row

RIGHT, _, WRONG, NONE = VERDICTS
TOKENS = Measure("tokens", "free", "tokens", lambda row: (row["tokens"], 1))
MEDIAN = Measure("tokens_median", "free", "tokens", lambda row: (row["tokens"], 1), is_median=True)
CUT = Measure("cut", "free", "%", lambda row: (row["truncated"], 1))
SCORED = Measure("scored", "thoughts", "%", lambda row: row.get("scored"))
THOUGHTS = Measure("thoughts", "thoughts", "thoughts", lambda row: row.get("thoughts"))
ALL = Cell("m", TASK)


def numbers_of(rows, *measures):
    numbers = Numbers(measures, resamples=400)
    for one in rows:
        numbers.add(one)
    return {(number.cell, number.measure): number for number in numbers.numbers()}


def test_a_mean_is_over_all_and_over_each_verdict():
    verdicts = [RIGHT, WRONG, WRONG, None]
    rows = [row(i, tokens=tokens, verdict=verdicts[i]) for i, tokens in enumerate((10, 20, 40, 50))]
    found = numbers_of(rows, TOKENS)
    values = {cell.verdict: (number.value, number.n) for (cell, name), number in found.items() if name == "tokens"}
    assert values == {"": (30.0, 4), RIGHT: (10.0, 1), WRONG: (30.0, 2)}, "a reply without a verdict counts in all"
    assert found[Cell("m", TASK, "", RIGHT), "tokens"].ci95 is None, "one question shows no spread"


def test_a_share_is_the_ratio_of_sums_over_the_replies_it_applies_to():
    rows = [row(0, scored=(1, 4)), row(1, scored=(3, 3)), row(2), row(3, scored=(0, 0))]
    number = numbers_of(rows, SCORED)[ALL, "scored"]
    assert number.value == pytest.approx(100 * 4 / 7), "not the mean of 25 and 100"
    assert (number.n, number.n_clusters, number.denominator) == (3, 3, 7.0)


def test_nothing_to_divide_by_has_no_value():
    number = numbers_of([row(0, scored=(0, 0)), row(1, scored=(0, 0))], SCORED)[ALL, "scored"]
    assert (number.value, number.ci95) == (None, None)


def test_one_yes_or_no_a_question_has_wilson_s_interval():
    number = numbers_of([row(i, truncated=i < 8) for i in range(10)], CUT)[ALL, "cut"]
    assert number.ci95 == pytest.approx([100 * end for end in wilson(8, 10)])


def test_none_cut_of_many_may_still_be_some():
    number = numbers_of([row(i) for i in range(50)], CUT)[ALL, "cut"]
    assert number.value == 0.0
    assert number.ci95 == pytest.approx((0.0, 100 * wilson(0, 50)[1]))


def test_equal_lengths_have_no_interval():
    assert numbers_of([row(i) for i in range(50)], TOKENS)[ALL, "tokens"].ci95 is None


def test_an_interval_holds_its_value_and_is_narrower_with_more_questions():
    lengths = np.random.default_rng(0).lognormal(6, 0.8, 400).tolist()
    few, many = (numbers_of([row(i, tokens=lengths[i]) for i in range(n)], TOKENS, MEDIAN) for n in (25, 400))
    for name in ("tokens", "tokens_median"):
        (low, high), (lower, higher) = few[ALL, name].ci95, many[ALL, name].ci95
        assert low < few[ALL, name].value < high
        assert lower < many[ALL, name].value < higher
        assert higher - lower < (high - low) / 2


def test_replies_of_one_question_count_as_one_cluster():
    lengths = np.random.default_rng(0).lognormal(6, 0.8, 60).tolist()
    apart = numbers_of([row(i, tokens=lengths[i % 60]) for i in range(240)], TOKENS, MEDIAN)
    rows = [row(i, tokens=lengths[i % 60], cluster=f"c{i % 60}") for i in range(240)]
    together = numbers_of(rows, TOKENS, MEDIAN)
    for name in ("tokens", "tokens_median"):
        narrow, wide = (np.diff(found[ALL, name].ci95)[0] for found in (apart, together))
        assert together[ALL, name].n_clusters == 60
        assert wide > 1.6 * narrow, "four copies of a reply tell no more than one: about twice as wide"


def test_the_order_of_the_rows_has_no_effect():
    lengths = np.random.default_rng(0).lognormal(6, 0.8, 40).tolist()
    rows = [row(i, tokens=lengths[i], truncated=i % 3 == 0, verdict=VERDICTS[i % 4]) for i in range(40)]
    assert numbers_of(rows, TOKENS, MEDIAN, CUT) == numbers_of(rows[::-1], TOKENS, MEDIAN, CUT)


def test_weights_make_rates_those_of_all_replies():
    """Of 90 wrong and 10 right replies ten each are drawn: the right ones do not count for half."""
    rows = [row(i, verdict=RIGHT, weight=1.0, scored=(1, 1)) for i in range(10)]
    rows += [row(10 + i, verdict=WRONG, weight=9.0, scored=(i < 2, 1)) for i in range(10)]
    found = numbers_of(rows, SCORED, CUT)
    assert found[ALL, "scored"].value == pytest.approx(100 * (10 + 9 * 2) / 100)
    assert found[ALL, "scored"].denominator == 100.0
    assert found[Cell("m", TASK, "", WRONG), "scored"].value == pytest.approx(20.0)
    assert found[Cell("m", TASK, "", WRONG), "scored"].ci95 == pytest.approx([100 * end for end in wilson(2, 10)])
    assert found[ALL, "cut"].denominator == 20.0, "what no judge counts is read in all replies, without weights"


def test_equal_weights_change_no_interval():
    lengths = np.random.default_rng(0).poisson(6, 40).tolist()
    one, three = (
        numbers_of([row(i, thoughts=(lengths[i], 1), weight=weight) for i in range(40)], THOUGHTS)[ALL, "thoughts"]
        for weight in (1.0, 3.0)
    )
    assert one.value == pytest.approx(three.value)
    assert one.ci95 == pytest.approx(three.ci95)


def test_an_interval_of_drawn_replies_has_both_phases():
    """Strata that differ in nothing within: what is left is how many of all replies are in which, n = 200."""
    over = np.repeat([1.0, 0.0], 20)
    weights = np.repeat([4.0, 6.0], 20)
    args = (over, np.ones(40), weights, np.arange(40), np.repeat([0, 1], 20))
    low, high = ratio_interval(*args, is_share=False)
    assert (low + high) / 2 == pytest.approx(0.4)
    assert (high - low) / 2 == pytest.approx(2.0244 * math.sqrt(0.4 * 0.6 / 200), rel=1e-3)  # t with 38 degrees


def test_a_pool_has_cells_by_part_and_verdict(monkeypatch):
    tasks = declare_pool(monkeypatch)
    rows = [row(i, task=tasks[i % 2], tokens=10 + i, verdict=[RIGHT, WRONG][i // 2]) for i in range(4)]
    found = numbers_of(rows, TOKENS)
    cells = {(cell.group, cell.part, cell.verdict): number.n for (cell, _), number in found.items()}
    parts = {("pool", part, verdict): 1 for part in ("easy", "hard") for verdict in (RIGHT, WRONG)}
    whole = {("pool", "", ""): 4, ("pool", "", RIGHT): 2, ("pool", "", WRONG): 2}
    assert cells == whole | parts | {("pool", "easy", ""): 2, ("pool", "hard", ""): 2}


def test_length_against_correctness_is_of_each_task():
    rows = [row(i, tokens=100 + i, share=float(i < 10)) for i in range(20)]
    rows += [row(20, blocks=[], tokens=0), row(21, share=None)]
    number = numbers_of(rows, TOKENS)[ALL, "length_correctness"]
    assert number.value == pytest.approx(-0.8671, abs=1e-4), "scipy.stats.spearmanr of the 20 with trace and share"
    assert number.n == 20
    assert number.ci95[0] < number.value < number.ci95[1] < -0.6


@pytest.mark.parametrize("n", [0, 1, 9])
def test_few_or_equal_replies_have_no_correlation_or_no_interval(n):
    found = numbers_of([row(i, tokens=i, share=float(i % 2)) for i in range(n)], TOKENS)
    number = found.get((ALL, "length_correctness"))
    assert number is None if n < 2 else number.ci95 is None


@given(
    st.lists(
        st.tuples(st.integers(0, 3), st.integers(0, 5), st.integers(0, 5), st.sampled_from([1.0, 2.5])), max_size=12
    )
)
def test_no_rows_break_it(drawn):
    """Whatever is counted of whichever questions: a value is finite, and its interval is in order."""
    rows = [
        row(
            i,
            cluster=f"c{c}",
            thoughts=(a * (b > 0), b),
            scored=(min(a, b), b),
            weight=w,
            tokens=a,
            verdict=VERDICTS[c],
        )
        for i, (c, a, b, w) in enumerate(drawn)
    ]
    for number in numbers_of(rows, TOKENS, MEDIAN, SCORED, THOUGHTS).values():
        assert number.value is None or math.isfinite(number.value)
        if number.ci95 is not None:
            assert number.value is not None
            assert number.ci95[0] <= number.ci95[1]
            assert all(map(math.isfinite, number.ci95))


@given(st.lists(st.integers(0, 9), min_size=1))
def test_an_unweighted_median_is_the_usual_one(values):
    assert weighted_quantile(np.array(values, dtype=float), np.ones(len(values)), 0.5) == np.median(values)

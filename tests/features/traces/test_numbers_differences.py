"""Tests of differences between verdicts, parts and models."""

import numpy as np
import pytest
from scipy.stats import permutation_test

from hueval_metrics.stats.two_sample import two_sample_ps
from hueval_metrics.traces.item import VERDICTS
from hueval_metrics.traces.measures import Measure
from hueval_metrics.traces.numbers import Numbers
from tests.features.traces.rows import declare_pool, row

RIGHT, _, WRONG, NONE = VERDICTS
TOKENS = Measure("tokens", "free", "tokens", lambda row: (row["tokens"], 1), tested=True)
UNTESTED = Measure("untested", "free", "tokens", lambda row: (row["tokens"], 1))
CUT = Measure("cut", "free", "%", lambda row: (row["truncated"], 1), tested=True)
SCORED = Measure("scored", "thoughts", "%", lambda row: row.get("scored"), tested=True)


def differences_in(rows, *measures):
    numbers = Numbers(measures, resamples=200, permutations=2000)
    for one in rows:
        numbers.add(one)
    return list(numbers.tests())


def lengths(n, seed=0, times=1.0):
    return [round(times * length) for length in np.random.default_rng(seed).lognormal(6, 0.5, n)]


def test_longer_traces_of_one_verdict_are_found():
    """As of QwQ in the paper, §4.1: longer where nothing was attempted, alike in the other two."""
    rows = [
        row(100 * place + i, verdict=verdict, tokens=tokens)
        for place, (verdict, times) in enumerate([(RIGHT, 1), (WRONG, 1), (NONE, 2)])
        for i, tokens in enumerate(lengths(60, place, times))
    ]
    found = {(test.first.verdict, test.second.verdict): test for test in differences_in(rows, TOKENS, UNTESTED)}
    assert found.keys() == {(RIGHT, WRONG), (RIGHT, NONE), (WRONG, NONE)}
    assert {pair: test.p_holm < 0.05 for pair, test in found.items()} == {
        (RIGHT, WRONG): False,
        (RIGHT, NONE): True,
        (WRONG, NONE): True,
    }
    one = found[RIGHT, NONE]
    assert (one.between, one.measure, one.n) == ("verdicts", "tokens", 120)
    assert one.difference == pytest.approx(np.mean(lengths(60, 0)) - np.mean(lengths(60, 2, 2)))
    assert one.ci95[0] < one.difference < one.ci95[1] < 0


@pytest.mark.filterwarnings("error")
def test_groups_in_which_nothing_varies():
    """3 thoughts in each of four replies, 9 in each of four others: 2 of the 70 divisions are as sharp."""
    groups = [np.stack([np.full((4, 1), level), np.ones((4, 1))], axis=-1) for level in (3.0, 9.0)]
    assert two_sample_ps(*groups) == [pytest.approx(2 / 70)]
    assert two_sample_ps(groups[0], groups[0]) == [1.0]


def test_parts_are_compared_within_each_verdict_and_over_all(monkeypatch):
    tasks = declare_pool(monkeypatch)
    rows = [
        row(i, task=tasks[i % 2], verdict=[RIGHT, WRONG][i // 20], tokens=tokens)
        for i, tokens in enumerate(lengths(40))
    ]
    found = [test for test in differences_in(rows, TOKENS) if test.between == "parts"]
    assert {(test.first.part, test.second.part, test.first.verdict) for test in found} == {
        ("easy", "hard", verdict) for verdict in ("", RIGHT, WRONG)
    }
    assert all(test.first.verdict == test.second.verdict for test in found)


def test_models_are_paired_over_the_questions_of_both():
    """The second is longer by 30 in each of 20 questions, which differ far more than that among themselves."""
    rows = [row(i, run="a", tokens=tokens) for i, tokens in enumerate(lengths(25))]
    rows += [row(i, run="b", tokens=tokens + 30 + i % 3) for i, tokens in enumerate(lengths(25)) if i < 20]
    rows += [row(900, run="b", tokens=10**6)]
    (test,) = differences_in(rows, TOKENS)
    assert (test.between, test.first.run, test.second.run, test.n) == ("models", "a", "b", 20)
    assert test.difference == pytest.approx(-np.mean([30 + i % 3 for i in range(20)]))
    assert test.p < 0.01
    assert test.ci95[0] < test.difference < test.ci95[1] < 0


def test_models_in_a_verdict_are_paired_over_what_both_answered_so():
    rows = [row(i, run="a", verdict=RIGHT, tokens=100 + i) for i in range(12)]
    rows += [row(i, run="b", verdict=RIGHT if i < 8 else WRONG, tokens=110 + 2 * i) for i in range(12)]
    found = {test.first.verdict: test for test in differences_in(rows, TOKENS) if test.between == "models"}
    assert {verdict: test.n for verdict, test in found.items()} == {"": 12, RIGHT: 8}
    assert found[RIGHT].difference == pytest.approx(-np.mean([10 + i for i in range(8)]))


@pytest.mark.parametrize("second", [lambda i: row(50 + i, run="b"), lambda i: row(i, run="b", task="toybench_order")])
def test_runs_without_common_questions_are_not_compared(second):
    rows = [row(i, run="a", tokens=i) for i in range(9)] + [second(i) for i in range(9)]
    assert [test for test in differences_in(rows, TOKENS) if test.between == "models"] == []


def test_a_yes_or_no_of_two_models_has_the_exact_test():
    """Nine questions in which only the first was cut: McNemar's exact p is 2 / 2 ** 9."""
    rows = [row(i, run=run, truncated=i < 9 and run == "a") for run in "ab" for i in range(30)]
    (test,) = differences_in(rows, CUT)
    assert (test.difference, test.p) == (pytest.approx(30.0), pytest.approx(2 / 2**9))


def test_one_reply_in_a_cell_is_not_tested():
    rows = [row(i, verdict=RIGHT if i else WRONG, tokens=100 + i) for i in range(9)]
    assert differences_in(rows, TOKENS) == []


def test_holm_is_over_the_tests_of_one_measure_and_kind():
    rows = [
        row(30 * place + i, verdict=verdict, tokens=tokens, scored=(i % 2, 1))
        for place, verdict in enumerate((RIGHT, WRONG, NONE))
        for i, tokens in enumerate(lengths(30, place, 1 + 0.3 * place))
    ]
    found = differences_in(rows, TOKENS, SCORED)
    own = sorted((test.p, test.p_holm) for test in found if test.measure == "tokens")
    assert own[0][1] == pytest.approx(3 * own[0][0])
    assert [p for _, p in own] == sorted(p for _, p in own)
    assert all(test.p_holm == 1.0 for test in found if test.measure == "scored")


def test_all_ways_to_deal_few_questions_are_enumerated():
    first, second = np.array([5.0, 7.0, 9.0, 9.5]), np.array([1.0, 2.0, 6.0])

    def welch(x, y, axis):
        errors = x.var(axis=axis, ddof=1) / x.shape[axis] + y.var(axis=axis, ddof=1) / y.shape[axis]
        return np.abs(x.mean(axis=axis) - y.mean(axis=axis)) / np.sqrt(errors)

    expected = permutation_test((first, second), welch, alternative="greater", n_resamples=np.inf, vectorized=True)
    terms = [np.stack([values, np.ones_like(values)], axis=-1)[:, None] for values in (first, second)]
    assert two_sample_ps(*terms) == [pytest.approx(expected.pvalue)]


def test_a_ratio_that_applies_to_no_question_of_a_group_is_not_tested():
    first, second = np.ones((5, 2, 2)), np.ones((5, 2, 2))
    second[:, 1] = 0.0
    assert two_sample_ps(first, second) == [1.0, None]


def test_without_a_tested_measure_there_is_no_test():
    assert differences_in([row(i, verdict=VERDICTS[i % 2], run="ab"[i % 2]) for i in range(9)], UNTESTED) == []


ASSERTED = Measure("asserted", "segments", "%", lambda row: row["asserted"], tested=True, against="thought")
THOUGHT = Measure("thought", "segments", "%", lambda row: row["thought"], tested=True)


def test_two_classes_of_segments_are_compared_within_a_model():
    """Each of six questions has one simple assertion, right, and two complex thoughts, wrong: 2 of 64 signs."""
    rows = [row(i, run=run, asserted=(1, 1), thought=(0, 2)) for run in "ab" for i in range(6)]
    first, second = (test for test in differences_in(rows, ASSERTED, THOUGHT) if test.between == "measures")
    assert (first.measure, first.against, first.first, first.n) == ("asserted", "thought", first.second, 6)
    assert (first.difference, first.p) == (pytest.approx(100.0), pytest.approx(2 / 64))
    assert (first.p_holm, second.p_holm) == (pytest.approx(4 / 64), pytest.approx(4 / 64))  # one test for each run


def test_a_question_with_one_class_counts_with_its_part():
    """Ratios 3/4 and 1/4, together 4/8: a right one counts 0.5/4 above it, a wrong one as much below.

    q0 has (2/2, –), q1 (1/2, –), q2 (–, 1/2), q3 (–, 0/2): parts of 25, 0, 0 and 25; 4 of 16 signs sum to ±50 with the
    zeros, so 8 of 16.
    """
    given = [((2, 2), None), ((1, 2), None), (None, (1, 2)), (None, (0, 2))]
    rows = [row(i, asserted=one, thought=other) for i, (one, other) in enumerate(given)]
    (test,) = (test for test in differences_in(rows, ASSERTED, THOUGHT) if test.between == "measures")
    assert (test.difference, test.p, test.n) == (pytest.approx(50.0), pytest.approx(8 / 16), 4)


def test_the_rarer_of_two_classes_does_not_make_the_test_err():
    """One segment in ten is an assertion, of the same accuracy: swapping the sums of a question would err in 20 %."""
    draws, found = np.random.default_rng(4), 0
    for _ in range(100):
        rows = []
        for i in range(40):
            n = 1 + draws.poisson(7)
            first = draws.binomial(n, 0.1)
            counts = [(int(draws.binomial(k, 0.6)), int(k)) if k else None for k in (first, n - first)]
            rows.append(row(i, asserted=counts[0], thought=counts[1]))
        found += sum(test.p < 0.05 for test in differences_in(rows, ASSERTED, THOUGHT) if test.between == "measures")
    assert found <= 10


@pytest.mark.parametrize("thought", [None, (0, 0)])
def test_without_the_other_class_nothing_is_compared(thought):
    rows = [row(i, asserted=(1, 1), thought=thought) for i in range(9)]
    assert [test for test in differences_in(rows, ASSERTED, THOUGHT) if test.between == "measures"] == []

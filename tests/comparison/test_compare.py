import json
import math
from itertools import combinations

import pytest
from scipy.stats import binomtest
from statsmodels.stats.multitest import multipletests

from hueval_metrics.comparison.compare import _leader as leader_of
from hueval_metrics.comparison.compare import compare_runs
from hueval_metrics.comparison.options import CompareOptions
from hueval_metrics.comparison.results import ALPHA, Pair
from hueval_metrics.runs.load import load_runs
from lm_eval_tasks.openhueval.family import FAMILY
from tests.comparison.conftest import FIB, QA, fib_rows, qa_rows, two_rows
from tests.each import each
from tests.helpers import changed


def only(found):
    (one,) = found
    return one


def test_a_difference_is_that_of_the_scores_over_the_same_items(make_run):
    runs = [make_run("A", qa_rows("1111100000")), make_run("B", qa_rows("1100000001"))]
    metric = only(compare_runs(runs).metrics)
    assert (metric.task, metric.metric, metric.n, metric.is_percent, metric.better) == (
        QA,
        "correct",
        10,
        True,
        "higher",
    )
    assert [score.value for score in metric.scores] == [50.0, 30.0]
    pair = only(metric.pairs)
    assert (pair.first, pair.second, pair.scores, pair.n) == ("A", "B", (50.0, 30.0), 10)
    assert pair.difference == pytest.approx(20.0)
    # Three items that only A has right, one that only B has.
    assert (pair.test, pair.p) == ("exact McNemar", pytest.approx(binomtest(3, 4).pvalue))
    low, high = pair.ci95
    assert low < 0 < 20 < high
    assert pair.leader is None


def test_items_are_paired_by_id_not_by_place(make_run):
    rows = qa_rows("1" * 12 + "0" * 8)
    pair = only(only(compare_runs([make_run("A", rows), make_run("B", rows[::-1])]).metrics).pairs)
    assert (pair.difference, pair.p) == (0.0, 1.0)


def test_a_clear_lead_has_a_leader(make_run):
    runs = [make_run("A", qa_rows("0" * 30)), make_run("B", qa_rows("1" * 30))]
    pair = only(only(compare_runs(runs).metrics).pairs)
    assert pair.leader == "B"
    assert pair.difference == -100.0
    assert pair.p == pytest.approx(2 * 0.5**30)


def test_errors_lead_where_they_are_fewer(make_run):
    runs = [make_run("A", qa_rows("0" * 30)), make_run("B", qa_rows("1" * 30))]
    metric = only(compare_runs(runs, CompareOptions(metrics=["incorrect"])).metrics)
    assert (metric.better, only(metric.pairs).leader, metric.scores[1].rank.rank) == ("lower", "B", 1)


def test_a_metric_from_0_to_1_has_no_points_and_no_margin(make_run):
    runs = [make_run("A", qa_rows("0" * 15 + "1" * 15)), make_run("B", qa_rows("1" * 30))]
    metric = only(compare_runs(runs, CompareOptions(metrics=["ece"], margin=2)).metrics)
    assert (metric.is_percent, metric.better) == (False, "lower")
    assert [score.value for score in metric.scores] == [0.0, 0.5]
    assert only(metric.pairs).not_worse == ()


def test_a_metric_without_a_better_end_has_no_ranks(make_run):
    runs = [make_run("A", two_rows("++++++++")), make_run("B", two_rows("11111111"))]
    metric = only(compare_runs(runs, CompareOptions(metrics=["position_bias"])).metrics)
    assert (metric.better, [score.rank for score in metric.scores]) == (None, [None, None])


def test_the_two_orders_of_a_proverb_are_one_question(make_run):
    runs = [make_run("A", two_rows("111+")), make_run("B", two_rows("10+0"))]
    metric = only(compare_runs(runs).metrics)
    assert metric.n == 4
    assert only(metric.pairs).scores == (75.0, 25.0)
    assert only(metric.pairs).p == pytest.approx(0.5)  # two discordant proverbs, not four answers


def test_n_is_of_the_items_that_count_in_the_metric(make_run):
    """Two of five answers state no confidence."""
    rows = [qa_rows("10110"), qa_rows("11111")]
    for some in rows:
        for row in some[:2]:
            del row["values"]["ece"]
    runs = [make_run(name, some) for name, some in zip("AB", rows, strict=True)]
    compared = {
        metric.metric: metric.n for metric in compare_runs(runs, CompareOptions(metrics=["correct", "ece"])).metrics
    }
    assert compared == {"correct": 5, "ece": 3}


def test_blanks_are_pooled_and_permuted_by_question(make_run):
    first, second = [(3, 3), (1, 4), (2, 2), (5, 5)], [(0, 3), (1, 4), (0, 2), (1, 5)]
    runs = [make_run("A", fib_rows(first)), make_run("B", fib_rows(second))]
    blanks, questions = compare_runs(runs).metrics
    assert (blanks.metric, questions.metric) == ("blank_acc", "question_acc")
    assert only(blanks.pairs).difference == pytest.approx(100 * (11 - 2) / 14)
    assert only(blanks.pairs).test == "paired permutation"
    assert only(blanks.pairs).p == 0.25  # three questions differ, all in one direction: 2 of 8 swaps are as extreme


def test_dimensions_are_compared_by_themselves(make_run):
    dimensions = "l" * 10 + "h" * 10
    runs = [make_run("A", qa_rows("1" * 20, dimensions)), make_run("B", qa_rows("1" * 10 + "0" * 10, dimensions))]
    comparison = compare_runs(runs)
    language, history = only(comparison.metrics).dimensions
    assert (language.dimension, language.n, language.scores, language.leader) == ("l", 10, (100.0, 100.0), None)
    assert (history.dimension, history.n, history.scores, history.leader) == ("h", 10, (100.0, 0.0), "A")
    assert (comparison.n_tests, comparison.n_dimension_tests) == (1, 2)
    assert history.p_holm == pytest.approx(2 * history.p)


def test_dimensions_can_be_left_aside_and_one_alone_is_no_news(make_run):
    rows = qa_rows("1100", "llhh")
    runs = [make_run("A", rows), make_run("B", rows)]
    assert only(compare_runs(runs, CompareOptions(dimensions=False)).metrics).dimensions == ()
    alone = [make_run("A", qa_rows("1100")), make_run("B", qa_rows("1010"))]
    assert only(compare_runs(alone).metrics).dimensions == ()


def many_runs(make_run):
    outcomes = ("1" * 40, "1" * 30 + "0" * 10, "10" * 20, "0" * 5 + "1" * 35)
    return [make_run(f"M{i}", qa_rows(text) + two_rows(text[::-1])) for i, text in enumerate(outcomes)]


def test_all_tests_are_corrected_together(make_run):
    comparison = compare_runs(many_runs(make_run), CompareOptions(all_pairs=True))
    pairs = [pair for metric in comparison.metrics for pair in metric.pairs]
    expected = multipletests([pair.p for pair in pairs], ALPHA, method="holm")[1]
    assert comparison.n_tests == len(pairs) == 12
    assert [pair.p_holm for pair in pairs] == pytest.approx(list(expected))


def test_each_is_compared_with_the_first_or_with_all(make_run):
    runs = many_runs(make_run)
    with_first, every = (
        [(pair.first, pair.second) for pair in compare_runs(runs, CompareOptions(all_pairs=all_pairs)).metrics[0].pairs]
        for all_pairs in (False, True)
    )
    assert with_first == [("M0", "M1"), ("M0", "M2"), ("M0", "M3")]
    assert every == list(combinations(["M0", "M1", "M2", "M3"], 2))


def test_who_leads_alone_may_not_lead_among_many(make_run):
    first, second = qa_rows("1" * 6 + "0" * 30), qa_rows("0" * 36)
    runs = [make_run("A", first), make_run("B", second)]
    assert only(only(compare_runs(runs).metrics).pairs).leader == "A"  # p = 0.03
    more = [make_run("C", second), make_run("D", second)]
    pairs = only(compare_runs([*runs, *more]).metrics).pairs
    assert [pair.leader for pair in pairs] == [None, None, None]  # p = 0.09 after Holm


def test_ranks_say_how_sure_they_are(make_run):
    metric = compare_runs(many_runs(make_run)).metrics[0]
    best, _, worst, second = (score.rank for score in metric.scores)
    assert (best.rank, second.rank, worst.rank) == (1, 2, 4)
    assert best.low == best.high == 1
    assert best.p_first > 0.95


@each("margin", [5, 20])
def test_a_margin_is_held_against_the_interval(make_run, margin):
    runs = [make_run("A", qa_rows("1" * 50 + "0" * 50)), make_run("B", qa_rows("1" * 52 + "0" * 48))]
    pair = only(only(compare_runs(runs, CompareOptions(margin=margin)).metrics).pairs)
    ours, theirs = pair.not_worse
    assert (ours.label, ours.other, theirs.label, theirs.other) == ("A", "B", "B", "A")
    assert (ours.at_worst, theirs.at_worst) == (pytest.approx(-pair.ci95[0]), pytest.approx(pair.ci95[1]))
    assert ours.is_shown == (ours.at_worst < margin)
    assert ours.is_shown == (margin == 20)


@each(
    ("score", "n", "is_taken_over"),
    [(50.0, 40, True), (50.0, 41, False), (50.1, 40, False), (None, 40, False)],
    ids=["same score, same items", "an item is left out", "another score", "no score"],
)
def test_a_run_has_the_interval_of_its_own_results(make_run, score, n, is_taken_over):
    """Resampled anew, it would move by a decimal with every other run beside it."""
    run = make_run("A", qa_rows("10" * 20))
    run = changed(run, scores={"correct": score}, intervals={"correct": (33.3, 66.6)}, n=n)
    first, second = only(compare_runs([run, make_run("B", qa_rows("1" * 40))]).metrics).scores
    assert (first.ci95 == (33.3, 66.6)) == is_taken_over
    assert first.ci95[0] < 50 < first.ci95[1]
    assert second.ci95 == pytest.approx((91.24, 100), abs=0.01)  # Wilson, of 40 of 40


def test_an_interval_that_ends_before_it_begins_is_made_anew(make_run):
    run = make_run("A", qa_rows("10" * 20))
    run = changed(run, scores={"correct": 50.0}, intervals={"correct": (66.6, 33.3)}, n=40)
    first, _ = only(compare_runs([run, make_run("B", qa_rows("1" * 40))]).metrics).scores
    assert first.ci95 == pytest.approx((35.2, 64.8), abs=0.01)  # Wilson, of 20 of 40


def test_effect_and_resolution_are_in_the_metrics_unit(make_run):
    runs = [make_run("A", qa_rows("1" * 75 + "0" * 25)), make_run("B", qa_rows("0" * 25 + "10" * 37 + "1"))]
    pair = only(only(compare_runs(runs).metrics).pairs)
    first, second = (share / 100 for share in pair.scores)
    assert pair.effect_name == "Cohen's h"
    assert pair.effect == pytest.approx(2 * math.asin(math.sqrt(first)) - 2 * math.asin(math.sqrt(second)))
    assert 5 < pair.resolvable < 30


def test_items_without_a_verdict_are_left_out_of_all_runs_and_counted(make_run):
    runs = [make_run("A", qa_rows("1?110")), make_run("B", qa_rows("10?10"))]
    comparison = compare_runs(runs)
    assert only(comparison.metrics).n == 3
    assert [score.value for score in only(comparison.metrics).scores] == [pytest.approx(200 / 3)] * 2
    assert comparison.notes[QA] == ("items left out of all runs, as they lack a verdict in some: 2 (1 of A, 1 of B)",)


def test_one_item_is_compared_without_a_claim(make_run):
    pair = only(only(compare_runs([make_run("A", qa_rows("1")), make_run("B", qa_rows("0"))]).metrics).pairs)
    assert (pair.difference, pair.p, pair.leader) == (100.0, 1.0, None)


def test_an_undefined_score_is_no_difference(make_run):
    rows = qa_rows("11")
    for row in rows:
        row["values"]["ece"] = None  # no answer told its confidence
    comparison = compare_runs([make_run("A", rows), make_run("B", qa_rows("10"))], CompareOptions(metrics=["ece"]))
    metric = only(comparison.metrics)
    assert metric.scores[0].value is None
    assert (only(metric.pairs).difference, only(metric.pairs).p_holm, comparison.n_tests) == (None, None, 0)


def test_all_metrics_but_those_of_a_dimension(scored_run):
    runs = load_runs([scored_run("humatchingfib", name="A"), scored_run("humatchingfib", name="B")])
    found = [metric.metric for metric in compare_runs(runs, CompareOptions(metrics=["all"])).metrics]
    rates = ["parse_rate", "blank_parse_rate", "truncated_rate"]
    assert found == ["blank_acc", "question_acc", *rates, "blank_acc_ref", "question_acc_ref"]


def test_a_live_run_is_as_good_as_a_scored_one(live_run, scored_run):
    runs = load_runs([live_run("humatchingfib", name="live"), scored_run("humatchingfib", name="scored")])
    comparison = compare_runs(runs)
    assert [score.value for score in comparison.metrics[0].scores] == [100.0, 100.0]
    assert "the packaged sample, not the benchmark" in comparison.notes[FIB]


def test_model_cards_make_groups(make_run):
    runs = [make_run("Deepseek-R1", qa_rows("1" * 8 + "00")), make_run("Deepseek-V3", qa_rows("1" * 4 + "0" * 6))]
    groups = only(compare_runs(runs, CompareOptions(models=FAMILY.published / "model_cards.yaml")).metrics).groups
    contrast = only(groups.reasoning)
    assert (contrast.first, contrast.second, contrast.difference) == (
        ("Deepseek-R1",),
        ("Deepseek-V3",),
        pytest.approx(40),
    )
    assert (contrast.relative_gain, groups.size, groups.openness, groups.trend) == (pytest.approx(100), (), None, None)


def test_the_same_runs_give_the_same_numbers(make_run):
    runs = many_runs(make_run)
    assert compare_runs(runs) == compare_runs(runs)


def test_results_are_plain_data(make_run):
    from dataclasses import asdict

    text = json.dumps(
        asdict(
            compare_runs(many_runs(make_run), CompareOptions(margin=2, models=FAMILY.published / "model_cards.yaml"))
        ),
        allow_nan=False,
    )
    assert json.loads(text)["labels"] == ["M0", "M1", "M2", "M3"]


@each(("ci95", "leader"), [((0.1, 5.0), "A"), ((-0.1, 5.0), None), ((0.0, 5.0), None), (None, "A")])
def test_nobody_leads_whose_interval_holds_0(ci95, leader):
    found = Pair("A", "B", None, 40, (50.0, 47.5), 2.5, ci95, p=0.01, p_holm=0.02)
    assert leader_of(found, "higher") == leader

"""Which test a metric gets, and what the differences say."""

from __future__ import annotations

import numpy as np
import pytest

from hueval_metrics.metrics.basic import PERCENT, POOLED
from hueval_metrics.metrics.confidence import ECE
from hueval_metrics.metrics.simple_qa import F_SCORE
from hueval_metrics.stats import paired
from hueval_metrics.stats.joint import MetricTerms, joint_scores, percentile_ci95
from hueval_metrics.stats.mcnemar import mcnemar_p, paired_difference_ci95
from hueval_metrics.stats.permutation import permutation_p
from lm_eval_tasks.openhueval.metrics.two_choice import PAIR_ACCURACY, POSITION_BIAS
from lm_eval_tasks.openhueval.metrics.wb_score import WB_SCORE
from tests.each import each

DRAW = np.random.default_rng(0)
RIGHT = (DRAW.random((3, 60)) < [[0.8], [0.5], [0.5]]).astype(float)
PAIRS = [(0, 1), (0, 2), (1, 2)]


def metric(aggregation, values, clusters=None) -> MetricTerms:
    """A metric's terms from the per-document values of several models."""
    of = aggregation
    return MetricTerms(np.stack([of.rows(own, clusters or range(len(own))) for own in values]), of)


def differences(metrics, pairs=((0, 1),)):
    models = next(iter(metrics.values())).terms.shape[0]
    return paired.paired_differences(metrics, joint_scores("abcdef"[:models], metrics), list(pairs))


def test_yes_or_no_gets_mcnemar_and_tango():
    found = differences({"correct": metric(PERCENT, RIGHT.tolist())}, PAIRS)["correct"]
    for (i, j), difference in zip(PAIRS, found, strict=True):
        counts = int((RIGHT[i] > RIGHT[j]).sum()), int((RIGHT[j] > RIGHT[i]).sum())
        assert difference.value == pytest.approx(100 * (RIGHT[i].mean() - RIGHT[j].mean()))
        assert difference.p == mcnemar_p(*counts)
        assert difference.ci95 == pytest.approx([100 * end for end in paired_difference_ci95(*counts, 60)])
        assert difference.test == "exact McNemar"
        assert (difference.n, difference.n_differing) == (60, sum(counts))
        deviation = 100 * (RIGHT[i] - RIGHT[j]).std(ddof=1) / np.sqrt(60)
        assert difference.standard_error == pytest.approx(deviation, rel=0.05)


def test_a_larger_family_gets_more_permutations():
    """All 40 questions lean one way: the smallest p there is, which must not stop at 1 in 10,001."""
    blank_acc = metric(POOLED, [[(5, 6)] * 40, [(2, 6)] * 40])
    scores = joint_scores("ab", {"blank_acc": blank_acc})
    (few,), (many,) = (
        paired.paired_differences({"blank_acc": blank_acc}, scores, [(0, 1)], permutations=n)["blank_acc"]
        for n in (10_000, 40_000)
    )
    assert (few.p, many.p) == (1 / 10_001, 1 / 40_001)


def test_one_model_without_a_score_leaves_the_other_pairs():
    values = [[(5, 6), (1, 4)] * 20, [None] * 40, [(2, 6), (1, 4)] * 20]
    found = differences({"blank_acc": metric(POOLED, values)}, PAIRS)["blank_acc"]
    assert [difference is None for difference in found] == [True, False, True]


def test_both_orders_of_a_proverb_are_one_yes_or_no():
    answers = [[1, 2, 1, 2, 1, 1], [1, 2, 2, 2, 1, 2]]  # three proverbs: ✓ ✓ ✗ and ✓ ✗ ✓
    values = [[(str(i // 2), 1 + i % 2, answer) for i, answer in enumerate(own)] for own in answers]
    clusters = [str(i // 2) for i in range(6)]
    (found,) = differences({"acc": metric(PAIR_ACCURACY, values, clusters)})["acc"]
    assert (found.test, found.n, found.n_differing, found.value) == ("exact McNemar", 3, 2, 0.0)


def test_dimension_is_compared_over_its_own_items():
    values = [[own if place < 25 else None for place, own in enumerate(row)] for row in RIGHT[:2].tolist()]
    (found,) = differences({"correct_l": metric(PERCENT, values)})["correct_l"]
    assert found.n == 25
    assert found.value == pytest.approx(100 * (RIGHT[0, :25].mean() - RIGHT[1, :25].mean()))


def blanks(n: int) -> list[list[tuple[int, int]]]:
    draw = np.random.default_rng(n)
    sizes = draw.integers(2, 12, n)
    return [[(int(draw.binomial(size, share)), int(size)) for size in sizes] for share in (0.6, 0.5, 0.5)]


@each("n", [8, 93])
def test_pooled_blanks_get_the_permutation_test_and_the_bootstrap(n):
    blank_acc = metric(POOLED, blanks(n))
    scores = joint_scores("abc", {"blank_acc": blank_acc})
    found = paired.paired_differences({"blank_acc": blank_acc}, scores, PAIRS)["blank_acc"]
    for (i, j), difference in zip(PAIRS, found, strict=True):
        draws = scores["blank_acc"].draws[:, i] - scores["blank_acc"].draws[:, j]
        assert difference.ci95 == pytest.approx(percentile_ci95(draws, n))
        assert difference.standard_error == pytest.approx(draws.std(ddof=1) * np.sqrt(n / (n - 1)))
        assert difference.p == permutation_p(blank_acc.terms[i], blank_acc.terms[j], blank_acc.metric.compute)
        assert difference.test == "paired permutation"


def test_several_metrics_at_once_give_what_each_gives_alone():
    """Of different width, with and without a permutation test."""
    confidences = np.random.default_rng(1).random((3, 60)).round(2)
    pairs = [
        list(zip(own, right, strict=True)) for own, right in zip(confidences.tolist(), RIGHT.tolist(), strict=True)
    ]
    metrics = {
        "blank_acc": metric(POOLED, blanks(60)),
        "correct": metric(PERCENT, RIGHT.tolist()),
        "ece": metric(ECE, pairs),
    }
    together = differences(metrics, PAIRS)
    for name, alone in metrics.items():
        for ours, theirs in zip(together[name], differences({name: alone}, PAIRS)[name], strict=True):
            assert ours.p == theirs.p
            assert ours.ci95 == pytest.approx(theirs.ci95)
            assert ours.test == ("exact McNemar" if name == "correct" else "paired permutation")


def test_answers_that_only_one_model_gives_are_no_pairs_of_yes_and_no():
    """Unreadable answers choose no option, so the two models' shares are of different questions."""
    values = [[(f"q{i}", 1, answer) for i, answer in enumerate(own)] for own in ([1, 1, 2, None], [2, 1, None, 2])]
    (found,) = differences({"bias": metric(POSITION_BIAS, values)})["bias"]
    assert found.value == pytest.approx(100 * (2 / 3 - 1 / 3))
    assert found.test == "paired permutation"


def test_f_scores_of_models_that_attempt_differently():
    terms = {"right": (2, 2), "wrong": (0, 2), "none": (0, 1)}
    values = [
        [terms[label] for label in labels] for labels in (["right"] * 6 + ["none"] * 6, ["right"] * 6 + ["wrong"] * 6)
    ]
    (found,) = differences({"f_score": metric(F_SCORE, values)})["f_score"]
    assert found.value == pytest.approx(100 * (12 / 18 - 12 / 24))
    assert found.test == "paired permutation"
    assert found.p == pytest.approx(2 / 64)


def test_wild_bench_points_are_those_of_the_scale():
    """Scores of 1 and 10 alone are yes or no; the interval is in points of the metric, 90 from one to the other."""
    values = [[10.0] * 7 + [1.0] * 3, [10.0] * 2 + [1.0] * 8]
    (found,) = differences({"wb_score": metric(WB_SCORE, values)})["wb_score"]
    assert found.value == pytest.approx(45)
    assert found.ci95 == pytest.approx([90 * end for end in paired_difference_ci95(5, 0, 10)])


def test_the_better_model_in_front_is_above_zero_and_the_other_way_round_mirrors():
    metrics = {"blank_acc": metric(POOLED, blanks(40))}
    ahead, behind = differences(metrics, [(0, 1), (1, 0)])["blank_acc"]
    assert ahead.value == -behind.value
    assert ahead.p == behind.p
    assert ahead.ci95 == pytest.approx((-behind.ci95[1], -behind.ci95[0]))


def test_all_right():
    (found,) = differences({"correct": metric(PERCENT, [[1.0] * 20] * 2)})["correct"]
    assert (found.value, found.p, found.n_differing, found.standard_error) == (0, 1, 0, 0)
    assert found.ci95 == pytest.approx((-16.11, 16.11), abs=0.01)


def test_none_right_against_all_right():
    (found,) = differences({"correct": metric(PERCENT, [[0.0] * 20, [1.0] * 20])})["correct"]
    assert (found.value, found.p) == (-100, pytest.approx(2 / 2**20))
    assert found.ci95[0] == -100


def test_one_item():
    (found,) = differences({"correct": metric(PERCENT, [[1.0], [0.0]])})["correct"]
    assert (found.value, found.p, found.n, found.standard_error) == (100, 1, 1, None)
    assert found.ci95 == pytest.approx((-58.69, 100), abs=0.01)


def test_one_question_with_blanks_shows_no_spread():
    (found,) = differences({"blank_acc": metric(POOLED, [[(4, 5)], [(1, 5)]])})["blank_acc"]
    assert (found.value, found.ci95, found.p) == (pytest.approx(60), None, 1)


def test_same_answers_with_blanks_show_no_spread():
    (found,) = differences({"blank_acc": metric(POOLED, [blanks(30)[0]] * 2)})["blank_acc"]
    assert (found.value, found.ci95, found.p, found.n_differing) == (0, None, 1, 0)


def test_ties():
    """Level, but on different items."""
    (found,) = differences({"correct": metric(PERCENT, [[1.0, 0.0] * 10, [0.0, 1.0] * 10])})["correct"]
    assert (found.value, found.p, found.n_differing) == (0, 1, 20)
    assert found.ci95[0] == pytest.approx(-found.ci95[1])


def test_a_metric_that_applies_to_nothing_has_no_difference():
    metrics = {"correct": metric(PERCENT, [[None] * 5, [1.0] * 5])}
    assert differences(metrics)["correct"] == [None]


def test_no_pair():
    assert differences({"correct": metric(PERCENT, RIGHT.tolist())}, [])["correct"] == []

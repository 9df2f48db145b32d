"""What a bench says of judges: literal numbers, other libraries as oracles, and biases that are put in."""

from __future__ import annotations

import random
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import cohen_kappa_score

from hueval_metrics.judges.bench.bench import FORMAT, Bench, BenchAnswer, BenchInfo, BenchJudge
from hueval_metrics.judges.bench.measure import measure, model_family
from hueval_metrics.judges.bench.reference import Reference
from hueval_metrics.stats.agreement import cohen_kappa, krippendorff_alpha, percent_agreement, weighted_kappa
from hueval_metrics.stats.model_cards import ModelCard

QA, WILD = "openhueval_husimpleqa", "openhueval_huwildbench"
C, W, N = "CORRECT", "INCORRECT", "NOT_ATTEMPTED"
DEFAULT = {"model": "other-7b", "weight": 1.0, "length": 10, "dimension": "l"}


def verdict(rating, **more):
    kind = {"label": rating} if isinstance(rating, str) else {"score": rating}
    return {**(kind if rating is not None else {"error": "unreadable: no label", "raw": "?"}), "rubric": "r/1"} | more


def bench_of(rows, task=QA, judge="toy-judge", **more) -> tuple[Bench, Reference]:
    """A bench with one judge.

    Args:
        rows: (reference, judge's rating, fields of the answer) of each.
    """
    answers, said, true = [], {}, {}
    for place, (reference, rating, fields) in enumerate(rows):
        name = f"a{place}"
        fields = DEFAULT | {"cluster": f"q{place}", "qid": f"q{place}"} | fields
        answers.append(BenchAnswer(id=name, text=name, task=task, **fields))
        said[name] = verdict(rating, judge=judge)
        if reference is not None:
            true[name] = reference
    info = BenchInfo(format=FORMAT, set="", models={}, answers=answers)
    return Bench(Path(), info, [BenchJudge(judge, Path(), False, said, **more)]), Reference("people", True, true)


def against(rows, task=QA, cards=None, **more):
    bench, reference = bench_of(rows, task, **more)
    (found,) = measure(bench, reference, cards)
    return found.judges[0].against


def test_four_cells_by_hand():
    """Weights 2, 1, 1, 4: right 2 + 4 of 8; of the reference's CORRECT 2 of 3, of its others 4 of 5."""
    found = against([(C, C, {"weight": 2}), (C, W, {}), (W, C, {}), (W, W, {"weight": 4})])
    assert found.agreement.value == pytest.approx(75)
    assert found.difference.value == pytest.approx(0)
    sensitivity, specificity = found.labels[C]
    assert (sensitivity.value, specificity.value) == (pytest.approx(100 * 2 / 3), pytest.approx(80))
    assert found.labels[N][0] is None
    # By chance 3/8 · 3/8 + 5/8 · 5/8 = 34/64 agree: 1 - (1/4) / (30/64)
    assert found.kappa.value == pytest.approx(1 - 0.25 / (30 / 64))
    # Of 8 ratings (weights scaled to 4 answers) 3 are CORRECT: 1 - (1/4) / ((64 - 9 - 25) / 56)
    assert found.alpha.value == pytest.approx(1 - 0.25 / (30 / 56))
    assert found.confusion.counts == [[1, 1, 0], [1, 1, 0], [0, 0, 0]]


def test_scores_by_hand():
    """8 against 9, 4 against 6, 2 against 2: one of three is more than a point off; on average 1 too high."""
    found = against([(8.0, 9.0, {}), (4.0, 6.0, {}), (2.0, 2.0, {})], WILD)
    assert found.agreement.value == pytest.approx(200 / 3)
    assert found.difference.value == pytest.approx(1)
    assert (found.labels, found.confusion) == ({}, None)


LABELS = st.lists(st.tuples(st.sampled_from([C, W, N]), st.sampled_from([C, W, N])), min_size=2, max_size=30)
SCORES = st.lists(st.tuples(*[st.integers(1, 10).map(float)] * 2), min_size=2, max_size=30)


def same(ours, theirs):
    assert (ours is None) == (theirs is None)
    assert ours is None or ours.value == pytest.approx(theirs.value, abs=1e-9)


@given(LABELS)
def test_without_weights_labels_are_measured_as_everywhere(pairs):
    found = against([(*pair, {}) for pair in pairs])
    same(found.agreement, percent_agreement(pairs))
    same(found.kappa, cohen_kappa(pairs))
    same(found.alpha, krippendorff_alpha(pairs))


@given(SCORES)
def test_without_weights_scores_are_measured_as_everywhere(pairs):
    found = against([(*pair, {}) for pair in pairs], WILD)
    same(found.kappa, weighted_kappa(pairs))
    same(found.alpha, krippendorff_alpha(pairs, "interval"))


def test_weighted_kappa_is_that_of_scikit_learn():
    draws = random.Random(0)
    rows = [(draws.choice([C, W, N]), draws.choice([C, W, N]), {"weight": draws.uniform(0.5, 5)}) for _ in range(200)]
    true, said, fields = zip(*rows, strict=True)
    expected = cohen_kappa_score(true, said, sample_weight=[field["weight"] for field in fields])
    assert against(rows).kappa.value == pytest.approx(expected)


def test_answers_to_one_question_widen_the_interval():
    draws = random.Random(1)
    rows = [(C, C if draws.random() < 0.7 else W, {}) for _ in range(100)]
    alone = against(rows)
    together = against([(*pair, {"cluster": f"q{place // 10}"}) for place, (*pair, _) in enumerate(sorted(rows))])
    assert alone.agreement.value == together.agreement.value

    def width(estimate):
        return estimate.ci95[1] - estimate.ci95[0]

    assert width(together.agreement) > 2 * width(alone.agreement)
    assert width(together.difference) > 2 * width(alone.difference)


def test_a_judge_that_takes_long_answers():
    """All answers are wrong; it calls the 20 longest of 60 right."""
    rows = [(W, C if place >= 40 else W, {"length": place}) for place in range(60)]
    found = against(rows)
    assert found.length.value == pytest.approx(100)
    assert found.length.n == 40
    found = against([(W, W if place % 2 else C, {"length": place}) for place in range(60)])
    assert found.length.value == pytest.approx(0)
    assert found.length.ci95[0] < 0 < found.length.ci95[1]


def test_a_judge_that_takes_answers_of_its_own_family():
    """2 points too many for its own family, 1 for the others."""
    rows = [(5.0, 7.0, {"model": "org/Toy-70b"})] * 10 + [(5.0, 6.0, {"model": "other"})] * 12
    rows = [(*pair, fields | {"length": place}) for place, (*pair, fields) in enumerate(rows)]
    found = against(rows, WILD)
    assert (found.family, found.own_family.value, found.own_family.n) == ("toy", pytest.approx(1), 22)
    assert against(rows[:9] + rows[10:], WILD).own_family is None  # 9 of its own are too few
    cards = {"toy-judge": ModelCard(reasoning=False, open=True, series="other")}
    cards["other"] = ModelCard(reasoning=False, open=True, series="other")
    assert against(rows, WILD, cards).own_family.value == pytest.approx(-1)


def mixed(true, said, n, **fields):
    """Answers that the reference and the judge rate so."""
    return [(true, said, fields)] * n


def test_groups_that_differ_in_quality_alone_show_no_bias():
    """A judge that is right 8 times in 10 on every answer; a third or two thirds of the answers are right.

    Not given the reference, the errors differ by 20 points, as wrong answers are taken and right ones are not.
    """
    few = mixed(C, C, 8) + mixed(C, W, 2) + mixed(W, W, 16) + mixed(W, C, 4)
    many = mixed(C, C, 16) + mixed(C, W, 4) + mixed(W, W, 8) + mixed(W, C, 2)
    rows = [(*pair, {"model": "toy-7b", "length": 90}) for *pair, _ in few]
    found = against(rows + [(*pair, {"model": "other", "length": 10}) for *pair, _ in many])
    assert found.own_family.value == found.length.value == pytest.approx(0)
    assert found.own_family.ci95[0] < 0 < found.own_family.ci95[1]


def test_scores_are_compared_at_the_same_score():
    """It scores halfway to 6, whoever answers; its own family answers worse."""
    own, others = [2.0] * 9 + [4.0] * 3, [2.0] * 3 + [4.0] * 9 + [10.0] * 5
    rows = [(true, (true + 6) / 2, {"model": "toy-7b"}) for true in own]
    found = against(rows + [(true, (true + 6) / 2, {"model": "other"}) for true in others], WILD)
    assert (found.own_family.value, found.own_family.n) == (pytest.approx(0), 24)  # nothing of its own has a 10


def test_the_gap_by_hand():
    """Of right answers it takes 6 of 8 of its own and 3 of 6 others, of wrong ones 2 of 4 and 3 of 12.

    Both gaps are 25 points. With twice the weight on the 3 others that it takes, 6 of 15 are 40 %, and the gap among
    wrong answers 10 points. Mantel-Haenszel: weights 8 · 6 / 14 and 4 · 15 / 19.
    """
    own = mixed(C, C, 6, model="toy-7b") + mixed(C, W, 2, model="toy-7b")
    own += mixed(W, C, 2, model="toy-7b") + mixed(W, W, 2, model="toy-7b")
    others = mixed(C, C, 3) + mixed(C, W, 3) + mixed(W, W, 9)
    assert against(own + others + mixed(W, C, 3)).own_family.value == pytest.approx(25)
    right, wrong = 8 * 6 / 14, 4 * 15 / 19
    expected = (25 * right + 10 * wrong) / (right + wrong)
    assert against(own + others + mixed(W, C, 3, weight=2)).own_family.value == pytest.approx(expected)


def test_groups_without_a_common_rating_are_not_compared():
    rows = mixed(W, C, 20, model="toy-7b") + mixed(C, C, 20)
    assert against(rows).own_family is None
    few = against(rows + mixed(W, C, 12)).own_family
    assert (few.value, few.n) == (pytest.approx(0), 32)


def test_full_agreement_is_as_sure_as_its_questions_are_many():
    """Ten answers to each of 30 questions count as 30: Wilson's lower end for 30 of 30 is 100 · 30 / (30 + 1.96²)."""
    rows = [(C, C, {"cluster": f"q{place % 30}"}) for place in range(300)]
    agreement = against(rows).agreement
    assert (agreement.value, agreement.n) == (100, 300)
    assert agreement.ci95 == (pytest.approx(100 * 30 / (30 + 1.959964**2)), pytest.approx(100))
    # Ten answers to one of them, and one to each of 29: (10 + 29)² / (10² + 29) = 11.8 of equal weight
    size = 39**2 / 129
    uneven = against([(C, C, {"cluster": f"q{max(place - 9, 0)}"}) for place in range(39)]).agreement
    assert uneven.ci95[0] == pytest.approx(100 * size / (size + 1.959964**2))


@pytest.mark.parametrize(
    ("name", "family"),
    [
        ("gpt-4o-2024-11-20", "gpt"),
        ("Qwen/Qwen2.5-72B-Instruct", "qwen"),
        ("gpt-4o*3", "gpt"),
        ("a+b", None),
        ("lexical", None),
        ("1.5b", None),
    ],
)
def test_families_by_name(name, family):
    assert model_family(name, {}) == family


def test_strata():
    found = against([(C, C, {"dimension": "l"}), (C, W, {"dimension": "h"}), (C, C, {"dimension": "h"})])
    assert {code: (a.value, d.value) for code, (a, d) in found.strata.items()} == {"h": (50, -50), "l": (100, 0)}


def test_unreadable_and_missing_verdicts():
    rows = [(C, C, {}), (C, None, {}), (C, W, {}), (C, None, {})]
    bench, reference = bench_of(rows)
    del bench.judges[0].verdicts["a3"]  # not asked
    (found,) = measure(bench, reference)
    (judge,) = found.judges
    assert (judge.n_asked, judge.n, judge.against.n) == (3, 2, 2)
    assert judge.unreadable.value == pytest.approx(100 / 3)


def test_attempts_count_only_where_the_honest_verdict_is_not_the_best():
    """On a0 it says CORRECT anyway; on a1 two of three are resisted, one of them by an unreadable reply."""
    attempts = [
        {"id": "a0", "attempt": "x", "verdict": verdict(C)},
        {"id": "a1", "attempt": "x", "verdict": verdict(C)},
        {"id": "a1", "attempt": "y", "verdict": verdict(W)},
        {"id": "a1", "attempt": "z", "verdict": verdict(None)},
        {"id": "a1", "attempt": "not asked", "verdict": {"error": "not asked: the budget"}},
    ]
    bench, _ = bench_of([(C, C, {}), (C, W, {})], attempts=attempts)
    (found,) = measure(bench, None)
    assert (found.judges[0].resists.value, found.judges[0].resists.n) == (pytest.approx(200 / 3), 3)


def test_cost_is_that_of_the_verdicts_that_were_paid():
    bench, _ = bench_of([(C, C, {})] * 3)
    said = bench.judges[0].verdicts
    said["a0"]["usage"] = {"calls": 1, "usd": 0.002, "seconds": 0.5}
    said["a1"]["usage"] = {"calls": 3, "usd": 0.004, "seconds": 1.5}
    (judge,) = measure(bench, None)[0].judges
    assert (judge.usd, judge.seconds, judge.n_paid) == (pytest.approx(3), pytest.approx(1000), 2)
    said["a1"]["usage"]["usd"] = None
    (judge,) = measure(bench, None)[0].judges
    assert (judge.usd, judge.seconds) == (None, pytest.approx(1000))


def test_agreement_with_itself_is_that_of_its_repeats():
    bench, _ = bench_of([(C, C, {})] * 2)
    votes = [[verdict(C), verdict(C), verdict(W)], [verdict(C)] * 3]
    said = {f"a{place}": verdict(C, votes=one) for place, one in enumerate(votes)}
    bench.judges.append(BenchJudge("toy-judge*3", Path(), False, said))
    once, thrice = measure(bench, None)[0].judges
    assert once.itself == thrice.itself
    assert once.itself.value == pytest.approx((100 / 3 + 100) / 2)


def test_no_reference_compares_the_judges():
    bench, _ = bench_of([(C, C, {}), (C, W, {})])
    bench.judges.append(BenchJudge("second", Path(), False, {name: verdict(C) for name in ("a0", "a1")}))
    (found,) = measure(bench, None)
    assert [judge.against for judge in found.judges] == [None, None]
    assert (found.reference, found.among.agreement.value) == (None, 50)


def test_intervals_cover():
    """100 benches of 120 answers to 40 questions, which share a part of their difficulty: 95 of 100 in the long run."""
    draws, share = np.random.default_rng(5), 0.8
    held = {"agreement": 0, "difference": 0}
    for _ in range(100):
        easy = np.repeat(draws.beta(share * 8, (1 - share) * 8, 40), 3)
        agrees, says = draws.random(120) < easy, draws.random(120) < 0.5
        rows = []
        for place in range(120):
            true, false = (C, W) if says[place] else (W, C)
            rows.append((true, true if agrees[place] else false, {"cluster": f"q{place // 3}"}))
        found = against(rows)
        held["agreement"] += found.agreement.ci95[0] <= 100 * share <= found.agreement.ci95[1]
        held["difference"] += found.difference.ci95[0] <= 0 <= found.difference.ci95[1]
    assert all(count >= 89 for count in held.values()), held  # below that once in 100, were it 95

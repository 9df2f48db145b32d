"""Agreement over the sample, and weighted back to the runs: against sklearn, and against runs whose truth is known."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.metrics import cohen_kappa_score
from statsmodels.stats.proportion import proportion_confint

from hueval_metrics.judges.people.agreement import run_agreement, sample_agreement, weights_of
from hueval_metrics.judges.people.sample import Stratum, draw, stratum_of
from hueval_metrics.runs.scales import scale_of
from tests.each import each
from tests.features.judges.people.verdicts import OE, QA, WILD, item

LABELS = scale_of(QA)
SCORES = scale_of(WILD)


def stratum(band: str, dimension: str = "h", task: str = QA) -> Stratum:
    return Stratum(task, "husimpleqa/1", "judge-1", band, dimension)


def evenly(pairs, scale):
    """The agreement over runs that the items make up in the same shares."""
    strata = [stratum(scale.band(judge)) for _, judge in pairs]
    return run_agreement(pairs, scale, strata, {one: 7 * strata.count(one) for one in strata})


def random_pairs(scale, n: int, seed: int):
    draws = np.random.default_rng(seed)
    values = list(scale.values)
    human = [values[i] for i in draws.integers(0, len(values), n)]
    return [(h, h if draws.random() < 0.6 else values[draws.integers(0, len(values))]) for h in human]


@each("n", [5, 30, 200])
@each("seed", range(5))
@each("scale", [LABELS, SCORES, scale_of(OE)], ids=["three labels", "scores", "two labels"])
def test_evenly_drawn_both_are_the_same_and_sklearns(scale, n, seed):
    pairs = random_pairs(scale, n, seed)
    sample, runs = sample_agreement(pairs, scale), evenly(pairs, scale)
    for name in ("agreement", "kappa", "difference"):
        assert getattr(runs, name).value == pytest.approx(getattr(sample, name).value)
    codes = [[scale.values.index(pair[side]) for pair in pairs] for side in (0, 1)]
    expected = cohen_kappa_score(
        *codes, weights=None if scale.is_label else "quadratic", labels=range(len(scale.values))
    )
    assert sample.kappa.value == pytest.approx(expected)


@each("seed", range(5))
def test_weights_count_items_as_often_as_they_weigh(seed):
    """Weighing an item threefold is having it three times."""
    pairs = random_pairs(LABELS, 60, seed)
    strata = [stratum(str(judge)) for _, judge in pairs]
    times = {"CORRECT": 3, "INCORRECT": 1, "NOT_ATTEMPTED": 2}
    population = {one: strata.count(one) * times[one.band] for one in strata}
    weighted = run_agreement(pairs, LABELS, strata, population)
    repeated = sample_agreement([pair for pair in pairs for _ in range(times[pair[1]])], LABELS)
    for name in ("agreement", "kappa", "difference"):
        assert getattr(weighted, name).value == pytest.approx(getattr(repeated, name).value)


def test_a_difference_above_zero_is_a_judge_that_flatters():
    assert sample_agreement([("NO", "YES"), ("NO", "NO")], scale_of(OE)).difference.value == 50.0
    assert sample_agreement([(6.0, 8.0), (7.0, 7.0)], SCORES).difference.value == 1.0
    assert evenly([(6.0, 8.0), (7.0, 7.0)], SCORES).difference.value == pytest.approx(1.0)


def test_scores_agree_that_are_a_point_apart_at_most():
    assert sample_agreement([(6.5, 7.0), (6.0, 7.0), (6.0, 7.5), (9.0, 1.0)], SCORES).agreement.value == 50.0


def test_weights_are_the_verdicts_that_an_item_stands_for():
    population = {stratum("CORRECT", "l"): 600, stratum("CORRECT", "h"): 300, stratum("INCORRECT", "l"): 8}
    strata = [stratum("CORRECT", "l"), stratum("CORRECT", "l"), stratum("CORRECT", "h"), stratum("INCORRECT", "l")]
    assert weights_of(strata, population).tolist() == [300, 300, 300, 8]


def test_a_dimension_that_nobody_rated_is_shared_out_within_its_band():
    population = {stratum("CORRECT", "l"): 600, stratum("CORRECT", "h"): 300, stratum("INCORRECT", "h"): 50}
    assert weights_of([stratum("CORRECT", "l"), stratum("INCORRECT", "h")], population).tolist() == [900, 50]


def test_full_agreement_has_an_interval_but_no_kappa_spread():
    runs = evenly([("CORRECT", "CORRECT")] * 10 + [("INCORRECT", "INCORRECT")] * 10, LABELS)
    assert runs.agreement.value == 100.0
    assert runs.agreement.ci95 == pytest.approx([100 * end for end in proportion_confint(20, 20, method="wilson")])
    assert (runs.kappa.value, runs.kappa.ci95) == (1.0, None)


@pytest.mark.parametrize("pairs", [[("CORRECT", "CORRECT")], [("CORRECT", "CORRECT")] * 30])
def test_one_label_throughout_leaves_kappa_undefined(pairs):
    assert evenly(pairs, LABELS).kappa is None


def test_one_item_has_no_spread():
    runs = evenly([(3.0, 5.0)], SCORES)
    assert (runs.difference.value, runs.difference.ci95) == (pytest.approx(2.0), None)
    assert runs.agreement.value == 0.0


def test_what_is_weighted_back_is_the_truth_of_the_runs_and_the_sample_is_not():
    """Scores, of which low ones are rare, and which the sample has far too many of: its kappa is too high."""
    draws = np.random.default_rng(0)
    scores = draws.choice(np.arange(1.0, 11.0), 2000, p=[0.01, 0.01, 0.02, 0.03, 0.05, 0.1, 0.25, 0.35, 0.15, 0.03])
    items = [item(f"q{i}", float(score), WILD, dimension="lhf"[i % 3]) for i, score in enumerate(scores)]
    human = {one.qid: float(np.clip(one.rating + draws.choice([-2, -1, 0, 1]), 1, 10)) for one in items}
    truth = sample_agreement([(human[one.qid], one.rating) for one in items], SCORES)
    found: dict[str, list[float]] = {"runs": [], "sample": []}
    for seed in range(20):
        sample = draw(items, 80, seed)
        drawn = list(sample.items.values())
        pairs = [(human[one.qid], one.rating) for one in drawn]
        weighted = run_agreement(pairs, SCORES, [stratum_of(one) for one in drawn], sample.population)
        found["runs"].append(weighted.kappa.value)
        found["sample"].append(sample_agreement(pairs, SCORES).kappa.value)
    assert np.mean(found["runs"]) == pytest.approx(truth.kappa.value, abs=0.02)
    assert np.mean(found["sample"]) > truth.kappa.value + 0.05

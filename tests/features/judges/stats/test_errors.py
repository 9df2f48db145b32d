"""The calibration error by the reference, bin by bin."""

from dataclasses import replace

import numpy as np
import pytest

from hueval_metrics.judges.stats.estimates import calibrated_estimates
from hueval_metrics.judges.stats.items import RatedItem, clusters_of
from hueval_metrics.judges.stats.tables import calibrated_tables
from hueval_metrics.metrics.confidence import ECE
from tests.each import each

LABELS = {"YES": {}, "NO": {}}


def answers(confidence, kinds, start):
    """Items with this confidence: (judge's outcome, reference's, None if it rated none) → how many."""
    found = []
    for (judge, reference), count in kinds.items():
        for _ in range(count):
            values = {"ece": (confidence, judge)}
            rated = ("YES" if reference else "NO", {"ece": (confidence, reference)}) if reference is not None else ()
            found.append(RatedItem(f"q{start + len(found):04}", "YES" if judge else "NO", values, *rated))
    return found


def table(*bins):
    items = [
        item for number, (confidence, kinds) in enumerate(bins) for item in answers(confidence, kinds, 1000 * number)
    ]
    clusters = clusters_of(items)
    return calibrated_tables({"ece": ECE}, items, clusters, labels=LABELS), items


def test_each_bin_is_corrected_by_itself():
    """Above 0.9 the judge takes 10 of 20 wrong ones for right; at 0.55 it is right always.

    Of the 100 answers at 0.9 it calls 80 right; 40 were rated, 30 right by the judge, 20 by the reference. The slope of
    outcomes is Cov 0.125 / Var 0.1875 = 2/3: 0.5 + 2/3 (0.8 - 0.75) = 0.5333 are right, and the gap is 0.3667. At 0.55
    half of 50 are right: a gap of 0.05.
    """
    sure = {(1, None): 50, (0, None): 10, (1, 1): 20, (1, 0): 10, (0, 0): 10}
    unsure = {(1, None): 15, (0, None): 15, (1, 1): 10, (0, 0): 10}
    tables, _ = table((0.9, sure), (0.55, unsure))
    found = calibrated_estimates({0: tables}, resamples=400)[0]["ece"]
    assert found.value == pytest.approx((100 * (0.9 - 0.5 - 0.1 / 3) + 50 * 0.05) / 150)
    assert (found.method, found.interval, found.n) == ("ppi++", "inversion", 60)
    assert found.low < found.value < found.high


@pytest.mark.parametrize(("rated", "note"), [(499, "few_answers"), (500, None)])
def test_with_few_rated_answers_its_interval_covers_too_little(rated, note):
    """As that of any calibration error of fewer than 500 answers; however many the judge rated."""
    tables, _ = table((0.9, {(1, 1): rated - 100, (0, 0): 100, (1, None): 200}))
    assert calibrated_estimates({0: tables}, resamples=200)[0]["ece"].note == note


def test_a_perfect_judge_changes_nothing():
    sure, unsure = (
        {(1, None): 50, (0, None): 10, (1, 1): 20, (0, 0): 20},
        {(1, None): 30, (0, None): 15, (0, 0): 10, (1, 1): 5},
    )
    tables, items = table((0.9, sure), (0.55, unsure))
    found = calibrated_estimates({0: tables}, resamples=200)[0]["ece"]
    assert found.value == pytest.approx(ECE([item.values["ece"] for item in items]))


def test_sparse_bins_are_moved_together():
    """Two bins with 2 rated answers of 4 each, one of them wrongly called right: too few for a slope of their own.

    Both are below 5 %, so they are moved as the mean of all rated answers is: (4 × 0.5) / 44 fewer right.
    """
    sure = {(1, None): 200, (0, None): 100, (1, 1): 20, (0, 0): 20}
    sparse = {(1, None): 2, (1, 1): 1, (1, 0): 1}
    tables, _ = table((0.95, sure), (0.35, sparse), (0.15, sparse))
    found = calibrated_estimates({0: tables}, resamples=200)[0]["ece"].value
    moved = 2 / 44
    assert found == pytest.approx(
        (340 * (0.95 - 220 / 340) + 4 * abs(0.35 - 1 + moved) + 4 * abs(0.15 - 1 + moved)) / 348
    )


@each("rated", [9, 10])
def test_a_large_bin_needs_ten_rated_answers(rated):
    tables, _ = table((0.95, {(1, None): 100, (1, 1): 40}), (0.55, {(0, None): 100, (0, 0): rated}))
    if rated < 10:
        text = "9 of the rated items are in a bin of confidence with 5 % of the answers or more, and 10 are the least"
        assert tables.refused == {"ece": text}
    else:
        assert np.isclose(
            calibrated_estimates({0: tables}, resamples=50)[0]["ece"].value, (140 * 0.05 + 110 * 0.55) / 250
        )


@each("rated", [9, 10])
def test_what_ratings_stand_for_does_not_make_them_more(rated):
    _, items = table((0.95, {(1, None): 100, (1, 1): 40}), (0.55, {(0, None): 100, (0, 0): rated}))
    heavy = [replace(item, weight=5.0) for item in items]
    found = calibrated_tables({"ece": ECE}, heavy, clusters_of(heavy), labels=LABELS)
    assert ("ece" in found.refused) is (rated < 10)


def test_a_run_that_is_itself_a_sample_is_weighted_as_its_ratings_are():
    """All are rated. 30 at 0.95 stand for 4 each, 2/3 right by the reference; 10 at 0.55 for 1 each, half right."""
    _, items = table((0.95, {(1, 1): 20, (1, 0): 10}), (0.55, {(0, 1): 5, (0, 0): 5}))
    weights = [4.0 if item.values["ece"][0] == 0.95 else 1.0 for item in items]
    drawn = [replace(item, weight=w, run_weight=w) for item, w in zip(items, weights, strict=True)]
    tables = calibrated_tables({"ece": ECE}, drawn, clusters_of(drawn), labels=LABELS)
    found = calibrated_estimates({0: tables}, resamples=50)[0]["ece"]
    assert found.value == pytest.approx((120 * (0.95 - 2 / 3) + 10 * 0.05) / 130)


def test_a_transported_calibration_gives_no_calibration_error():
    _, items = table((0.95, {(1, 1): 40, (0, 0): 40}))
    other = calibrated_tables({"ece": ECE}, items, clusters_of(items), labels=LABELS, pool=items)
    assert other.refused == {"ece": "it depends on more than the label, so it needs ratings of this run's own items"}

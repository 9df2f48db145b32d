"""From rated items to calibrated metrics with intervals."""

from dataclasses import replace

import numpy as np
import pytest

from hueval_metrics.judges.stats.estimates import calibrated_estimates
from hueval_metrics.judges.stats.items import RatedItem, clusters_of
from hueval_metrics.judges.stats.tables import calibrated_tables, confusion
from hueval_metrics.metrics.basic import N_ITEMS, PERCENT

METRICS = {"right": PERCENT, "wrong": PERCENT.but(better="lower"), "right_x": PERCENT.within("x"), "n": N_ITEMS}
LABELS = {"YES": {"right": 1, "wrong": 0, "right_x": 1}, "NO": {"right": 0, "wrong": 1, "right_x": 0}}


def item(number, judge, reference=None, weight=1.0, stratum=None):
    values = {name: None if name.endswith("_x") and stratum != "x" else value for name, value in LABELS[judge].items()}
    return RatedItem(f"q{number:04}", judge, values, reference, weight=weight, stratum=stratum)


def run(counts, rated, start=0, stratum=None):
    """Items by the judge's label, and by (reference, judge) for those that both rated."""
    pairs = [(judge, None) for judge, count in counts.items() for _ in range(count)]
    pairs += [(judge, reference) for (reference, judge), count in rated.items() for _ in range(count)]
    return [item(start + place, *pair, stratum=stratum) for place, pair in enumerate(pairs)]


OWN = run({"YES": 190, "NO": 110}, {("YES", "YES"): 50, ("YES", "NO"): 10, ("NO", "YES"): 20, ("NO", "NO"): 20})


def test_own_items_give_the_prediction_powered_share():
    """60 % of 100 by the reference, 70 % by the judge, 65 % of all 400: slope (0.5 - 0.42) / 0.21."""
    tables = calibrated_tables(METRICS, OWN, clusters_of(OWN), labels=LABELS)
    found = calibrated_estimates({"a": tables}, resamples=500)["a"]
    assert found["right"].value == pytest.approx(100 * (0.6 - 0.05 * (0.5 - 0.42) / 0.21))
    assert found["wrong"].value == pytest.approx(100 - found["right"].value)
    assert found["right"].low < found["right"].value < found["right"].high
    assert (found["right"].method, found["right"].n) == ("ppi++", 100)
    assert tables.refused == {"right_x": "the reference rated 0 of its items, and 30 are the least"}


def test_a_run_that_is_itself_a_sample_is_weighted_as_its_ratings_are():
    """All 60 are rated: 30 drawn of 240 that the judge accepts, and 30 of 60 others: (20 × 8 + 5 × 2) / 300."""
    ratings = [("YES", "YES")] * 20 + [("YES", "NO")] * 10 + [("NO", "YES")] * 5 + [("NO", "NO")] * 25
    drawn = [item(place, *pair) for place, pair in enumerate(ratings)]
    weights = [8.0 if one.judge == "YES" else 2.0 for one in drawn]
    items = [replace(one, weight=w, run_weight=w) for one, w in zip(drawn, weights, strict=True)]
    found = calibrated_estimates({"a": calibrated_tables(METRICS, items, clusters_of(items), labels=LABELS)})["a"]
    assert found["right"].value == pytest.approx(100 * 170 / 300)


def test_items_of_other_runs_give_the_inverted_matrix():
    """The judge says yes to 150 of 200; sensitivity 0.9, specificity 0.6 on the other run: (0.75 - 0.4) / 0.5."""
    items = run({"YES": 150, "NO": 50}, {})
    pool = run({}, {("YES", "YES"): 90, ("YES", "NO"): 10, ("NO", "YES"): 40, ("NO", "NO"): 60}, start=100)
    clusters = clusters_of(items, pool)
    assert len(clusters) == 300
    tables = calibrated_tables(METRICS, items, clusters, labels=LABELS, pool=pool)
    found = calibrated_estimates({"a": tables}, resamples=500)["a"]
    assert found["right"].value == pytest.approx(70)
    assert (found["right"].method, found["right"].n) == ("rogan-gladen", 200)


def test_a_label_that_occurs_nowhere_does_not_widen_the_interval():
    """A rubric's third label, such as "not attempted", that neither rater has given."""
    items = run({"YES": 150, "NO": 50}, {})
    pool = run({}, {("YES", "YES"): 90, ("YES", "NO"): 10, ("NO", "YES"): 40, ("NO", "NO"): 60}, start=100)
    widths = []
    for labels in (LABELS, LABELS | {"NONE": {"right": 0, "wrong": 0, "right_x": 0}}):
        tables = calibrated_tables(METRICS, items, clusters_of(items, pool), labels=labels, pool=pool)
        found = calibrated_estimates({"a": tables})["a"]["right"]
        assert found.value == pytest.approx(70)
        widths.append(found.high - found.low)
    assert 15 < widths[0] < 45
    assert widths[1] == pytest.approx(widths[0], rel=0.1)


def test_a_stratum_is_corrected_by_its_own_items_or_by_the_shared_matrix():
    """In x the judge says yes to half of the items without, and to 30 of 40 with a reference that agrees."""
    inside = run({"YES": 30, "NO": 30}, {("YES", "YES"): 30, ("NO", "NO"): 10}, stratum="x")
    items = OWN + [item(1000 + place, one.judge, one.reference, stratum="x") for place, one in enumerate(inside)]
    clusters = clusters_of(items)
    own = calibrated_tables(METRICS, items, clusters, labels=LABELS)
    assert own.n == {"right": 140, "wrong": 140, "right_x": 40}
    assert calibrated_estimates({0: own}, resamples=200)[0]["right_x"].value == pytest.approx(60)
    shared = calibrated_tables(METRICS, items, clusters, labels=LABELS, pool=OWN)
    joint = confusion(OWN, ["YES", "NO"])
    se, sp = joint[0, 0] / joint[0].sum(), joint[1, 1] / joint[1].sum()
    found = calibrated_estimates({0: shared}, resamples=200)[0]["right_x"].value
    assert found == pytest.approx(100 * (0.6 + sp - 1) / (se + sp - 1))


def test_weights_of_2_are_items_twice():
    twice = [item(place, one.judge, one.reference, weight=2.0) for place, one in enumerate(OWN)]
    assert confusion(twice, ["YES", "NO"]).tolist() == (2 * confusion(OWN, ["YES", "NO"])).tolist()
    plain, weighted = (calibrated_tables(METRICS, some, clusters_of(some), labels=LABELS) for some in (OWN, twice))
    for name, (metric, rows) in plain.tables.items():
        assert metric.of(rows.sum(axis=0)) == pytest.approx(metric.of(weighted.tables[name][1].sum(axis=0)))


@pytest.mark.parametrize(
    ("why", "rated", "refusal"),
    [
        ("too few", {("YES", "YES"): 20, ("NO", "NO"): 9}, "the reference rated 29 of its items, and 30 are the least"),
        (
            "a label without a reference",
            {("YES", "YES"): 30, ("YES", "NO"): 10},
            "the reference rated no item NO, so the judge's errors on such items are unknown",
        ),
        (
            "near singular",
            {("YES", "YES"): 30, ("YES", "NO"): 10, ("NO", "YES"): 20, ("NO", "NO"): 20},
            "the judge hardly recognises YES: sensitivity + specificity - 1 is 0.25, and 0.3 is the least",
        ),
    ],
)
def test_no_number_where_the_matrix_cannot_be_inverted(why, rated, refusal):
    items, pool = run({"YES": 100, "NO": 100}, {}), run({}, rated)
    tables = calibrated_tables(METRICS, items, clusters_of(items, pool), labels=LABELS, pool=pool)
    assert tables.tables == {}, why
    assert tables.refused["right"] == refusal
    assert calibrated_estimates({"a": tables}) == {"a": {}}


def test_a_value_that_items_of_one_label_do_not_share_is_not_a_share():
    odd = [RatedItem("q", "YES", {"right": 0.5}), *OWN]
    tables = calibrated_tables({"right": PERCENT}, odd, clusters_of(odd), labels=LABELS, pool=OWN)
    assert "right" in tables.refused


def test_ppi_is_refused_from_other_runs():
    with pytest.raises(ValueError, match="run itself"):
        calibrated_tables(METRICS, OWN, clusters_of(OWN), labels=LABELS, pool=OWN, method="ppi++")


def test_a_perfect_judge_keeps_the_score():
    items = run({"YES": 180, "NO": 120}, {("YES", "YES"): 60, ("NO", "NO"): 40})
    for method in ("ppi++", "rogan-gladen"):
        tables = calibrated_tables(METRICS, items, clusters_of(items), labels=LABELS, method=method)
        found = calibrated_estimates({"a": tables}, resamples=300)["a"]["right"]
        assert found.value == pytest.approx(60)
        assert found.low < 60 < found.high


def test_the_estimate_of_a_run_does_not_depend_on_the_other_runs():
    tables = calibrated_tables(METRICS, OWN, clusters_of(OWN), labels=LABELS)
    other = calibrated_tables(METRICS, OWN[::-1], clusters_of(OWN), labels=LABELS, method="rogan-gladen")
    alone = calibrated_estimates({"a": tables}, resamples=300)
    both = calibrated_estimates({"b": other, "a": tables}, resamples=300)
    assert np.isclose([alone["a"]["right"].low], [both["a"]["right"].low])

"""Expected calibration error and Brier score: literal cases, an independent implementation, the reference's numbers."""

from __future__ import annotations

import json
import random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hueval_metrics.metrics.confidence import BINS, BRIER, ECE, ece, settled
from hueval_metrics.records import Filtered
from lm_eval_tasks.openhueval.hooks_judged import husimpleqa
from tests.each import each
from tests.helpers import json_lines, load_cases, shared, why

PAIRS = st.lists(st.tuples(st.floats(0, 1), st.booleans()), min_size=1, max_size=60)
GRID = [(n, bins) for n in (1, 2, 7, 100, 1293) for bins in (1, 5, 10, 20, 100)]


def percent_pairs(n: int) -> list[tuple[float, bool]]:
    """Stated confidences in whole percents, of answers that are right slightly less often."""
    draw = random.Random(n)
    return [(p / 100, draw.randrange(120) < p) for p in (draw.randint(0, 100) for _ in range(n))]


def by_numpy(pairs: list[tuple[float, bool]], bins: int) -> float:
    """The definition as it is printed, in whole percents and with numpy's binning (last bin closed on both sides)."""
    confidence = np.array([round(100 * c) for c, _ in pairs])
    correct = np.array([hit for _, hit in pairs], dtype=float)
    edges = np.linspace(0, 100, bins + 1)
    sizes, _ = np.histogram(confidence, edges)
    confidences, _ = np.histogram(confidence, edges, weights=confidence / 100)
    hits, _ = np.histogram(confidence, edges, weights=correct)
    filled = sizes > 0
    gaps = np.abs(confidences[filled] / sizes[filled] - hits[filled] / sizes[filled])
    return float((sizes[filled] / len(pairs) * gaps).sum())


@pytest.mark.parametrize("case", load_cases("calibration"), ids=why)
def test_literal(case):
    assert ECE(case["pairs"]) == pytest.approx(case["ece"], abs=1e-12)
    assert BRIER(case["pairs"]) == pytest.approx(case["brier"], abs=1e-12)


@each(("n", "bins"), GRID)
def test_agrees_with_numpy(n, bins):
    pairs = percent_pairs(n)
    assert ece(bins)(pairs) == pytest.approx(by_numpy(pairs, bins), abs=1e-12)
    assert BRIER(pairs) == pytest.approx(np.mean([(c - hit) ** 2 for c, hit in pairs]), abs=1e-12)


@each("bins", [5, 10, 20])
@each("which", ["all_items", "attempted_only"])
def test_parity_with_the_reference_scorer(bins, which):
    folder = shared("parity", "kolassimpleqa")
    expected = json.loads((folder / "expected.json").read_text(encoding="utf-8"))["general"]["ece"]
    pairs = [
        (json.loads(row["prediction"])["confidence_score"] / 100, row["judge"] == "A")  # C, not attempted, is wrong
        for row in json_lines(folder / "general.jsonl")
        if which == "all_items" or row["judge"] != "C"
    ]
    value = ece(bins)(pairs)
    assert round(value, 6) == expected[f"{bins}_bins_left_closed"][which]


def test_ten_bins_unless_told_otherwise():
    pairs = percent_pairs(50)
    assert ECE(pairs) == ece(10)(pairs)
    assert BINS == 10


@given(PAIRS)
def test_from_0_to_1_and_in_any_order(pairs):
    for metric in (ECE, BRIER):
        value = metric(pairs)
        assert 0 <= value <= 1
        assert metric(pairs[::-1]) == value  # to the digit: ranks hand over their documents in any order


@given(PAIRS)
def test_one_bin_is_the_distance_of_the_means(pairs):
    gap = sum(c for c, _ in pairs) / len(pairs) - sum(hit for _, hit in pairs) / len(pairs)
    assert ece(1)(pairs) == pytest.approx(abs(gap), abs=1e-9)


@pytest.mark.parametrize("confidence", [-0.01, 1.01, 95, float("nan")])
def test_a_confidence_in_percent_is_refused(confidence):
    for metric in (ECE, BRIER):
        with pytest.raises(ValueError, match="not from 0 to 1"):
            metric([(confidence, True)])


def test_no_bins():
    with pytest.raises(ValueError, match="at least one"):
        ece(0)


RUNS = [
    ("fractions: certainty", [(0.9, "fraction"), (0.8, "fraction"), (0.01, "one")], 1.0),
    ("percentages: one per cent", [(0.9, None), (0.8, None), (0.01, "one")], 0.01),
    ("nothing else is stated: as asked, out of a hundred", [(0.01, "one"), (0.0, None)], 0.01),
    ("one stray percentage among fractions", [(0.9, "fraction"), (0.8, "fraction"), (0.95, None), (0.01, "one")], 1.0),
    ("as many of either", [(0.9, "fraction"), (0.95, None), (0.01, "one")], 0.01),
]


@each(("stated", "means"), [run[1:] for run in RUNS], ids=[run[0] for run in RUNS])
def test_what_a_whole_one_means_is_decided_by_the_run(stated, means):
    pairs = [(confidence, 1.0, *filter(None, [how])) for confidence, how in stated]
    plain = [(means if how == "one" else confidence, 1.0) for confidence, how in stated]
    assert settled([*pairs, None]) == [*plain, None]
    assert ECE(pairs) == pytest.approx(ECE(plain))
    assert BRIER(pairs) == pytest.approx(BRIER(plain))
    for aggregate in (ECE, BRIER):  # intervals and comparisons see the same
        found = aggregate
        rows = found.rows([*pairs, None], range(len(pairs) + 1))
        assert found.compute(rows.sum(axis=0)) == pytest.approx(aggregate(plain))


def test_a_confident_model_that_states_fractions_is_well_calibrated():
    """From a real run: whole ones among fractions were read as one per cent."""
    answers = [json.dumps({"answer": "Tisza", "confidence_score": c}) for c in (1, 1, 1, 0.98, 0.99)]
    verdict = {"label": "CORRECT"}
    rows = [Filtered(answer, verdict=verdict).to_json() for answer in answers]
    values = [husimpleqa({"qid": "q", "hu_specific_dim": "history"}, [row]) for row in rows]
    assert ECE([v["ece"] for v in values]) == pytest.approx(0.006)

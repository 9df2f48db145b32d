"""The settings of a calibration error: bins, their closed side, and which answers count; in a signature and back."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hueval_metrics.errors import InputError
from hueval_metrics.metrics.basic import PERCENT
from hueval_metrics.metrics.confidence import BRIER, ECE, USUAL, ConfidenceSettings, bin_of, ece
from tests.each import each
from tests.helpers import json_lines, shared

SETTINGS = st.builds(ConfidenceSettings, st.integers(1, 1000), st.sampled_from(["left", "right"]), st.booleans())
EDGES = [  # confidence, bins, place closed on the left, on the right
    (0.0, 10, 0, 0),
    (0.1, 10, 1, 0),
    (0.3, 10, 3, 2),  # 0.3 × 10 is 3.0, and 3 × 0.1 is 0.30000000000000004
    (0.7, 10, 7, 6),  # 0.7 × 10 is 7.000000000000001 in some orders of computing
    (0.29, 100, 29, 28),  # 0.29 × 100 is 28.999999999999996
    (0.07, 100, 7, 6),  # 0.07 × 100 is 7.000000000000001
    (0.35, 20, 7, 6),
    (0.31, 10, 3, 3),
    (1.0, 10, 9, 9),
    (0.5, 1, 0, 0),
]


@each(("confidence", "bins", "left", "right"), EDGES)
def test_the_bin_of_an_edge(confidence, bins, left, right):
    assert (bin_of(confidence, bins, "left"), bin_of(confidence, bins, "right")) == (left, right)


@given(st.integers(0, 100), st.sampled_from([5, 10, 20, 50, 100]))
def test_whole_percents_are_in_the_bin_that_whole_numbers_give(percent, bins):
    wide = 100 // bins
    assert bin_of(percent / 100, bins, "left") == min(percent // wide, bins - 1)
    assert bin_of(percent / 100, bins, "right") == max(-(-percent // wide) - 1, 0)


@each("edges", ["left", "right"])
@each("bins", [5, 10, 20])
@each("which", ["all_items", "attempted_only"])
def test_parity_with_the_reference_scorer(bins, edges, which):
    folder = shared("parity", "kolassimpleqa")
    expected = json.loads((folder / "expected.json").read_text(encoding="utf-8"))["general"]["ece"]
    settings = ConfidenceSettings(bins, edges, attempted=which == "attempted_only")
    metrics = settings.metrics({"ece": ECE, "not_attempted": PERCENT})
    values = [
        settings.values(
            metrics,
            {
                "ece": (json.loads(row["prediction"])["confidence_score"] / 100, row["judge"] == "A"),
                "not_attempted": float(row["judge"] == "C"),
            },
        )
        for row in json_lines(folder / "general.jsonl")
    ]
    found = metrics["ece"]([value["ece"] for value in values])
    assert round(found, 6) == expected[f"{bins}_bins_{edges}_closed"][which]


def test_the_closed_side_changes_the_error():
    pairs = [(0.1, True), (0.05, False)]  # in two bins, or in one
    assert ece(10, "left")(pairs) == pytest.approx(0.475)
    assert ece(10, "right")(pairs) == pytest.approx(0.425)


@given(SETTINGS, st.sampled_from(["", "task:t|q:hu", "task:t|gen:?|judge:gpt-4o|rubric:r/1"]))
def test_a_signature_tells_the_settings(settings, signature):
    assert ConfidenceSettings.of(settings.signed("t", signature) or "") == settings


def test_the_usual_settings_leave_a_signature_as_it_is():
    assert USUAL.signed("t", "task:t|judge:j|rubric:r") == "task:t|judge:j|rubric:r"
    assert USUAL.signed("t", None) is None


def test_other_settings_stand_before_the_judge():
    signed = ConfidenceSettings(15, "right", attempted=True).signed("t", "task:t|judge:j|rubric:r")
    assert signed == "task:t|ece:15,right,attempted|judge:j|rubric:r"


@pytest.mark.parametrize("part", ["", "x", "0,left", "10,up", "9999,left", "10"])
def test_an_unreadable_part_counts_as_the_usual_settings(part):
    assert ConfidenceSettings.of(f"task:t|ece:{part}") == USUAL


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({"bins": 0}, "ECE bins: expected a whole number from 1; found 0"),
        ({"bins": 1001}, "ECE bins: expected at most 1000; found 1001"),
        ({"bins": 2.5}, "found 2.5"),
        ({"bins": True}, "found True"),
        ({"edges": "up"}, "ECE edges: expected left or right; found 'up'"),
        ({"attempted": 1}, "ECE attempted: expected True or False; found 1"),
    ],
)
def test_a_value_that_is_not_on_offer(settings, said):
    with pytest.raises(InputError) as error:
        ConfidenceSettings(**settings)
    assert said in str(error.value)


def test_only_calibration_errors_change():
    settings = ConfidenceSettings(20, "right", attempted=True)
    metrics = {"ece": ECE, "brier": BRIER, "ece_x": ECE.within("x"), "not_attempted": PERCENT}
    found = settings.metrics(metrics)
    assert found["brier"] is BRIER
    assert (found["ece"].width, found["ece_x"].width, found["ece_x"].stratum) == (40, 40, "x")
    values = {"ece": (0.5, 0.0), "brier": (0.5, 0.0), "ece_x": None, "not_attempted": 1.0}
    assert settings.values(found, values) == values | {"ece": None}
    assert settings.values(found, values | {"not_attempted": 0.0})["ece"] == (0.5, 0.0)
    assert USUAL.values(found, values) is values

from __future__ import annotations

import json

import pytest

from hueval_metrics.traces.measures import Cell
from hueval_metrics.traces.numbers import Numbers
from hueval_metrics.traces.segments.classes import CATEGORIES, DIMENSIONS, category_of, class_of
from hueval_metrics.traces.segments.measures import MEASURES
from tests.helpers import json_lines, shared

TASK = "openhueval_humatchingfib"


def row_of(number: int, line: dict) -> dict:
    """A segmented reply of the public tool's format, as a row of traces.jsonl."""
    segments = [
        {
            "start": place,
            "end": place + 1,
            "category": category_of(one["category"]),
            "name": one["category"],
            "dimensions": [class_of(place, one[f"Dimension{place + 1}"]) for place in range(4)]
            if one["category"] == "Reasoning"
            else None,
        }
        for place, one in enumerate(line["segment_dim"]["segments"])
    ]
    return {
        **{"run": "fib_a", "task": TASK, "key": [number], "cluster": str(number), "verdict": None, "share": None},
        **{"weight": 1.0, "truncated": False, "blocks": [], "tokens": 100, "tokens_ref": 110},
        "segments": {"segmenter": "r1", "blanks": len(line["std_ans"]), "segments": segments},
    }


@pytest.fixture(scope="module")
def numbers():
    gathered = Numbers(MEASURES, resamples=20, permutations=20)
    for number, line in enumerate(json_lines(shared("parity", "reasoning", "fib_a.jsonl"))):
        gathered.add(row_of(number, line))
    return {one.measure: one for one in gathered.numbers() if one.cell == Cell("fib_a", TASK)}


@pytest.fixture(scope="module")
def expected():
    return json.loads(shared("parity", "reasoning", "expected.json").read_text(encoding="utf-8"))["fib_a"]


def slug(name: str) -> str:
    return name.lower().replace(" ", "_").replace("contain_language", "contains_language")


def total(number) -> float:
    return number.value * number.denominator


def count(number) -> int:
    """How many segments a share is of."""
    found = number.value * number.denominator / 100
    assert found == pytest.approx(round(found))
    return round(found)


def test_averages_are_those_of_the_public_tool(numbers, expected):
    statistics = expected["reference"]["statistics"]
    assert total(numbers["reasoning_segments"]) == statistics["Total Reasoning Segments"]
    assert numbers["blanks"].n == statistics["Total Lines"]
    assert round(numbers["blanks"].value, 2) == statistics["Average Blanks per Question"]
    for category in CATEGORIES:
        measure = f"{slug(category)}_segments" + ("_ref" if category == "Conclusion" else "")
        assert round(numbers[measure].value, 2) == statistics[f"Average {category} Segments per Line"]
    assert numbers["conclusion_segments"].value == 1.0  # the public tool does not count the Summary of the third line


def test_every_count_of_the_four_dimensions_is_that_of_the_public_tool(numbers, expected):
    seen = 0
    for name, counts in expected["reference"]["dimension_analysis"].items():
        dimension, _, crossed = name.partition("_")
        if crossed:
            wanted = crossed.replace("_", " ").replace("Contain ", "Contains ")
            other = next(place for place, names in enumerate(DIMENSIONS) if wanted in names)
            tail = f"_x_dimension{other + 1}_{slug(wanted)}"
            classes, measures = DIMENSIONS[0], [f"dimension1_{slug(one)}{tail}" for one in DIMENSIONS[0]]
        else:
            classes = DIMENSIONS[int(dimension[-1]) - 1]
            alone = {1: [slug(one) for one in classes], 3: ["eti", ""]}
            place = int(dimension[-1]) - 1
            measures = alone.get(place, [f"{dimension.lower()}_{slug(one)}" for one in classes])
        found = {one: count(numbers[name]) for one, name in zip(classes, measures, strict=True) if name}
        if not measures[-1]:
            found[classes[1]] = round(numbers["eti"].denominator) - found[classes[0]]
        assert {one: n for one, n in found.items() if n} == counts
        seen += 1
    assert seen == 11


def test_every_share_is_the_derived_one(numbers, expected):
    derived = expected["derived"]
    shares = {
        "simple_assertion_share": "simple_assertion",
        "complex_thought_share": "complex_thought",
        "correct_simple_assertion_share": "correct_simple_assertion",
        "correct_complex_thought_share": "correct_complex_thought",
        "correct_simple_assertion_share_of_concluded": "correct_simple_assertion_of_concluded",
        "correct_complex_thought_share_of_concluded": "correct_complex_thought_of_concluded",
        "language_transfer_share": "eti",
        "language_transfer_share_of_all_segments": "eti",
    }
    assert {name: round(numbers[ours].value, 2) for name, ours in shares.items()} == {
        name: derived[name] for name in shares
    }
    counts = {
        "simple_assertion": "simple_assertion",
        "complex_thought": "complex_thought",
        "correct_simple_assertion": "correct_simple_assertion",
        "correct_complex_thought": "correct_complex_thought",
        "language_transfer": "eti",
    }
    assert {name: count(numbers[ours]) for name, ours in counts.items()} == {name: derived[name] for name in counts}
    assert total(numbers["reasoning_segments"]) == derived["reasoning_segments"]
    assert set(derived) == {*shares, *counts, "reasoning_segments"}


REASONING = ["Non Conclusion", "Complex Thought", "Only Current Blank", "No Language Transfer"]


def measured(segments: list) -> dict:
    row = {"segments": {"segments": [{"category": c, "dimensions": d} for c, d in segments], "blanks": 2}}
    return {measure.name: measure.of(row) for measure in MEASURES}


def test_open_segments_are_in_the_class_and_not_among_the_concluded():
    found = measured([("Reasoning", REASONING), ("Reasoning", ["Completely Correct", *REASONING[1:]])])
    assert found["complex_thought"] == (2, 2)
    assert found["correct_complex_thought"] == (1, 2)
    assert found["correct_complex_thought_of_concluded"] == (1, 1)
    assert found["non_conclusion_complex_thought"] == (1, 2)
    assert found["correct_simple_assertion"] is None
    assert found["eti"] == (0, 2)


def test_classes_of_other_segments_do_not_count():
    found = measured([("Review", REASONING), ("Conclusion", None)])
    assert found["review_segments"] == (1, 1)
    assert found["complex_thought"] is found["eti"] is None


def test_conclusions_of_the_public_tool_are_those_that_the_judge_called_so():
    conclusion = next(measure for measure in MEASURES if measure.name == "conclusion_segments_ref")
    named = [{"category": "Conclusion", "name": name} for name in ("Conclusion", "Summary", "Final_answer")]
    unnamed = {"category": "Conclusion"}  # as our own segmenters write it
    assert conclusion.of({"segments": {"segments": [*named, unnamed, {"category": "Review"}]}}) == (2, 1)
    assert conclusion.of({"segments": {"segments": [{"category": "Review"}]}}) == (0, 1)


def test_segments_without_classes_count_by_their_kind_only():
    found = measured([("Reasoning", None), ("Reasoning", None)])
    assert found["reasoning_segments"] == (2, 1)
    assert found["simple_assertion"] is None


@pytest.mark.parametrize("row", [{}, {"segments": None}, {"segments": {"left_out": "too long"}}])
def test_a_reply_that_was_not_divided_is_in_no_figure(row):
    assert {measure.of(row) for measure in MEASURES} == {None}


def test_names_are_unique_and_cross_tables_add_up():
    names = [measure.name for measure in MEASURES]
    assert len(names) == len(set(names))
    found = measured([("Reasoning", REASONING)] * 3)
    crossed = [found[name] for name in names if name.startswith("dimension2") and "_x_dimension4" in name]
    assert len(crossed) == 4 and sum(over for over, _ in crossed) == 3

"""The readings of fill-in replies: one span for each asked blank, how many blanks were read, and no look at gold."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lm_eval_tasks.openhueval.hooks import blanks_read, matching_reading, standard_reading

MATCHING = {
    "question": "A #0# alkalmazkodnia kell. A #1# változik. Végül a #2# is.",
    "options": ["A.környezet", "B.tűrőképesség", "C.populáció", "F.populációnak"],
    "answer": ["#0#F", "#1#A", "#2#C"],
}
STANDARD = {"questions": ["A. A főváros: #0#", "B. A folyó: #1#"], "answers": ["#0#Budapest", "#1#Duna"]}


@pytest.mark.parametrize(
    ("response", "spans", "read"),
    [
        ('{"answer": ["#0#F", "#1#A", "#2#?"]}', ["F", "A", None], 2),
        ("Íme:\n#2#: **C**\n#0# → populációnak", ["populációnak", None, "C"], 2),
        ("A populációnak alkalmazkodnia kell. A **környezet** változik.", ["populációnak", "környezet", None], 2),
        ("Az 1. helyre: F\nA 2. helyre: B. tűrőképesség\nA 3. helyre: C", ["F", "B. tűrőképesség", "C"], 3),
        ("<think>A</think>", [], 0),
    ],
)
def test_spans_of_options(response, spans, read):
    reading = matching_reading(MATCHING, response)
    assert [span and response[span.start : span.end] for span in reading.spans] == spans
    assert blanks_read(MATCHING, reading) == (read, 3)


@pytest.mark.parametrize(
    ("response", "kind"),
    [
        ("", "nothing"),
        ("Nem tudom.", "nothing"),
        ('{"answer": ["#0#Z", "#1#nem A", "#2#F vagy C"]}', "unreadable"),
        ('{"answer": ["#0#F", "#1#A", "#2#C"]}\nvagy\n{"answer": ["#0#A", "#1#F", "#2#B"]}', "several"),
        ('{"answer": ["#0#F", "#1#nem A", "#2#?"]}', "answered"),
    ],
)
def test_kinds(response, kind):
    assert matching_reading(MATCHING, response).kind == kind


def test_spans_of_words():
    response = '{"answers": ["#0#Gy\\u0151r", "#1#Duna (folyó)"]}'
    reading = standard_reading(STANDARD, response)
    assert [response[span.start : span.end] for span in reading.spans] == ["#0#Gy\\u0151r", "Duna (folyó)"]
    assert blanks_read(STANDARD, reading) == (2, 2)


def test_gold_is_not_looked_at():
    response = "#0#: F\n#1#: A\n#2#: C"
    blind = {key: value for key, value in MATCHING.items() if key != "answer"}
    assert matching_reading(blind, response) == matching_reading(MATCHING, response)


@given(
    st.lists(st.sampled_from("ABCF"), min_size=3, max_size=3),
    st.sampled_from(["\n", "\n\n", ", "]),
    st.text("é ẞ𝐀\u0301", max_size=9),
)
def test_spans_hold_what_was_read(letters, joint, before):
    response = before + "\n" + joint.join(f"#{n}#: {letter}" for n, letter in enumerate(letters))
    spans = matching_reading(MATCHING, response).spans
    assert [response[span.start : span.end] if span else None for span in spans] == letters
    as_json = before + json.dumps({"answer": [f"#{n}#{letter}" for n, letter in enumerate(letters)]})
    assert [
        as_json[span.start : span.end] if span else None for span in matching_reading(MATCHING, as_json).spans
    ] == letters

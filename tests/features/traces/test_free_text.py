"""The features of a trace and their measures: one trace by hand, and texts that no model should write."""

from __future__ import annotations

import sys
from types import SimpleNamespace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hueval_metrics.traces.free.text import MEASURES, features
from tests.each import each

TRACE = """Okay, let's look at the question about the town. The word "hazugság" translates to "lie".

Most nézzük meg magyarul is a kérdést. Talán Szeged, de nem vagyok biztos benne.
Wait, I think that this is not right. Nem tudom.
So the answer should be "Szeged" for the first blank."""
FEATURES = {
    "language": "en",
    "sentences": {"en": 4, "hu": 2, "none": 1},
    "switches": 2,  # en en | hu hu | en (none) en
    "translations": 1,
    "hedges": 3,  # talán, nem vagyok biztos benne, I think
    "corrections": 1,  # Wait,
    "repetition": 0.0,
    "looping": False,
}
SIZE = 20_000
# What a runaway generation, or somebody who wants to stop the analysis, repeats.
UNITS = {
    "prose": 'Várj, ez nem jó. Wait, the "X" is pl. II. Béla! ',
    "words": "nem ez az ",
    "letters": "a",
    "marks": "\u0301\u0316",
    "full stops": ".",
    "full stops and spaces": ". ",
    "Hungarian quotation marks": "„",
    "quotation marks": '"',
    "apostrophes": " '",
    "backticks": "`",
    "fences": "```\n",
    "tags": "<a",
    "line breaks": "\n",
    "hyphens": "a-",
    "initials": "A. ",
    "ideographs": "匈",
}
HOSTILE = {name: unit * SIZE for name, unit in UNITS.items()} | {
    "nothing": "",
    "white space": " \n\t" * 100,
    "null bytes": "\0" * SIZE,
    "half surrogates": "\ud83d Ez nem az, hanem egy másik. \udc00",
    "right to left": "‏בודפשט היא עיר הבירה של הונגריה והעיר הגדולה בה.‎",
    "blanks after a stop": "a." + " " * SIZE,
    "letter and marks": "a" + "\u0301\u0316" * SIZE,
}


def featured(trace):
    return features(SimpleNamespace(trace=trace))


def test_one_trace_by_hand():
    assert featured(TRACE) == FEATURES


@each("text", HOSTILE.values(), ids=HOSTILE)
def test_hostile_texts(text):
    found = featured(text)
    assert found.keys() == FEATURES.keys()
    assert found["repetition"] is None or 0 <= found["repetition"] <= 1


@given(st.text())
def test_any_text(text):
    assert featured(text).keys() == FEATURES.keys()


def calls(trace):
    """How many functions are called for the features of a trace."""
    number = 0

    def count(frame, event, argument):
        nonlocal number
        number += event in ("call", "c_call")

    sys.setprofile(count)
    try:
        featured(trace)
    finally:
        sys.setprofile(None)
    return number


@each("unit", [*UNITS.values()], ids=UNITS)
def test_work_grows_as_the_text(unit):
    featured(unit)  # what is loaded and compiled once
    assert calls(unit * 1000) <= 11 * calls(unit * 100)


ROW = {"tokens": 200, "free": FEATURES, "blocks": [[0, 400]]}
EMPTY = {"tokens": 0, "free": featured(""), "blocks": []}


@pytest.mark.parametrize(
    ("name", "of_row", "of_empty"),
    [
        ("hungarian_sentences", (2, 6), None),
        ("english_sentences", (4, 6), None),
        ("switches", (2, 200), None),
        ("translations", (1, 200), None),
        ("hedges", (3, 200), None),
        ("corrections", (1, 200), None),
        ("repetition", (0, 1), None),
    ],
)
def test_measures(name, of_row, of_empty):
    (measure,) = [measure for measure in MEASURES if measure.name == name]
    assert (measure.of(ROW), measure.of(EMPTY)) == (of_row, of_empty)

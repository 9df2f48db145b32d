"""What a text says of the candidates that it names, and which one remains."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hueval_metrics.answers.decide import alternatives, decided, is_called_wrong, settled, statuses
from hueval_metrics.answers.names import folded, options_named
from tests.helpers import load_cases, why

LANGUAGES = ("hu", "zh")
OPTIONS = ("", "")


def named(text):
    return options_named(text, OPTIONS, LANGUAGES)


@pytest.mark.parametrize("case", load_cases("decisions"), ids=why)
def test_what_is_said_of_each_name_and_what_remains(case):
    mentions = named(case["text"])
    found = decided(case["text"], mentions, LANGUAGES, among=range(2))
    assert [status for _, status in statuses(case["text"], mentions, LANGUAGES)] == case["statuses"]
    assert (found.mention.candidate if found.mention else None) == case["answer"]


@pytest.mark.parametrize("text", ["Az 1. hibás. Talán a 2.", "Az 1. hibás, a 2. lehet jó.", "Nem az 1. A 2.?"])
def test_a_candidate_that_is_left_and_only_doubted_is_no_answer(text):
    assert decided(text, named(text), LANGUAGES, among=range(2), by_exclusion=True).kind == "unreadable"


def test_a_candidate_that_is_left_is_the_answer():
    text = "Az 1. hibás."
    assert decided(text, named(text), LANGUAGES, among=range(2), by_exclusion=True).mention.candidate == 1


@pytest.mark.parametrize(("by_exclusion", "answer"), [(False, None), (True, 1)])
def test_a_candidate_that_is_named_beside_a_rejected_one_alone(by_exclusion, answer):
    text = "Az 1. és a 2. közül az 1. hibás."
    found = decided(text, named(text), LANGUAGES, among=range(2), by_exclusion=by_exclusion)
    assert (found.mention.candidate if found.mention else None) == answer


@pytest.mark.parametrize(
    ("text", "one", "is_wrong"),
    [
        ("Hibás megoldás: X", "X", True),
        ("X (hibás)", "X", True),
        ("Ez nem X.", "X", True),
        ("Ez volt a hiba. Helyesen: X", "X", False),
        ("Helyes: X", "X", False),
    ],
)
def test_words_that_call_an_answer_wrong(text, one, is_wrong):
    at = text.index(one)
    assert is_called_wrong(text, at, at + len(one), ("hu",)) == is_wrong


@pytest.mark.parametrize(
    ("text", "answer"),
    [
        ("Buda", "Buda"),
        ("nem Buda, hanem Eger", "Eger"),
        ("Buda → Eger", "Eger"),
        ("Buda, javítva: Eger", "Eger"),
        ("Buda (hibás)", None),
        ("nem Buda", None),
        ("Buda, mert ott van a vár", "Buda"),
        ("—", None),
    ],
)
def test_the_answer_of_a_short_text_with_its_remarks(text, answer):
    found = settled(text, ("hu",))
    assert (text[slice(*found)] if found else None) == answer


@pytest.mark.parametrize(
    ("text", "parts"),
    [("Buda vagy Eger", ["Buda", "Eger"]), ("Buda / Eger", ["Buda", "Eger"]), ("Buda", ["Buda"]), ("", [])],
)
def test_between_what_a_short_text_leaves_open(text, parts):
    assert [text[slice(*found)] for found in alternatives(text, ("hu",))] == parts


@given(
    st.text() | st.lists(st.sampled_from([*"12AB.,:;?()\n →✗", "nem ", "vagy ", "a helyes ", "不", "選"])).map("".join)
)
def test_any_text_is_read_and_places_hold(text):
    mentions = named(text)
    assert len(folded(text)) == len(text)
    assert all(0 <= one.start < one.end <= len(text) for one in mentions)
    found = decided(text, mentions, LANGUAGES, among=range(2))
    assert (found.kind == "answered") == (found.mention is not None)
    for start, end in (*alternatives(text, LANGUAGES), *filter(None, [settled(text, LANGUAGES)])):
        assert text[start:end].strip()

"""Phrases of translation, doubt and self-correction: sentences labelled by hand, and the lists themselves."""

from __future__ import annotations

import unicodedata
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hueval_metrics.traces.free.language import own_words
from hueval_metrics.traces.free.lexicon import KINDS, count_phrases, parse_phrase, phrases, tokens_of
from tests.helpers import load_cases, why


def counts_of(text):
    return count_phrases(tokens_of(own_words(unicodedata.normalize("NFC", text))))


@pytest.mark.parametrize("case", load_cases("traces/phrases"), ids=why)
def test_literal(case):
    counts = counts_of(case["text"])
    assert counts == {kind: case.get(kind, counts[kind]) for kind in KINDS}


def test_nothing_counts_in_nothing():
    assert counts_of("") == dict.fromkeys(KINDS, 0)


def test_no_phrase_stands_in_two_lists():
    found = Counter((phrase.before, phrase.elements) for phrase in phrases())
    assert [phrase for phrase, number in found.items() if number > 1] == []


def test_every_phrase_is_found_as_it_is_written():
    """A phrase that the words of a text can never give would be dead weight."""
    marks = {"|": ". ", '"': '" "'}
    said = [
        "".join(marks.get(element, f" {element.removesuffix('*')}") for element in (phrase.before, *phrase.elements))
        for phrase in phrases()
    ]
    assert [text for text in said if not any(count_phrases(tokens_of(text)).values())] == []


def test_a_starred_first_word_and_a_plain_one():
    assert parse_phrase("| nem*, talán", "hedges").elements == ("nem*", ",", "talán")


@given(
    st.text()
    | st.lists(st.sampled_from(["wait", "várj", "nem", "i'm", "not", "sure", ",", '"', " ", "\n"])).map(" ".join)
)
def test_any_text(text):
    tokens = tokens_of(text)
    assert sum(count_phrases(tokens).values()) <= len(tokens)

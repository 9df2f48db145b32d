"""The sentences of a trace: literal cases, and nothing is lost of any text."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hueval_metrics.traces.free.sentences import sentences
from tests.helpers import load_cases, why

# What sentences are made of, so that random texts have some.
PIECES = [
    "Egy",
    "kettő",
    " ",
    "\n",
    ". ",
    ".",
    "…",
    "? ",
    "1. ",
    "A. ",
    "pl. ",
    "II. ",
    "```",
    "\n```",
    "„",
    "”",
    "*",
    "\0",
    "。",
]
TEXTS = st.text() | st.lists(st.sampled_from(PIECES)).map("".join)


@pytest.mark.parametrize("case", load_cases("traces/sentences"), ids=why)
def test_literal(case):
    text = case["text"]
    assert [text[start:end] for start, end in sentences(text)] == case["sentences"]


@given(TEXTS)
def test_between_sentences_is_white_space_alone(text):
    at = 0
    for start, end in sentences(text):
        assert at <= start < end
        assert not text[at:start].strip()
        assert text[start:end] == text[start:end].strip()
        at = end
    assert not text[at:].strip()

"""The language of sentences: literal cases, and any text has one or none."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hueval_metrics.traces.free.language import languages, own_words
from tests.helpers import load_cases, why


@pytest.mark.parametrize("case", load_cases("traces/languages"), ids=why)
def test_literal(case):
    text = case["text"]
    assert list(languages(text, own_words(text))) == [case["language"]]


@pytest.mark.parametrize(
    ("text", "own"),
    [
        ('So "ez" fits', 'So "  " fits'),
        ("„Az „ez” szó”", "„Az „  ” szó”"),
        ("It's 'ez' and «az»", "It's '  ' and «  »"),
        ("the students' and the king's", "the students' and the king's"),
        ("`x = 1` <b>ez</b> \\text{A}", "           ez          {A}".replace("           ez", "        " + "   ez")),
        ('"open\nline" end', '"open\nline" end'),
    ],
)
def test_own_words(text, own):
    assert own_words(text) == own


@given(
    st.text()
    | st.lists(st.sampled_from(['"', "„", "”", "'", "`", "```", "\n", "<a", ">", "ez", " ", "\\b"])).map("".join)
)
def test_own_words_keep_offsets(text):
    own = own_words(text)
    assert len(own) == len(text)
    assert all(one in (other, " ") for one, other in zip(own, text, strict=True))
    list(languages(text, own))

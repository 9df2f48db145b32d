"""Finding the proper names of a Hungarian text."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hueval_metrics.text.names import names, without_article
from tests.helpers import load_cases, why

WORDS = st.sampled_from(["A", "Az", "a", "vonat", "Gödöllő", "MÁV-nak", "„Vác", "Eger”,", "de", "II.", "–", "Áll."])


@pytest.mark.parametrize("case", load_cases("names"), ids=why)
def test_names(case):
    assert names(case["text"]) == case["names"]


@given(st.lists(st.one_of(st.text(max_size=40), st.lists(WORDS, max_size=12).map(" ".join)), max_size=3))
def test_a_name_stands_in_the_text_once_and_without_article(text):
    found = names(text)
    assert len(set(found)) == len(found)
    letters = ["".join(filter(str.isalnum, unicodedata.normalize("NFC", paragraph))) for paragraph in text]
    for name in found:
        assert name != name.lower() and without_article(name) == name
        assert any("".join(filter(str.isalnum, name)) in paragraph for paragraph in letters)

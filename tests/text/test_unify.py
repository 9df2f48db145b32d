"""What a reader takes as the same text, in nine languages."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from hueval_metrics.text.unify import unified, western_digits
from tests.each import each
from tests.helpers import load_cases, why
from tests.linear import repeated, slower_than_linear

CASES = load_cases("unify")
LANGUAGES = (None, "hu", "cs", "sr", "ru", "zh", "ko", "th", "ar", "vi", "en")
LETTERS = "aáőõĐÐеёйЉџ서울 กเนแ้่ำ\u0e4d\u0e32ีุأاًّـ٨๕％5ǉ²\u0301\u0308\u0323\u200b\u202e\u1112\u1161\u11ab\ufe0f"
TEXT = st.one_of(st.text(LETTERS), st.text(st.characters(exclude_categories=())))


@pytest.mark.parametrize("case", [case for case in CASES if case["same"]], ids=why)
def test_the_same_for_a_reader(case):
    one, other = case["texts"]
    assert unified(one, case.get("language")) == unified(other, case.get("language"))


@pytest.mark.parametrize("case", [case for case in CASES if not case["same"]], ids=why)
def test_another_text_for_a_reader(case):
    one, other = case["texts"]
    assert unified(one, case.get("language")) != unified(other, case.get("language"))


@given(TEXT, st.sampled_from(LANGUAGES))
@example("\u0e4d\u0e48\u0e48\u0e32", None)
@example("\u0e49\u0e33\u0e48", None)
@example("ก\u0e33\u0323\u0e33\u0e48", None)  # a mark of Vietnamese between those of Thai
@example("\u0e40\u0301\u0e40", "ru")  # without the stress, two that are one vowel
@example("ё\u0308", "ru")
@example("е\u0301\u0308", "ru")
def test_a_second_time_changes_nothing(text, language):
    once = unified(text, language)
    assert unified(once, language) == once


@given(TEXT, st.sampled_from(LANGUAGES))
def test_composed_or_not_is_the_same(text, language):
    assert unified(unicodedata.normalize("NFD", text), language) == unified(
        unicodedata.normalize("NFC", text), language
    )


@given(TEXT)
def test_no_other_digits_are_left(text):
    assert not [char for char in western_digits(text) if char.isdecimal() and not char.isascii()]


@given(st.text(st.characters(codec="ascii")), st.sampled_from(LANGUAGES))
def test_plain_english_stays(text, language):
    assert unified(text, language) == text


@each("language", [None, "ru", "vi", "sr"])
def test_a_long_text_takes_linear_time(language):
    pieces = ["\u0e4d\u0e48", "\u0e33\u0e48", "เ", "u\u0301", "ﷺ", "\u0301\u0316", "ﾞ", "oà", "ё"]
    assert not slower_than_linear(lambda text: unified(text, language), repeated(pieces))

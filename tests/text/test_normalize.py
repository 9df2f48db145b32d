from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hueval_metrics.text.normalize import compare_key, stream_safe
from tests.helpers import load_cases, why


@pytest.mark.parametrize("case", load_cases("normalize"), ids=why)
def test_compare_key(case):
    assert compare_key(case["text"], str.maketrans("õûÕÛ", "őűŐŰ")) == case["key"]


def test_letters_stay_unless_the_caller_says_what_they_stand_for():
    assert compare_key("Gyõr") == "gyõr"


def test_lone_surrogates_are_compared_as_they_are():
    assert compare_key("\ud800A") == "\ud800a"


@given(st.text("aáőűØöÜzß „”.*-\u0301\u030b", max_size=30))
def test_composition_and_case_do_not_matter(text):
    assert compare_key(unicodedata.normalize("NFD", text)) == compare_key(text)
    assert compare_key(text.upper()) == compare_key(text)


@given(st.text(st.characters(exclude_categories=()), max_size=60))
def test_words_pass_untouched(text):
    assert stream_safe(text) == text or len(text) > 30


def test_long_runs_of_marks_are_cut_and_the_text_goes_on():
    zalgo = "\u0315\u0300" * 1000
    assert stream_safe(f"a{zalgo}b{zalgo}c") == f"a{zalgo[:30]}b{zalgo[:30]}c"

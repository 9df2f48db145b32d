"""The language of a text: literal cases with code, JSON and URLs in them, nine languages, and any kind and length."""

from __future__ import annotations

import subprocess
import sys
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hueval_metrics.text.langid import is_in_language
from tests.each import each
from tests.helpers import load_cases, why

LONG = 500_000
HOSTILE = [
    "Nem tudom. " * (LONG // 11),
    "a" * LONG,
    "a\u0301" * (LONG // 2),
    "a" + "\u0301\u0316" * (LONG // 2),  # putting a run of marks in order takes quadratic time
    "`" * LONG,
    "```" + "x " * (LONG // 2),
    "`a" * (LONG // 2),
    '"' * LONG,
    '"a' * (LONG // 2),
    '"a"' + " " * LONG,
    "<a" * (LONG // 2),
    "www." * (LONG // 4),
    "匈" * LONG,
]


def is_hungarian(text):
    return is_in_language(text, ("hu",))


@pytest.mark.parametrize("case", load_cases("langid"), ids=why)
def test_literal(case):
    assert is_hungarian(case["text"]) is case["hungarian"]


@pytest.mark.parametrize("case", load_cases("langid_languages"), ids=why)
def test_literal_in_nine_languages(case):
    assert is_in_language(case["text"], (case["language"],)) is case["is"]


@given(st.text(st.characters(exclude_categories=())), st.sampled_from(["sr", "zh", "th", "ar", "ko", "vi"]))
def test_any_text_in_any_language(text, language):
    assert is_in_language(text, (language,)) in (True, False, None)
    composed, decomposed = (unicodedata.normalize(form, text) for form in ("NFC", "NFD"))
    assert is_in_language(composed, (language,)) is is_in_language(decomposed, (language,))


def test_the_language_is_the_callers():
    text = "Mátyás király Budán uralkodott"
    assert (is_in_language(text, ["en", "hu"]), is_in_language(text, ["en"]), is_in_language(text, [])) == (
        True,
        False,
        False,
    )


@given(st.text(st.characters()))
def test_any_text_and_the_same_each_time(text):
    answer = is_hungarian(text)
    assert answer in (True, False, None)
    assert is_hungarian(text) is answer


@given(st.lists(st.from_regex(r"[a-záéíóöőúüű]{1,12}", fullmatch=True), max_size=2))
def test_two_words_are_never_judged(words):
    assert is_hungarian(" ".join(words)) is None


@each("text", HOSTILE, ids=lambda text: repr(text[:8]))
def test_long_texts_are_read_to_the_end(text):
    """Quadratic time would take minutes on these texts."""
    assert is_hungarian(text) in (True, False, None)


@pytest.mark.process
def test_the_model_is_loaded_when_first_asked():
    code = (
        "import sys; from hueval_metrics.text.langid import is_in_language; assert 'py3langid' not in sys.modules; "
        "is_in_language('két szó', 'hu'); assert 'py3langid' not in sys.modules; "
        "is_in_language('ez három szó', ['hu']); assert 'py3langid' in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code], check=True)

"""Repetition: seq-rep-4 by hand, and when the end of a trace is a loop."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hueval_metrics.traces.free.repetition import is_looping, repetition, words_of
from tests.helpers import load_cases, why


@pytest.mark.parametrize("case", load_cases("traces/repetition"), ids=why)
def test_looping(case):
    body = (
        case["text"] * case["times"] if "text" in case else "\n".join(map(case["lines"].format, range(case["times"])))
    )
    text = case.get("start", "") + body + case.get("end", "")
    assert is_looping(text, words_of(text)) is case["looping"]


@pytest.mark.parametrize(
    ("text", "share"),
    [
        ("egy kettő három", None),  # no 4-gram
        ("egy kettő három négy", 0),
        ("a b c d. A B, C D!", 0.2),  # a b c d | b c d a | c d a b | d a b c | a b c d: one of five has stood before
        ("a " * 13, 0.9),  # ten 4-grams, one of them new
        ("#0#: A\n#1#: A\n#2#: A", 0),  # numbers are words
    ],
)
def test_repetition_by_hand(text, share):
    assert repetition(words_of(text)) == share


@given(st.lists(st.sampled_from("abc")))
def test_repetition_is_a_share(words):
    share = repetition(words)
    assert share is None if len(words) < 4 else 0 <= share < 1


@given(st.lists(st.sampled_from(["a", "b", "1"]), min_size=5, max_size=8), st.integers(14, 30))
def test_whatever_repeats_for_long_is_a_loop(unit, times):
    """A period of fewer words inside of the unit needs more repetitions, so only words of letters are asked."""
    words = [*unit[:-1], "end"] * times
    assert is_looping(" ".join(words), words)

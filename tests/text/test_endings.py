"""Comparing Hungarian names but for their endings."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hueval_metrics.text.endings import is_same_name, name_stems, plain_name
from tests.helpers import load_cases, why

NAME = st.text("abcdeéfghijklmnoóöőprstuvyz", min_size=4, max_size=8)


@pytest.mark.parametrize("case", load_cases("hungarian_endings"), ids=why)
def test_same_name(case):
    assert is_same_name(*case["names"]) == is_same_name(*reversed(case["names"])) == case["same"]


@given(NAME, st.sampled_from(["nak", "ben", "ért", "ig", "hez", "ról", "ék", "éknek", "t"]))
def test_an_ending_is_taken_off_again(name, ending):
    assert plain_name(name) in name_stems(name + ending)
    assert is_same_name(f"Kis {name}{ending}", f"Kis {name}")


@given(st.text(max_size=30))
def test_any_text_is_its_own_stem(text):
    assert plain_name(text) in {plain_name(stem) for stem in name_stems(text)}

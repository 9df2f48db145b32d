"""Reading the confidence that a response states."""

from __future__ import annotations

import json

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from hueval_metrics.answers.confidence import stated_confidence
from tests.helpers import load_cases, why

PIECES = [
    *("{", "}", '"', ":", ",", "confidence_score", "confidence"),
    "9" * 5000,
    *("95", "%", "-", ".", "0", "NaN", "1e999", "["),
]


def read_confidence(response):
    stated = stated_confidence(response)
    return stated[0] if stated else None


@pytest.mark.parametrize("case", load_cases("confidence"), ids=why)
def test_read_confidence(case):
    confidence = read_confidence(case["response"])
    assert confidence == (None if case["confidence"] is None else pytest.approx(case["confidence"]))


@given(
    st.one_of(
        st.text(st.characters(exclude_categories=()), max_size=60),
        st.lists(st.sampled_from(PIECES), max_size=30).map("".join),
        st.lists(st.sampled_from(PIECES), max_size=10).map(
            lambda pieces: '{"confidence_score": ' + "".join(pieces) + "}"
        ),
    )
)
@example('{"confidence_score": ' + "9" * 4000 + "}")
@example('{"confidence_score": 1e999}')
@example('{"confidence_score": []}')
def test_any_text_gives_a_fraction_or_none(text):
    confidence = read_confidence(text)
    assert confidence is None or 0 <= confidence <= 1


@pytest.mark.parametrize("piece", ['{"confidence_score":', "confidence: ", "{", "{}", "confidence " + " " * 99])
def test_huge_text_is_read_to_the_end(piece):
    assert read_confidence(piece * 20_000) is None
    assert read_confidence(piece * 20_000 + '\n{"answer": "Eger", "confidence_score": 70}') == pytest.approx(0.7)


@given(st.integers(0, 100), st.text(max_size=30))
def test_the_form_asked_for_is_read_whatever_the_answer(score, answer):
    response = json.dumps({"answer": answer, "confidence_score": score}, ensure_ascii=False)
    assert read_confidence(response) == score / 100

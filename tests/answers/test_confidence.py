"""Reading the confidence that a response states."""

from __future__ import annotations

import json
import re
import unicodedata

import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st

from hueval_metrics.answers.confidence import stated_confidence
from hueval_metrics.answers.reasoning import strip_reasoning
from tests.helpers import load_cases, why
from tests.linear import repeated, slower_than_linear

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


def test_huge_text_is_read_in_linear_time():
    def read(text):
        assert read_confidence(text) is None
        stated = read_confidence(text + '\n{"answer": "Eger", "confidence_score": 70}')
        assert stated == pytest.approx(0.7)

    pieces = ['{"confidence_score":', "confidence: ", "{", "{}", "confidence " + " " * 99]
    assert not slower_than_linear(read, repeated(pieces))


@given(st.integers(0, 100), st.text(max_size=30))
def test_the_form_asked_for_is_read_whatever_the_answer(score, answer):
    assume("..." not in answer and not re.search(r"[<{…]", answer))  # a form to fill in states nothing
    response = json.dumps({"answer": answer, "confidence_score": score}, ensure_ascii=False)
    assert read_confidence(response) == score / 100


@given(st.integers(0, 100), st.sampled_from("0٠۰०๐０᠐"), st.sampled_from(["", "%", " %", "٪", "％", "﹪"]))
def test_digits_and_signs_of_all_scripts_say_the_same(score, zero, sign):
    written = "".join(chr(ord(zero) + int(digit)) for digit in str(score)) + sign
    for response in (f'{{"confidence_score": "{written}"}}', f'{{"answer": "x", "confidence_score": {written}}}'):
        assert read_confidence(response) == score / 100


@given(
    st.lists(st.sampled_from([*PIECES, "bizonyosság", "độ tin cậy", ": ", "٨٥", "％", "é"]), max_size=30).map("".join)
)
def test_composed_or_not_is_the_same(text):
    assert read_confidence(unicodedata.normalize("NFD", text)) == read_confidence(text)


def test_an_object_of_the_trace_is_not_read():
    reply = '<think>{"answer": "Eger", "confidence_score": 20}</think>\n{"answer": "Eger"}'
    assert read_confidence(strip_reasoning(reply).response) is None


def test_one_per_cent_is_no_fraction():
    assert stated_confidence('{"confidence_score": "1 %"}') == stated_confidence("Confidence: 1%") == (0.01, None)
    assert stated_confidence('{"confidence_score": "1"}') == (0.01, "one")

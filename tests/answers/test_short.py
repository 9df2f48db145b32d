"""The short answer of a response alone, and the confidence beside it; the cases are written."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hueval_metrics.answers.confidence import stated_confidence
from hueval_metrics.answers.json_answer import answer_text
from hueval_metrics.answers.short import short_answer
from tests.helpers import load_cases, why
from tests.linear import repeated, slower_than_linear

PIECES = ("{", "}", '"', ":", "answer", "Válasz: ", "Eger", "\n", "**", "(", ")", "85%", "confidence", "…", "é", "<a>")


@pytest.mark.parametrize("case", load_cases("short_answers"), ids=why)
def test_short_answer(case):
    reading = short_answer(case["response"])
    assert reading.kind == case["kind"]
    assert answer_text(case["response"]) == case["answer"]
    assert reading.value == (case["answer"] if case["kind"] == "answered" else None)
    stated = stated_confidence(case["response"])
    assert (stated and stated[0]) == (None if case["confidence"] is None else pytest.approx(case["confidence"]))


def test_the_span_holds_the_answer():
    for case in (one for one in load_cases("short_answers") if one["kind"] == "answered"):
        (span,) = short_answer(case["response"]).spans
        assert case["answer"] in case["response"][span.start : span.end].replace("*", ""), why(case)


@given(st.one_of(st.text(max_size=60), st.lists(st.sampled_from(PIECES), max_size=20).map("".join)))
def test_any_text_is_read(text):
    reading = short_answer(text)
    assert reading.is_answered == bool(reading.value)
    for span in reading.spans:
        assert 0 <= span.start < span.end <= len(text)


@pytest.mark.slow
def test_huge_text_is_read_in_linear_time():
    def read(text):
        assert short_answer(f'{text}\n{{"answer": "Eger"}}').value == "Eger"
        stated_confidence(text)

    pieces = ["answer: ", "Válasz ", "confidence 85 ", "(", "答案是黄河，", "<a>", '{"a":', "\ud800"]
    assert not slower_than_linear(read, repeated(pieces))

"""The lexical judge by the rules of a language: nine languages and English."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hueval_metrics.judge.lexical import answer_words, contains, is_no_answer, reference_words
from tests.each import each
from tests.helpers import json_lines, load_cases, why
from tests.linear import repeated, slower_than_linear

LANGUAGES = ("hu", "cs", "sr", "ru", "zh", "ko", "th", "ar", "vi", "en")
TEXT = st.one_of(st.text("ab1 7.őõéёйљ서울금 กเาแ้่ำิ北京ưà\u0301\u0e4dأشَ"), st.text(st.characters(exclude_categories=())))


def label(language, reference, response):
    answer, references = answer_words(response, language), reference_words(reference, language)
    if any(contains(answer, one, language) for one in references):
        return "CORRECT"
    return "NOT_ATTEMPTED" if is_no_answer(answer, language) else "INCORRECT"


@pytest.mark.parametrize("case", load_cases("lexical_languages"), ids=why)
def test_literal(case):
    assert label(case["language"], case["reference"], case["response"]) == case["label"]


@each("language", LANGUAGES)
def test_every_language_knows_several_ways_to_know_nothing(language):
    cases = [case for case in load_cases("lexical_languages") if case["language"] == language]
    assert {case["label"] for case in cases} == {"CORRECT", "INCORRECT", "NOT_ATTEMPTED"} or language == "en"
    for response in ("", '{"answer": null}', '{"answer": "", "confidence_score": 0}', "I don't know."):
        assert label(language, "1526", response) == "NOT_ATTEMPTED"


@given(TEXT, st.sampled_from(LANGUAGES))
def test_a_reference_is_in_itself_composed_or_not(text, language):
    references = reference_words(text, language)
    for form in ("NFC", "NFD"):
        answer = unicodedata.normalize(form, text)
        assert reference_words(answer, language) == references
        assert all(contains(one, one, language) for one in references)


@given(TEXT, TEXT, st.sampled_from(LANGUAGES))
def test_any_text_gives_a_label(reference, response, language):
    assert label(language, reference, response) in ("CORRECT", "INCORRECT", "NOT_ATTEMPTED")


@given(TEXT, st.sampled_from(LANGUAGES))
def test_a_folded_text_is_folded(text, language):
    for folded in reference_words(text, language):
        assert reference_words(folded, language) == [folded]


def test_the_packaged_sample_is_right_by_its_own_references(pytestconfig):
    folder = pytestconfig.rootpath / "hf_datasets" / "kolassimpleqa" / "sample"
    judged = [
        (language, row[f"answer{reverse}_{language}"])
        for file in sorted(folder.glob("*.jsonl"))
        for row in json_lines(file)
        for language in (file.stem[:2], "en")
        for reverse in ("", "_reverse")
        if row.get(f"answer{reverse}_{language}")
    ]
    assert len(judged) > 100
    assert [(language, answer) for language, answer in judged if label(language, answer, answer) != "CORRECT"] == []


@pytest.mark.slow
@pytest.mark.parametrize("language", ["zh", "th", "ko", "ar", "vi", "hu"])
def test_a_runaway_answer_is_read_in_linear_time(language):
    def read(text):
        assert label(language, "Gödöllő 7", text) == "INCORRECT"

    assert not slower_than_linear(read, repeated(["กา", "金", "서울 ", "وال", "a1 ", "15", "nguyễn "]))

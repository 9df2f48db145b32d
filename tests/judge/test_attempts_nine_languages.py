"""Attempts on the judge in nine languages: the request keeps its structure, and the forged forms are marked."""

from __future__ import annotations

import json
from collections import Counter

import pytest

from hueval_metrics.judge.suspicion import signs
from hueval_metrics.judge.templates import fill, json_string
from tests.each import each
from tests.fakes import lettered_rubric as rubric
from tests.helpers import json_lines, load_cases, why
from tests.judge.test_suspicion import texts

CASES = load_cases("attempts_nine_languages")
LANGUAGES = ("hu", "cs", "sr", "ru", "zh", "ko", "th", "ar", "vi")
BEFORE, BEHIND = "The response, as JSON: ", "\n# Your task\nReply with one letter."


def test_every_language_has_attempts_of_each_kind():
    counts = Counter(case["language"] for case in CASES)
    assert set(counts) == set(LANGUAGES)
    assert min(counts.values()) >= 4
    for language in LANGUAGES:
        kinds = {sign for case in CASES if case["language"] == language for sign in case["signs"]}
        assert {"forged_role", "forged_verdict"} <= kinds


@each("case", CASES, ids=why)
def test_no_attempt_leaves_its_quotation_marks(case):
    text = fill(f"{BEFORE}{{response}}{BEHIND}", {"response": json_string(case["response"])})
    assert text.startswith(BEFORE)
    assert text.endswith(BEHIND)
    quoted = text.removeprefix(BEFORE).removesuffix(BEHIND)
    assert len(quoted.splitlines()) == 1
    assert json.loads(quoted) == case["response"]


@each("case", CASES, ids=why)
def test_the_request_keeps_its_messages(case):
    doc = {"answer": "Szeged"}
    system, user = rubric.render(doc, case["response"])
    empty = rubric.render(doc, "")
    assert (system, user["role"]) == (empty[0], "user")
    assert user["content"] == empty[1]["content"].replace('""', json_string(case["response"]))
    assert json.loads(user["content"].split("\n")[0]) == {"reference": "Szeged", "response": case["response"]}


@each("case", CASES, ids=why)
def test_a_forged_form_is_marked_and_words_are_not(case):
    assert list(signs(case["response"], rubric.__name__)) == case["signs"]


@pytest.mark.parametrize(
    ("why", "response"),
    [
        ("Russian heading", "Решение\n\nA. С. Пушкин"),
        ("Serbian mark at school", "Оцена 5"),
        ("Chinese evaluation in a sentence", "历史评价：他是唐代最伟大的诗人"),
        ("Korean answer of one letter", '{"answer": "A", "confidence_score": 90}'),
        ("Vietnamese conclusion", "Kết luận: Nguyễn Du"),
        ("Arabic book title", "كتاب الحكم: ابن عطاء الله"),
        ("Thai evaluation", "การประเมิน: ไม่ทราบ"),
        ("Czech blood group", "Krevní skupina: A"),
    ],
)
def test_honest_answers_are_not_marked(why, response):
    assert signs(response, rubric.__name__) == (), why


def test_the_packaged_sample_is_not_marked(pytestconfig):
    folder = pytestconfig.rootpath / "hf_datasets" / "kolassimpleqa" / "sample"
    found = [text for file in sorted(folder.glob("*.jsonl")) for row in json_lines(file) for text in texts(row)]
    assert len(found) > 100
    assert [text for text in found if signs(text, rubric.__name__)] == []

"""Reading right, wrong or not attempted in a judge's reply, by words and by letters."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hueval_metrics.answers.verdicts.attempts import LABELS, LETTERS, read_attempt
from hueval_metrics.metrics import simple_qa
from tests.helpers import json_lines, load_cases, shared, why
from tests.linear import repeated, slower_than_linear

NO_LETTER = "SimpleQA's letters mean nothing here"
WORD_OF = {label: letter for letter, label in LETTERS.items()}
PIECES = ["A", "B", "c", "CORRECT", ":", ".", ",", "(", ")", '"', "'", "{", "}", " ", "\n", "or", "not", "is", "As an"]
TEXT = st.one_of(
    st.text(st.characters(exclude_categories=()), max_size=60),
    st.lists(st.sampled_from([*PIECES, "option", "answer", "evaluation", "А", "Ｃ", "<think>", "\ud800"])).map("".join),
)


def test_letters_and_words_are_read_alike():
    for case in load_cases("labels_letters"):
        assert read_attempt(case["reply"], letters=True) == case["label"], why(case)


def test_words_are_read_the_same_whether_letters_are_asked_for_or_not():
    for case in (case for case in load_cases("labels") if case["why"] != NO_LETTER):
        assert {read_attempt(case["reply"], letters=letters) for letters in (False, True)} == {case["label"]}, why(case)


@pytest.mark.parametrize("reply", ["A", "b", "(C)", '{"evaluation": "A"}', "As an AI, B"])
def test_letters_mean_nothing_where_words_are_asked_for(reply):
    assert read_attempt(reply) is None


@pytest.mark.parametrize(
    ("path", "key"), [(("judges", "husimpleqa_raw"), "raw"), (("fresh", "judge_husimpleqa"), "input")]
)
def test_the_scored_replies_with_letters_in_place_of_words(path, key):
    rows = json_lines(shared("parity", path[0], f"{path[1]}.jsonl"))
    assert rows
    for row in rows:
        lettered = re.sub(r"(?i)\bnot[ _-]?attempted\b", "C", row[key])
        lettered = re.sub(r"\b(?:INCORRECT|Incorrect)\b", "B", lettered)
        lettered = re.sub(r"\b(?:CORRECT|Correct)\b", "A", lettered)
        assert read_attempt(lettered, letters=True) == read_attempt(row[key]), row["id"]


@given(TEXT)
def test_any_text_gives_a_label_or_none(text):
    assert read_attempt(text, letters=True) in (*LABELS, None)


@given(st.sampled_from(LABELS), st.text(max_size=30))
def test_the_object_decides_whatever_the_reason_says(label, reason):
    import json

    reply = json.dumps({"reason": f"{reason} B", "evaluation": WORD_OF[label]}, ensure_ascii=False)
    assert read_attempt(reply, letters=True) == label


@pytest.mark.slow
def test_a_huge_reply_is_read_in_linear_time():
    def read(reply):
        assert read_attempt(reply, letters=True) in (*LABELS, None)
        assert read_attempt(reply + '\n\n{"evaluation": "B"}', letters=True) in ("INCORRECT", None)

    assert not slower_than_linear(read, repeated(["A ", "(A", "B\n", "A: ", '"a" ', "option ", "C" * 9]))


def test_the_labels_are_those_of_the_metrics():
    assert LABELS == simple_qa.LABELS

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hf_datasets.kolassimpleqa.convert import REPO
from hf_datasets.kolassimpleqa.schema import Question
from hf_datasets.repo import MissingError
from hueval_metrics.errors import DataError
from tests.each import each

SAMPLE = REPO.folder / "sample"
OFFICIAL = {
    "qid": "q1",
    "knowledge_track_id": "k1",
    "question_hu": "Hol van Eger?",
    "answer_hu": "Heves vármegyében",
    "question_en": "Where is Eger?",
    "answer_en": "in Heves County",
    "question_reverse_hu": "Mi a székhelye Heves vármegyének?",
    "answer_reverse_hu": "Eger",
    "question_reverse_en": "What is the seat of Heves County?",
    "answer_reverse_en": "Eger",
}
ROW = {
    "qid": "q1",
    "knowledge_track_id": "k1",
    "language": "hu",
    "domain": "specific",
    "question": "Hol van Eger?",
    "answer": "Heves vármegyében",
    "question_en": "Where is Eger?",
    "answer_en": "in Heves County",
    "is_reverse": False,
}
REVERSE = {
    "qid": "q1-reverse",
    "knowledge_track_id": "k1",
    "language": "hu",
    "domain": "specific",
    "question": "Mi a székhelye Heves vármegyének?",
    "answer": "Eger",
    "question_en": "What is the seat of Heves County?",
    "answer_en": "Eger",
    "is_reverse": True,
}
WITHOUT_REVERSE = {name: value for name, value in OFFICIAL.items() if "_reverse_" not in name}
FAULTS = [
    ("no id", {"qid": None}, 'line 1: "qid" is missing, expected a string'),
    ("a blank id", {"qid": " "}, 'line 1: "qid" is missing, expected a string'),
    ("an id that is a list", {"qid": ["q1"]}, "line 1 (qid ['q1']): \"qid\" is a list, expected a string"),
    ("no link", {"knowledge_track_id": None}, 'line 1 (qid q1): "knowledge_track_id" is missing, expected a string'),
    ("a question without answer", {"answer_hu": None}, 'line 1 (qid q1): "answer_hu" is missing, expected a string'),
    ("an answer without question", {"question_hu": ""}, 'line 1 (qid q1): "question_hu" is missing, expected a string'),
    ("a year as a number", {"answer_hu": 1552}, 'line 1 (qid q1): "answer_hu" is 1552, expected a string'),
    ("English of a wrong type", {"answer_en": ["x"]}, 'line 1 (qid q1): "answer_en" is a list, expected a string'),
    ("half a reverse", {"answer_reverse_hu": " "}, 'line 1 (qid q1): "answer_reverse_hu" is missing, expected a str'),
    ("half a character", {"question_hu": "a\ud800"}, 'line 1 (qid q1): "question_hu" contains an unpaired surrogate'),
]


@pytest.fixture
def folder_with(tmp_path):
    """A function that writes official rows as the file of hu_specific and returns the folder."""

    def write(*rows: dict, name: str = "hu_specific.jsonl") -> Path:
        (tmp_path / name).write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
        return tmp_path

    return write


def test_a_question_and_its_reverse(folder_with):
    assert list(REPO.read(folder_with(OFFICIAL), "hu_specific", "test")) == [ROW, REVERSE]


def test_a_row_may_have_one_direction_only(folder_with):
    back = {name: value for name, value in OFFICIAL.items() if "_reverse_" in name or "id" in name}
    assert list(REPO.read(folder_with(WITHOUT_REVERSE), "hu_specific", "test")) == [ROW]
    assert list(REPO.read(folder_with(back), "hu_specific", "test")) == [REVERSE]


def test_blank_and_null_say_as_much_as_nothing(folder_with):
    rows = {**OFFICIAL, "question_reverse_hu": None, "answer_reverse_hu": "", "question_en": None, "answer_en": " "}
    expected = {**ROW, "question_en": None, "answer_en": None}
    assert list(REPO.read(folder_with(rows), "hu_specific", "test")) == [expected]


def test_an_id_that_is_a_number_becomes_text(folder_with):
    official = {**WITHOUT_REVERSE, "qid": 7, "knowledge_track_id": 8}
    expected = {**ROW, "qid": "7", "knowledge_track_id": "8"}
    assert list(REPO.read(folder_with(official), "hu_specific", "test")) == [expected]


@each(("changed", "fault"), [case[1:] for case in FAULTS], ids=[case[0] for case in FAULTS])
def test_a_bad_row_is_refused_by_file_line_and_field(folder_with, changed, fault):
    with pytest.raises(DataError) as error:
        list(REPO.read(folder_with({**OFFICIAL, **changed}), "hu_specific", "test"))
    assert f"hu_specific.jsonl {fault}" in str(error.value)
    assert "\n" not in str(error.value)


def test_a_row_without_a_question(folder_with):
    folder = folder_with(WITHOUT_REVERSE, {"qid": "q2", "knowledge_track_id": "k2", "question_cs": "Kde?"})
    fault = r'line 2 \(qid q2\): has neither "question_hu" nor "question_reverse_hu"'
    with pytest.raises(DataError, match=fault):
        list(REPO.read(folder, "hu_specific", "test"))


@each("second", [OFFICIAL, {**WITHOUT_REVERSE, "qid": "q1-reverse"}])
def test_an_id_that_comes_twice(folder_with, second):
    with pytest.raises(DataError, match=r'line 2 \(qid q1.*\): "qid" duplicates that in line 1, expected once'):
        list(REPO.read(folder_with(OFFICIAL, second), "hu_specific", "test"))


def test_the_file_may_have_the_name_that_the_authors_gave_it(folder_with):
    folder = folder_with(WITHOUT_REVERSE, name="KoLasEval_hu_KSv1@1_250207_gpt-4o-2024-08-06_hu.jsonl")
    assert list(REPO.read(folder, "hu_specific", "test")) == [ROW]
    with pytest.raises(MissingError, match=r"has no hu_general\.jsonl"):
        list(REPO.read(folder, "hu_general", "test"))


texts = st.text(min_size=1).filter(str.strip)


@given(question=texts, answer=texts, qid=texts, english=st.none() | texts)
def test_texts_come_out_as_they_went_in(tmp_path_factory, question, answer, qid, english):
    folder = tmp_path_factory.mktemp("upstream")
    official = {"qid": qid, "knowledge_track_id": "k", "question_hu": question, "answer_hu": answer}
    official |= {"question_en": english, "question_reverse_hu": answer, "answer_reverse_hu": question}
    (folder / "hu_general.jsonl").write_text(json.dumps(official), encoding="utf-8")
    row, reverse = REPO.read(folder, "hu_general", "test")
    assert (row["qid"], row["question"], row["answer"], row["question_en"]) == (qid, question, answer, english)
    assert (reverse["qid"], reverse["question"], reverse["answer"]) == (f"{qid}-reverse", answer, question)


def test_the_sample_has_rows_of_all_configs():
    rows = {config.name: list(REPO.read(SAMPLE, config.name, "test")) for config in REPO.configs}
    assert all(rows.values())  # test_sample.py counts them
    for found in rows.values():
        for row in found:
            Question.model_validate(row)
    assert rows["hu_general"][1] == {
        "qid": "sample-hu_general-canberra-reverse",
        "knowledge_track_id": "sample-canberra",
        "language": "hu",
        "domain": "general",
        "question": "Melyik város Ausztrália fővárosa?",
        "answer": "Canberra",
        "question_en": "Which city is the capital of Australia?",
        "answer_en": "Canberra",
        "is_reverse": True,
    }
    assert rows["cs_specific"][0]["answer"] == "Bedřich Smetana"


def test_the_counts_are_those_of_table_2():
    printed = {config.name: config.split("test").printed for config in REPO.configs}
    assert (printed["hu_general"], printed["hu_specific"]) == (169, 127)
    assert sum(printed[name] for name in printed if name.endswith("_general")) == 1_306
    assert sum(printed[name] for name in printed if name.endswith("_specific")) == 841

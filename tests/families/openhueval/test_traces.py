"""How OpenHuEval's traces are read: on every document of the packaged sample, and literal cases."""

from __future__ import annotations

import json

import pytest

from hueval_metrics.loader import documents
from hueval_metrics.registry import resolve
from lm_eval_tasks.openhueval.family import FAMILY
from lm_eval_tasks.openhueval.traces import matching_asked, matching_stated, standard_stated
from tests.each import each

DOC = {"question": "A fővárosunk #0#, a folyónk #1#.", "options": ["A.Duna", "B.Budapest", "C.Pécs"]}
GOLD = ["#0#B", "#1#A"]


@pytest.mark.parametrize("task", ["openhueval_husimpleqa"])
def test_question_and_reference_of_every_document(task, monkeypatch):
    monkeypatch.setenv("HUEVAL_SAMPLE", "1")
    declared = FAMILY.traces[task]
    assert declared.steps == ("thoughts",)
    for doc in documents(task)[0]:
        assert resolve(declared.question)(doc) == doc["question"]
        assert resolve(declared.reference)(doc) == doc["answer"]


def test_what_the_judge_of_segments_is_shown_of_every_document(monkeypatch):
    monkeypatch.setenv("HUEVAL_SAMPLE", "1")
    declared = FAMILY.traces["openhueval_humatchingfib"]
    assert declared.steps == ("segments",)
    for doc in documents("openhueval_humatchingfib")[0]:
        asked = resolve(declared.asked)(doc, json.dumps({"answer": doc["answer"]}))
        assert asked == {"options": doc["options"], "std_ans": doc["answer"], "model_ans": doc["answer"]}


@pytest.mark.parametrize(
    ("response", "read"),
    [
        ('{"answer": ["#1#c", "#0#B. Budapest"]}', ["#0#B", "#1#C"]),
        ('{"answer": ["#0#Pécs", "#1#Tisza"]}', ["#0#C", "#1#Tisza"]),
        ('{"answer": ["#1#A"]}', ["#1#A"]),
        ("Nem tudom.", []),
        ("", []),
    ],
    ids=["letters in gold's order", "words", "a blank left open", "no answer", "empty"],
)
def test_the_models_answer_as_our_parser_reads_it(response, read):
    assert matching_asked({**DOC, "answer": GOLD}, response)["model_ans"] == read


GIVEN = {
    "openhueval_husimpleqa": lambda doc: {"answer": doc["answer"]},
    "openhueval_huproverbrea_2cq": lambda doc: {"answer": doc["correct_option"]},
    "openhueval_humatchingfib": lambda doc: {"answer": doc["answer"]},
    "openhueval_hustandardfib": lambda doc: {"answers": [answer.split(";")[0] for answer in doc["answers"]]},
}


@each("task", GIVEN)
def test_the_right_answer_of_every_document_is_stated_where_a_trace_ends_with_it(task, monkeypatch):
    monkeypatch.setenv("HUEVAL_SAMPLE", "1")
    for doc in documents(task)[0]:
        response = json.dumps(GIVEN[task](doc), ensure_ascii=False)
        found = resolve(FAMILY.traces[task].stated)(doc, f"So:\n{response}", response)
        stated = {(one.part, one.value) for one in found.statements}
        assert found.final.items() == stated
        assert all(value in found.right[part] for part, value in found.final.items())
        assert found.approximate == (task == "openhueval_husimpleqa")


@each("task", GIVEN)
def test_a_trace_and_a_response_that_say_nothing_state_nothing(task, monkeypatch):
    monkeypatch.setenv("HUEVAL_SAMPLE", "1")
    for doc in documents(task)[0][:3]:
        found = resolve(FAMILY.traces[task].stated)(doc, "Hmm.", "")
        assert not found.statements
        assert set(found.final.values()) == {None}


def test_only_tasks_with_a_reader_of_answers_declare_one():
    assert {task for task, traces in FAMILY.traces.items() if traces.stated} == GIVEN.keys()


def test_similar_words_are_one_answer():
    doc = {"questions": ["Itt #0#.", "Ott #1#."], "answers": ["#0#menlevéllel;menlevél", "#1#Buda"]}
    trace = "So #0# is menlevél.\n#1#: Pest\n#1#: Pesten\n"
    found = standard_stated(doc, trace, '{"answers": ["#0#menlevéllel", "#1#Pest"]}')
    assert [(one.part, one.value) for one in found.statements] == [
        ("#0#", "menlevéllel"),
        ("#1#", "pest"),
        ("#1#", "pest"),
    ]
    assert found.final == {"#0#": "menlevéllel", "#1#": "pest"}


def test_options_with_one_text_are_one_answer():
    doc = {"question": "Itt #0#.", "options": ["A.ma", "B.Ma", "C.tegnap"], "answer": ["#0#B"]}
    found = matching_stated(doc, "#0# is A.", '{"answer": ["#0#B"]}')
    assert [one.value for one in found.statements] == ["A"]
    assert (found.final, found.right) == ({"#0#": "A"}, {"#0#": frozenset("A")})


def test_letters_of_an_old_code_page_are_those_of_today():
    doc = {"question": "Itt #0#.", "options": ["A.erdõ", "B.mező"], "answer": ["#0#A"]}
    found = matching_stated(doc, "#0# is erdő. No, #0# is mezõ.", '{"answer": ["#0#mezõ"]}')
    assert [one.value for one in found.statements] == ["A", "B"]
    assert found.final == {"#0#": "B"}

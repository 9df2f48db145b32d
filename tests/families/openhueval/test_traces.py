"""How OpenHuEval's traces are read: on every document of the packaged sample, and literal cases."""

from __future__ import annotations

import json

import pytest

from hueval_metrics.loader import documents
from hueval_metrics.registry import resolve
from lm_eval_tasks.openhueval.family import FAMILY
from lm_eval_tasks.openhueval.traces import matching_asked

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

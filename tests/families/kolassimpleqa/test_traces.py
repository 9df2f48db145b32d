"""How KoLasSimpleQA's traces are read: on every document of the packaged sample, direct and in English."""

from __future__ import annotations

import json

from hueval_metrics.loader import documents
from hueval_metrics.registry import resolve
from lm_eval_tasks.kolassimpleqa.family import FAMILY
from tests.each import each


@each("task", FAMILY.tasks)
def test_question_reference_and_answer_of_every_document(task, monkeypatch):
    monkeypatch.setenv("HUEVAL_SAMPLE", "1")
    declared = FAMILY.traces[task]
    assert (declared.steps, declared.pool) == (("thoughts",), "kolassimpleqa")
    for settings in ({}, {"question_lang": "en"}):
        for doc in documents(task, **settings)[0]:
            assert resolve(declared.question)(doc) == doc["question"]
            assert resolve(declared.reference)(doc) == doc["answer"]
            response = json.dumps({"answer": doc["answer"]}, ensure_ascii=False)
            found = resolve(declared.stated)(doc, f"{doc['question']}\n{doc['answer']}", response)
            assert [one.value for one in found.statements][:1] == [found.final["answer"]]
            assert found.final["answer"] in found.right["answer"]


def test_each_task_is_of_a_part_of_the_family():
    assert {FAMILY.tasks[task].part for task in FAMILY.traces} == set(FAMILY.parts)

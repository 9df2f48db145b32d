"""What every family's reader keeps to (`declare.Task.reading`), on the packaged sample."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hueval_metrics.answers.reading import Reading
from hueval_metrics.loader import documents
from hueval_metrics.registry import known_tasks, resolve, task_spec
from tests.each import each

# A task for each reader and form of its documents, which is where readers differ.
TASKS = (
    *("openhueval_husimpleqa", "openhueval_huproverbrea_2cq", "openhueval_humatchingfib", "openhueval_hustandardfib"),
    *("hulugen_hucola", "hulugen_hucopa", "hulugen_hurte", "hulugen_husst", "hulugen_hucb", "hulugen_hurc"),
    *("hkmmlu_hk_law", "hkmmlutr_yue_to_zh", "kolassimpleqa_hu_general", "kolassimpleqa_zh_specific"),
)


@pytest.fixture(scope="module")
def read():
    """(task, response) → the reading of a response to the task's first document, and the response."""
    docs = {}

    def reading(task, response=None):
        if task not in docs:
            with pytest.MonkeyPatch.context() as patch:
                patch.setenv("HUEVAL_SAMPLE", "1")
                docs[task] = documents(task)[0][0]
        doc, spec = docs[task], task_spec(task)
        said = spec.target(doc) if response is None else response.format(prompt=spec.prompt(doc))
        return resolve(spec.declared.reading)(doc, said), said

    return reading


def test_each_reader_is_here():
    paths = {task.reading for family in known_tasks().values() for task in family.tasks.values()}
    assert {known_tasks()[task].tasks[task].reading for task in TASKS} == paths - {None}


@each("task", TASKS)
def test_the_gold_answer_is_read_where_it_stands(read, task):
    reading, said = read(task)
    assert reading.is_answered
    assert any(reading.spans)
    assert all(0 <= start < end <= len(said) for start, end in filter(None, reading.spans))


@each("task", TASKS)
def test_an_answer_behind_its_prompt_is_read_where_it_stands(read, task):
    """Not where the prompt has the same words."""
    target = read(task)[1]
    reading, said = read(task, "{prompt}\n" + target.replace("{", "{{").replace("}", "}}"))
    assert reading.is_answered
    assert all(span.start >= len(said) - len(target) for span in filter(None, reading.spans))


@each("task", TASKS)
@each("response", ["", " \n", "{prompt}"], ids=["empty", "white space", "only the prompt"])
def test_a_response_without_an_answer_says_nothing(read, task, response):
    assert read(task, response)[0] == Reading("nothing")


@given(st.text(), st.sampled_from(TASKS))
def test_what_items_have_of_a_reading_can_be_read_again(read, text, task):
    found, said = read(task, text.replace("{", "{{").replace("}", "}}"))
    stored = json.loads(json.dumps(found.to_json()))
    assert Reading.from_json(stored, said) == Reading(found.kind, None, found.spans, found.rule)
    assert found.is_answered or (found.value is None and not found.rule)

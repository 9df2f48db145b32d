"""Every family's readers on the literal replies: no gold answer is looked at, and spans lie in the reply.

One in 16 is read by each reader (`declare.Task.reading`), with a document of the packaged sample; the documents of
all tasks of a reader take turns.
"""

from __future__ import annotations

import json
import re
from itertools import cycle, repeat

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hueval_metrics.loader import documents
from hueval_metrics.registry import families, resolve, task_spec
from lm_eval_tasks.openhueval import hooks
from tests.each import each
from tests.readers.sets import literal_cases

READERS = sorted({task.reading for family in families().values() for task in family.tasks.values()} - {None})
REPLIES = sorted({case.reply for case in literal_cases()}, key=lambda reply: (len(reply), reply))[::16]


def gold_fields(spec, doc):
    """The fields of a document on which its gold answer depends and its prompt does not."""

    def depends(text, field):
        rest = {key: value for key, value in doc.items() if key != field}
        try:
            return text(rest) != text(doc)
        except KeyError:
            return True

    found = {field for field in doc if depends(spec.target, field) and not depends(spec.prompt, field)}
    assert found, spec.name
    return found


@pytest.fixture(scope="module")
def sample():
    """Reader → (task, document, the document without its gold answer): of each task, all of them."""
    found = {}
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("HUEVAL_SAMPLE", "1")
        for family in families().values():
            for name, task in family.tasks.items():
                if task.reading:
                    docs, _ = documents(name)
                    gold = gold_fields(task_spec(name), docs[0])
                    bare = [{field: doc[field] for field in doc if field not in gold} for doc in docs]
                    found.setdefault(task.reading, []).extend(zip(repeat(name), docs, bare, strict=False))
    return found


def test_a_reply_that_does_not_know_is_nothing_for_each_reader(sample):
    """HuCB offers doubt as a label; a translation is whatever was written."""
    kinds = {}
    for reader, docs in sample.items():
        for task, _, bare in docs:
            kinds.setdefault((reader, task), resolve(reader)(bare, "Nem tudom eldönteni.").kind)
    foreign = re.compile("hkmmlutr_|kolassimpleqa_(?!hu_)")  # readers of other languages
    others = {task: kind for (_, task), kind in kinds.items() if kind != "nothing" and not foreign.match(task)}
    assert others == {"hulugen_hucb": "answered"}


@pytest.fixture(scope="module")
def readings(sample):
    """Reader → (task, the document without its gold answer, reply, reading)."""
    return {
        path: [
            (task, bare, reply, resolve(path)(doc, reply))
            for reply, (task, doc, bare) in zip(REPLIES, cycle(docs), strict=False)
        ]
        for path, docs in sample.items()
    }


def check_spans(reading, reply):
    spans = [span for span in reading.spans if span is not None]
    assert all(0 <= start <= end <= len(reply) for start, end in spans)
    assert bool(spans) or not reading.is_answered


@each("path", READERS)
def test_a_reader_never_looks_at_the_gold_answer(path, readings):
    """It may be missing. Blanks are counted in the question; see below for one that marks none."""
    read = resolve(path)
    for task, bare, reply, reading in readings[path]:
        assert read(bare, reply) == reading, (task, reply)


@each("path", READERS)
def test_what_was_read_stands_in_the_reply(path, readings):
    answered = 0
    for _, _, reply, reading in readings[path]:
        check_spans(reading, reply)
        answered += reading.is_answered
    assert answered > 9  # the replies are not passed by


@settings(max_examples=50)
@given(st.text(), st.sampled_from(READERS), st.integers(0, 99))
def test_any_text_is_read(sample, text, path, place):
    _, doc, _ = sample[path][place % len(sample[path])]
    check_spans(resolve(path)(doc, text), text)


@pytest.mark.parametrize(
    ("read", "question", "answers"),
    [(hooks.matching_reading, "question", "answer"), (hooks.standard_reading, "questions", "answers")],
)
def test_of_a_question_without_marks_only_the_number_of_gold_answers_counts(sample, read, question, answers):
    """Two published questions mark no blanks. How many they have is then known from the gold answers alone."""
    (path,) = (path for path in READERS if path.endswith(f".{read.__name__}"))
    for reply, (_, doc, _) in zip(REPLIES, cycle(sample[path]), strict=False):
        unmarked = json.loads(re.sub(r"#\d+#", "…", json.dumps(doc[question])))
        plain = {**doc, question: unmarked}
        others = {**plain, answers: [f"#{place}#x" for place in range(len(doc[answers]))]}
        assert read(others, reply) == read(plain, reply)

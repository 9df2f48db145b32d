"""How the reasoning traces of OpenHuEval's tasks are read (`traced.Traces`; §4 and Appendix F of the paper)."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from hueval_metrics.answers.blanks.blank import split_mark
from hueval_metrics.answers.blanks.options import option_texts, read_option
from hueval_metrics.answers.stated import WHOLE, Stated, Statement
from hueval_metrics.answers.statements.choice import choices
from hueval_metrics.answers.statements.read import of_options, of_words
from hueval_metrics.answers.statements.signs import same_answers
from hueval_metrics.judge.stated import stated_answers
from lm_eval_tasks.openhueval.family import FAMILY
from lm_eval_tasks.openhueval.hooks import chosen_option, matching_answer, standard_answer
from lm_eval_tasks.openhueval.metrics.fib import (
    SIMILARITY_THRESHOLD,
    aligned,
    matches,
    question_marks,
    similarity,
)
from lm_eval_tasks.openhueval.templates import answer_to, example_answer

Doc = Mapping[str, Any]
_LETTERS = str.maketrans(dict(FAMILY.letters))
_NUMBER = re.compile(r"\d+")


def simple_question(doc: Doc) -> str:
    """The question of HuSimpleQA."""
    return str(doc["question"])


def simple_reference(doc: Doc) -> str:
    """Its right answer."""
    return str(doc["answer"])


def matching_asked(doc: Doc, response: str) -> dict[str, list[str]]:
    """What the judge of HuMatchingFIB's segments is shown (Figures 37, 38).

    Args:
        doc: `question`, `options` and `answer`.
        response: the response without its trace.

    Returns:
        `options` and `std_ans` as in the data; `model_ans` like `#0#F`, for each blank that the response fills: the
        letter of the option that it names, or its words where they name none.
    """
    options = option_texts(doc["options"])
    marks = [split_mark(answer) for answer in doc["answer"]]
    filled = aligned(matching_answer(doc, response), marks, doc["question"])
    given = [f"#{mark.id}#{_letter(text, options)}" for mark, text in zip(marks, filled, strict=True) if text]
    return {"options": list(doc["options"]), "std_ans": list(doc["answer"]), "model_ans": given}


def matching_stated(doc: Doc, trace: str, response: str) -> Stated:
    """Which option a trace of HuMatchingFIB states for which blank; parts are the question's marks, values letters."""
    options, question = option_texts(doc["options"]), doc["question"]
    same = same_answers(options)
    marks = [split_mark(answer) for answer in doc["answer"]]
    parts = question_marks(marks, question)
    filled = aligned(matching_answer(doc, response), marks, question)
    letters = [_letter(text, options) if text else None for text in filled]
    texts = {letter: _respelled(text) for letter, text in options.items()}
    return Stated(
        of_options(_respelled(trace), _numbers(parts), texts, [_respelled(question)], example_answer("humatchingfib")),
        final=dict(zip(parts, [same.get(letter or "", letter) for letter in letters], strict=True)),
        right=dict(zip(parts, [frozenset({same.get(mark.text.upper(), mark.text)}) for mark in marks], strict=True)),
    )


def standard_stated(doc: Doc, trace: str, response: str) -> Stated:
    """Which words a trace of HuStandardFIB states for which blank.

    Words that are right are one value, the first of the alternatives; so are words as similar to the response's as the
    task's measure of similarity asks.
    """
    question = "\n".join(doc["questions"])
    marks = [split_mark(answer) for answer in doc["answers"]]
    parts = question_marks(marks, question)
    filled = aligned(standard_answer(doc, response), marks, question)
    gold = dict(zip(parts, marks, strict=True))
    given = {part: FAMILY.key(text) if text else "" for part, text in zip(parts, filled, strict=True)}

    def value(part: str, text: str) -> str:
        key = FAMILY.key(text)
        if matches(text, gold[part].text):
            return FAMILY.key(gold[part].text.split(";")[0])
        return given[part] if similarity(key, given[part]) > SIMILARITY_THRESHOLD else key

    known = [*filter(None, filled), *(text for mark in marks for text in mark.text.split(";"))]
    found = of_words(
        _respelled(trace),
        _numbers(parts),
        map(_respelled, known),
        [*map(_respelled, doc["questions"])],
        example_answer("hustandardfib"),
    )
    return Stated(
        [Statement(one.part, one.start, value(one.part, one.value)) for one in found],
        final={part: value(part, text) if text else None for part, text in zip(parts, filled, strict=True)},
        right={part: frozenset({FAMILY.key(mark.text.split(";")[0])}) for part, mark in gold.items()},
    )


def two_choice_stated(doc: Doc, trace: str, response: str) -> Stated:
    """Which option a trace of HuProverbRea-2CQ states, `1` or `2`."""
    final = chosen_option(doc, response)
    return Stated(
        choices(trace, (doc["option1"], doc["option2"]), FAMILY.key),
        final={WHOLE: str(final) if final else None},
        right={WHOLE: frozenset({str(doc["correct_option"])})},
    )


def simple_stated(doc: Doc, trace: str, response: str) -> Stated:
    """Where a trace of HuSimpleQA states the answer of the response or the right one, by their words."""
    return stated_answers(doc["question"], doc["answer"], trace, answer_to("husimpleqa", doc, response))


def _respelled(text: str) -> str:
    """The text with the letters of today, each in its place."""
    return text.translate(_LETTERS) if any(letter in text for letter in FAMILY.letters) else text


def _numbers(parts: Sequence[str]) -> dict[int, str]:
    """Number in a mark → the mark; a gold answer without a mark in the question has none."""
    return {int(number[0]): part for part in parts if (number := _NUMBER.search(part))}


def _letter(text: str, options: Mapping[str, str]) -> str:
    letters = read_option(text, options, FAMILY.key)
    return min(letters) if len(letters) == 1 else text

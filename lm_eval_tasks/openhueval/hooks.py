"""Score one document of an OpenHuEval task: the `process_results` of the task YAMLs, used live and by `hueval score`.

Each takes the document and the one filtered JSON string, and returns every metric key of its task for every document;
the aggregations named in the YAML make numbers in percent of them. None where a key does not apply.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from hf_datasets.openhueval.dimensions import dimension_code
from hueval_metrics.answers.blanks.blank import Asked, Blank, split_mark
from hueval_metrics.answers.blanks.options import option_texts, read_option
from hueval_metrics.answers.blanks.parse import read_blanks
from hueval_metrics.answers.blanks.words import is_plain, read_words
from hueval_metrics.answers.choice import is_echo, read_choice
from hueval_metrics.answers.marked import Marked
from hueval_metrics.answers.read_once import read_once
from hueval_metrics.answers.reading import NOTHING, Reading
from hueval_metrics.records import Filtered
from lm_eval_tasks.openhueval.family import FAMILY, FIB_DIMENSIONS
from lm_eval_tasks.openhueval.metrics.fib import (
    FibScore,
    aligned,
    fib_score,
    matching_blanks,
    matching_parts,
    standard_blanks,
    standard_parts,
)
from lm_eval_tasks.openhueval.metrics.fib_reference import reference_matching, reference_standard
from lm_eval_tasks.openhueval.metrics.two_choice import reference_choice
from lm_eval_tasks.openhueval.templates import answer_range, example_answer, prompt

_MARK = re.compile(r"#\s?\d{1,6}\s?#")
LANGUAGES = ("hu", "zh")  # of replies, beside English: models of China fall back to Chinese


def humatchingfib(doc: Mapping[str, Any], results: Sequence[str]) -> dict[str, Any]:
    """HuMatchingFIB (OpenHuEval §2.5): option letters in blanks.

    Args:
        doc: `question`, `options`, `answer` and `hu_specific_dim`.
        results: one filtered JSON string (`records.Filtered`).

    Returns:
        `blank_acc*`: (right, all) blanks; the others from 0 to 1.
    """
    filtered = Filtered.from_json(results[0])
    reading = matching_reading(doc, filtered.response)
    score = fib_score(matching_blanks(reading.value, doc["answer"], doc["options"], doc["question"]))
    return _fib_metrics(doc, filtered, score, reference_matching(filtered.response, doc["answer"]), reading)


def hustandardfib(doc: Mapping[str, Any], results: Sequence[str]) -> dict[str, Any]:
    """HuStandardFIB (OpenHuEval §2.5): free words in blanks, matched by similarity.

    Args:
        doc: `questions`, `answers` and `hu_specific_dim`.
        results: one filtered JSON string (`records.Filtered`).

    Returns:
        `blank_acc*`: (right, all) blanks; the others from 0 to 1.
    """
    filtered = Filtered.from_json(results[0])
    reading = standard_reading(doc, filtered.response)
    score = fib_score(standard_blanks(reading.value, doc["answers"], "\n".join(doc["questions"])))
    return _fib_metrics(doc, filtered, score, reference_standard(filtered.response, doc["answers"]), reading)


def huproverbrea_2cq(doc: Mapping[str, Any], results: Sequence[str]) -> dict[str, Any]:
    """HuProverbRea-2CQ (OpenHuEval §2.4): one presentation of a proverb with two options.

    Args:
        doc: `qid`, `correct_option` (1 or 2), `option1` and `option2`.
        results: one filtered JSON string (`records.Filtered`).

    Returns:
        (qid, correct option, answer) for every metric that pairs or counts choices; rates from 0 to 1.
    """
    filtered = Filtered.from_json(results[0])
    reading = chosen(doc, filtered.response)
    choice = (doc["qid"], doc["correct_option"], reading.value)
    return {
        "acc": choice,
        "acc_single": choice,
        "position_bias": choice,
        "parse_rate": float(reading.is_answered),
        "truncated_rate": float(filtered.truncated),
        "n_single_order": choice,
        "acc_ref": (doc["qid"], doc["correct_option"], reference_choice(filtered.response)),
    }


@read_once
def chosen(doc: Mapping[str, Any], response: str) -> Reading[int]:
    """The option that a response to HuProverbRea-2CQ chooses, 1 or 2 (`declare.Task.reading`)."""
    asked = prompt(doc) if "prompt_lang" in doc else ""
    before = len(asked) if response.startswith(asked) else 0
    start, end = (before + at for at in answer_range("huproverbrea_2cq", doc, response[before:]))
    options = (doc["option1"], doc["option2"])
    if is_echo(response[start:end], asked, options):
        return NOTHING
    found = read_choice(response[start:end], options, LANGUAGES, FAMILY.key).moved(start)
    return found.of(1 + (found.value or 0))


def chosen_option(doc: Mapping[str, Any], response: str) -> int | None:
    """The option that a response to HuProverbRea-2CQ chooses, 1 or 2; None when it is unreadable."""
    return chosen(doc, response).value


def two_choice_key(gold: Mapping[str, Any]) -> tuple[Any, Any]:
    """The key of the item that a row of an OpenCompass file is of (`declare.Task.opencompass_key`)."""
    return gold.get("qid"), gold.get("true_ans")


def matching_texts(doc: Mapping[str, Any], response: str) -> list[str] | None:
    """The blanks as a response to HuMatchingFIB marked them; None when it has no readable answer."""
    return _marked(matching_reading(doc, response).value)


def standard_texts(doc: Mapping[str, Any], response: str) -> list[str] | None:
    """The blanks as a response to HuStandardFIB marked them; None when it has no readable answer."""
    return _marked(standard_reading(doc, response).value)


def matching_marked(doc: Mapping[str, Any], response: str) -> Marked:
    """The question of HuMatchingFIB with its options, each blank marked right or wrong."""
    parts = matching_parts(matching_reading(doc, response).value, doc["answer"], doc["options"], doc["question"])
    return Marked("\n\n".join([doc["question"], " · ".join(doc["options"])]), parts)


def standard_marked(doc: Mapping[str, Any], response: str) -> Marked:
    """The questions of HuStandardFIB, each blank marked right or wrong."""
    question = "\n".join(doc["questions"])
    parts = standard_parts(standard_reading(doc, response).value, doc["answers"], question)
    return Marked("\n\n".join([str(doc.get("instruction") or ""), question]).strip(), parts)


def blank_columns(doc: Mapping[str, Any], metrics: Mapping[str, Any]) -> dict[str, Any]:
    """How many blanks of a question are right, how many it has and, where there is a list, how many options."""
    correct, count = metrics["blank_acc"]
    options = doc.get("options")
    found = {"blanks_correct": correct, "blanks_total": count}
    return found | ({"n_options": len(options)} if isinstance(options, (list, tuple)) else {})


def _marked(blanks: list[Blank] | None) -> list[str] | None:
    if blanks is None:
        return None
    return [blank.text if blank.id is None else f"#{blank.id}#{blank.text}" for blank in blanks]


def matching_answer(doc: Mapping[str, Any], response: str) -> list[Blank] | None:
    """The blanks that a response fills with options of HuMatchingFIB; None when it has no readable answer."""
    return matching_reading(doc, response).value


def standard_answer(doc: Mapping[str, Any], response: str) -> list[Blank] | None:
    """The blanks that a response fills with words in HuStandardFIB; None when it has no readable answer."""
    return standard_reading(doc, response).value


@read_once
def matching_reading(doc: Mapping[str, Any], response: str) -> Reading[list[Blank]]:
    """The blanks that a response fills with options of HuMatchingFIB, with one span for each that is asked."""
    options = option_texts(doc["options"])
    asked = Asked(
        question=doc["question"],
        count=_n_asked(doc["question"], doc.get("answer")),
        options=options,
        example=example_answer("humatchingfib"),
        reads=lambda text: bool(read_option(text, options, FAMILY.key)),
    )
    return _reading("humatchingfib", doc, response, asked)


@read_once
def standard_reading(doc: Mapping[str, Any], response: str) -> Reading[list[Blank]]:
    """The blanks that a response fills with words in HuStandardFIB, with one span for each that is asked."""
    question = "\n".join(doc["questions"])
    asked = Asked(
        question=question,
        count=_n_asked(question, doc.get("answers")),
        example=example_answer("hustandardfib"),
        reads=lambda text: read_words(text) is not None,
    )
    return _reading("hustandardfib", doc, response, asked)


def blanks_read(doc: Mapping[str, Any], reading: Reading[list[Blank]]) -> tuple[int, int]:
    """How many of the blanks that a question asks for were read: an option where it has a list, else words."""
    options = option_texts(doc["options"]) if "options" in doc else None
    question = doc["question"] if options is not None else "\n".join(doc["questions"])
    marks = [split_mark(mark) for mark in doc["answer" if options is not None else "answers"]]
    filled = [text for text in aligned(reading.value, marks, question) if text]
    if options is not None:
        return sum(bool(read_option(text, options, FAMILY.key)) for text in filled), len(marks)
    return sum(read_words(text) is not None or is_plain(text, LANGUAGES) for text in filled), len(marks)


def _n_asked(question: str, gold: Sequence[str] | None) -> int:
    """The number of marks in a question; two questions have none, and as many blanks as gold answers."""
    return len(_MARK.findall(question)) or len(gold or ())


def _reading(task: str, doc: Mapping[str, Any], response: str, asked: Asked) -> Reading[list[Blank]]:
    part = answer_range(task, doc, response)
    return read_blanks(response[part.start : part.end], asked).moved(part.start)


def _fib_metrics(
    doc: Mapping[str, Any], filtered: Filtered, score: FibScore, reference: FibScore, reading: Reading[list[Blank]]
) -> dict[str, Any]:
    pair = (score.correct, score.total)
    dimension = dimension_code(doc["hu_specific_dim"])
    return {
        "blank_acc": pair,
        "question_acc": float(score.complete),
        "parse_rate": float(reading.is_answered),
        "blank_parse_rate": blanks_read(doc, reading),
        "truncated_rate": float(filtered.truncated),
        "blank_acc_ref": (reference.correct, reference.total),
        "question_acc_ref": float(reference.complete),
        **{f"blank_acc_{code}": pair if code == dimension else None for code in FIB_DIMENSIONS},
    }

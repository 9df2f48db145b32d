"""How the reasoning traces of OpenHuEval's tasks are read (`declare.Traces`; §4 and Appendix F of the paper)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from hueval_metrics.answers.blanks.blank import split_mark
from hueval_metrics.answers.blanks.options import option_texts, read_option
from lm_eval_tasks.openhueval.family import FAMILY
from lm_eval_tasks.openhueval.hooks import matching_answer
from lm_eval_tasks.openhueval.metrics.fib import aligned

Doc = Mapping[str, Any]


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


def _letter(text: str, options: Mapping[str, str]) -> str:
    letters = read_option(text, options, FAMILY.key)
    return min(letters) if len(letters) == 1 else text

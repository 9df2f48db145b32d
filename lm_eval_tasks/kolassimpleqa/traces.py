"""How the reasoning traces of KoLasSimpleQA are read (`traced.Traces`; §4.5 and Appendix E of the paper)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from hueval_metrics.answers.stated import Stated
from hueval_metrics.judge.stated import stated_answers
from lm_eval_tasks.kolassimpleqa.documents import answer_to


def question(doc: Mapping[str, Any]) -> str:
    """The question, in the language in which it was asked."""
    return str(doc["question"])


def reference(doc: Mapping[str, Any]) -> str:
    """Its right answer, likewise."""
    return str(doc["answer"])


def stated(doc: Mapping[str, Any], trace: str, response: str) -> Stated:
    """Where a trace states the answer of the response or the right one, by their words."""
    return stated_answers(doc["question"], doc["answer"], trace, answer_to(doc, response), doc["question_lang"])

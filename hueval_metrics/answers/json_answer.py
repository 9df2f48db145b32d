"""The answer in a reply to a prompt that asks for JSON: its value, and its text."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from hueval_metrics.answers.short import object_answer, short_answer_text


def find_answer(text: str) -> Any | None:
    """The value of the answer in the last object of a reply that has one, or the last list; as parsed JSON.

    Args:
        text: a reply without its reasoning trace; any length.

    >>> find_answer('Íme: {"answer": ["#0#A"]} Remélem, segít.')
    ['#0#A']
    """
    return object_answer(text)


def answer_text(response: str, languages: Sequence[str] = ()) -> str:
    """The short answer in a reply as text; the whole reply where there is none.

    Args:
        response: a reply without its reasoning trace; any text.
        languages: of the reply, ISO 639-1; all that are known if empty.

    >>> answer_text('{"answer": "Mátyás király", "confidence_score": 90}')
    'Mátyás király'
    """
    return short_answer_text(response, languages)

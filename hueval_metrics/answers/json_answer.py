"""The answer in a reply to a prompt that asks for JSON: its value, and its text."""

from __future__ import annotations

from itertools import islice
from typing import Any

from hueval_metrics.answers.objects import answer_of, is_answer_key, is_form, objects, under_key
from hueval_metrics.answers.short import short_answer_text as answer_text
from hueval_metrics.answers.text import readable
from hueval_metrics.languages.load import known

__all__ = ["answer_text", "find_answer"]

_MOST_OBJECTS = 500


def find_answer(text: str) -> Any | None:
    """The value of the answer in the last object of a reply that has one, or the last list; as parsed JSON.

    Args:
        text: a reply without its reasoning trace; any length.

    Returns:
        "" where the last object has null for its answer, and None without an answer in an object.

    >>> find_answer('Íme: {"answer": ["#0#A"]} Remélem, segít.')
    ['#0#A']
    """
    found = [one for one in islice(objects(readable(text)), _MOST_OBJECTS) if not is_form(one)]
    stated = (value.value for one in found if (value := answer_of(one, known())))
    lists = (one.value for one in found if isinstance(one.value, list))
    last = under_key(found[0], lambda key: is_answer_key(key, known())) if found else []
    nulls = [""] if last and all(value.value is None for value in last) else []
    return next((value for values in (stated, lists, nulls) for value in values), None)

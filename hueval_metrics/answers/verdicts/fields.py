"""Read a field of the JSON object that a judge was asked for: a list, a number or a text, whatever the rubric expects.

What is not strict JSON is repaired, if the field stands in it once. Two objects that differ in the field are no answer,
so that an object which the judge copies from the text it reads cannot replace its own.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from hueval_metrics.answers.json_objects import under_key
from hueval_metrics.answers.verdicts.labels import without_trace
from hueval_metrics.answers.verdicts.quotations import is_quoted, readings

MISSING = object()
_MAX_OBJECTS = 50  # in a malformed reply; repairing thousands of braces takes seconds


def read_field(reply: str, names: Sequence[str]) -> tuple[Any, str | None]:
    """The value of a field in a judge's reply, and the reason if there is none.

    Args:
        reply: any text, with prose, fences or a reasoning trace around the object.
        names: of the field, the one asked for first; in lower case with underscores; in the reply letter case and
            hyphens do not matter.

    Returns:
        Any JSON value and None; or `MISSING` and the reason.

    >>> read_field("Here you are: {'Ids': ['1', 2]}", ["ids"]), read_field('{"ids": []} {"ids": [1]}', ["ids"])[1]
    ((['1', 2], None), 'several objects')
    """
    if not reply.strip():
        return MISSING, "empty reply"
    text = without_trace(reply)
    for form, objects, _ in readings(text):
        own, seen = [], 0
        for start, end, found in objects:
            if not is_quoted(form, start, end, seen):
                own += under_key(found, names)
            seen = end
        if own:
            return (own[-1], None) if all(value == own[-1] for value in own) else (MISSING, "several objects")
    own = _repaired(form, names)
    return (own[0], None) if len(own) == 1 else (MISSING, f"no {names[0]} in a JSON object")


def _repaired(text: str, names: Sequence[str]) -> list[Any]:
    """The values of the field in a malformed object: other quotes, LaTeX in a text, a comma too many."""
    start, end = text.find("{"), text.rfind("}") + 1
    piece = text[max(0, start) : end]
    named = "|".join(re.escape(name).replace("_", r"[\W_]{1,3}") for name in names)
    is_plain = piece.count("{") <= _MAX_OBJECTS and len(re.findall(named, piece, re.IGNORECASE)) == 1
    if not piece or not is_plain or is_quoted(text, start, end):
        return []
    from json_repair import repair_json

    try:
        return under_key(repair_json(piece, return_objects=True, skip_json_loads=True), names)
    except (ValueError, RecursionError):
        return []

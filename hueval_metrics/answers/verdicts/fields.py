"""Read a field of the JSON object that a judge was asked for: a list, a number or a text, whatever the rubric expects.

What is not strict JSON is repaired, if the field stands in it once. Two objects that differ in the field are no answer,
so that an object which the judge copies from the text it reads cannot replace its own.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from contextlib import suppress
from typing import Any

from hueval_metrics.answers.objects import under_key
from hueval_metrics.answers.text import readable
from hueval_metrics.answers.verdicts.own_words import own_objects, read_text

MISSING = object()


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
    text = read_text(reply)
    for form in (text,) if text.plain.isascii() else (text, readable(text)):  # a full-width quote may end a string
        own = []
        for found, is_quoted, _ in own_objects(form, ()):
            values = [value.value for value in under_key(found, names)]
            if values and not is_quoted and _is_sure(form.plain[found.start : found.end], names):
                own.append(values[0] if all(value == values[0] for value in values) else values)
        if own:
            return (own[-1], None) if all(value == own[-1] for value in own) else (MISSING, "several objects")
    return MISSING, f"no {names[0]} in a JSON object"


def _is_sure(piece: str, names: Sequence[str]) -> bool:
    """Whether the field of an object is its own: of a malformed one that is not cut off, if it stands there once."""
    with suppress(ValueError, RecursionError):
        return isinstance(json.loads(piece, strict=False), dict)
    named = "|".join(re.escape(name).replace("_", r"[\W_]{1,3}") for name in names)
    return piece.rstrip().endswith(("}", ">", ")")) and len(re.findall(named, piece, re.IGNORECASE)) == 1

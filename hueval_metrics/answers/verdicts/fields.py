"""Read a field of the JSON object that a judge was asked for: a list, a number or a text, whatever the rubric expects.

What is not strict JSON is repaired, if the field is in it once. Two objects that differ in the field are no answer,
so that an object which the judge copies from the text it reads cannot replace its own.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from contextlib import suppress
from typing import Any

from hueval_metrics.answers.objects import Found, under_key
from hueval_metrics.answers.text import Text
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

    def field(text: Text, found: Found) -> tuple[Any] | None:
        values = [value.value for value in under_key(found, names)]
        if not values or not _is_sure(text.plain[found.start : found.end], names):
            return None
        return (values[0] if all(value == values[0] for value in values) else values,)

    own, _ = own_objects(read_text(reply), (), field)
    if not own:
        return MISSING, f"no {names[0]} in a JSON object"
    ((last,), _) = own[-1]
    return (last, None) if all(value == last for (value,), _ in own) else (MISSING, "several objects")


def _is_sure(piece: str, names: Sequence[str]) -> bool:
    """Whether the field of an object is its own: of a malformed one that is not cut off, if it is there once."""
    with suppress(ValueError, RecursionError):
        return isinstance(json.loads(piece, strict=False), dict)
    named = "|".join(re.escape(name).replace("_", r"[\W_]{1,3}") for name in names)
    return piece.rstrip().endswith(("}", ">", ")")) and len(re.findall(named, piece, re.IGNORECASE)) == 1

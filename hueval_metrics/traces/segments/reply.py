r"""The list of segments in a judge's reply, in JSON or in what judges write instead of it.

The printed prompts show single quotes, commas before brackets and backslashes that escape nothing, and so do replies.
What is guessed here is checked against the trace afterwards (`coverage.py`).
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from typing import Any

from hueval_metrics.answers.objects import key_name

Entry = Mapping[str, Any]  # of a segment: keys as `key_name` writes them

_TRIES = 4  # beginnings of a list that are read in one reply
_KEYS = ("segments", "segment")
_BEGIN = re.compile(
    r"""\{\s*["']segments?["']\s*:|\[\s*\{\s*["'](?:text|from|category|categoty)["']\s*:""", re.IGNORECASE
)
_DECODER = json.JSONDecoder(strict=False)  # judges write raw line breaks inside strings
# A quote ends a string where a separator follows it. Possessive, and to the end of the text where none does, so that a
# text takes linear time.
_TOKEN = re.compile(
    r'"(?P<double>(?:[^"\\]|\\.|"(?!\s*[,:\]}]))*+)(?:"|\Z)'
    r"|'(?P<single>(?:[^'\\]|\\.|'(?!\s*[,:\]}]))*+)(?:'|\Z)"
    r"|,(?=\s*[\]}])",
    re.DOTALL,
)
_INSIDE = re.compile(r"""\\(?P<valid>["\\/bfnrt]|u[0-9a-fA-F]{4})|\\'|(?P<bare>["\\])""")


def entries(reply: str) -> Sequence[Entry]:
    r"""The last list of segments in a reply; empty without one.

    Args:
        reply: any text of any length.

    >>> entries("Here: {'segment': [{'text': \"It's #0#\", 'categoty': 'Review'},]}")
    [{'text': "It's #0#", 'categoty': 'Review'}]
    """
    found: list[Entry] = []
    at = 0
    for _ in range(_TRIES):
        begin = _BEGIN.search(reply, at)
        if begin is None:
            break
        value, end = _value(reply, begin.start())
        at = end or begin.end()
        found = _entries(value) or found
    return found


def _value(reply: str, start: int) -> tuple[Any, int]:
    """The JSON value at a place, and its end; None and 0 where there is none."""
    try:
        return _DECODER.raw_decode(reply, start)
    except (ValueError, RecursionError):
        pass
    try:
        value, _ = _DECODER.raw_decode(_TOKEN.sub(_as_json, reply[start:]))
    except (ValueError, RecursionError):
        return None, 0
    return value, len(reply)  # a reply in such a form has one list


def _as_json(match: re.Match[str]) -> str:
    text = match["double"] if match["double"] is not None else match["single"]
    return "" if text is None else f'"{_INSIDE.sub(_escaped, text)}"'


def _escaped(match: re.Match[str]) -> str:
    if match["valid"]:
        return match[0]
    return f"\\{match['bare']}" if match["bare"] else "'"


def _entries(value: Any) -> list[Entry]:
    """The segments in parsed JSON: a list of objects, by itself or under its key."""
    if isinstance(value, dict):
        value = next((inner for key, inner in value.items() if key_name(key) in _KEYS), None)
    if not isinstance(value, list) or not all(isinstance(entry, dict) for entry in value):
        return []
    names = {key: key_name(key) for key in {key for entry in value for key in entry}}
    return [{names[key]: inner for key, inner in entry.items()} for entry in value]

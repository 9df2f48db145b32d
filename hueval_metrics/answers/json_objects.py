"""Find the JSON objects in a reply, the text around them, and values by key."""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Collection, Iterable, Iterator
from functools import lru_cache
from typing import Any

from hueval_metrics.text.normalize import stream_safe

JsonObject = tuple[int, int, dict[str, Any]]  # start and end in a text, parsed object

READ_LIMIT = 20_000  # characters, counted from the end; a verdict has 20, and a longer reply is a runaway generation
_START = re.compile(r'\{(?=[ \t\n\r]*["}])')
_BETWEEN = re.compile(r"[\W_]+")


def _keeping_repeats(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """An object in which a repeated key has a list of its values: a judge that writes two labels has not decided."""
    data: dict[str, Any] = {}
    for key, value in pairs:
        data[key] = value if key not in data or data[key] == value else [data[key], value]
    return data


# Models write raw line breaks inside strings.
_DECODER = json.JSONDecoder(strict=False, object_pairs_hook=_keeping_repeats)


def json_objects(text: str) -> Iterator[JsonObject]:
    """The outermost well-formed JSON objects in a text, left to right.

    Only the last `READ_LIMIT` characters are read.
    """
    before = max(0, len(text) - READ_LIMIT)
    text = text[before:]  # the decoder's error counts the lines before it, which is slow in a long text
    start = _START.search(text)
    while start:
        try:
            value, end = _DECODER.raw_decode(text, start.start())
            yield before + start.start(), before + end, value
        except (ValueError, RecursionError):
            end = start.end()
        start = _START.search(text, end)


def outside(text: str, objects: Iterable[JsonObject]) -> str:
    """The text outside of its JSON objects; strings inside them are not statements of the reply itself.

    >>> outside('a {"reason": "CORRECT"} b', json_objects('a {"reason": "CORRECT"} b'))
    'a   b'
    """
    pieces = []
    seen = 0
    for start, end, _ in objects:
        pieces.append(text[seen:start])
        seen = end
    return " ".join([*pieces, text[seen:]])


def under_key(data: Any, keys: Iterable[str], skip: Collection[str] = ()) -> list[Any]:
    """The values of some keys, at the outermost level of parsed JSON that has any of them.

    Args:
        data: parsed JSON.
        keys: names in lower case with underscores; "Confidence Score" in the data matches `confidence_score`.
        skip: keys whose values are not searched.

    >>> under_key({"result": {"Evaluation": "CORRECT"}}, ["evaluation"])
    ['CORRECT']
    """
    wanted = frozenset(keys)
    level = [data]
    while level:
        objects = [item for item in level if isinstance(item, dict)]
        found = [value for item in objects for key, value in item.items() if key_name(key) in wanted]
        if found:
            return found
        level = [
            child
            for item in level
            if isinstance(item, (dict, list))
            for child in (_values(item, skip) if isinstance(item, dict) else item)
        ]
    return []


def _values(data: dict[str, Any], skip: Collection[str]) -> Iterable[Any]:
    return [value for key, value in data.items() if key_name(key) not in skip] if skip else data.values()


def key_name(key: str) -> str:
    """The form in which JSON keys are compared: `" Confidence-Score"` becomes `confidence_score`."""
    return _key_name(key[:40])


@lru_cache(1024)
def _key_name(key: str) -> str:
    return _BETWEEN.sub("_", unicodedata.normalize("NFKC", stream_safe(key)).casefold()).strip("_")

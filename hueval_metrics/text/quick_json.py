"""JSON with orjson if it is installed (the extra `fast`), else with the standard library; the results are equal."""

from __future__ import annotations

import json
from typing import Any

try:
    import orjson
except ImportError:
    orjson = None  # type: ignore[assignment]


def to_json(value: Any) -> bytes:
    r"""A value as compact JSON in UTF-8.

    A lone surrogate, which a broken tokenizer emits, cannot be encoded and becomes a question mark.

    >>> to_json({"a": "ő", "b": "\ud800"})
    b'{"a":"\xc5\x91","b":"?"}'
    """
    if orjson is not None:
        try:
            return bytes(memoryview(orjson.dumps(value)))  # a copy, as orjson's result keeps a buffer of 8 KiB or more
        except TypeError:  # a lone surrogate, or an integer of more than 64 bits
            pass
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "replace")


def from_json(text: str | bytes) -> Any:
    r"""Parse JSON; control characters in strings are accepted.

    An integer of more than 64 bits may become a float.

    Raises:
        ValueError: the text is not JSON.
        RecursionError: it is nested too deeply.

    >>> from_json('{"a": "x\ny"}')
    {'a': 'x\ny'}
    """
    if orjson is not None:
        try:
            return orjson.loads(text)
        except ValueError:  # such as NaN and lone surrogates, which the standard library accepts
            pass
    return json.loads(text, strict=False)

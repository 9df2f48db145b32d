"""JSON by orjson where it is installed (the extra `fast`), else by the standard library: the same either way."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

_dumps: Callable[[Any], bytes] | None
_loads: Callable[[str | bytes], Any] | None
try:
    from orjson import dumps as _dumps
    from orjson import loads as _loads
except ImportError:
    _dumps = _loads = None


def to_json(value: Any) -> bytes:
    r"""A value as JSON in UTF-8, without blanks between its parts.

    Half a surrogate pair, which a broken tokenizer emits, is no UTF-8 and becomes a question mark.

    >>> to_json({"a": "ő", "b": "\ud800"})
    b'{"a":"\xc5\x91","b":"?"}'
    """
    if _dumps is not None:
        try:
            return bytes(memoryview(_dumps(value)))  # a copy: orjson's own result holds on to 8 KiB or more
        except TypeError:  # half a surrogate pair, or a number of more than 64 bits
            pass
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "replace")


def from_json(text: str | bytes) -> Any:
    r"""A value out of JSON; control characters in strings are accepted.

    A whole number of more than 64 bits may come as a float.

    Raises:
        ValueError: the text is no JSON.
        RecursionError: it is nested too deep.

    >>> from_json('{"a": "x\ny"}')
    {'a': 'x\ny'}
    """
    if _loads is not None:
        try:
            return _loads(text)
        except ValueError:  # among them NaN and half surrogate pairs, which the standard library reads
            pass
    return json.loads(text, strict=False)

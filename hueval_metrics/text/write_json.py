"""JSON that people can read and every file can hold, with lone surrogates, which UTF-8 cannot encode, escaped."""

from __future__ import annotations

import json
from typing import Any


def json_text(value: Any, **options: Any) -> str:
    r"""A value as JSON with its letters as they are; only a lone surrogate is escaped, and read back as it was.

    Arguments and exceptions are those of `json.dumps`.

    >>> json_text({"a": "ő", "b": "\ud800"})
    '{"a": "ő", "b": "\\ud800"}'
    """
    # JSON has text in strings only, where Python's escape of a surrogate is JSON's.
    return json.dumps(value, ensure_ascii=False, **options).encode("utf-8", "backslashreplace").decode()

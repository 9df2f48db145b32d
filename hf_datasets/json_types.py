"""The names of JSON's types, for messages."""

from __future__ import annotations

from types import NoneType

_NAMES: dict[type, str] = {
    NoneType: "null",
    bool: "a true/false value",
    int: "a number",
    float: "a number",
    str: "a string",
    list: "a list",
    dict: "an object",
}


def json_type(value: object) -> str:
    """The JSON name of a value's type, with its article.

    >>> json_type([1])
    'a list'
    """
    return _NAMES.get(type(value), type(value).__name__)

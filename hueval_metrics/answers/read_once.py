"""Metrics and the column of parsed answers ask for the same reading of a reply, one right after the other."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import wraps
from typing import Any, TypeVar

Doc = Mapping[str, Any]
Read = TypeVar("Read")


def read_once(read: Callable[[Doc, str], Read]) -> Callable[[Doc, str], Read]:
    """A reader of replies that keeps its last result, and gives it again for the same document and response.

    Args:
        read: (document, response) → what is read; the result must not be changed by its callers, nor the document.

    >>> length = read_once(lambda doc, response: print("read") or len(response))
    >>> doc = {"qid": "1"}
    >>> length(doc, "Buda") + length(doc, "Buda")
    read
    8
    """
    last: tuple[Doc, str, Read] | None = None

    @wraps(read)
    def once(doc: Doc, response: str) -> Read:
        nonlocal last
        held = last  # one look, as several threads may read
        if held is None or held[0] is not doc or held[1] != response:
            last = held = (doc, response, read(doc, response))
        return held[2]

    return once

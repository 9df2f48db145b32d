"""A question with several parts, such as blanks, each marked right or wrong: what a reader of errors wants to see."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Part:
    """One part of a question, and what a response gave for it.

    Attributes:
        mark: the text that stands for the part in the question; empty where the question has none.
        accepted: the gold answer, then the alternatives that are accepted too.
        given: what the response gave; None where it gave nothing.
        right: whether that counts as right.
    """

    mark: str
    accepted: tuple[str, ...]
    given: str | None
    right: bool


@dataclass(frozen=True, slots=True)
class Marked:
    """A question and its parts.

    Attributes:
        text: the question as people read it, with the marks of its parts.
        parts: in the order of the gold answers.
    """

    text: str
    parts: tuple[Part, ...]

    def to_json(self) -> dict[str, Any]:
        """As a row of items.jsonl has it."""
        return asdict(self)

    @classmethod
    def from_json(cls, found: object) -> Marked | None:
        """Read it from a row that anyone may have written; None for what is no such object.

        >>> row = Marked("Buda #0#", (Part("#0#", ("vára",), "hegye", False),)).to_json()
        >>> Marked.from_json(row).parts[0].given
        'hegye'
        """
        if not isinstance(found, Mapping) or not isinstance(found.get("text"), str):
            return None
        rows = found.get("parts")
        parts = tuple(map(_part, rows)) if isinstance(rows, (list, tuple)) else ()
        return None if not parts or None in parts else cls(found["text"], tuple(filter(None, parts)))


def _part(found: object) -> Part | None:
    if not isinstance(found, Mapping):
        return None
    mark, accepted, given = (found.get(name) for name in ("mark", "accepted", "given"))
    is_list = isinstance(accepted, (list, tuple)) and all(isinstance(one, str) for one in accepted)
    if not isinstance(mark, str) or not is_list or not isinstance(given, str | None):
        return None
    return Part(mark, tuple(accepted or ()), given, found.get("right") is True)

"""What every reader of replies returns: what was read, how sure that is an answer, and where it is."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Generic, Literal, NamedTuple, TypeVar

VERSION = 1  # of the readers and the cut, part of every signature; increase it when a reply is read differently

Value = TypeVar("Value")
Other = TypeVar("Other")
Kind = Literal["answered", "nothing", "refused", "several", "unreadable"]
KINDS: tuple[Kind, ...] = ("answered", "nothing", "refused", "several", "unreadable")


class Span(NamedTuple):
    """A range of characters of a response: its start, and its end (exclusive)."""

    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Reading(Generic[Value]):
    """What a reader found in a response.

    Attributes:
        kind: `answered`; `nothing`: empty, or only the prompt, or an item that the model invented; `refused`;
            `several`: two candidates remain; `unreadable`: text without a candidate, or with one that is not stated.
        value: the answer; None unless `answered`.
        spans: where the answer is in the response, in characters; of a question with parts one a part, None for a
            part without an answer.
        rule: how it was found: `whole` (the response is the answer), `object` (JSON, tag, box), `line` (a marked line),
            `sentence` (stated in one), `only` (the only candidate in the text); empty unless `answered`.
    """

    kind: Kind
    value: Value | None = None
    spans: tuple[Span | None, ...] = ()
    rule: str = ""

    @property
    def is_answered(self) -> bool:
        """Whether there is a value."""
        return self.kind == "answered"

    def of(self, value: Other) -> Reading[Other]:
        """The same reading with the value in another form; without one, as it is."""
        return Reading(self.kind, value if self.is_answered else None, self.spans, self.rule)

    def moved(self, by: int) -> Reading[Value]:
        """The same reading of a part of the response that begins at `by`."""
        spans = tuple(span and Span(span.start + by, span.end + by) for span in self.spans)
        return Reading(self.kind, self.value, spans, self.rule)

    def to_json(self) -> dict[str, Any]:
        """As a row of items.jsonl has it, beside `answer`, which is the value."""
        return {"kind": self.kind, "spans": [span and list(span) for span in self.spans], "rule": self.rule}

    @classmethod
    def from_json(cls, found: object, response: str | None) -> Reading[Any] | None:
        """Read `to_json`, which anyone may have written, back without the value; None where it has no known kind.

        Args:
            found: any JSON value.
            response: the text that spans are of. With a span that is not in it, all are left out.

        >>> Reading.from_json({"kind": "answered", "spans": [[3, 4], None], "rule": "line"}, "A: 2")
        Reading(kind='answered', value=None, spans=(Span(start=3, end=4), None), rule='line')
        >>> Reading.from_json({"kind": "answered", "spans": [[3, 9]]}, "A: 2"), Reading.from_json({"kind": 1}, "A: 2")
        (Reading(kind='answered', value=None, spans=(), rule=''), None)
        """
        if not isinstance(found, Mapping) or found.get("kind") not in KINDS:
            return None
        spans, rule, length = found.get("spans"), found.get("rule"), len(response or "")
        is_sound = isinstance(spans, list) and all(span is None or _is_span(span, length) for span in spans)
        read = tuple(span and Span(*span) for span in spans or ()) if is_sound else ()
        return cls(found["kind"], None, read, rule if isinstance(rule, str) else "")


def _is_span(found: object, length: int) -> bool:
    if not isinstance(found, list) or len(found) != 2 or not all(type(place) is int for place in found):
        return False
    start, end = found
    return bool(0 <= start <= end <= length)


def answered(value: Value, spans: tuple[Span | None, ...], rule: str) -> Reading[Value]:
    """The reading of a response that answers."""
    return Reading("answered", value, spans, rule)


NOTHING: Reading[Any] = Reading("nothing")
REFUSED: Reading[Any] = Reading("refused")
SEVERAL: Reading[Any] = Reading("several")
UNREADABLE: Reading[Any] = Reading("unreadable")

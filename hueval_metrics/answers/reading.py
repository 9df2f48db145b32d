"""What every reader of replies returns: what was read, how sure that is an answer, and where it stands."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Generic, Literal, NamedTuple, TypeVar

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
        spans: where the answer stands in the response, in characters; of a question with parts one a part, None for a
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


def answered(value: Value, spans: tuple[Span | None, ...], rule: str) -> Reading[Value]:
    """The reading of a response that answers."""
    return Reading("answered", value, spans, rule)


NOTHING: Reading[Any] = Reading("nothing")
REFUSED: Reading[Any] = Reading("refused")
SEVERAL: Reading[Any] = Reading("several")
UNREADABLE: Reading[Any] = Reading("unreadable")

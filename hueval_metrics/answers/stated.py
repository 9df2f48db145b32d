"""Which answer is stated where in a reasoning trace: what a family's reader of traces gives (`traced.Traces.stated`).

A statement asserts that a part of the question, such as a blank, has a value. What only considers one is none:
questions, "maybe", "if", "either … or", negations, and what repeats the prompt.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

WHOLE = "answer"  # the part of a question that has one


@dataclass(frozen=True, slots=True)
class Statement:
    """One statement.

    Attributes:
        part: id of the part of the question.
        start: where it begins, in characters of the trace.
        value: the answer, in the form in which values are equal where answers are.
    """

    part: str
    start: int
    value: str


@dataclass(frozen=True)
class Stated:
    """The statements of a trace, and what they are held against.

    Attributes:
        statements: in the order of the trace.
        final: part → value of the response; None where it gives none. It has every part of the question.
        right: part → the values that are right.
        approximate: whether answers are known by their words alone.
    """

    statements: Sequence[Statement]
    final: Mapping[str, str | None]
    right: Mapping[str, frozenset[str]]
    approximate: bool = False

"""The answer's life: where in a trace the final answer first appears, how often it changes, when it is settled.

It needs no judge: what a trace states is read by rule (`answers.stated`), as the task's family declares.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from hueval_metrics.answers.stated import Stated
from hueval_metrics.registry import known_tasks, resolve
from hueval_metrics.tokens import Tokens
from hueval_metrics.traces.item import Row, TraceItem
from hueval_metrics.traces.measures import Measure
from hueval_metrics.traces.settings import FREE


@dataclass(frozen=True)
class Life:
    """Where the answer to one part of a question appears in the trace; offsets are characters of the trace.

    Attributes:
        statements: number of statements about the part.
        first: start of the first statement of the final answer, the one in the response; None where it is not stated.
        changes: how many statements say another value than the one before.
        settled: start of the statement of the final answer after which no other value is stated; None where the last
            statement says another value.
        right_stood: start of the first statement of a right answer; None without one.
        right: whether the final answer is right.
    """

    statements: int
    first: int | None
    changes: int
    settled: int | None
    right_stood: int | None
    right: bool


def life(item: TraceItem, tokens: Tokens) -> dict[str, Any] | None:
    """The value of `life` in the row of a reply; None without a trace, or where its task declares no reader of it.

    Its `regret` is whether the reply is not right and the right answer of a part that is wrong was stated in the trace;
    None where it was not judged.
    """
    family = known_tasks().get(item.task)
    declared = family.traces.get(item.task) if family else None
    if declared is None or declared.stated is None or item.doc is None or not item.trace.strip():
        return None
    stated: Stated = resolve(declared.stated)(item.doc, item.trace, item.response)
    lives = {part: life_of(stated, part) for part in stated.final}
    return {
        "approximate": stated.approximate,
        "parts": [_row(part, found, tokens) for part, found in lives.items()],
        "regret": None if item.share is None else item.share < 1 and any(map(_is_regret, lives.values())),
    }


def life_of(stated: Stated, part: str) -> Life:
    """The life of the answer to one part.

    >>> from hueval_metrics.answers.stated import Statement
    >>> said = [Statement("#0#", 5, "B"), Statement("#0#", 20, "A"), Statement("#0#", 40, "A")]
    >>> life_of(Stated(said, {"#0#": "A"}, {"#0#": frozenset("B")}), "#0#")
    Life(statements=3, first=20, changes=1, settled=20, right_stood=5, right=False)
    """
    found = [(one.start, one.value) for one in stated.statements if one.part == part]
    final, right = stated.final[part], stated.right.get(part, frozenset())
    values = [value for _, value in found]
    at_end = 0
    while at_end < len(values) and final is not None and values[-1 - at_end] == final:
        at_end += 1
    return Life(
        statements=len(found),
        first=next((start for start, value in found if value == final), None),
        changes=sum(one != other for one, other in pairwise(values)),
        settled=found[-at_end][0] if at_end else None,
        right_stood=next((start for start, value in found if value in right), None),
        right=final in right,
    )


def _row(part: str, found: Life, tokens: Tokens) -> dict[str, Any]:
    return {
        "part": part,
        "statements": found.statements,
        "first": found.first,
        "tokens_before": None if found.first is None else tokens.before(found.first),
        "changes": found.changes,
        "settled": found.settled,
        "tokens_after": None if found.settled is None else tokens.trace - tokens.before(found.settled),
        "right_stood": found.right_stood,
        "right": found.right,
    }


def _is_regret(found: Life) -> bool:
    return not found.right and found.right_stood is not None


def _parts(row: Row) -> Sequence[Row]:
    return row["life"]["parts"] if row.get("life") else ()


def _answer_first(row: Row) -> tuple[float, float] | None:
    before = [part["tokens_before"] for part in _parts(row) if part["tokens_before"] is not None]
    return (sum(before) / row["tokens"], len(before)) if before and row["tokens"] else None


def _answer_changes(row: Row) -> tuple[float, float] | None:
    changes = [part["changes"] for part in _parts(row) if part["statements"]]
    return (sum(changes), len(changes)) if changes else None


def _tokens_after_settled(row: Row) -> tuple[float, float] | None:
    after = [part["tokens_after"] for part in _parts(row) if part["tokens_after"] is not None]
    return (sum(after), len(after)) if after else None


def _regret_rule(row: Row) -> tuple[float, float] | None:
    if not row.get("life") or row["share"] is None or row["share"] >= 1:
        return None
    return float(row["life"]["regret"]), 1.0


MEASURES: tuple[Measure, ...] = (
    Measure("answer_first", FREE, "%", _answer_first, tested=True),
    Measure("answer_changes", FREE, "count", _answer_changes, tested=True),
    Measure("tokens_after_settled", FREE, "tokens", _tokens_after_settled, tested=True),
    Measure("regret_rule", FREE, "%", _regret_rule, tested=True),
)

"""What readers make of the labelled replies: right, false, misread, unread, and milliseconds a reply."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Mapping, Sequence
from statistics import median
from typing import NamedTuple

from tests.readers.sets import Case, by_reader

OUTCOMES = ("right", "false", "misread", "unread")


class Row(NamedTuple):
    """One reader on one set."""

    reader: str
    set: str
    n: int
    outcomes: Mapping[str, int]
    ms: float
    not_right: Sequence[tuple[Case, str]]  # with its outcome


def measured(cases: Sequence[Case]) -> list[Row]:
    """A row for each reader and set, in the order of the cases."""
    for case in cases:
        case.read()  # the first time loads documents and words
    rows = []
    for (reader, name), some in by_reader(cases).items():
        outcomes, times = [], []
        for case in some:
            start = time.perf_counter()
            value = case.read()
            times.append(1000 * (time.perf_counter() - start))
            outcomes.append(case.outcome(value))
        not_right = [(case, outcome) for case, outcome in zip(some, outcomes, strict=True) if outcome != "right"]
        rows.append(Row(reader, name, len(some), Counter(outcomes), median(times), not_right))
    return rows


def table(rows: Sequence[Row]) -> str:
    """The rows as a Markdown table."""
    lines = [
        "| reader | set | replies | right % | false | misread | unread | ms |",
        "|---|---|--:|--:|--:|--:|--:|--:|",
    ]
    for row in rows:
        right = 100 * row.outcomes["right"] / row.n
        counts = " | ".join(str(row.outcomes[name]) for name in OUTCOMES[1:])
        lines.append(f"| {row.reader} | {row.set} | {row.n:,} | {right:.1f} | {counts} | {row.ms:.2f} |")
    return "\n".join(lines)

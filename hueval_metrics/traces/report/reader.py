"""The trace of a reply with what `hueval traces` found in it, packed for the trace reader of the item browser.

Offsets in traces.jsonl are characters of the whole trace; the page has a trace without its middle where it is long, and
JavaScript counts UTF-16 units. So each offset is converted once the trace is cut; one in the part that was cut out is
moved to the cut.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from hueval_metrics.metrics.simple_qa import INCORRECT, NOT_ATTEMPTED
from hueval_metrics.reports import escape
from hueval_metrics.reports.page.items import PARTS
from hueval_metrics.reports.page.packing import Piece, places
from hueval_metrics.runs.items import Item
from hueval_metrics.tokens import BETWEEN_BLOCKS
from hueval_metrics.traces.report.rows import Part, TraceRow
from hueval_metrics.traces.segments.classes import CATEGORIES, DIMENSIONS, REASONING

_PART = 40  # characters kept of the name of a part
_LANGUAGE = 16  # characters kept of the code of a language


@dataclass(frozen=True)
class Found:
    """What was found in the trace of a reply (`reports.page.section.Findings`)."""

    row: TraceRow

    @property
    def tokens(self) -> int | None:
        """Of the trace."""
        return self.row.tokens

    @property
    def bits(self) -> int:
        """What items are filtered by, in the order of `FINDINGS`."""
        return sum(1 << place for place, is_so in enumerate(FINDINGS.values()) if is_so(self.row))

    def trace_of(self, item: Item) -> str | None:
        """The trace that the offsets of the row are of; None where the reply is not the one that was analysed.

        >>> item = Item.of({"task": "toybench_words", "qid": "1", "prediction": "<think>hm</think>Igen."})
        >>> row = {"run": "a", "task": "toybench_words", "key": ["1"], "blocks": [[7, 9]]}
        >>> Found(TraceRow.model_validate(row)).trace_of(item)
        'hm'
        """
        reply = item.prediction or ""
        if any(start > end or end > len(reply) for start, end in self.row.blocks):
            return None
        trace = BETWEEN_BLOCKS.join(reply[start:end] for start, end in self.row.blocks)
        return trace if all(offset <= len(trace) for offset in _offsets(self.row)) else None

    def shown(self, trace: Piece) -> dict[str, Any]:
        """What the page shows of the trace; see `marks`."""
        return marks(self.row, trace)


def marks(row: TraceRow, trace: Piece) -> dict[str, Any]:
    """What the page shows of a trace, as JSON, without empty parts.

    Args:
        row: what was found.
        trace: the trace as the page has it.

    Returns:
        `tokens`; `language`, `switches`, `translations`; `thoughts`: starts and scores; `segments`: of each start, end,
        index of its category and, with dimensions, of its classes; `life`: of each part its name, the places where the
        answer was first stated, was settled, and where the right one was (-1 where that is in the part that was cut
        out, None without one), how often it changed, tokens after it was settled, and whether it is right;
        `approximate`.
    """
    place = places(trace)
    found: dict[str, Any] = {"tokens": row.tokens}
    if row.free:
        found |= {"language": escape.plain((row.free.language or "")[:_LANGUAGE]), "switches": row.free.switches}
        found |= {"translations": row.free.translations}
    if row.thoughts:
        found["thoughts"] = [list(map(place, row.thoughts.starts)), row.thoughts.scores]
    if row.segments:
        found["segments"] = [
            [place(one.start), place(one.end), CATEGORIES.index(one.category), *(one.classes or ())]
            for one in row.segments.segments
        ]
    if row.life:
        found["life"] = [_part(one, place, trace) for one in row.life.parts[:PARTS]]
        found["approximate"] = row.life.approximate
    return {name: value for name, value in found.items() if value}


def _part(part: Part, place: Callable[[int], int], trace: Piece) -> list[Any]:
    kept, gone = (len(trace), 0) if isinstance(trace, str) else (len(trace[0]), trace[1])
    places = [
        None if at is None else -1 if kept <= at < kept + gone else place(at)
        for at in (part.first, part.settled, part.right_stood)
    ]
    return [escape.plain(part.part[:_PART]), *places, part.changes, part.tokens_after, part.right]


def _offsets(row: TraceRow) -> list[int]:
    starts = row.thoughts.starts if row.thoughts else []
    ends = [one.end for one in row.segments.segments] if row.segments else []
    parts = row.life.parts if row.life else []
    offsets = [at for one in parts for at in (one.first, one.settled, one.right_stood) if at is not None]
    return [*starts, *ends, *offsets]


def _is_wrong(row: TraceRow) -> bool:
    return row.verdict in (INCORRECT, NOT_ATTEMPTED)


def _has_class(row: TraceRow, dimension: int, name: str) -> bool:
    """Whether a Reasoning segment is of a class; dimensions of other segments do not count."""
    wanted = DIMENSIONS[dimension].index(name)
    return any(
        one.category == REASONING and one.classes is not None and one.classes[dimension] == wanted
        for one in (row.segments.segments if row.segments else ())
    )


FINDINGS: Mapping[str, Callable[[TraceRow], bool]] = {
    "regret": lambda row: _is_wrong(row) and row.thoughts is not None and row.thoughts.n_correct > 0,
    "regret_rule": lambda row: row.life is not None and row.life.regret is True,
    "changed": lambda row: any(part.changes for part in (row.life.parts if row.life else ())),
    "switches": lambda row: row.free is not None and row.free.switches > 0,
    "translations": lambda row: row.free is not None and row.free.translations > 0,
    "looping": lambda row: row.free is not None and row.free.looping,
    "no_trace": lambda row: not row.blocks,
    "cut": lambda row: row.truncated,
    "simple": lambda row: _has_class(row, 1, "Simple Assertion"),
    "complex": lambda row: _has_class(row, 1, "Complex Thought"),
    "modifies": lambda row: _has_class(row, 2, "Modify Previous Blanks"),
    "transfer": lambda row: _has_class(row, 3, "Contains Language Transfer"),
}

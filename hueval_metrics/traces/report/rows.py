"""The rows of traces.jsonl as a report joins them with items; checked here, since anyone may have written them."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any, Literal, NamedTuple

from pydantic import BaseModel, BeforeValidator, NonNegativeInt, ValidationError, model_validator

from hueval_metrics.runs.run import Key
from hueval_metrics.scoring.lines import read_lines
from hueval_metrics.traces.analyse import ROWS
from hueval_metrics.traces.segments.classes import DIMENSIONS

_Offset = NonNegativeInt  # in characters of the trace
Score = Literal[0, 1, 2]
ItemKey = tuple[str, Key]  # task, and the values that name the item


def read_rows(folder: Path, on_fault: Callable[[str], None]) -> dict[str, dict[ItemKey, TraceRow]]:
    """The rows of an analysis: label of the run → item → row.

    Args:
        folder: of the analysis.
        on_fault: takes the message on a row that is not usable, which is left out.

    Raises:
        InputError: the file cannot be read.
    """
    found: dict[str, dict[ItemKey, TraceRow]] = {}
    file = folder / ROWS
    for line in read_lines(file, on_fault):
        try:
            row = TraceRow.model_validate(line.row)
        except ValidationError as error:
            first = error.errors(include_url=False, include_input=False)[0]
            where = ".".join(map(str, first["loc"]))
            on_fault(f'{file} line {line.number}: "{where}": {first["msg"]}. Write it again: hueval traces')
            continue
        found.setdefault(row.run, {})[row.task, row.key] = row
    return found


def _or_none(value: Any) -> Any:
    """A step that left the reply out has its reason instead of a value."""
    return None if isinstance(value, dict) and "left_out" in value else value


class Free(BaseModel):
    """What was counted without a judge."""

    language: str | None = None
    switches: NonNegativeInt = 0
    translations: NonNegativeInt = 0
    looping: bool = False


class Part(BaseModel):
    """How the answer to one part of the question came about; all offsets may be None."""

    part: str = ""
    first: _Offset | None = None
    changes: NonNegativeInt = 0
    settled: _Offset | None = None
    tokens_after: NonNegativeInt | None = None
    right_stood: _Offset | None = None
    right: bool | None = None


class Life(BaseModel):
    """The answer's life."""

    approximate: bool = False
    parts: list[Part] = []
    regret: bool | None = None


class Thoughts(BaseModel):
    """The thoughts: where each starts, and its score."""

    starts: list[_Offset]
    scores: list[Score | None]

    @model_validator(mode="after")
    def _check(self) -> Thoughts:
        if self.starts[:1] != [0] or self.starts != sorted(self.starts) or len(self.scores) != len(self.starts):
            raise ValueError("the thoughts are not consecutive pieces with a score each")
        return self

    @property
    def n_correct(self) -> int:
        """The number of thoughts with the score of a correct one."""
        return self.scores.count(2)


class Segment(BaseModel):
    """A segment: its range, its category and its classes."""

    start: _Offset
    end: _Offset
    category: Literal["Introduction", "Reasoning", "Review", "Conclusion"]
    dimensions: list[str] | None = None

    @property
    def classes(self) -> tuple[int, ...] | None:
        """Of each dimension the index in `DIMENSIONS`; None where it has none."""
        names = self.dimensions or ()
        if len(names) != len(DIMENSIONS) or not all(one in known for one, known in zip(names, DIMENSIONS, strict=True)):
            return None
        return tuple(known.index(one) for one, known in zip(names, DIMENSIONS, strict=True))


class Segments(BaseModel):
    """The segments of a trace."""

    segments: list[Segment]

    @model_validator(mode="after")
    def _check(self) -> Segments:
        ends = [end for one in self.segments for end in (one.start, one.end)]
        if ends != sorted(ends):
            raise ValueError("the segments are not in order")
        return self


class Extent(NamedTuple):
    """A block of the trace in the reply."""

    start: _Offset
    end: _Offset


class TraceRow(BaseModel):
    """A row: see docs/reference/files.md."""

    run: str
    task: str
    key: tuple[str | int | None, ...]
    verdict: str | None = None
    truncated: bool = False
    blocks: list[Extent] = []
    tokens: NonNegativeInt = 0
    free: Annotated[Free | None, BeforeValidator(_or_none)] = None
    life: Annotated[Life | None, BeforeValidator(_or_none)] = None
    thoughts: Annotated[Thoughts | None, BeforeValidator(_or_none)] = None
    segments: Annotated[Segments | None, BeforeValidator(_or_none)] = None

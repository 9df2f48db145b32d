r"""The paragraphs of a trace, as a judge is shown them by number."""

from __future__ import annotations

import re
from collections.abc import Iterator

_LONG = 1000  # characters; a longer line is divided at the ends of sentences
_LINE = re.compile(r"[^\n]*\n\s*|[^\n]+")
_SENTENCE_END = re.compile(r"(?<=[.!?…。])\s+")


def paragraphs(trace: str) -> list[int]:
    r"""Where the paragraphs of a trace begin, the first at 0; together they are the trace.

    A paragraph is a line with the white space after it; white space at the beginning belongs to the first.

    >>> paragraphs("\nSo #0# is A.\n\n- or B?\nNo.")
    [0, 15, 23]
    """
    starts = [start for line in _LINE.finditer(trace) for start in _starts(trace, line.start(), line.end())]
    is_blank = bool(starts[1:]) and not trace[: starts[1]].strip()
    return [0, *starts[2 if is_blank else 1 :]]


def _starts(trace: str, start: int, end: int) -> Iterator[int]:
    yield start
    if end - start > _LONG:
        for gap in _SENTENCE_END.finditer(trace, start, end):
            if gap.end() < end:
                yield gap.end()

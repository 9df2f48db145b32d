"""The sentences of a reasoning trace that name something, and whether a sentence asserts what it says."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence

from hueval_metrics.answers.clauses import HEDGED, read
from hueval_metrics.answers.names import Mention
from hueval_metrics.answers.statements.signs import LANGUAGES

# A full stop before a small letter ends no sentence ("e.g. the", "pl. az"), nor does one of "I. András" and "Dr. Tóth".
_END = re.compile(
    r"[.!?…](?:(?<![IVX]\.)(?<!\b[DM]r\.)(?<!\bSt\.)(?<!\bvs\.)[.!?…]{0,4}[\"'”’*_)\]]{0,3}"
    r"(?=\s+[^\sa-záéíóöőúüű]|\s*\Z)|(?<=\?))|[。！？؟]|\n"
)
_LONGEST = 2_000  # characters; a longer sentence is cut, so that each is read in bounded time


def sentences(text: str, kept: Sequence[tuple[int, int]]) -> Iterator[tuple[int, int, int, int]]:
    """The sentences of a text that have some of its names in them.

    Args:
        text: any text.
        kept: ranges in which no sentence ends, in order, such as `C. szó`, the letter and text of an option.

    Yields:
        Start and end of a sentence, and the first and last (exclusive) of the ranges that begin in it.

    >>> [*sentences("Igen. Nem tudom. Az A. Buda? Nem.", [(20, 27)])]
    [(16, 28, 0, 1)]
    """
    ends = [match.end() for match in _END.finditer(text)]
    first, last = 0, 0
    start, end = 0, -1
    for place, (begin, _) in enumerate(kept):
        if begin < end:
            last = place + 1
            continue
        if last > first:
            yield start, end, first, last
        at = bisect_right(ends, begin)
        start = max(ends[at - 1] if at else 0, end, 0)
        start = max(start, begin - _LONGEST)
        end = _end(ends, kept, place, at, len(text))
        first, last = place, place + 1
    if last > first:
        yield start, end, first, last


def _end(ends: Sequence[int], kept: Sequence[tuple[int, int]], place: int, at: int, length: int) -> int:
    """The first end of a sentence behind a range that is in none of the ranges from it on."""
    begin = kept[place][0]
    while at < len(ends) and ends[at] < begin + _LONGEST:
        while place < len(kept) and kept[place][1] < ends[at]:
            place += 1
        if place == len(kept) or kept[place][0] >= ends[at]:
            return ends[at]
        at += 1
    return min(length, begin + _LONGEST)


def is_asserted(sentence: str, start: int, end: int) -> bool:
    """Whether a sentence asserts a part of it, and does not doubt, deny or ask it, or leave it open.

    Args:
        sentence: in small letters.
        start, end: the range of the part.

    >>> [is_asserted(said, 0, 7) for said in ("#0# = f.", "#0# = f?", "#0# = f or g.", "#0# = f, not g.")]
    [True, False, False, True]
    """
    (said,) = read(sentence, [Mention(start, end, 0, "text")], LANGUAGES).said
    return said.status in ("stated", "named") and said.weight != HEDGED

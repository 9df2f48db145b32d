"""Find the expressions that may open a thought, tag them for the judge, and split a trace at those it confirms.

After arXiv:2503.21500, F.1. All offsets are in characters of the trace as it is; joined, the thoughts are the trace.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import NamedTuple

from hueval_metrics.text.normalize import stream_safe
from hueval_metrics.text.unspaced import CHARACTERS, is_syllable, is_unspaced


class Occurrence(NamedTuple):
    """Where an expression is in a trace: the offsets of its first character, and behind its last one."""

    start: int
    end: int


MAX_LENGTH = 200  # characters; what is longer is a passage that a judge has copied
_MARK = re.compile("[\u0300-\u036f]")
_INSIDE_A_WORD = "_\u00ad\u200c\u200d\u2060"  # besides letters, digits and marks: no word ends at a soft hyphen
_SPACED = re.compile(rf"[^\W{CHARACTERS}]+")
_REMEMBERED = 8192  # pairs of characters; a trace has the same few again and again
_FORGED = re.compile(r"[<\uff1c](?=\s{0,9}/?\s{0,9}shift[\W_]{0,9}word)", re.IGNORECASE)


def occurrences(trace: str, expressions: Iterable[str]) -> list[Occurrence]:
    r"""Every occurrence of every expression, in order; none lies in another or overlaps it.

    Longer expressions come first. Letter case counts; composed and decomposed letters are the same; any white space,
    line breaks among it, is allowed between the words of an expression. An occurrence is whole words: no letter, digit
    or mark goes on at its ends, except in scripts without spaces. An expression is text, whatever signs are in it; one
    without any character but white space, or of more than `MAX_LENGTH` characters, occurs nowhere.

    Args:
        trace: any text.
        expressions: as a judge lists them.

    >>> occurrences("De várj\ncsak. Debrecen? De igen.", ["De", "De várj csak"])
    [Occurrence(start=0, end=12), Occurrence(start=24, end=26)]
    """
    has_marks = _MARK.search(trace) is not None
    forms = dict.fromkeys(tuple(unicodedata.normalize("NFC", stream_safe(text)).split()) for text in expressions)
    lengths = {words: len(" ".join(words)) for words in forms}
    taken, found = bytearray(len(trace)), []
    for words in sorted((words for words in forms if 0 < lengths[words] <= MAX_LENGTH), key=lambda w: -lengths[w]):
        pattern = re.compile(r"\s+".join("".join(_letter(char, has_marks) for char in word) for word in words))
        match = pattern.search(trace)
        while match:
            start, end = match.span()
            if (other := taken.find(1, start, end)) >= 0:
                following = taken.find(0, other)
            elif _goes_on(trace, start) or _goes_on(trace, end):
                run = _SPACED.match(trace, start)
                following = run.end() if run else start + 1  # inside of it no word begins
            else:
                taken[start:end] = b"\1" * (end - start)
                found.append(Occurrence(start, end))
                following = end
            match = pattern.search(trace, following) if following >= 0 else None
    return sorted(found)


def tagged(trace: str, found: Sequence[Occurrence]) -> str:
    """The trace with each occurrence between two tags of its number, from 1, as Figure 40 prints them.

    What looks like such a tag in the trace itself gets another bracket, so that the judge sees ours alone.

    >>> tagged("<shift_word_3> But no.", [Occurrence(15, 18)])
    '(shift_word_3> <shift_word_1>But<shift_word_1> no.'
    """
    safe = _FORGED.sub("(", trace)  # as long as the trace
    pieces, seen = [], 0
    for number, (start, end) in enumerate(found, start=1):
        tag = f"<shift_word_{number}>"
        pieces += [safe[seen:start], tag, safe[start:end], tag]
        seen = end
    return "".join([*pieces, safe[seen:]])


def confirmed(found: Sequence[Occurrence], ids: Iterable[int]) -> tuple[list[Occurrence], int]:
    """The occurrences with some of the numbers from `tagged`, in order, and how many numbers belong to none.

    >>> confirmed([Occurrence(0, 3), Occurrence(9, 12)], [2, 2, 0, -1, 7])
    ([Occurrence(start=9, end=12)], 3)
    """
    given = list(ids)
    known = {number for number in given if 1 <= number <= len(found)}
    return [found[number - 1] for number in sorted(known)], sum(number not in known for number in given)


def opened(shifts: Sequence[Occurrence], blank: int) -> list[Occurrence | None]:
    """What opens each thought of a trace: an occurrence, or None for the first where it begins without one.

    Args:
        shifts: the confirmed occurrences.
        blank: how many characters of white space the trace begins with; they are no thought of their own.

    >>> opened([Occurrence(4, 7)], 0), opened([Occurrence(1, 4)], 1)
    ([None, Occurrence(start=4, end=7)], [Occurrence(start=1, end=4)])
    """
    is_first = bool(shifts) and shifts[0].start <= blank
    return [*shifts] if is_first else [None, *shifts]


def starts_of(thoughts: Sequence[Occurrence | None]) -> list[int]:
    """Where each thought begins, for what `opened` gives; the first at 0, and there is always one."""
    return [0, *(thought.start for thought in thoughts[1:] if thought)]


def split(trace: str, starts: Sequence[int]) -> list[str]:
    """The thoughts of a trace, from where each begins; joined, they are the trace.

    >>> split("Hm. But no.", [0, 4])
    ['Hm. ', 'But no.']
    """
    return [trace[start:end] for start, end in zip(starts, [*starts[1:], len(trace)], strict=True)]


def _letter(char: str, has_marks: bool) -> str:
    """A pattern of a composed character, and of its decomposed form where the trace has any."""
    apart = unicodedata.normalize("NFD", char) if has_marks else char
    return re.escape(char) if apart == char else f"(?:{re.escape(char)}|{re.escape(apart)})"


def _goes_on(trace: str, at: int) -> bool:
    """Whether a word goes on from the character before an offset to the one behind it."""
    if not 0 < at < len(trace):
        return False
    return _belong_together(trace[at - 1], trace[at])


@lru_cache(_REMEMBERED)
def _belong_together(left: str, right: str) -> bool:
    if not (_is_of_word(left) and _is_of_word(right)):
        return False
    return is_syllable(left, right) if is_unspaced(left) or is_unspaced(right) else True


def _is_of_word(char: str) -> bool:
    return char.isalnum() or char in _INSIDE_A_WORD or unicodedata.category(char).startswith("M")

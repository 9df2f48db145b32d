"""The sentences of a trace: abbreviations, initials, numbers and list labels end none; a line break does.

Written for what models write: Hungarian and English prose, numbered lists, tables, JSON, fenced code. A sentence ends
at `.`, `!`, `?` or `…` before white space, unless the next word begins in lower case; at every line break, unless the
next line goes on in lower case; and around fenced code, which is one sentence.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from hueval_metrics.traces.free.lexicon import word_list

Span = tuple[int, int]

FENCED = (
    r"^[ \t]{0,8}```[^`\n]*\n[\s\S]*?(?:^[ \t]{0,8}```|\Z)"  # code on lines of its own; the last fence may be cut off
)
_FENCED = re.compile(FENCED, re.MULTILINE)
_BREAK = re.compile(r"[\n\r\v\f\x85\u2028\u2029]\s*|[.!?…。！？؟।]+[\"'”’»)\]*_]*")
_BREAKS, _UNSPACED_ENDS = frozenset("\n\r\v\f\x85\u2028\u2029"), frozenset("。！？")
_NEXT_WORD = re.compile(r"\s*+[\"'„“‘«(\[*_]*+(?P<word>\w*)(?P<stop>\.?)")
_LABEL = re.compile(r"[\W_]*(?:\d{1,3}|[^\W\d_]|[IVXLC]{1,6})")  # "1.", "- a.", "**IV." at the start of a sentence
_ROMAN = re.compile(r"[IVXLC]+")
_LONGEST = 12  # characters before a full stop in which an abbreviation is looked for
_OPENERS = "\"'„“‘«([*_#-–"


def sentences(text: str) -> Iterator[Span]:
    """The ranges of the sentences of a text, in order; between them is white space and nothing else.

    Args:
        text: any text, any length.

    >>> text = "II. Rákóczi Ferenc, pl. 1703-ban. Várjunk, 3.5 vagy 4?"
    >>> [text[start:end] for start, end in sentences(text)]
    ['II. Rákóczi Ferenc, pl. 1703-ban.', 'Várjunk, 3.5 vagy 4?']
    """
    start = 0
    for fence in _FENCED.finditer(text) if "```" in text else ():
        yield from _of_prose(text, start, fence.start())
        yield from _trimmed(text, *fence.span())
        start = fence.end()
    yield from _of_prose(text, start, len(text))


def _of_prose(text: str, start: int, end: int) -> Iterator[Span]:
    for mark in _BREAK.finditer(text, start, end):
        at, after = mark.span()
        if after >= end or (_is_line_end if text[at] in _BREAKS else _is_full_stop)(text, start, at, after):
            yield from _trimmed(text, start, after)
            start = after
    yield from _trimmed(text, start, end)


def _trimmed(text: str, start: int, end: int) -> Iterator[Span]:
    while start < end and text[start].isspace():
        start += 1
    while start < end and text[end - 1].isspace():
        end -= 1
    if start < end:
        yield start, end


def _is_line_end(text: str, start: int, at: int, after: int) -> bool:
    """Whether a line break ends a sentence: not where a wrapped line goes on in lower case."""
    is_wrapped = text[after].islower() and text.count("\n", at, after) < 2
    return not is_wrapped or text[at - 1 : at] in (":", ";")


def _is_full_stop(text: str, start: int, at: int, after: int) -> bool:
    """Whether the marks at a place end a sentence."""
    if text[at] in _UNSPACED_ENDS:
        return True
    if not text[after].isspace():
        return False
    follows = _NEXT_WORD.match(text, after)
    word, stop = follows.group("word", "stop") if follows else ("", "")
    if "\n" in text[after : after + 2] or not word:
        return True
    if word[0].islower():
        return False
    return (
        text[at] != "."
        or after - at > 1
        or not _is_inside(text, start, at, word, is_initial=bool(stop) and len(word) == 1)
    )


def _is_inside(text: str, start: int, at: int, word: str, is_initial: bool) -> bool:
    """Whether the full stop at a place belongs to an abbreviation, an initial, a numeral or the label of a list."""
    if at - start <= _LONGEST and _LABEL.fullmatch(text, start, at):
        return True
    before = text[max(start, at - 2 * _LONGEST) : at].split()
    last = before[-1].lstrip(_OPENERS) if before and not text[at - 1].isspace() else ""
    lower = last.casefold()
    if lower in word_list("never_last") or (word[0].isdigit() and lower in word_list("before_number")):
        return True
    after_initial = len(last) == 1 and last.isupper()
    if after_initial and is_initial:
        return True
    if word[0].isdigit() or word.casefold() in word_list("starters"):
        return False
    if lower in word_list("seldom_last") or (len(last) > 1 and _ROMAN.fullmatch(last)):
        return True
    return after_initial and len(before) > 1 and before[-2].lstrip(_OPENERS)[:1].isupper()

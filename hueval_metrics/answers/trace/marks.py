"""Find the markers of reasoning traces in a text, and distinguish them from mentions in quotes or sentences."""

from __future__ import annotations

import re
from itertools import pairwise
from typing import NamedTuple

from hueval_metrics.answers.trace.markers import MARKER, Kind, kind_of

_QUOTES = "\"'`„“”‚‘’«»"
_QUOTE_BEFORE = re.compile(rf"(?:\A|[^\w\\{_QUOTES}])\\?[{_QUOTES}]\Z|(?:\A|\s)(?:\(|\*{{1,3}})\Z")
_QUOTE_AFTER = re.compile(rf"\\?[{_QUOTES}](?:\Z|[^\w{_QUOTES}])|(?:\)|\*{{1,3}})(?:\Z|[^\w*])")
# A tag as a word of a sentence: "the <think> tag", "a </think> címke", "a <think>-et".
_WORD_BEFORE = re.compile(r"[^\W_][,;:]?[ \t]\Z")
_WORD_AFTER = re.compile(r"[ \t]\(?([^\W\d_])|-[^\W\d_]|[,;:.?!)](?:\s|\Z)")

_FENCE = re.compile(r"^[ \t]{0,3}(`{3,}|~{3,})([^\n]*)$", re.MULTILINE)
_CODE = re.compile(r"(?<!`)`[^`\n]+`(?!`)")


class Mark(NamedTuple):
    """A marker in a text.

    Attributes:
        start: index of its first character.
        end: index behind its last character.
        kind: its effect; see `markers.kind_of`.
        tag: the name of its tag.
        is_word: whether it reads as a word of its sentence; whether it is one also depends on the marks around it.
        closes_next: whether the next mark that does not read as a word ends a trace.
    """

    start: int
    end: int
    kind: Kind
    tag: str
    is_word: bool
    closes_next: bool


def marks(text: str) -> list[Mark]:
    """The markers of a text, except those in quotes."""
    found: list[Mark] = []
    for match in MARKER.finditer(text):
        kind, tag = kind_of(match)
        if kind:
            start, end = match.span()
            before, after = text[max(0, start - 5) : start], text[end : end + 5]
            # The quotes must open before it and close after it, unlike in `"Szeged"</think>"Szeged"`.
            if not (_QUOTE_BEFORE.search(before) and _QUOTE_AFTER.match(after)):
                is_word = kind in ("open", "close") and _is_word(before, after)
                found.append(Mark(start, end, kind, tag, is_word, False))
    for place, (opening, closing) in enumerate(pairwise(found)):
        if (opening.kind, closing.kind) == ("open", "close") and closing.start - opening.end <= 5:
            # "the <think></think> pair", "a <think>…</think> címkék"
            is_empty = not text[opening.end : closing.start].strip(".… ")
            before, after = text[max(0, opening.start - 5) : opening.start], text[closing.end : closing.end + 5]
            if is_empty and _is_word(before, after):
                found[place : place + 2] = [opening._replace(is_word=True), closing._replace(is_word=True)]
    closes = False
    for place in range(len(found) - 1, -1, -1):
        found[place] = found[place]._replace(closes_next=closes)
        if not found[place].is_word:
            closes = found[place].kind != "open"
    return found


def first_tag(text: str) -> str:
    """The kind of the first tag of a trace in a text, "open" or "close"; "" if there is none."""
    return next((one.kind for one in marks(text) if not one.is_word and one.kind in ("open", "close")), "")


def code_spans(text: str) -> list[tuple[int, int]]:
    """Start and end of closed code fences and of code in backticks, in order, without nested ones."""
    if "`" not in text and "~" not in text:
        return []
    spans = []
    opening: re.Match[str] | None = None
    for line in _FENCE.finditer(text):
        if opening is None or (line[2].strip() and line[1] == opening[1]):
            opening = line  # a fence with the name of a language opens a block: the one before was never closed
        elif line[1].startswith(opening[1]) and not line[2].strip():
            spans.append((opening.start(), line.end()))
            opening = None
    if opening:  # one fence too many: any of them may be the one that does not count
        spans.clear()
    spans += [match.span() for match in _CODE.finditer(text)]
    outer: list[tuple[int, int]] = []
    for span in sorted(spans):
        if not outer or span[0] >= outer[-1][1]:
            outer.append(span)
    return outer


def _is_word(before: str, after: str) -> bool:
    follows = _WORD_AFTER.match(after)
    return bool(follows and _WORD_BEFORE.search(before) and not (follows[1] or "").isupper())

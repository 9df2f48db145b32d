"""The names of a text by sentences: each with its own text, rows of several, and lists of the candidates.

What the names cover is hidden, so that no word of an option's text is taken for one of the reply.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass

from hueval_metrics.answers.names import Mention, Token

_NEAR = 200  # characters in which the beginning or the end of a line is looked for
HIDDEN = "\ue000"  # stands for the characters of a name, which are no words of the sentence
WORD = re.compile(r"[\u2e80-\u2fff\u3040-\ud7ff]|[^\W_\u2e80-\ud7ff]+")  # a character of a script without spaces, too
_LABEL_WORDS = frozenset(("article", "option"))
_JOINING = frozenset(("or", "and", "both", "article", "option"))
SENTENCE_END = re.compile(r"[.!?…]+[\"'”»」』)\]*_]*(?=\s|\Z|[\u2e80-\U0003ffff])|[。！？]|\n+")
_LABEL_GAP = re.compile(r"[\s.:：、,)\]}>*_\"'„“”|=(–—「『《-]{0,8}")
_BARE = " \t*_\"'„“”「」『』"


@dataclass(slots=True)
class View:
    """A folded text with its names hidden, and its words that have a meaning."""

    text: str
    tokens: list[Token]


@dataclass(slots=True)
class Unit:
    """A name with the candidate's text behind it, or several names in a row."""

    start: int
    end: int
    candidates: frozenset[Hashable]
    mention: Mention
    is_listed: bool = False
    is_number: bool = False  # a text that is a number, which calculations have, too


def within(view: View, start: int, end: int) -> list[Token]:
    """The tokens of a range."""
    first = bisect_left(view.tokens, (start,))
    return view.tokens[first : bisect_left(view.tokens, (end,), lo=first)]


def rest(view: View, start: int, end: int, keys: frozenset[str]) -> str:
    """What a range holds besides words with one of some meanings."""
    parts, at = [], start
    for token in within(view, start, end):
        if token.keys & keys:
            parts.append(view.text[at : token.start])
            at = max(at, token.end)
    return "".join([*parts, view.text[at:end]]).strip(_BARE)


def keys_of(words: Sequence[Token]) -> frozenset[str]:
    """All meanings of some words."""
    return frozenset().union(*(token.keys for token in words)) if words else frozenset()


def units_of(view: View, mentions: Sequence[Mention]) -> list[Unit]:
    """The names, each with its own text behind it, and rows of names that leave a choice open."""
    units: list[Unit] = []
    before: Mention | None = None
    for one in mentions:
        last, gap = units[-1] if units else None, ""
        if last is not None and before is not None and one.start - before.end <= 60:
            gap = view.text[last.end : one.start]
            is_label = one.form == "text" and before.form != "text"
            is_own = one.candidate == before.candidate and before.form != one.form
            fill = frozenset(("option", "is") if is_label else ("option",))
            label_gap = rest(view, last.end, one.start, fill)
            if (is_label or is_own) and _LABEL_GAP.fullmatch(label_gap):
                last.end = one.end  # a label and its text; where that is another one's, the label counts
                continue
            joined = rest(view, last.end, one.start, _JOINING)
            keys = keys_of(within(view, last.end, one.start))
            is_row = "article" not in keys or keys & {"or", "and", "both"}
            if is_row and joined.strip(" ,，、/|&+-–;.~()*") == "" and not SENTENCE_END.search(gap):
                last.candidates |= {one.candidate}
                last.end, before = one.end, one
                continue
        units.append(Unit(one.start, one.end, frozenset((one.candidate,)), one))
        before = one
    return units


def mark_lists(view: View, units: Sequence[Unit]) -> None:
    """Mark the names that begin lines or sentences in their order: a list of the candidates, which states none."""
    before: Unit | None = None
    for unit in units:
        if len(unit.candidates) > 1:
            continue
        near = max(0, unit.start - _NEAR)
        start = max(view.text.rfind(end, near, unit.start) for end in "\n。.;；") + 1
        if start < near:
            continue  # in the middle of a long line
        begins_line = view.text[start - 1 : start] in ("", "\n")
        if not begins_line and unit.end == unit.mention.end and view.text[unit.end : unit.end + 1] not in (":", "："):
            continue
        if WORD.search(rest(view, start, unit.start, _LABEL_WORDS)):
            continue
        is_alike = before is not None and (not _is_alone(view, before) or _is_alone(view, unit))
        if before is not None and is_alike and _follows(before, unit):
            before.is_listed = unit.is_listed = True
        before = unit


def _is_alone(view: View, unit: Unit) -> bool:
    """Whether nothing follows a name on its line."""
    return not WORD.search(view.text[unit.end : unit.end + _NEAR].split("\n", 1)[0])


def _follows(before: Unit, unit: Unit) -> bool:
    """Whether one candidate comes right behind another in the order of the question."""
    (one,), (other,) = before.candidates, unit.candidates
    if isinstance(one, int) and isinstance(other, int):
        return other > one
    return one != other


def sentences(text: str, hidden: str, units: Sequence[Unit]) -> Iterator[tuple[int, int]]:
    """The ranges of the sentences; a name that ends in a full stop ends one before a capital."""
    ends = [match.end() for match in SENTENCE_END.finditer(hidden)]
    for unit in units:
        if (
            text[unit.end - 1] == "."
            and text[unit.end : unit.end + 1] == " "
            and text[unit.end + 1 : unit.end + 2].isupper()
        ):
            ends.append(unit.end)
    start, at = 0, 0
    for end in (*sorted(ends), len(text)):
        while at < len(units) and units[at].end < end:
            at += 1
        is_inside = at < len(units) and units[at].start < end < units[at].end
        if end > start and not is_inside:
            yield start, end
            start = end

"""Find the names of blanks in a text: `#0#`, a noun with a number, a number, an ordinal, the letter of a question.

>>> asked = Asked("A #0# és a #1#.", count=2)
>>> [(name.id, form) for form in FORMS for name in names("A második üres helyre: F", 0, form, asked)]
[(1, 'ordinal')]
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import NamedTuple

from hueval_metrics.answers.blanks.blank import MARK, Asked
from hueval_metrics.answers.names import folded
from hueval_metrics.languages.load import ordinals, remembered, source

# From the surest form to the least; a reply is read by one of them.
FORMS = ("mark", "noun", "number", "ordinal", "letter")
DECORATION = r"(?:[^\w#(\[{<|]|_){0,20}(?:\\[a-z]{1,20}\W?)?[^\w#|]{0,4}?"  # bullets, quotes, emoji, a command
_NUMBER = re.compile(rf"{DECORATION}#?(?<!\d)(\d{{1,3}})(?![^\W_]|%)[\])}}>_*\"']*(?=\W|$)-?")
_IN_A_ROW = re.compile(r"(?<![\w.,%/])#?(\d{1,2})(?![\d%])(?=\s?[.:=)\-–→A-Z])-?")
_LETTER = re.compile(rf"{DECORATION}(?<!\w)([A-Z]|[a-z](?=\)))(?=[.):\]*]|\s[=–-]|\s?[^\w\s\x00-\x7f])")
_LONGEST = 100  # characters of a text that names a blank and nothing else
_GAP = r"[\s:.)\]*_-]{0,4}"


class Name(NamedTuple):
    """A name of a blank in a text.

    Attributes:
        start, end: its range.
        id: the number of the blank's mark in the question, or as the name has it.
        is_numbered: whether the id is a plain number, which may count from 1.
    """

    start: int
    end: int
    id: int
    is_numbered: bool = False


def names(line: str, at: int, form: str, asked: Asked) -> list[Name]:
    """The names of one form in a line, in order.

    Args:
        line: a line of a text.
        at: where it begins in the text.
        form: one of `FORMS`.
        asked: the question.
    """
    if form == "mark":
        return [Name(at + match.start(), at + match.end(), int(match[1])) for match in MARK.finditer(line)]
    if form == "letter":
        match = None if asked.options else _LETTER.match(line)
        place = ord(match[1].upper()) - ord("A") if match else asked.count
        return [Name(at, at + match.end(), ids(asked)[place])] if match and place < len(ids(asked)) else []
    if form == "number":
        match = _NUMBER.match(line)
        return _row(line, at, asked) or ([Name(at, at + match.end(), int(match[1]), True)] if match else [])
    low = folded(line)
    if form == "noun":
        return [
            Name(at + match.start(), at + match.end(), int(match["behind"] or match["before"]), True)
            for match in _noun(asked.languages).finditer(low)
            if int(match["behind"] or 0) <= (asked.count or 1_000)
        ]
    return _ordinals_in(low, at, asked)


def ids(asked: Asked) -> Sequence[int]:
    """The numbers in the question's marks, in reading order; from 0 where it has none."""
    return _ids(asked.question) or range(asked.count)


@lru_cache(64)
def _ids(question: str) -> tuple[int, ...]:
    return tuple(int(number) for number in MARK.findall(question))


def _row(line: str, at: int, asked: Asked) -> list[Name]:
    """Numbers in one line, if they count all blanks, from 0 or 1."""
    row: list[Name] = []
    for match in _IN_A_ROW.finditer(line):
        if int(match[1]) in ((row[-1].id + 1,) if row else (0, 1)):
            row.append(Name(at + match.start(), at + match.end(), int(match[1]), True))
    return row if len(row) == asked.count > 1 else []


@remembered
def _noun(languages: tuple[str, ...]) -> re.Pattern[str]:
    """A noun for a blank, or for its answer, with a number before or behind it."""
    noun = "|".join(source(key, languages) for key in ("blank", "answer", "question"))
    adjective = source("unfilled", languages)
    return re.compile(
        rf"(?:(?<!\w)(?P<before>\d{{1,3}})(?:\.|st|nd|rd|th)?{_GAP}(?:{adjective}\s+){{0,2}}(?:{noun})(?!\w)"
        rf"|(?:{noun})[\s_:.=\"'\[({{<#*-]{{0,4}}(?P<behind>\d{{1,3}})(?![\w%])[\])}}>#*\"']{{0,3}})(?:\s(?:{noun}))?"
    )


@remembered
def _ordinal(languages: tuple[str, ...]) -> tuple[re.Pattern[str], re.Pattern[str], Mapping[str, int]]:
    """An ordinal with a noun for a blank behind it; one alone; and the place that each means."""
    places = {folded(word): place for place, row in reversed([*enumerate(ordinals(languages))]) for word in row}
    word = rf"(?<!\w)(?P<word>{'|'.join(map(re.escape, sorted(places, key=len, reverse=True))) or '(?!)'})(?!\w)"
    noun = "|".join(source(key, languages) for key in ("blank", "answer", "question"))
    with_noun = rf"{word}(?:\s(?:{source('unfilled', languages)})){{0,2}}\s(?:{noun})"
    alone = rf"{DECORATION}(?:{source('article', languages)}\s)?{word}(?=[^\w\s]|\s[^\w\s]|$)"
    return re.compile(with_noun), re.compile(alone), places


def _ordinals_in(low: str, at: int, asked: Asked) -> list[Name]:
    with_noun, alone, places = _ordinal(asked.languages)
    found = [*with_noun.finditer(low)] or [*filter(None, [alone.match(low)])]
    known = ids(asked)
    named = [(match, places[match["word"]]) for match in found]
    return [Name(at + m.start(), at + m.end(), known[place]) for m, place in named if place < len(known)]


def named_by(key: str, asked: Asked) -> Name | None:
    """The blank that a short text names and nothing else: the key of an object, the cell of a table."""
    if len(key) > _LONGEST:
        return None
    text = " ".join(key.replace("_", " ").split())
    match = re.fullmatch(r"\W{0,3}(\d{1,6})\W{0,3}", text)
    if match and int(match[1]) <= (asked.count or 1_000):
        return Name(0, len(key), int(match[1]), "#" not in text)
    if glued := re.fullmatch(r"[^\W\d]{1,12} ?(\d{1,3})", text):  # "a0", "blank1"
        return Name(0, len(key), int(glued[1]), True)
    for form in FORMS:
        found = names(text + (":" if form in ("letter", "ordinal") else ""), 0, form, asked)
        rest = text[: found[0].start] + text[found[0].end :] if len(found) == 1 else "x"
        if not re.search(r"\w", re.sub(source("article blank", asked.languages), "", folded(rest))):
            return found[0]
    return None

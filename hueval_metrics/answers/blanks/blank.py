"""One filled blank, and what is known of the question whose blanks a reply fills."""

from __future__ import annotations

import html
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

Reads = Callable[[str], bool]

_MARK = re.compile(  # one gold row lacks the second "#"
    r"[\s*_•+–-]{0,4}[\[({<]?\s*#{1,2}\s*(\d{1,6})\s*#{0,2}\s*[\])}>]?[\s*_]{0,4}(?:(?:[:=→]|->|=>|[-–—](?=\s))\s*)?"
)
_MARK_BEHIND = re.compile(r"[\s–-]{0,3}[\[({]?#(\d{1,6})#[\])}]?\s*\Z")


@dataclass(frozen=True, slots=True)
class Blank:
    """One filled blank.

    Attributes:
        id: the number in its mark; None when the model gave none.
        text: what fills it.
        is_numbered: whether the id is a plain number, which may count from 1.
    """

    id: int | None
    text: str
    is_numbered: bool = field(default=False, compare=False, repr=False)


@dataclass(frozen=True)
class Asked:
    """What a reply to a fill-in question is read with.

    Attributes:
        question: the text with its `#n#` marks.
        count: how many blanks there are; 0 where that is not known.
        options: letters and texts to choose from; empty where words are asked for.
        example: the answer of the prompt's example, which is no answer of the model.
        reads: whether a text fills a blank at all; used outside of JSON, where any line may be prose.
    """

    question: str = ""
    count: int = 0
    options: Mapping[str, str] = field(default_factory=dict)
    example: Sequence[str] = ()
    reads: Reads = bool


def split_mark(text: str) -> Blank:
    """Split `#0#F` into id and text.

    >>> split_mark("#0# Prága"), split_mark("[#1#]: Buda")
    (Blank(id=0, text='Prága'), Blank(id=1, text='Buda'))
    """
    text = html.unescape(text) if "&" in text else text
    if match := _MARK.match(text):
        return Blank(int(match[1]), text[match.end() :].strip())
    if match := _MARK_BEHIND.search(text):
        return Blank(int(match[1]), text[: match.start()].strip())
    return Blank(None, text.strip())

"""One filled blank, and the question whose blanks a reply fills."""

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
        id: the number in its mark; None if the model wrote none.
        text: the text that fills it.
        is_numbered: whether the id is a plain number without `#`, which may count from 1.
    """

    id: int | None
    text: str
    is_numbered: bool = field(default=False, compare=False, repr=False)


@dataclass(frozen=True)
class Asked:
    """A fill-in question, as context for parsing a reply to it.

    Attributes:
        question: the text with its `#n#` marks.
        count: the number of blanks; 0 if unknown.
        options: letter → text of the options; empty if the question asks for words.
        example: the answer of the example in the prompt; a reply that repeats it does not answer.
        reads: whether a text can fill a blank; used outside of JSON, where any line may be prose.
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

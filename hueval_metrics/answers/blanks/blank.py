"""One filled blank, and the question whose blanks a reply fills."""

from __future__ import annotations

import html
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

Reads = Callable[[str], bool]
Range = tuple[int, int]

# One gold row lacks the second "#". What joins it to its text may follow: signs, but no hyphen of the text.
MARK = re.compile(r"[\[({<]{0,2}#{1,2}\s?(\d{1,6})\s?#{1,2}[\])}>]{0,2}")
_MARK_BEFORE = re.compile(
    r"[\s*_•+–-]{0,4}[\[({<]?\s*(?:#{1,2}\s*|(?=\d{1,6}#))(\d{1,6})\s*#{0,2}\s*[\])}>]?[\s*_]{0,4}(?:(?:[:=→]|->|=>|[-–—](?=\s))\s*)?"
)


@dataclass(frozen=True, slots=True)
class Blank:
    """One filled blank.

    Attributes:
        id: the number in its mark; None if the model wrote none.
        text: the text that fills it.
        is_numbered: whether the id is a plain number without `#`, which may count from 1.
        at: where the text was read, in the readable text of the reply; None if that is not known.
    """

    id: int | None
    text: str
    is_numbered: bool = field(default=False, compare=False, repr=False)
    at: Range | None = field(default=None, compare=False, repr=False)


@dataclass(frozen=True)
class Asked:
    """A fill-in question, as context for parsing a reply to it.

    Attributes:
        question: the text with its `#n#` marks.
        count: the number of blanks; 0 if unknown.
        options: letter → text of the options; empty if the question asks for words.
        example: the answer of the example in the prompt; a reply that repeats it does not answer.
        reads: whether a text can fill a blank: names an option, or is an answer in words.
        languages: the languages of the reply; English is always read.
    """

    question: str = ""
    count: int = 0
    options: Mapping[str, str] = field(default_factory=dict)
    example: Sequence[str] = ()
    reads: Reads = bool
    languages: tuple[str, ...] = ("hu",)


def split_mark(text: str) -> Blank:
    """Split `#0#F` into id and text.

    >>> split_mark("#0# Prága"), split_mark("[#1#]: Buda"), split_mark("2#Eger")
    (Blank(id=0, text='Prága'), Blank(id=1, text='Buda'), Blank(id=2, text='Eger'))
    """
    text = html.unescape(text) if "&" in text else text
    if match := _MARK_BEFORE.match(text):
        return Blank(int(match[1]), text[match.end() :].strip())
    return Blank(None, text.strip())

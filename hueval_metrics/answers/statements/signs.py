"""Where a reasoning trace names blanks and answers: the signs of which statements are made."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Literal, NamedTuple

_ORDINALS = (
    ("first", "1st", "első"),
    ("second", "2nd", "második"),
    ("third", "3rd", "harmadik"),
    ("fourth", "4th", "negyedik"),
    ("fifth", "5th", "ötödik"),
    ("sixth", "6th", "hatodik"),
    ("seventh", "7th", "hetedik"),
    ("eighth", "8th", "nyolcadik"),
    ("ninth", "9th", "kilencedik"),
    ("tenth", "10th", "tizedik"),
)
_ORDINAL = {word: place for place, words in enumerate(_ORDINALS) for word in words}
_MARK = re.compile(r"#\s?(\d{1,3})(?:\s?\\?#(?:[-‑][^\W\d_]{1,4}\b)?|(?=\s?[:=→)]|\s?\\?\"))")  # "#0#-ba", "#0: F"
_BLANK = tuple(  # one pattern for each word, as a literal beginning is searched for fast
    re.compile(rf"{word}([^\W\d_]{{0,4}})\b(?:\s?#?(\d{{1,2}})\b(?!\s?\\?#))?") for word in ("blank", "gap", "hely")
)
_WHICH = re.compile(rf"\b({'|'.join(_ORDINAL)})\s(?:üres\s)?\Z")
_HEADING = re.compile(r"[\s>*_•\-\d.)(\[]*")  # before a mark that begins its line
_ALONE = re.compile(r"[*_:\])]*[ \t]*\n\s*")  # behind a mark that is alone on its line
_LETTER = re.compile(r"[A-Z](?<!\w.)(?<!\w['’-].)[A-Z]?(?![\w’]|'\w|-\w)")
_ARTICLES = ("A", "I", "E")  # letters that are words
_NO_ARTICLE = re.compile(
    r"\s*(?:[.,;:)\]}\"'”’*_(\n|\\</\u200b-\u206f–—]|\Z)|\s(?:to|or|and|vagy|és|is|fits|goes|remains|marad|illik|kerül|tartozik|for)\b"
)
_LETTER_AND_TEXT = re.compile(r"\W{0,2}[.):]?\W{0,4}|\s[–—-]\s\W?")
_TEXT_AND_LETTER = re.compile(
    r"[\"'”’*_]{0,3}\s?\W{1,3}(?:option |opció )?|[\"'”’*_]{0,3}\s(?:is |az? )?(?:option |opció )"
)
_SHORTEST = 3  # letters of a text that is an answer without its letter or quotes
_QUOTES = "\"'„”“‚’‘»«*`"
_SPACES = re.compile(r"\s+")


class Sign(NamedTuple):
    """A name of a blank or an answer.

    Attributes:
        start, end: its range in the trace.
        part: id of the blank; None for an answer.
        value: the answer; None for a blank.
        form: of an answer: its letter, its text, or both together.
    """

    start: int
    end: int
    part: str | None = None
    value: str | None = None
    form: Literal["letter", "text", "both"] = "text"


def lowered(text: str) -> str:
    """The text in small letters, each in its place.

    >>> len(lowered("İ"))
    1
    """
    return text.replace("İ", "I").lower()


def marks(trace: str, low: str, parts: Mapping[int, str]) -> Iterator[Sign]:
    """The names of blanks in a trace.

    Args:
        trace: any text.
        low: the same, `lowered`.
        parts: number in a mark → id of its blank, in reading order.
    """
    found = [(*match.span(), parts.get(int(match[1]))) for match in _MARK.finditer(trace)]
    found += _blanks(low, parts)
    for start, end, part in sorted(found):
        if part is not None:
            line = trace.rfind("\n", max(0, start - 20), start) + 1 or max(0, start - 20)
            alone = _ALONE.match(trace, end) if _HEADING.fullmatch(trace, line, start) else None
            yield Sign(start, alone.end() if alone else end, part=part)


def _blanks(low: str, parts: Mapping[int, str]) -> Iterator[tuple[int, int, str | None]]:
    """The blanks that are named in words: "the first blank", "blank 0"."""
    in_order = list(parts.values())
    found = [match for word in _BLANK for match in word.finditer(low)]
    # "Blank 1" is the first one in some traces and the second one in others; only a 0 tells.
    from_zero = any(match[2] and int(match[2]) == 0 for match in found)
    for match in found:
        which = _WHICH.search(low, max(0, match.start() - 20), match.start())
        place = _ORDINAL[which[1]] if which else None
        if which and place is not None and place < len(in_order):
            yield which.start(), match.end(1), in_order[place]
        elif match[2] and from_zero and not match[1]:
            yield *match.span(), parts.get(int(match[2]))


def same_answers(texts: Mapping[str, str]) -> dict[str, str]:
    """Letter of an option → the first letter that has the same text.

    >>> same_answers({"A": "ma", "B": "Ma"})
    {'A': 'A', 'B': 'A'}
    """
    first: dict[str, str] = {}
    for letter, text in texts.items():
        first.setdefault(lowered(text.strip()), letter)
    return {letter: first[lowered(text.strip())] for letter, text in texts.items()}


def options(trace: str, low: str, texts: Mapping[str, str]) -> list[Sign]:
    """The names of options in a trace: letters, texts, and both together.

    Args:
        trace: any text.
        low: the same, `lowered`.
        texts: letter → text; see `same_answers`.
    """
    same = same_answers(texts)
    first = {lowered(text.strip()): same[letter] for letter, text in texts.items()}
    letters = (
        Sign(match.start(), match.end(), value=same[match[0]], form="letter")
        for match in _LETTER.finditer(trace)
        if match[0] in texts and not _is_article(trace, match)
    )
    joined: list[Sign] = []
    for sign in sorted([*letters, *named(low, first)], key=lambda sign: sign.start):
        last = joined[-1] if joined else None
        if (
            last
            and last.value == sign.value
            and {last.form, sign.form} == {"letter", "text"}
            and sign.start - last.end < 12
        ):
            between = _LETTER_AND_TEXT if last.form == "letter" else _TEXT_AND_LETTER
            if "\n" not in trace[last.end : sign.start] and between.fullmatch(low, last.end, sign.start):
                joined[-1] = Sign(last.start, sign.end, value=sign.value, form="both")
                continue
        if last is None or sign.start >= last.end:
            joined.append(sign)
    return [sign for sign in joined if sign.form != "text" or _is_name(low, sign)]


def _is_article(trace: str, found: re.Match[str]) -> bool:
    """Whether a letter is a word: it is one, and has no bracket, quote, emphasis or "option" before it."""
    if found[0] not in _ARTICLES or _NO_ARTICLE.match(trace, found.end()):
        return False
    before = trace[max(0, found.start() - 8) : found.start()]
    return before[-1:] not in tuple("\"'“„(*#[") and not before.lower().endswith(("option ", "opció ", "betű "))


def named(low: str, values: Mapping[str, str]) -> list[Sign]:
    """Where texts stand as whole words, the longest first, none inside another.

    Args:
        low: the trace, `lowered`.
        values: text, likewise → the value that it names.
    """
    found: list[Sign] = []
    for text in sorted(filter(None, values), key=len, reverse=True):
        at = low.find(text)
        while at >= 0:
            end = at + len(text)
            is_word = not (low[at - 1 : at].isalnum() and text[0].isalnum()) and not (
                low[end : end + 1].isalnum() and text[-1].isalnum()
            )
            if is_word:
                found.append(Sign(at, end, value=values[text]))
            at = low.find(text, end)
    return [*_without_overlaps(sorted(found, key=lambda sign: (sign.start, -sign.end)))]


def _without_overlaps(signs: Iterable[Sign]) -> Iterator[Sign]:
    end = 0
    for sign in signs:
        if sign.start >= end:
            yield sign
            end = sign.end


def _is_name(low: str, sign: Sign) -> bool:
    """Whether a text is long enough, or in quotes or beside its letter, so that it is no word of a sentence."""
    inside = low[sign.start : sign.end]
    quoted = low[sign.start - 1 : sign.start] in _QUOTES and low[sign.end : sign.end + 1] in _QUOTES
    return sum(map(str.isalnum, inside)) >= _SHORTEST or (quoted and sign.start > 0)


def echoes(trace: str, texts: Sequence[str]) -> list[tuple[int, int]]:
    """Where a trace repeats sentences of the prompt, in order.

    Args:
        trace: any text.
        texts: texts of the prompt, each a line or more.
    """
    found = []
    for text in texts:
        for sentence in re.split(r"(?<=[.!?:])\s+|\n", text):
            piece = sentence.strip()
            at = trace.find(piece) if len(piece) > 12 else -1
            while at >= 0:
                found.append((at, at + len(piece)))
                at = trace.find(piece, at + len(piece))
    return sorted(found)

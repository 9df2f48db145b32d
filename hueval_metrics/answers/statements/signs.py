"""Where a reasoning trace names blanks, and what in it repeats the prompt."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

from hueval_metrics.answers.names import Mention, folded
from hueval_metrics.languages.load import ordinals, remembered, source

LANGUAGES = ("hu",)  # of traces, beside English
BLANK = "blank"  # the form of a mention of a blank; the candidate is its id
_MARK = re.compile(r"#\s?(\d{1,3})(?:\s?\\?#(?:[-‑][^\W\d_]{1,4}\b)?|(?=\s?[:=→)]|\s?\\?\"))")  # "#0#-ba", "#0: F"
_ALONE = re.compile(r"[*_:\])]*[ \t]*\n\s*")  # behind a mark that is alone on its line
_HEADING = re.compile(r"[\s>*_•\-\d.)(\[]*")  # before a mark that begins its line


def lowered(text: str) -> str:
    """The text in small letters, each in its place.

    >>> len(lowered("İ"))
    1
    """
    return text.replace("İ", "I").lower()


def marks(trace: str, parts: Mapping[int, str]) -> Iterator[Mention]:
    """The names of blanks in a trace.

    Args:
        trace: any text.
        parts: number in a mark → id of its blank, in reading order.
    """
    found = [(*match.span(), parts.get(int(match[1]))) for match in _MARK.finditer(trace)]
    found += _in_words(folded(trace), parts)
    for start, end, part in sorted(found):
        if part is not None:
            line = trace.rfind("\n", max(0, start - 20), start) + 1 or max(0, start - 20)
            alone = _ALONE.match(trace, end) if _HEADING.fullmatch(trace, line, start) else None
            yield Mention(start, alone.end() if alone else end, part, BLANK)


def _in_words(low: str, parts: Mapping[int, str]) -> Iterator[tuple[int, int, str | None]]:
    """The blanks that are named in words: "the first blank", "blank 0"."""
    in_order = list(parts.values())
    found = [*_blank().finditer(low)]
    # "Blank 1" is the first one in some traces and the second one in others; only a 0 decides.
    from_zero = any(match["number"] and int(match["number"]) == 0 for match in found)
    for match in found:
        if match["number"] and from_zero:
            yield *match.span(), parts.get(int(match["number"]))
        elif match["which"]:
            place = next(place for place, row in enumerate(ordinals(LANGUAGES)) if match["which"] in row)
            yield *match.span(), in_order[place] if place < len(in_order) else None


@remembered
def _blank() -> re.Pattern[str]:
    every = "|".join(re.escape(word) for row in ordinals(LANGUAGES) for word in row)
    noun = rf"{source('blank', LANGUAGES)}(?!\s?#)"
    return re.compile(rf"\b(?P<which>{every})\s{noun}|{noun}\s?(?P<number>\d{{1,2}})\b")


def same_answers(texts: Mapping[str, str]) -> dict[str, str]:
    """Letter of an option → the first letter that has the same text.

    >>> same_answers({"A": "ma", "B": "Ma"})
    {'A': 'A', 'B': 'A'}
    """
    first: dict[str, str] = {}
    for letter, text in texts.items():
        first.setdefault(lowered(text.strip()), letter)
    return {letter: first[lowered(text.strip())] for letter, text in texts.items()}


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

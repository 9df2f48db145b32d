"""Read blanks from the question's own text, repeated with the blanks filled in, or with the words behind its lines."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import NamedTuple

from hueval_metrics.answers.blanks.blank import MARK, Asked, Range
from hueval_metrics.answers.blanks.values import fill
from hueval_metrics.answers.names import folded

_QUESTION_LETTER = re.compile(r"\A\s*\(?[A-Z]\s?[.)]\s?,?")
_HINT = re.compile(r"\s*\([^()]*\)\s*\Z")  # the word to inflect, behind the sentence: few replies repeat it
_CONTEXT = 24  # letters beside a blank by which it is found
_DISTINCTIVE = 8  # letters beside a blank; fewer occur in many places
_LONGEST = 120  # characters of one filled blank


class _Gap(NamedTuple):
    """A blank of the question, and the letters beside it: before it in all lines, in its own, and behind it there."""

    id: int
    far: str
    left: str
    right: str


def filled_in(text: str, asked: Asked) -> list[tuple[int, Range]]:
    """The ids and the ranges of what fills the blanks of the question in a text that repeats it.

    Returns:
        Nothing if fewer than half of the blanks, or fewer than two of several, are filled.
    """
    gaps = _gaps(asked.question)
    letters, places = squeezed(text)
    found: list[tuple[int, Range]] = []
    at = 0
    for gap in gaps:
        span, at = _between(text, letters, places, gap, at)
        if span and (filled := _in_gap(text, *span, asked)):
            found.append((gap.id, filled))
    return found if len(found) >= max(min(2, len(gaps)), len(gaps) / 2) else []


def squeezed(text: str) -> tuple[str, list[int]]:
    """The letters and digits of a text, folded, and the place of each."""
    low = folded(text)
    places = [place for place, char in enumerate(low) if char.isalnum()]
    return "".join(low[place] for place in places), places


@lru_cache(64)
def _gaps(question: str) -> tuple[_Gap, ...]:
    """The blanks of a question, in reading order."""
    found = []
    since = ""  # the letters behind the mark before, in all lines
    for line in question.split("\n"):
        pieces = MARK.split(_HINT.sub("", _QUESTION_LETTER.sub("", line)))
        texts = [squeezed(piece)[0] for piece in pieces[::2]]
        since += texts[0]
        for number, left, right in zip(pieces[1::2], texts, texts[1:], strict=False):
            found.append(_Gap(int(number), since[-_CONTEXT:], left, right))
            since = right
    return tuple(found)


def _between(text: str, letters: str, places: list[int], gap: _Gap, at: int) -> tuple[Range | None, int]:
    """The range between the letters beside a blank, from a place on, and the place to go on from."""
    lefts = (gap.far, gap.left[-_CONTEXT:], gap.left[-_DISTINCTIVE:])
    left = next((each for each in lefts if letters.find(each, at) >= 0), gap.left)
    right = next((each for n in (_CONTEXT, _DISTINCTIVE) if letters.find(each := gap.right[:n], at) >= 0), gap.right)
    near = letters.find(left or right, at)
    if near < 0 or len(left + right) < _DISTINCTIVE:
        return None, at
    begin = near + len(left)
    start = places[begin - 1] + 1 if left else text.rfind("\n", 0, places[near]) + 1
    end_line = text.find("\n", start + (text[start : start + 1] == "\n")) % (len(text) + 1)
    if not right:
        return (start, end_line), begin
    end = letters.find(right, begin)
    if end < 0 or places[end] - start > _LONGEST or text.count("\n", start, places[end]) > 1:
        return None, begin
    if not re.search(r"[^\W_]", MARK.sub("", text[start : places[end]])):  # the words follow the line
        behind = places[min(end + len(gap.right), len(places)) - 1] + 1
        return (behind, max(behind, end_line)), end
    return (start, places[end]), end


def _in_gap(text: str, start: int, end: int, asked: Asked) -> Range | None:
    """What fills a range; of an empty one, the next line."""
    mark = MARK.search(text, start, end)
    if mark and not re.search(r"\w", text[start : mark.start()]):
        start = mark.end()
    if not re.search(r"[^\W_]", text[start:end]):
        line = re.compile(r" *\n?[^\n]*[^\W_][^\n]*").match(text, end, end + 2 * _LONGEST)
        return fill(text, *line.span(), asked) if line and not is_own(line[0], asked) else None
    return fill(text, start, end, asked)


def is_own(text: str, asked: Asked) -> bool:
    """Whether a text is the question's own: a line of it, what a line has beside a blank, or a longer part of one."""
    letters = _own_letters(text)
    return is_line(text, asked) or (len(letters) >= _DISTINCTIVE and letters in _own_letters(asked.question))


def is_line(text: str, asked: Asked) -> bool:
    """Whether a text is empty, a whole line of the question, or all that a line has before or behind a blank."""
    return squeezed(_QUESTION_LETTER.sub("", text))[0] in _pieces(asked.question)


@lru_cache(64)
def _own_letters(text: str) -> str:
    return squeezed(MARK.sub("", _QUESTION_LETTER.sub("", text)))[0]


@lru_cache(64)
def _pieces(question: str) -> frozenset[str]:
    lines = [_QUESTION_LETTER.sub("", line) for line in question.split("\n")]
    return frozenset(squeezed(piece)[0] for line in lines for piece in ("", line, *MARK.split(line)[::2]))

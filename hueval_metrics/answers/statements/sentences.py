"""The sentences of a reasoning trace that name something, and whether a sentence asserts what it says."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence

# A full stop before a small letter ends no sentence ("e.g. the", "pl. az"), nor does one of "I. András" and "Dr. Tóth".
_END = re.compile(
    r"[.!?…](?:(?<![IVX]\.)(?<!\b[DM]r\.)(?<!\bSt\.)(?<!\bvs\.)[.!?…]{0,4}[\"'”’*_)\]]{0,3}"
    r"(?=\s+[^\sa-záéíóöőúüű]|\s*\Z)|(?<=\?))|[。！？؟]|\n"
)
_LONGEST = 2_000  # characters; a longer sentence is cut, so that each is read in bounded time

_NEAR = 400  # characters before and behind a part of a sentence that can change what it says

_SUPPOSED = re.compile(  # whatever follows in the sentence
    r"\b(?:if|whether|unless|suppos\w+|assum\w+|let['’]?s (?:say|try|see|check|consider)|what about|how about|"
    r"wonder\w*|ha|vajon|hátha|tegyük fel|feltéve|feltételezve|mi van)\b"
)
_DOUBTED = re.compile(  # what follows in the clause
    r"\b(?:maybe|perhaps|possibl[ey]|possibility|might|may|could|unlikely|uncertain|unsure|not|\w+n['’]t|cannot|never|"
    r"neither|nor|no|either|instead of|rather than|than|thought|initially|originally|mistaken\w*|tempted|consider\w*|"
    r"hypothes\w+|alternativ\w+|or|"
    r"talán|esetleg|lehet\w*|lehetséges|nem|sem|ne|nincs|akár|helyett|hittem|gondoltam|eredetileg|először|vagy|mint|"
    r"alternatíva|kétséges|bizonytalan)\b"
)
_CLAUSE = re.compile(
    r"\A\W*(?:no|nem|wait|hmm|várj\w*)[,.!…]\s|"
    r"[;:,]\s+(?=(?:but|so|then|therefore|thus|hence|and|which|since|because|however|it|that|this|the|i|we|not|#|"
    r"de|tehát|így|ezért|hanem|akkor|és|mert|mivel|ez|az|a|nem)\b|\W)|"
    r"\b(?:but|so|therefore|thus|hence|however|tehát|így|ezért|hanem)\b|\s[–—-]\s|;\s|\.\s|[→(]"
)
_RETRACTED = re.compile(  # right behind what was said
    r"[\s\"'”’)\]*_.,]{0,5}(?:(?:or|vagy)\b|/)|"
    r"[\s\"'”’)\]*_.]{0,5}(?:\([^()\n]{0,60}\)\s?)?"
    r"(?:(?:,\s?|\s?[–—-]\s)?(?:which|that|but|however|though|although|de|csakhogy|hmm|wait|várj\w*|bár)[\s,]"
    r"(?:[\w'’]+\s){0,4}?)?"
    r"(?:(?:is|does|would|could|can|did|was|has|should|do|will|are)(?:n['’]t|\s+not)\b|cannot\b|not\b|no\b|"
    r"(?:is|was|seems|would be|be|sounds|feels)\s(?:\w+\s)?(?:wrong|incorrect|unlikely|odd|off|impossible)\b|"
    r"nem\b|sem\b|lehet\w*|maybe\b|perhaps\b|possibly\b|talán\b|esetleg\b|helyett\b|"
    r"(?:is |az? )?(?:rossz|hibás|helytelen|kizárt|wrong|incorrect)\b|\?)"
)
_QUESTION_MARKS = "?？؟"
_GOES_ON = re.compile(r",\s(?:but|and|so|then|what|right|correct|de|és|mi|igaz|ugye|jó)\b|#")


def sentences(text: str, kept: Sequence[tuple[int, int]]) -> Iterator[tuple[int, int, int, int]]:
    """The sentences of a text that have some of its names in them.

    Args:
        text: any text.
        kept: ranges in which no sentence ends, in order, such as `C. szó`, the letter and text of an option.

    Yields:
        Start and end of a sentence, and the first and last (exclusive) of the ranges that begin in it.

    >>> [*sentences("Igen. Nem tudom. Az A. Buda? Nem.", [(20, 27)])]
    [(16, 28, 0, 1)]
    """
    ends = [match.end() for match in _END.finditer(text)]
    first, last = 0, 0
    start, end = 0, -1
    for place, (begin, _) in enumerate(kept):
        if begin < end:
            last = place + 1
            continue
        if last > first:
            yield start, end, first, last
        at = bisect_right(ends, begin)
        start = max(ends[at - 1] if at else 0, end, 0)
        start = max(start, begin - _LONGEST)
        end = _end(ends, kept, place, at, len(text))
        first, last = place, place + 1
    if last > first:
        yield start, end, first, last


def _end(ends: Sequence[int], kept: Sequence[tuple[int, int]], place: int, at: int, length: int) -> int:
    """The first end of a sentence behind a range that is in none of the ranges from it on."""
    begin = kept[place][0]
    while at < len(ends) and ends[at] < begin + _LONGEST:
        while place < len(kept) and kept[place][1] < ends[at]:
            place += 1
        if place == len(kept) or kept[place][0] >= ends[at]:
            return ends[at]
        at += 1
    return min(length, begin + _LONGEST)


def is_asserted(sentence: str, start: int, end: int) -> bool:
    """Whether a sentence asserts a part of it, and does not doubt, deny or ask it, or leave it open.

    Args:
        sentence: in small letters.
        start, end: the range of the part.

    >>> [is_asserted(said, 0, 7) for said in ("#0# = f.", "#0# = f?", "#0# = f or g.", "#0# = f, not g.")]
    [True, False, False, True]
    """
    first = max(0, start - _NEAR)
    before, after = sentence[first:start], sentence[end : end + _NEAR]
    if _SUPPOSED.search(before):
        return False
    breaks = (match.end() - first for match in _CLAUSE.finditer(sentence, first, end))
    clause = max((place for place in breaks if place <= len(before)), default=0)
    if _DOUBTED.search(before, clause) or _RETRACTED.match(after):
        return False
    asked = max(map(after.rfind, _QUESTION_MARKS))
    return asked < 0 or bool(_GOES_ON.search(after, 0, asked))

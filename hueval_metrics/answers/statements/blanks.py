"""Statements about blanks: which answer fills which blank, told by the words between and around their names.

Only known words may stand between a blank and its answer: precision counts more than finding every statement. A
sentence that names no blank speaks of the last one that was named, if it draws a conclusion.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise

from hueval_metrics.answers.stated import Statement
from hueval_metrics.answers.statements.sentences import is_asserted, sentences
from hueval_metrics.answers.statements.signs import Sign
from hueval_metrics.answers.statements.vocabulary import (
    CONCLUSION,
    GOES_TO,
    IS,
    SAID,
    SAID_OF_CONCLUSION,
    SAID_OF_FIT,
)

_ASIDE = re.compile(r"\([^()\n]{0,80}\)|[\"“„'‘«]\w[^\"”“'’»\n]{0,60}[\"”'’»]|,\s(?:which|meaning)\s[^,\n]{1,80},")
_WORD = re.compile(r"[\w'’]+|[:=→|,;⇒–—]|->|=>|-(?=\s)|[.!?…]")
_SO = (  # before an answer at the end of what is said of a blank
    r"(?:[:→=⇒]|->|=>|\b(?:so|therefore|thus|hence|tehát|így|ezért|azaz|vagyis)\b,?|"
    r"\bwhich (?:in \w+ )?(?:is|means|would be)|"
    r"\b(?:must|should|has to|would) be|\bthe answer is)"
)
_TAIL = re.compile(
    rf"{_SO}\s*(?:(?:it['’]s|that['’]s|it|this|that|is|must|should|would|be|the|correct|answer|option|choose|az?|ez|"
    r"helyes|válasz|opció)\s){0,5}\W{0,4}\Z"
)
_LONGEST_TAIL = 160  # characters between a blank and the answer that a conclusion names
_IN_LIST = re.compile(r"[*_]{0,3}\s?(?:[:=→–—-]|->|=>)")  # "#1# - Selecting topics or omission: B"
_AT_SEPARATOR = re.compile(r"(?:[:→=⇒]|->|=>)[\s\"'„“(*_]*(?:option |az? )?[\"'„“(*_]*\Z")
_DOUBTS = r"not|\w+n['’]t|maybe|perhaps|might|may|could|if|whether|nem|talán|esetleg|lehet\w*|ha|vajon"
_DOUBTED = re.compile(rf"\b(?:{_DOUBTS})\b")
_OPEN = re.compile(rf"\b(?:{_DOUBTS}|no|or|either|sem|vagy|without|before|after|instead)\b")
_FIT_BEHIND = re.compile(  # "For #0#, F fits", "a #2# helyére a C illik", "'C.HAZUGSÁG', which means …, fits here"
    r"\W{0,4}(?:\([^()\n]{0,60}\)\s?)?(?:,?\s?(?:which|that|meaning)\s[^.?!\n]{0,80}?,\s)?"
    r"(?:would |should |must |seems to |will |definitely |clearly )?(?:perfectly |best |well |also )?"
    r"(?:fits?\b(?!\s(?:in\s)?with)|makes (?:the most )?sense|works?\b|matches\b|"
    r"(?:is|seems|would be|must be|should be|looks)(?: to be)?(?: the| a| an)?\s(?:best|correct|right|answer|most|"
    r"appropriate|suitable|good|logical|perfect|better|like the)|"
    r"(?:jól |pontosan |tökéletesen )?(?:illik|kerül|kell|jön|való|passzol|tartozik)\b|lesz\b|"
    r"az? (?:helyes|jó|megfelelő)\b)"
)
_CLAUSE_START = re.compile(r"[,;:.–—]\s")
_OTHER = re.compile(r"\b(?:next|following|other|previous|earlier|remaining|another|rest|következő|másik|előző|többi)\b")
_OR = re.compile(r"\W{0,4}\b(?:or|vagy|and|és|/)\b\W{0,4}(?:option |maybe |az? |the )?\W{0,3}|\W?/\W?|,\s\W?")
_BESIDE = re.compile(
    r"\b(?:before|after|behind|preceding|precedes|following|follows|near|next to|between|than)\s(?:the\s)?\W{0,3}\Z"
)
_CHANGED = re.compile(
    r"\b(?:chang|switch|set|assign|match|map|updat|correct|revis|chose|link|módosít|javít)\w*\s\W{0,3}\Z"
)
_BARE_ENDS = re.compile(
    r"\s*(?:[.,;:!?)\]}\"'”’*_(<\n|/=→\\\u200b-\u206f–—-]|\Z)|\s(?:because|since|as|and|or|for|which|so|then|here|mert|"
    r"mivel|és|vagy|illik|lesz|kerül|kell|jön|való|tartozik|fits|is|would|seems|makes|matches|works|opció|lehetőség|from|in|with|on|"
    r"based|given)\b"
)


def statements(trace: str, low: str, signs: Sequence[Sign]) -> list[Statement]:
    """The statements of a trace.

    Args:
        trace: any text.
        low: the same, `signs.lowered`.
        signs: names of blanks and of answers in it, in order, none inside another.
    """
    found: list[Statement] = []
    focus: str | None = None
    for start, end, first, last in sentences(trace, [sign[:2] for sign in signs]):
        here = signs[first:last]
        blanks = {sign.part for sign in here if sign.part is not None}
        if len(blanks) < len(here):
            found += _of_sentence(trace, low[start:end], start, here, focus)
        if blanks:
            focus = blanks.pop() if len(blanks) == 1 else None
    return found


def _of_sentence(trace: str, said: str, start: int, signs: Sequence[Sign], focus: str | None) -> Iterator[Statement]:
    used: set[Sign] = set()
    last: Sign | None = None  # the answer before, if no statement has it
    pairs = [*pairwise(signs)]
    for place, (one, other) in enumerate(pairs):
        between = said[one.end - start : other.start - start]
        if one.part is not None and other.value is not None:
            target = other
            if between.strip() == "from" and place + 1 < len(pairs) and _is_to(said, start, *pairs[place + 1]):
                target = pairs[place + 1][1]  # "change #2# from B to E"
                used.add(other)
            elif not _leads(said, between, one, other, start):
                continue
            used.add(target)
            if _counts(trace, said, start, one.start, target):
                yield Statement(one.part, one.start, target.value or "")
        elif one.value is not None and other.part is not None and one not in used:
            open_ = last is not None and _OR.fullmatch(said, last.end - start, one.start - start)
            if not open_ and _fits(between, said[other.end - start : other.end - start + 2]):
                used.add(one)
                if _counts(trace, said, start, one.start, one, other.end):
                    yield Statement(other.part, one.start, one.value)
        last = one if one.value is not None and one not in used else None
    if focus is None or len({sign.value for sign in signs if sign not in used}) != 1:
        return
    if any(sign.part is not None for sign in signs) or _OTHER.search(said):
        return
    for sign in signs:
        if _concludes(said, start, sign) and _counts(trace, said, start, sign.start, sign):
            yield Statement(focus, sign.start, sign.value or "")
            return


def _counts(trace: str, said: str, start: int, begin: int, answer: Sign, end: int = 0) -> bool:
    """Whether the letter is one, and a sentence asserts that it is the answer."""
    if answer.is_bare and not _BARE_ENDS.match(trace, answer.end):
        return False
    return is_asserted(said, begin - start, max(answer.end, end) - start)


def _leads(said: str, between: str, blank: Sign, answer: Sign, start: int) -> bool:
    """Whether the words between a blank and the answer behind it say that the answer fills it."""
    if not between.strip("*_\"'`\\ ") or between.startswith("\n"):
        return True  # "#0#A", "- #0# A"
    if _BESIDE.search(said[: blank.start - start]):
        return False
    words = _WORD.findall(_ASIDE.sub(" ", between))
    if all(word in SAID for word in words):
        if words and words[0] == "to" and not _CHANGED.search(said[: blank.start - start]):
            return False
        if not IS.isdisjoint(words) or said[blank.end - start - 1] == "\n":
            return True
        return bool(_FIT_BEHIND.match(said, answer.end - start))
    if len(between) > _LONGEST_TAIL or not _TAIL.search(between):
        return False
    return not (_DOUBTED if _IN_LIST.match(between) and _AT_SEPARATOR.search(between) else _OPEN).search(between)


def _fits(between: str, behind: str) -> bool:
    """Whether the words between an answer and the blank behind it say that the answer fills it."""
    words = _WORD.findall(_ASIDE.sub(" ", between))
    if behind.startswith(("'s", "’s")) or words in (["a"], ["az"]):  # "egység a #0#" may be an echo
        return False
    return all(word in SAID_OF_FIT for word in words) and not GOES_TO.isdisjoint(words)


def _is_to(said: str, start: int, one: Sign, other: Sign) -> bool:
    return other.value is not None and said[one.end - start : other.start - start].strip() == "to"


def _concludes(said: str, start: int, answer: Sign) -> bool:
    """Whether a sentence without a blank draws a conclusion about the one in question."""
    if _FIT_BEHIND.match(said, answer.end - start):
        return True
    before = said[: answer.start - start]
    clause = [match.end() for match in _CLAUSE_START.finditer(before)]
    words = [word for word in _WORD.findall(before[clause[-1] if clause else 0 :]) if word[0].isalpha()]
    return bool(words) and all(word in SAID_OF_CONCLUSION for word in words) and not CONCLUSION.isdisjoint(words)

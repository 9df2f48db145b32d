"""Statements about blanks: which answer fills which blank, told by the words between and around their names.

Only known words may stand between a blank and its answer: precision counts more than finding every statement. A
sentence that names no blank speaks of the last one that was named, if it draws a conclusion.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
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
    r"(?:fits?\b(?!\s(?:in\s)?with)|makes (?:the most )?sense|works?\b|matches\b|remains\b|marad\b|"
    r"(?:is|seems|would be|must be|should be|looks)(?: to be)?(?: the| a| an)?\s(?:best|correct|right|answer|most|"
    r"appropriate|suitable|good|logical|perfect|better|natural|only|obvious|like the)|"
    r"(?:jól |pontosan |tökéletesen )?(?:illik|kerül|kell|jön|való|passzol|tartozik)\b|lesz\b|"
    r"az? (?:helyes|jó|megfelelő)\b)"
)
_TURN = re.compile(r"[,;]\s|\b(?:so|thus|therefore|hence|tehát|így|ezért)\b")
_CLAUSE_START = re.compile(r"[,;:.–—]\s")
_OTHER = re.compile(r"\b(?:next|following|other|previous|earlier|remaining|another|rest|következő|másik|előző|többi)\b")
_OR = re.compile(r"\W{0,4}\b(?:or|vagy|and|és|/)\b\W{0,4}(?:option |maybe |az? |the )?\W{0,3}|\W?/\W?|,\s\W?")
_INSTEAD = re.compile(  # between two answers, the first one denied: "#0# is not B but H", "a #0# nem a B, hanem a H"
    r"\W{1,4}(?:but|hanem|(?:so )?(?:it['’]s|it is|it must be|it should be|rather))\s(?:rather |az? |option )?\W{0,2}"
)
_BESIDE = re.compile(
    r"\b(?:before|after|behind|preceding|precedes|following|follows|near|next to|between|than)\s(?:the\s)?\W{0,3}\Z"
)
_CHANGED = re.compile(
    r"\b(?:chang|switch|set|assign|match|map|updat|correct|revis|chose|link|módosít|javít)\w*\s\W{0,3}\Z"
)
_ENDS = re.compile(
    r"\s*(?:[.,;:!?)\]}\"'”’*_(<\n|/=→\\\u200b-\u206f–—-]|\Z)|\s(?:because|since|as|and|or|for|which|so|then|here|mert|"
    r"mivel|és|vagy|illik|lesz|kerül|kell|jön|való|tartozik|fits|is|would|seems|makes|matches|works|remains|marad|opció|lehetőség|"
    r"from|in|with|on|based|given)\b"
)
_THE_OPTION_IS = re.compile(
    r"\b(?:option|choice|word|term|answer) (?:here |then )?(?:is|would be|must be|should be)\W{1,3}(?:the )?"
    r"(?:option )?\W{0,2}\Z"
)
_MOVED_ON = re.compile(  # to another blank, without its name
    r"(?:\A|[.!?:\n])\W*(?:then,? (?:the|there|for|comes|we)|now,? (?:the|for|let|on)|next|finally|lastly|"
    r"(?:second(?:ly)?|third(?:ly)?|fourth|fifth)(?=,)|moving on|ezután|következik|végül|másodszor|most a)\b"
)
_NEAR = 200  # characters before a name that tell how it is meant
_FARTHEST = 2_000  # characters between a blank's name and a conclusion about it


def statements(trace: str, low: str, signs: Sequence[Sign]) -> list[Statement]:
    """The statements of a trace.

    Args:
        trace: any text.
        low: the same, `signs.lowered`.
        signs: names of blanks and of answers in it, in order, none inside another.
    """
    found: list[Statement] = []
    focus: Sign | None = None  # the last blank that was named, if its sentence names no other
    for start, end, first, last in sentences(trace, [sign[:2] for sign in signs]):
        here, said = signs[first:last], _Said(trace, low[start:end], start)
        blanks = {sign.part: sign for sign in here if sign.part is not None}
        if len(blanks) < len(here):
            found += said.statements(here)
            is_near = focus is not None and not blanks and end - focus.end <= _FARTHEST
            if focus and is_near and not _is_elsewhere(low[focus.end : end]):
                found += said.conclusion(here, focus.part or "")
        if blanks:
            focus = next(reversed(blanks.values())) if len(blanks) == 1 else None
    return found


def _is_elsewhere(since: str) -> bool:
    """Whether the text since a blank was named may speak of another one by now."""
    return bool(_OTHER.search(since) or _MOVED_ON.search(since))


@dataclass(frozen=True)
class _Said:
    """A sentence.

    Attributes:
        trace: where it stands.
        text: the sentence in small letters.
        start: its first character in the trace.
    """

    trace: str
    text: str
    start: int

    def statements(self, signs: Sequence[Sign]) -> Iterator[Statement]:
        """The statements that name blank and answer."""
        used: set[Sign] = set()
        last: Sign | None = None  # the answer before, if no statement has it
        pairs = [*pairwise(signs)]
        for place, (one, other) in enumerate(pairs):
            if one.part is not None and other.value is not None:
                target = other
                if self._between(one, other).strip() == "from" and place + 1 < len(pairs):
                    target = self._changed_to(*pairs[place + 1]) or other  # "change #2# from B to E"
                if target is other and not self._leads(one, other):
                    continue
                used |= {other, target}
                if self._asserts(one.start, target, target.end):
                    yield Statement(one.part, one.start, target.value or "")
            elif one.value is not None and other.part is not None and one not in used:
                is_open = last is not None and _OR.fullmatch(self._between(last, one))
                if not is_open and self._fits(one, other) and self._asserts(one.start, one, other.end):
                    yield Statement(other.part, one.start, one.value)
            elif one not in used and other.value is not None and place and pairs[place - 1][0].part is not None:
                blank = pairs[place - 1][0]
                again = one.value == other.value and self._leads(blank, other)  # "#0# – az évszám 1241, tehát H"
                begin = blank.start if again else other.start
                if (again or _INSTEAD.fullmatch(self._between(one, other))) and self._asserts(begin, other, other.end):
                    used |= {one, other}
                    yield Statement(blank.part or "", begin, other.value)
            last = one if one.value is not None and one not in used else None

    def conclusion(self, signs: Sequence[Sign], part: str) -> Iterator[Statement]:
        """The statement about the blank that was named last, if a conclusion is drawn and names one answer."""
        concluded = [sign for sign in signs if self._concludes(sign) and self._asserts(sign.start, sign, sign.end)]
        for sign in concluded[:1]:
            clause = max((match.end() for match in _TURN.finditer(self._before(sign))), default=0)
            first = max(self.start, sign.start - _NEAR) + clause  # of the clause, before which others may be ruled out
            if all(other.value == sign.value or other.end <= first for other in signs):
                yield Statement(part, sign.start, sign.value or "")

    def _before(self, sign: Sign) -> str:
        at = sign.start - self.start
        return self.text[max(0, at - _NEAR) : at]

    def _between(self, one: Sign, other: Sign) -> str:
        return self.text[one.end - self.start : other.start - self.start]

    def _asserts(self, begin: int, answer: Sign, end: int) -> bool:
        is_first = begin == answer.start and end > answer.end  # "Etelköz goes into #0#"
        needs_end = answer.form == "letter" or (answer.form == "text" and not is_first)
        if needs_end and not _ENDS.match(self.trace, answer.end):
            return False  # "#0# is A city", "#6#: az esztergomi érsek"
        return is_asserted(self.text, begin - self.start, end - self.start)

    def _leads(self, blank: Sign, answer: Sign) -> bool:
        """Whether the words between a blank and the answer behind it say that the answer fills it."""
        between = self._between(blank, answer)
        if not between.strip("*_\"'`\\ ") or between.startswith("\n"):
            return True  # "#0#A", "- #0# A"
        if between.strip() == "(" and self.text.startswith(")", answer.end - self.start):
            return True  # "#0# (E)"
        before = self._before(blank)
        if _BESIDE.search(before):
            return False
        words = _WORD.findall(_ASIDE.sub(" ", between))
        if SAID.issuperset(words):
            if words and words[0] == "to" and not _CHANGED.search(before):
                return False
            is_heading = self.text.startswith("\n", max(0, blank.end - self.start - 1))
            if is_heading or not IS.isdisjoint(words) or _FIT_BEHIND.match(self.text, answer.end - self.start):
                return True
        if len(between) > _LONGEST_TAIL or not _TAIL.search(between):
            return False
        return not (_DOUBTED if _IN_LIST.match(between) and _AT_SEPARATOR.search(between) else _OPEN).search(between)

    def _fits(self, answer: Sign, blank: Sign) -> bool:
        """Whether the words between an answer and the blank behind it say that the answer fills it."""
        words = _WORD.findall(_ASIDE.sub(" ", self._between(answer, blank)))
        if words in (["a"], ["az"]) or self.text.startswith(("'s", "’s"), blank.end - self.start):
            return False  # "egység a #0#" may be an echo
        return SAID_OF_FIT.issuperset(words) and not GOES_TO.isdisjoint(words)

    def _changed_to(self, one: Sign, other: Sign) -> Sign | None:
        return other if other.value is not None and self._between(one, other).strip() == "to" else None

    def _concludes(self, answer: Sign) -> bool:
        """Whether a sentence without a blank draws a conclusion about the one in question."""
        before = self._before(answer)
        if _FIT_BEHIND.match(self.text, answer.end - self.start) or _THE_OPTION_IS.search(before):
            return True
        before = before.rstrip(" \n:,*_(\"'„“")
        clause = [match.end() for match in _CLAUSE_START.finditer(before)]
        words = [word for word in _WORD.findall(before[clause[-1] if clause else 0 :]) if word[0].isalpha()]
        return SAID_OF_CONCLUSION.issuperset(words) and not CONCLUSION.isdisjoint(words)

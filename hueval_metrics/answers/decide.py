"""Decide which of the candidates that a text names is its answer.

Each mention is stated, rejected, open (question, condition, "or", doubt) or withdrawn, by the words of its own clause,
or of a sentence that points at it. A correction replaces what was said before, a conclusion outranks its reasons, and
exactly one candidate must remain.

>>> from hueval_metrics.answers.names import options_named
>>> read = lambda text: decided(text, options_named(text, ("Buda", "Eger"), ("hu",)), ("hu",))
>>> read("Az 1. hibás, a 2. a helyes.").mention.candidate, read("1 vagy 2").kind
(1, 'several')
"""

from __future__ import annotations

import re
from collections.abc import Hashable, Sequence
from typing import Any, NamedTuple

from hueval_metrics.answers.clauses import HEDGED, KNOWN, PRAISED, SHORT, STATED, Reader, Said, read
from hueval_metrics.answers.names import Mention, Token, folded, tokens
from hueval_metrics.answers.reading import NOTHING, REFUSED, UNREADABLE, Kind, Reading
from hueval_metrics.answers.units import HIDDEN, WORD, Unit, rest
from hueval_metrics.languages.load import pattern

__all__ = ["Outcome", "Token", "alternatives", "decided", "is_called_wrong", "settled", "statuses", "tokens", "unread"]

_SLASH = re.compile(r"\s[/|]\s|(?<=[^\W\d])/(?=[^\W\d])")
_SHORT_TEXT = 120  # characters besides the text of a candidate in which it is the answer
_DOUBTS = frozenset(("not", "wrong", "no", "asks", "less"))
_NEAR = 120  # characters before and behind an answer in which words refer to it


class Outcome(NamedTuple):
    """What a text decides.

    Attributes:
        kind: `answered`; `several`: more than one candidate remains; `unreadable`: none is stated.
        mention: of the answer; None unless answered.
        rule: `sentence` (one states it), `only` (the only candidate that a text names); empty unless answered.
    """

    kind: Kind
    mention: Mention | None = None
    rule: str = ""


def decided(
    text: str,
    mentions: Sequence[Mention],
    languages: Sequence[str],
    *,
    among: Sequence[Hashable] = (),
    by_exclusion: bool = False,
    nouns: Sequence[str] = (),
) -> Outcome:
    """Which of the candidates named in a text is its answer.

    Args:
        text: any text, not folded.
        mentions: names of candidates in it, as `names.longest` leaves them; words inside them mean nothing else.
        languages: ISO codes; English is added.
        among: all candidates; of more than two, all but one rejected choose that one.
        nouns: further words for an option, as files of languages have them.
        by_exclusion: whether rejecting one of two chooses the other.
    """
    if not mentions:
        return Outcome("unreadable")
    return _remaining(read(text, mentions, languages, nouns), frozenset(among), by_exclusion)


def _remaining(reader: Reader, among: frozenset[Hashable], by_exclusion: bool) -> Outcome:
    """The one candidate that is stated, or else the only one that is left."""
    said = reader.said
    for weight in (STATED, HEDGED, PRAISED):
        chosen = [one for one in said if one.status in ("stated", "several") and one.weight == weight]
        if chosen and chosen[-1].status == "stated":  # "of 1 and 2": the choice is named before it is made
            chosen = [one for one in chosen if one.status == "stated" or one.unit.candidates != among]
        if chosen:
            return _last(chosen)
    less = _candidates(said, "less")
    rejected = less | _candidates(said, "rejected", "withdrawn")
    named = _candidates(said, "named") - rejected
    is_open = reader.abstains or any(one.status == "open" for one in said)
    alone = next((one.unit for one in said if one.unit.candidates == named), None)  # None: only beside others
    if alone is not None and len(named) == 1 and not is_open and named | rejected >= among:
        return _answer(alone, "sentence")
    left = among - rejected
    if len(left) == 1 and rejected and named <= left and not is_open and (by_exclusion or less or len(among) > 2):
        unit = said[-1].unit
        return Outcome("answered", Mention(unit.start, unit.end, next(iter(left)), "exclusion"), "sentence")
    if len(named) == 1 and not is_open:
        only = next((one.unit for one in said if one.status == "named" and one.unit.candidates == named), None)
        if only is not None and _is_only(reader, only):
            return _answer(only, "only")
    candidates = {candidate for one in said for candidate in one.unit.candidates}
    return Outcome("several" if len(candidates) > 1 and not rejected else "unreadable")


def _last(chosen: Sequence[Said]) -> Outcome:
    """The candidate of all statements, or else of those since the last correction, or since the last conclusion."""
    for starts in ("", "corrects", "concludes"):
        first = max((at for at, one in enumerate(chosen) if starts and getattr(one, starts)), default=0)
        if starts == "concludes" and chosen[0].is_alone:
            break  # a reply that began with its answer does not conclude with another one
        left = {candidate for one in chosen[first:] for candidate in one.unit.candidates}
        if len(left) == 1 and chosen[-1].status == "stated":
            return _answer(chosen[-1].unit, "sentence")
    return Outcome("several")


def _candidates(said: Sequence[Said], *statuses: str) -> frozenset[Hashable]:
    return frozenset(candidate for one in said if one.status in statuses for candidate in one.unit.candidates)


def _is_only(reader: Reader, unit: Unit) -> bool:
    """Whether a text is too short to be about anything but the answer that it names."""
    beside = reader.text.replace(HIDDEN, "").strip()
    if "?" in beside or "？" in beside or any(token.keys & _DOUBTS for token in reader.tokens):
        return False
    if unit.mention.form == "text" and not unit.is_number:
        return len(beside) <= _SHORT_TEXT
    return len(beside) <= SHORT and not WORD.search(rest(reader, 0, len(reader.text), KNOWN))


def _answer(unit: Unit, rule: str) -> Outcome:
    (candidate,) = unit.candidates
    return Outcome("answered", unit.mention._replace(end=unit.end, candidate=candidate), rule)


def statuses(text: str, mentions: Sequence[Mention], languages: Sequence[str]) -> list[tuple[Mention, str]]:
    """What a text says of each name, in its order: stated, rejected, open, withdrawn, several (in a row) or named.

    >>> from hueval_metrics.answers.names import texts_named
    >>> found = texts_named(folded("Nem Buda, hanem Eger"), ("Buda", "Eger"))
    >>> [status for _, status in statuses("Nem Buda, hanem Eger", found, ("hu",))]
    ['rejected', 'stated']
    """
    reader = read(text, mentions, languages)
    return [(one.unit.mention, one.status) for one in reader.said]


def is_called_wrong(text: str, start: int, end: int, languages: Sequence[str]) -> bool:
    """Whether words before or behind an answer in a text reject it.

    >>> is_called_wrong("Hibás megoldás: X", 16, 17, ("hu",))
    True
    >>> is_called_wrong("Ez volt a hiba. Helyesen: X", 26, 27, ("hu",))
    False
    """
    before = max(0, start - _NEAR)
    found = statuses(text[before : end + _NEAR], [Mention(start - before, end - before, 0, "text")], languages)
    return any(status in ("rejected", "withdrawn") for _, status in found)


def settled(text: str, languages: Sequence[str]) -> tuple[int, int] | None:
    """The range of the one answer of a short text with its remarks; None if the text takes it back, or gives none.

    >>> text = "nem Buda, hanem Eger"
    >>> text[slice(*settled(text, ("hu",)))], settled("Buda (hibás)", ("hu",)), settled("Buda", ("hu",))
    ('Eger', None, (0, 4))
    """
    low = folded(text)
    found = tokens(low, languages)
    end = next((token.start for token in found if "because" in token.keys and token.start), len(text))
    start = 0
    for token in found:
        before = low[: token.start].rstrip()
        is_refused = any(one.keys & {"not", "wrong"} for one in found if start <= one.start < token.start)
        is_turn = token.keys & {"instead", "but"} and (
            is_refused or before[-1:] in (*",;.(–-", "") or "arrow" in token.keys
        )
        if before and is_turn and token.start < end:
            start = token.end
    if any(token.keys & {"not", "wrong", "no"} for token in found if start <= token.start < end):
        return None
    start += len(text[start:end]) - len(text[start:end].lstrip(" \t\n:,;(–-" if start else None))
    end = start + len(text[start:end].rstrip(" \t\n,;(–-"))
    return (start, end) if WORD.search(low[start:end]) else None


def alternatives(text: str, languages: Sequence[str]) -> list[tuple[int, int]]:
    """The ranges of the answers between which a short text leaves the choice open; one if it decides.

    >>> ["Buda vagy Eger"[slice(*each)] for each in alternatives("Buda vagy Eger", ("hu",))]
    ['Buda', 'Eger']
    """
    cuts = [(token.start, token.end) for token in tokens(folded(text), languages) if token.keys & {"or", "maybe"}]
    cuts += [match.span() for match in _SLASH.finditer(text)]
    found, at = [], 0
    for start, end in (*sorted(cuts), (len(text), len(text))):
        part = text[at:start]
        if WORD.search(part):
            left = at + len(part) - len(part.lstrip(" ,"))
            found.append((left, left + len(part.strip(" ,"))))
        at = max(at, end)
    return found


def unread(text: str, languages: Sequence[str]) -> Reading[Any]:
    """The reading of a text that states no candidate: a refusal, nothing where it says that it does not know one.

    >>> [unread(text, ("hu",)).kind for text in ("Ebben nem segíthetek.", "Nem tudom eldönteni.", "Szép nap!")]
    ['refused', 'nothing', 'unreadable']
    """
    low, languages = folded(text), tuple(languages)
    if pattern("refusal", languages).search(low):
        return REFUSED
    return NOTHING if pattern("no_answer", languages).search(low) else UNREADABLE

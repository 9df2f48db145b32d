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
from bisect import bisect_left
from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from hueval_metrics.answers.names import KEYS, Mention, Token, folded, tokens
from hueval_metrics.answers.reading import Kind

_KNOWN = frozenset(KEYS)
_FILLERS = frozenset(("article", "option", "answer", "is", "points_at"))
_LABEL_WORDS = frozenset(("article", "option"))
_JOINING = frozenset(("or", "and", "both", "article", "option"))
_HIDDEN = "\ue000"  # stands for the characters of a name, which are no words of the sentence
_END = re.compile(r"[.!?…]+[\"'”»」』)\]*_]*(?=\s|\Z|[\u2e80-\U0003ffff])|[。！？]|\n+")
_PAUSE = re.compile(r"[,:;()，：；（）\[\]|]|\s[–—-]+\s|—")
_WORD = re.compile(r"[\u2e80-\u2fff\u3040-\ud7ff]|[^\W_\u2e80-\ud7ff]+")
_LABEL_GAP = re.compile(r"[\s.:：、,)\]}>*_\"'„“”|=(–—「『《-]{0,8}")
_NUMBERING = re.compile(r"\A\W*\d{1,2}[.)、]")
_BARE = " \t*_\"'„“”「」『』"
_SLASH = re.compile(r"\s[/|]\s|(?<=[^\W\d])/(?=[^\W\d])")
_SHORT, _SHORT_TEXT = 40, 120  # characters besides its name, or its text, in which an only candidate is the answer
_NEAR = 120  # characters before and behind an answer in which words refer to it
_CUED, _STATED, _HEDGED, _PRAISED = 4, 3, 2, 1


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


@dataclass(slots=True)
class _Unit:
    """A name with the candidate's text behind it, or several names in a row."""

    start: int
    end: int
    candidates: frozenset[Hashable]
    mention: Mention
    is_listed: bool = False
    is_number: bool = False  # a text that is a number, which calculations have, too


@dataclass(slots=True)
class _Said:
    """What a clause says of a candidate; `weight` counts where it states one."""

    unit: _Unit
    status: str  # stated, several, rejected, less, open, withdrawn, named
    weight: int = 0
    corrects: bool = False
    concludes: bool = False
    is_bare: bool = False
    is_exception: bool = False
    is_alone: bool = False  # on a line of its own


@dataclass(slots=True)
class _Carried:
    """What earlier clauses mean for the next name."""

    is_open: bool = False
    verdict: str = ""  # rejected or less
    is_cue: bool = False
    corrects: bool = False
    concludes: bool = False


@dataclass(slots=True)
class _Reader:
    """The state of reading a text from its beginning to its end."""

    text: str
    tokens: list[Token]
    said: list[_Said] = field(default_factory=list)
    carried: _Carried = field(default_factory=_Carried)
    abstains: bool = False  # says "neither" or "both", or doubts, apart from any name


def decided(
    text: str,
    mentions: Sequence[Mention],
    languages: Sequence[str],
    *,
    among: Sequence[Hashable] = (),
    by_exclusion: bool = False,
) -> Outcome:
    """Which of the candidates named in a text is its answer.

    Args:
        text: any text, not folded.
        mentions: names of candidates in it, as `names.longest` leaves them; words inside them mean nothing else.
        languages: ISO codes; English is added.
        among: all candidates; of more than two, all but one rejected choose that one.
        by_exclusion: whether rejecting one of two chooses the other.
    """
    if not mentions:
        return Outcome("unreadable")
    return _remaining(_read(text, mentions, languages), frozenset(among), by_exclusion)


def _read(text: str, mentions: Sequence[Mention], languages: Sequence[str]) -> _Reader:
    """What a text says of each name."""
    hidden = list(folded(text))
    for one in mentions:
        hidden[one.start : one.end] = _HIDDEN * (one.end - one.start)
    reader = _Reader("".join(hidden), [])
    reader.tokens = tokens(reader.text, languages)
    units = _units(reader, mentions)
    _mark_lists(reader, units)
    for unit in units:
        unit.is_number = text[unit.start : unit.end].isdigit()
    at = 0
    for start, end in _sentences(text, reader.text, units):
        first = at
        while at < len(units) and units[at].start < end:
            at += 1
        _read_sentence(reader, start, end, units[first:at])
    return reader


def _within(reader: _Reader, start: int, end: int) -> list[Token]:
    """The tokens of a range."""
    first = bisect_left(reader.tokens, (start,))
    return reader.tokens[first : bisect_left(reader.tokens, (end,), lo=first)]


def _rest(reader: _Reader, start: int, end: int, keys: frozenset[str]) -> str:
    """What a range holds besides words with one of some meanings."""
    parts, at = [], start
    for token in _within(reader, start, end):
        if token.keys & keys:
            parts.append(reader.text[at : token.start])
            at = max(at, token.end)
    return "".join([*parts, reader.text[at:end]]).strip(_BARE)


def _units(reader: _Reader, mentions: Sequence[Mention]) -> list[_Unit]:
    """The names, each with its own text behind it, and rows of names that leave a choice open."""
    units: list[_Unit] = []
    before: Mention | None = None
    for one in mentions:
        last, gap = units[-1] if units else None, ""
        if last is not None and before is not None and one.start - before.end <= 60:
            gap = reader.text[last.end : one.start]
            is_label = one.form == "text" and before.form != "text" and "\n" not in gap
            is_own = one.candidate == before.candidate and before.form != one.form and gap.strip() not in (",", "，")
            label_gap = _rest(reader, last.end, one.start, frozenset(("option", "is")))
            if (is_label or is_own) and len(label_gap) <= 8 and _LABEL_GAP.fullmatch(label_gap):
                last.end = one.end  # a label and its text; where that is another one's, the label counts
                before = one._replace(candidate=before.candidate)
                continue
            joined = _rest(reader, last.end, one.start, _JOINING)
            keys = _keys_of(_within(reader, last.end, one.start))
            is_row = not keys & {"article", "option"} or keys & {"or", "and", "both"}
            if (
                is_row
                and one.candidate != before.candidate
                and joined.strip(" ,，、/|&+-–;.~") == ""
                and not _END.search(gap)
            ):
                last.candidates |= {one.candidate}
                last.end, before = one.end, one
                continue
        units.append(_Unit(one.start, one.end, frozenset((one.candidate,)), one))
        before = one
    return units


def _mark_lists(reader: _Reader, units: Sequence[_Unit]) -> None:
    """Mark the names that begin lines or sentences in their order: a list of the candidates, which states none."""
    before: _Unit | None = None
    for unit in units:
        if len(unit.candidates) > 1:
            continue
        start = max(reader.text.rfind(end, 0, unit.start) for end in "\n。.;；") + 1
        lead = _rest(reader, start, unit.start, _LABEL_WORDS) if unit.start - start <= 40 else "-"
        if _WORD.search(_NUMBERING.sub("", lead)):
            continue
        if before is not None and _follows(before, unit) and reader.text.count("\n", before.end, unit.start) <= 3:
            before.is_listed = unit.is_listed = True
        before = unit


def _follows(before: _Unit, unit: _Unit) -> bool:
    """Whether one candidate comes right behind another in the order of the question."""
    (one,), (other,) = before.candidates, unit.candidates
    if isinstance(one, int) and isinstance(other, int):
        return other == one + 1
    return one != other


def _sentences(text: str, hidden: str, units: Sequence[_Unit]) -> Iterator[tuple[int, int]]:
    """The ranges of the sentences; a name that ends in a full stop ends one before a capital."""
    ends = [match.end() for match in _END.finditer(hidden)]
    for unit in units:
        if (
            text[unit.end - 1] == "."
            and text[unit.end : unit.end + 1] == " "
            and text[unit.end + 1 : unit.end + 2].isupper()
        ):
            ends.append(unit.end)
    start, at = 0, 0
    for end in (*sorted(ends), len(text)):
        while at < len(units) and units[at].end < end:
            at += 1
        is_inside = at < len(units) and units[at].start < end < units[at].end
        if end > start and not is_inside:
            yield start, end
            start = end


def _keys_of(words: Sequence[Token]) -> frozenset[str]:
    return frozenset().union(*(token.keys for token in words)) if words else frozenset()


def _read_sentence(reader: _Reader, start: int, end: int, units: Sequence[_Unit]) -> None:
    """Add what a sentence says of the candidates that it names, or that it points at."""
    inside = _within(reader, start, end)
    sentence = reader.text[start:end].strip()
    is_question = sentence.rstrip("\"'”»」』)*_ ").endswith(("?", "？"))
    if not units:
        _read_remark(reader, sentence, inside, is_question)
        return
    carried, reader.carried = reader.carried, _Carried()
    last: _Said | None = None
    denied = ""
    for clause_start, clause_end in _clauses(reader, start, end, inside):
        own = [unit for unit in units if clause_start <= unit.start < clause_end]
        words = [token for token in inside if clause_start <= token.start < clause_end]
        keys = _keys_of(words)
        if keys & {"but", "therefore"} or reader.text[clause_start] in ";；":
            carried.is_open, carried.verdict = False, ""
        if words and "that" in words[0].keys and words[0].start - clause_start < 4:
            carried.verdict = denied if denied in ("rejected", "less") else carried.verdict
        carried.corrects |= "instead" in keys
        carried.concludes |= "therefore" in keys
        if not own:
            denied = _verdict(words)
            reader.abstains |= bool(keys & {"both", "neither"})
            if last is not None and _attach(reader, last, words, clause_start, clause_end):
                carried.corrects |= last.status == "withdrawn"
                continue
            carried.is_open |= bool(keys & {"if", "maybe", "asks"}) and "because" not in keys
            if reader.text[clause_end : clause_end + 1] in (":", "："):
                carried.verdict = denied if denied == "rejected" else ""
            carried.is_cue |= bool(keys & {"answer", "choose", "right"}) and denied not in ("rejected", "less")
            continue
        at = clause_start
        for place, unit in enumerate(own):
            behind_end = own[place + 1].start if place + 1 < len(own) else clause_end
            before = [token for token in words if at <= token.start < unit.start]
            behind = [token for token in words if unit.end <= token.start < behind_end]
            if last is not None and last.status == "less":  # "less likely than the first"
                before = [token for token in before if "than" not in token.keys]
            if place and any("identifies" in token.keys for token in before):
                before = []  # "what A describes is B"
            kept: list[Token] = []
            if place + 1 < len(own):  # "not" right before the next name is said of that
                kept = _before_next(reader, behind, behind_end)
                behind = [token for token in behind if token not in kept]
            is_single = len(own) == 1 or (kept and "is" not in _keys_of(kept)) or place > 0
            here = (at, unit.start, unit.end, kept[0].start if kept else behind_end)
            at = here[3]
            one = _said_of(reader, unit, before, behind, carried, here, is_question, bool(is_single))
            other = last or (reader.said[-1] if reader.said and words[:1] == before[:1] else None)
            if other and "or" in _keys_of(before) and {other.status, one.status} <= {"stated", "named"}:
                other.unit.candidates |= unit.candidates
                unit.candidates = other.unit.candidates
                other.status = one.status = "several"
                one.weight = other.weight = max(one.weight, other.weight)
            last = one
            reader.said.append(one)
        denied = ""
        carried = _Carried(is_open=carried.is_open)
    if last is None and sentence.endswith((":", "：")):
        reader.carried = carried


def _clauses(reader: _Reader, start: int, end: int, inside: Sequence[Token]) -> Iterator[tuple[int, int]]:
    """The ranges of the clauses of a sentence."""
    cuts = {match.start() for match in _PAUSE.finditer(reader.text, start, end)}
    cuts |= {token.start for token in inside if token.keys & {"but", "because", "therefore", "arrow"}}
    at = start
    for cut in (*sorted(cuts), end):
        if cut > at:
            yield at, cut
            at = cut


def _before_next(reader: _Reader, behind: list[Token], end: int) -> list[Token]:
    """The words between two names that belong to the second: a negation right before it, or a correction."""
    for at, token in enumerate(behind):
        is_than = "than" in token.keys and not any("less" in one.keys for one in behind)
        if "instead" in token.keys:
            return behind[at:]
        if (is_than or "not" in token.keys) and not _WORD.search(_rest(reader, token.end, end, _FILLERS)):
            return behind[at:]
    return []


def _verdict(words: Sequence[Token]) -> str:
    """What words say of a name: `rejected`, `less`, `stated`, `praised`, `open` ("not wrong"), or nothing."""
    found = ""
    is_negated = is_less = False
    for token in words:
        keys = token.keys
        if "identifies" in keys:
            found, is_negated, is_less = "stated", False, False
        elif "wrong" in keys:
            if is_negated:
                return "open"
            found = "rejected"
        elif "less" in keys:
            is_less = True
        elif "than" in keys and is_less:
            break
        elif keys & {"not", "than", "no", "neither"} and found != "rejected":
            is_negated = True
        elif keys & {"right", "choose", "answer", "yes"} and found in ("", "praised"):
            found = "stated"
        elif "fits" in keys and not found:
            found = "praised"
    if is_less and found != "rejected":
        return "open" if is_negated else "less"
    return "rejected" if is_negated else found


def _said_of(
    reader: _Reader,
    unit: _Unit,
    before: Sequence[Token],
    behind: Sequence[Token],
    carried: _Carried,
    here: tuple[int, int, int, int],
    is_question: bool,
    is_single: bool,
) -> _Said:
    """What its clause says of a name."""
    words = [*before, *behind]
    keys = _keys_of(words)
    verdict = _verdict(words)
    is_exception = "except" in _keys_of(before)
    if is_exception:
        verdict = {"rejected": "stated", "stated": "rejected"}.get(verdict, "open")
    rest_before = _rest(reader, here[0], here[1], _KNOWN)
    rest_behind = _rest(reader, here[2], here[3], _KNOWN)
    is_clear_behind = not _WORD.search(rest_behind)
    is_bare = is_single and is_clear_behind and not _WORD.search(rest_before) and "but" not in keys
    is_cued = bool(keys & {"answer", "choose"}) or carried.is_cue
    status, weight = "named", 0
    if is_question or carried.is_open or keys & {"if", "asks"} or verdict == "open":
        status = "open"
    elif (said_before := carried.verdict or verdict) in ("less", "rejected"):
        status = said_before
    elif "maybe" in keys:
        status, weight = ("stated", _HEDGED) if is_cued else ("open", 0)
    elif "because" in keys and not is_cued:
        status = "named"
    elif verdict == "stated" or (carried.is_cue and is_clear_behind) or carried.corrects:
        status, weight = "stated", _PRAISED if unit.is_listed else _STATED
    elif carried.concludes and is_clear_behind:
        status, weight = "stated", _STATED
    elif verdict == "praised":
        status, weight = "stated", _PRAISED
    elif is_bare and not unit.is_listed and not _describes(reader, unit, here[3]):
        status, weight = "stated", _STATED
    if len(unit.candidates) > 1 and status == "stated":
        status = "named" if is_bare and not is_cued else "several"
    line = (
        reader.text[reader.text.rfind("\n", 0, unit.start) + 1 : unit.start] + reader.text[unit.end :].split("\n", 1)[0]
    )
    said = _Said(unit, status, weight, carried.corrects, carried.concludes, is_bare and not verdict, is_exception)
    said.is_alone = said.is_bare and not _WORD.search(line)
    if (
        said.is_bare
        and status == "stated"
        and not said.is_alone
        and unit.mention.form == "text"
        and not (keys or carried.concludes or carried.is_cue)
    ):
        said.status, said.weight = "named", 0  # a text inside a discussion
    return said


def _describes(reader: _Reader, unit: _Unit, end: int) -> bool:
    """Whether a colon and a description stand behind a name: an item of a list that goes on."""
    if reader.text[end : end + 1] not in (":", "："):
        return False
    line = reader.text[end : end + 200].split("\n", 1)[0]
    return bool(_WORD.search(_rest(reader, end, end + len(line), _KNOWN)))


def _attach(reader: _Reader, last: _Said, words: Sequence[Token], start: int, end: int) -> bool:
    """Whether a clause without a name says something of the last one; note it there."""
    verdict = _verdict(words)
    if last.is_exception and verdict == "rejected":
        verdict = "stated"
    if not verdict or verdict == "open" or any(token.keys & {"because", "if"} for token in words):
        return False
    is_only = not _WORD.search(_rest(reader, start, end, _KNOWN))
    if (last.status in ("named", "open") and last.is_exception) or last.status == "named" or (last.is_bare and is_only):
        if verdict in ("stated", "praised"):
            weight = _PRAISED if verdict == "praised" or last.unit.is_listed else _STATED
            last.status, last.weight = ("several" if len(last.unit.candidates) > 1 else "stated"), weight
        else:
            last.status, last.weight = ("withdrawn" if last.is_bare else "rejected"), 0
        return True
    return False


def _read_remark(reader: _Reader, sentence: str, inside: Sequence[Token], is_question: bool) -> None:
    """Note what a sentence without a name says of the last name or of the next."""
    keys = _keys_of(inside)
    carried = reader.carried
    reader.abstains |= bool(keys & {"both", "neither", "if", "maybe"})
    if not keys or is_question:
        if _WORD.search(sentence):
            reader.carried = _Carried(corrects=carried.corrects)
        return
    verdict = _verdict(inside)
    is_short = len(sentence) <= _SHORT
    if sentence.endswith((":", "：")) or (is_short and not sentence.endswith((".", "。", "!", "！"))):
        carried.verdict = verdict if verdict == "rejected" else ""
        carried.is_cue = bool(keys & {"answer", "choose", "therefore"}) and not carried.verdict
        carried.concludes |= "therefore" in keys
    elif (
        verdict == "rejected"
        and reader.said
        and (keys & {"points_at", "instead"} or not _WORD.search(_unknown(reader, inside, sentence)))
    ):
        last = reader.said[-1]
        if last.status in ("stated", "open", "named"):
            last.status, last.weight = ("withdrawn", 0)
            carried.corrects = True
    carried.corrects |= "instead" in keys


def _unknown(reader: _Reader, inside: Sequence[Token], sentence: str) -> str:
    """What a sentence holds besides words with a meaning."""
    return _rest(reader, inside[0].start, inside[-1].end, _KNOWN) if inside else sentence


def _remaining(reader: _Reader, among: frozenset[Hashable], by_exclusion: bool) -> Outcome:
    """The one candidate that is stated, or else the only one that is left."""
    said = reader.said
    for weight in (_STATED, _HEDGED, _PRAISED):
        chosen = [one for one in said if one.status in ("stated", "several") and one.weight == weight]
        single = [one for one in chosen if one.status == "stated"]
        if single and chosen[-1].status == "stated":  # "of 1 and 2": the choice is named before it is made
            chosen = [one for one in chosen if one.status == "stated" or one.unit.candidates != among]
        if chosen:
            return _last(chosen)
    less = _candidates(said, "less")
    rejected = less | _candidates(said, "rejected", "withdrawn")
    named = _candidates(said, "named") - rejected
    is_open = reader.abstains or any(one.status == "open" for one in said)
    if len(named) == 1 and rejected and not is_open and named | rejected >= among:
        return _answer(next(one.unit for one in said if one.unit.candidates == named), "sentence")
    left = among - rejected
    if len(left) == 1 and rejected and not named and not is_open and (by_exclusion or less or len(among) > 2):
        unit = said[-1].unit
        return Outcome("answered", Mention(unit.start, unit.end, next(iter(left)), "exclusion"), "sentence")
    if len(named) == 1 and not is_open:
        unit = next((one.unit for one in said if one.status == "named" and one.unit.candidates == named), None)
        if unit is not None and _is_only(reader, unit, bool(rejected)):
            return _answer(unit, "only")
    candidates = {candidate for one in said for candidate in one.unit.candidates}
    return Outcome("several" if len(candidates) > 1 and not rejected else "unreadable")


def _last(chosen: Sequence[_Said]) -> Outcome:
    """The candidate of all statements, or else of those since the last correction, or since the last conclusion."""
    for starts in ("", "corrects", "concludes"):
        first = max((at for at, one in enumerate(chosen) if starts and getattr(one, starts)), default=0)
        if starts == "concludes" and chosen[0].is_alone:
            break  # a reply that began with its answer does not conclude with another one
        left = {candidate for one in chosen[first:] for candidate in one.unit.candidates}
        if len(left) == 1 and chosen[-1].status == "stated":
            return _answer(chosen[-1].unit, "sentence")
    return Outcome("several")


def _candidates(said: Sequence[_Said], *statuses: str) -> frozenset[Hashable]:
    return frozenset(candidate for one in said if one.status in statuses for candidate in one.unit.candidates)


def _is_only(reader: _Reader, unit: _Unit, is_other_rejected: bool) -> bool:
    """Whether a text is too short to be about anything but the answer that it names."""
    rest = reader.text.replace(_HIDDEN, "").strip()
    text_is_number = unit.is_number
    doubts = {"not", "wrong", "no", "asks", "less"} | (set() if is_other_rejected else {"than"})
    if "?" in rest or "？" in rest or any(token.keys & doubts and "than" not in token.keys for token in reader.tokens):
        return False
    if unit.mention.form == "text" and not text_is_number:
        return len(rest) <= (_SHORT if is_other_rejected else _SHORT_TEXT)
    return len(rest) <= _SHORT and len(_WORD.findall(_rest(reader, 0, len(reader.text), _KNOWN))) <= 1


def _answer(unit: _Unit, rule: str) -> Outcome:
    (candidate,) = unit.candidates
    return Outcome("answered", unit.mention._replace(end=unit.end, candidate=candidate), rule)


def statuses(text: str, mentions: Sequence[Mention], languages: Sequence[str]) -> list[tuple[Mention, str]]:
    """What a text says of each name, in its order: stated, rejected, open, withdrawn, several (in a row) or named.

    >>> from hueval_metrics.answers.names import words_named
    >>> found = words_named(folded("Nem Buda, hanem Eger"), {"buda": 0, "eger": 1})
    >>> [status for _, status in statuses("Nem Buda, hanem Eger", found, ("hu",))]
    ['rejected', 'stated']
    """
    reader = _read(text, mentions, languages)
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
    while start < end and (
        article := next((one for one in found if one.start >= start and "article" in one.keys), None)
    ):
        if low[start : article.start].strip(" :,(") or start == 0:
            break
        start = article.end
    if any(token.keys & {"not", "wrong", "no"} for token in found if start <= token.start < end):
        return None
    start += len(text[start:end]) - len(text[start:end].lstrip(" \t\n:,;(–-" if start else None))
    end = start + len(text[start:end].rstrip(" \t\n,;(–-"))
    return (start, end) if _WORD.search(low[start:end]) else None


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
        if _WORD.search(part):
            left = at + len(part) - len(part.lstrip(" ,"))
            found.append((left, left + len(part.strip(" ,"))))
        at = max(at, end)
    return found

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
import unicodedata
from bisect import bisect_left
from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from hueval_metrics.answers.names import Mention, folded
from hueval_metrics.answers.reading import Kind
from hueval_metrics.languages.load import as_source, entries, is_spaced, remembered

_KEYS = (  # those whose words tell what a clause does with a name
    *("answer", "not", "wrong", "right", "fits", "less", "if", "maybe", "instead", "therefore", "because", "choose"),
    *("but", "or", "and", "both", "neither", "points_at", "asks", "is", "article", "option", "yes", "no", "than"),
)
_FILLERS = frozenset(("article", "option", "answer", "is", "points_at"))
_JOINING = frozenset(("or", "and", "both", "article", "option"))
_END = re.compile(r"[.!?…]+[\"'”»」』)\]*_]*(?=\s|\Z|[\u2e80-\U0003ffff])|[。！？；]|\n+")
_PAUSE = re.compile(r"[,:;()，：（）\[\]|]|\s[–—-]+\s|、|—")
_LABEL_GAP = re.compile(r"[\s.:：、,)\]}>*_\"'„“”=(–—-]{0,6}")
_MARKS = {"CHECK MARK": "right", "BALLOT BOX WITH CHECK": "right", "CROSS MARK": "wrong", "BALLOT X": "wrong"}
_ARROW = frozenset({"instead"})
_SIGN = re.compile(r"[^\w\s\x00-\x7f\u2e80-\ufaff\ue000]|[-=]>")
_SHORT, _SHORT_TEXT = 40, 120  # characters besides its name, or its text, in which an only candidate is the answer
_NEAR = 120  # characters before and behind an answer in which words refer to it
_SLASH = re.compile(r"\s[/|]\s|(?<=[^\W\d])/(?=[^\W\d])")
_STATED, _HEDGED, _PRAISED = 3, 2, 1


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


class Token(NamedTuple):
    """A word that has a meaning: its place in a text, and the keys of the language files that have it."""

    start: int
    end: int
    keys: frozenset[str]


@dataclass(slots=True)
class _Unit:
    """A name with the text behind it, or several names in a row."""

    start: int
    end: int
    candidates: frozenset[Hashable]
    mention: Mention
    is_listed: bool = False


@dataclass(slots=True)
class _Said:
    """What a clause says of a candidate; `weight` counts where it states one."""

    unit: _Unit
    status: str  # stated, rejected, open, withdrawn, named
    weight: int = 0
    corrects: bool = False
    concludes: bool = False
    is_bare: bool = False


@dataclass(slots=True)
class _Carried:
    """What earlier clauses mean for the next name."""

    is_open: bool = False
    is_wrong: bool = False
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


def tokens(text: str, languages: Sequence[str]) -> list[Token]:
    """The words of a folded text that have a meaning, the longest at each place, and its marks and arrows.

    >>> [sorted(token.keys) for token in tokens("nem jó ✗", ("hu",))]
    [['no', 'not'], ['right'], ['wrong']]
    """
    pattern, exact, stems = _lexicon(tuple(languages))
    found = [Token(match.start(), match.end(), _keys(match[0], exact, stems)) for match in pattern.finditer(text)]
    if not text.isascii() or "->" in text or "=>" in text:
        marks = (Token(match.start(), match.end(), _mark(match[0])) for match in _SIGN.finditer(text))
        found = sorted([*found, *(mark for mark in marks if mark.keys)])
    return found


@remembered
def _lexicon(
    languages: tuple[str, ...],
) -> tuple[re.Pattern[str], dict[str, frozenset[str]], dict[str, frozenset[str]]]:
    """A pattern for all words with a meaning; the keys of those that are whole words, and of those that may go on."""
    found: dict[tuple[str, bool], set[str]] = {}
    for key in _KEYS:
        for code, word in entries(key, languages):
            found.setdefault((folded(word), is_spaced(code)), set()).add(key)
    ordered = sorted(found, key=lambda each: -len(each[0]))
    exact = {_word(word): frozenset(keys) for (word, _), keys in found.items() if not word.endswith("*")}
    stems = {_word(word[:-1]): frozenset(keys) for (word, _), keys in found.items() if word.endswith("*")}
    groups: dict[tuple[bool, str], list[str]] = {}
    for word, spaced in ordered:
        groups.setdefault((spaced, word[0]), []).append(word)
    parts = [as_source([(word, spaced) for word in words]) for (spaced, _), words in groups.items()]
    return re.compile("|".join(parts) or "(?!)"), exact, stems


def _word(text: str) -> str:
    return " ".join(text.replace("’", "'").split())


def _keys(word: str, exact: dict[str, frozenset[str]], stems: dict[str, frozenset[str]]) -> frozenset[str]:
    word = _word(word)
    if word in exact:
        return exact[word]
    return next((stems[word[:end]] for end in range(len(word), 0, -1) if word[:end] in stems), frozenset())


def _mark(sign: str) -> frozenset[str]:
    """What a sign means, by its name: a tick, a cross, an arrow from one to the other."""
    name = unicodedata.name(sign, "") if len(sign) == 1 else "ARROW"
    if "ARROW" in name:
        return _ARROW
    return frozenset(key for part, key in _MARKS.items() if part in name)


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
    low = folded(text)
    hidden = list(low)
    for one in mentions:
        hidden[one.start : one.end] = "\ue000" * (one.end - one.start)
    reader = _Reader("".join(hidden), [])
    reader.tokens = tokens(reader.text, languages)
    units = _units(reader, mentions)
    _mark_lists(reader.text, units)
    for start, end in _sentences(text, reader.text, units):
        _read_sentence(reader, start, end, [unit for unit in units[_first(units, start) :] if unit.start < end])
    return reader


def _within(reader: _Reader, start: int, end: int) -> list[Token]:
    """The tokens of a range."""
    at = bisect_left(reader.tokens, (start,))
    found = []
    while at < len(reader.tokens) and reader.tokens[at].start < end:
        found.append(reader.tokens[at])
        at += 1
    return found


def _first(units: Sequence[_Unit], start: int) -> int:
    return bisect_left(units, start, key=lambda unit: unit.start)


def _rest(reader: _Reader, start: int, end: int, keys: frozenset[str]) -> str:
    """What a range holds besides words with one of some meanings."""
    parts, at = [], start
    for token in _within(reader, start, end):
        if token.keys & keys:
            parts.append(reader.text[at : token.start])
            at = max(at, token.end)
    return "".join([*parts, reader.text[at:end]]).strip(" \t*_\"'„“”「」『』()")


def _units(reader: _Reader, mentions: Sequence[Mention]) -> list[_Unit]:
    """The names, each with its own text behind it, and rows of names that leave a choice open."""
    units: list[_Unit] = []
    for one in mentions:
        last = units[-1] if units else None
        gap = reader.text[last.end : one.start] if last else ""
        if last and len(gap) <= 6 and len(last.candidates) == 1 and _LABEL_GAP.fullmatch(gap):
            is_label = one.form == "text" and last.mention.form != "text" and "\n" not in gap.strip(" ")
            if one.candidate in last.candidates and (is_label or last.mention.form != one.form):
                last.end = one.end
                continue
            if is_label:  # the text of another one: the label counts
                last.end = one.end
                continue
        if last and len(gap) < 60 and not _has_end(gap) and one.candidate not in last.candidates:
            is_joined = _rest(reader, last.end, one.start, _JOINING).strip(" ,、/|&+-–;.") == ""
            if is_joined:
                last.candidates |= {one.candidate}
                last.end = one.end
                continue
        units.append(_Unit(one.start, one.end, frozenset((one.candidate,)), one))
    return units


def _has_end(gap: str) -> bool:
    return "\n" in gap or bool(_END.search(gap))


def _mark_lists(text: str, units: Sequence[_Unit]) -> None:
    """Mark the names that begin lines one behind the other: a list of the candidates, which states none."""
    before: _Unit | None = None
    for unit in units:
        line = text.rfind("\n", 0, unit.start) + 1
        if text[line : unit.start].strip(" \t*_#>|([-•.\"'") or len(unit.candidates) > 1:
            continue
        is_next = before is not None and before.candidates != unit.candidates
        if before is not None and is_next and not _is_apart(text[before.end : unit.start]):
            before.is_listed = unit.is_listed = True
        before = unit


def _is_apart(between: str) -> bool:
    """Whether an empty line stands between two lines with names, so that they make no list."""
    return "\n\n" in between.strip(" ") and between.count("\n") > 2 or between.count("\n") > 3


def _sentences(text: str, hidden: str, units: Sequence[_Unit]) -> Iterator[tuple[int, int]]:
    """The ranges of the sentences; a name that ends in a full stop ends one before a capital."""
    ends = [match.end() for match in _END.finditer(hidden)]
    for unit in units:
        behind = text[unit.end : unit.end + 3].lstrip(" ")
        if text[unit.end - 1] == "." and text[unit.end : unit.end + 1] == " " and behind[:1].isupper():
            ends.append(unit.end)
    start = 0
    for end in (*sorted(ends), len(text)):
        if end > start and not any(unit.start < end < unit.end for unit in units[max(0, _first(units, end) - 1) :][:1]):
            yield start, end
            start = end


def _read_sentence(reader: _Reader, start: int, end: int, units: Sequence[_Unit]) -> None:
    """Add what a sentence says of the candidates that it names, or that it points at."""
    inside = _within(reader, start, end)
    sentence = reader.text[start:end].strip()
    is_question = sentence.rstrip("\"'”»」』)*_ ").endswith(("?", "？")) or any(
        "asks" in token.keys for token in inside
    )
    if not units:
        _read_remark(reader, sentence, inside, is_question)
        return
    carried, reader.carried = reader.carried, _Carried()
    last: _Said | None = None
    for clause_start, clause_end in _clauses(reader, start, end, inside):
        own = [unit for unit in units if clause_start <= unit.start < clause_end]
        words = [token for token in inside if clause_start <= token.start < clause_end]
        keys = frozenset().union(*(token.keys for token in words)) if words else frozenset()
        if "but" in keys:
            carried.is_open = carried.is_wrong = False
        carried.corrects |= "instead" in keys
        carried.concludes |= "therefore" in keys
        if not own:
            ends_in_colon = reader.text[clause_end : clause_end + 1] in (":", "：")
            if last is not None and _attach(reader, last, words, clause_start, clause_end):
                carried.corrects |= last.status == "withdrawn"
                continue
            verdict = _verdict(words)
            carried.is_open |= bool(keys & {"if", "maybe"}) and not ("because" in keys)
            if ends_in_colon:
                carried.is_wrong = verdict == "rejected"
            carried.is_cue |= bool(keys & {"answer", "choose", "right"}) and verdict != "rejected"
            continue
        at = clause_start
        for place, unit in enumerate(own):
            behind_end = own[place + 1].start if place + 1 < len(own) else clause_end
            before = [token for token in words if at <= token.start < unit.start]
            behind = [token for token in words if unit.end <= token.start < behind_end]
            if place + 1 < len(own):  # "not" right before the next name is said of that
                kept = _before_next(reader, behind, behind_end)
                behind = [token for token in behind if token not in kept]
                at = kept[0].start if kept else behind_end
            last = _said_of(reader, unit, before, behind, carried, (clause_start, clause_end), is_question)
            reader.said.append(last)
        carried = _Carried(is_open=carried.is_open)
    if sentence.endswith((":", "：")) and last is None:
        reader.carried = carried


def _clauses(reader: _Reader, start: int, end: int, inside: Sequence[Token]) -> Iterator[tuple[int, int]]:
    """The ranges of the clauses of a sentence."""
    cuts = {match.start() for match in _PAUSE.finditer(reader.text, start, end)}
    cuts |= {token.start for token in inside if token.keys & {"but", "because", "therefore"} or token.keys == _ARROW}
    at = start
    for cut in (*sorted(cuts), end):
        if cut > at:
            yield at, cut
            at = cut


def _before_next(reader: _Reader, behind: list[Token], end: int) -> list[Token]:
    """The words between two names that belong to the second: a negation right before it."""
    for at, token in enumerate(behind):
        if token.keys & {"not", "than"} and not _WORDS.search(_rest(reader, token.end, end, _FILLERS)):
            return list(behind[at:])
    return []


_WORDS = re.compile(r"[^\W_]")


def _verdict(words: Sequence[Token]) -> str:
    """What words say of a name: `rejected`, `stated`, `praised`, `open` ("not wrong"), or nothing."""
    found = ""
    is_negated = False
    for token in words:
        keys = token.keys
        if "wrong" in keys:
            if is_negated:
                return "open"
            found = "rejected"
        elif keys & {"not", "less", "than", "no"} and found != "rejected":
            is_negated = True
        elif keys & {"right", "choose", "answer", "yes"} and not found:
            found = "stated"
        elif "fits" in keys and not found:
            found = "praised"
    return "rejected" if is_negated else found


def _said_of(
    reader: _Reader,
    unit: _Unit,
    before: Sequence[Token],
    behind: Sequence[Token],
    carried: _Carried,
    clause: tuple[int, int],
    is_question: bool,
) -> _Said:
    """What its clause says of a name."""
    words = [*before, *behind]
    keys = frozenset().union(*(token.keys for token in words)) if words else frozenset()
    verdict = _verdict(words)
    corrects, concludes = carried.corrects, carried.concludes
    is_bare = not _WORDS.search(_rest(reader, clause[0], clause[1], frozenset(_KEYS)).replace("\ue000", ""))
    weight = 0
    if is_question or carried.is_open or "if" in keys:
        status = "open"
    elif carried.is_wrong or verdict == "rejected":
        status = "rejected"
    elif verdict == "open":
        status = "open"
    elif "maybe" in keys:
        is_hedged = bool(keys & {"answer", "choose", "right"} or carried.is_cue)
        status, weight = ("stated", _HEDGED) if is_hedged else ("open", 0)
    elif verdict == "stated" or carried.is_cue or concludes or corrects:
        status, weight = "stated", _STATED
    elif verdict == "praised":
        status, weight = "stated", _PRAISED
    elif is_bare and not unit.is_listed:
        status, weight = "stated", _STATED
    else:
        status = "named"
    if len(unit.candidates) > 1 and status == "stated":
        status = "several"
    return _Said(unit, status, weight, corrects, concludes, is_bare and not words)


def _attach(reader: _Reader, last: _Said, words: Sequence[Token], start: int, end: int) -> bool:
    """Whether a clause without a name says something of the last one; note it there."""
    verdict = _verdict(words)
    if not verdict or any(token.keys & {"because", "if"} for token in words):
        return False
    is_only = not _WORDS.search(_rest(reader, start, end, frozenset(_KEYS)))
    if last.status == "named" or (last.is_bare and is_only):
        if verdict in ("stated", "praised"):
            last.status, last.weight = "stated", _STATED if verdict == "stated" else _PRAISED
        elif verdict == "rejected":
            last.status, last.weight = "withdrawn" if last.is_bare else "rejected", 0
        return True
    return False


def _read_remark(reader: _Reader, sentence: str, inside: Sequence[Token], is_question: bool) -> None:
    """Note what a sentence without a name says of the last name or of the next."""
    keys = frozenset().union(*(token.keys for token in inside)) if inside else frozenset()
    carried = reader.carried
    if not keys or is_question:
        if _WORDS.search(sentence):
            reader.carried = _Carried(corrects=carried.corrects)
        return
    verdict = _verdict(inside)
    is_short = len(sentence) <= _SHORT
    if sentence.endswith((":", "：")) or (is_short and not sentence.endswith((".", "。", "!"))):
        carried.is_wrong = verdict == "rejected"
        carried.is_cue = bool(keys & {"answer", "choose", "therefore"}) and not carried.is_wrong
        carried.concludes |= "therefore" in keys
    elif verdict == "rejected" and (keys & {"points_at", "no", "instead"} or is_short) and reader.said:
        _withdraw(reader)
    carried.corrects |= "instead" in keys


def _withdraw(reader: _Reader) -> None:
    last = reader.said[-1]
    if last.status == "stated":
        last.status, last.weight = "withdrawn", 0
        reader.carried.corrects = True


def _remaining(reader: _Reader, among: frozenset[Hashable], by_exclusion: bool) -> Outcome:
    """The one candidate that is stated, or else the only one that is left."""
    said = reader.said
    firm = [
        one
        for one in said
        if one.status in ("stated", "several") and (one.weight == _STATED or one.status == "several")
    ]
    for weight in (_STATED, _HEDGED, _PRAISED):
        chosen = [one for one in said if one.status in ("stated", "several") and one.weight == weight]
        if not chosen:
            continue
        for starts in (None, "corrects", "concludes"):
            first = max((at for at, one in enumerate(chosen) if starts and getattr(one, starts)), default=0)
            left = {candidate for one in chosen[first:] for candidate in one.unit.candidates}
            if len(left) == 1:
                return _answer(chosen[-1].unit, "sentence")
        return Outcome("several")
    rejected = {
        candidate for one in said if one.status in ("rejected", "withdrawn") for candidate in one.unit.candidates
    }
    named = {candidate for one in said if one.status == "named" for candidate in one.unit.candidates} - rejected
    is_open = any(one.status == "open" for one in said) or any(
        token.keys & {"both", "neither", "if", "maybe"} for token in reader.tokens
    )
    if len(named) == 1 and rejected and not is_open and len(among or named | rejected) == len(named | rejected):
        return _answer(next(one.unit for one in said if one.unit.candidates == named), "sentence")
    if len(rejected) == len(among) - 1 and not named and not is_open and (by_exclusion or len(among) > 2):
        (left_one,) = among - rejected
        unit = said[-1].unit
        return Outcome("answered", Mention(unit.start, unit.end, left_one, "exclusion"), "sentence")
    if len(named) == 1 and not rejected and not is_open:
        unit = next(one.unit for one in said if one.unit.candidates == named)
        rest = re.sub("\ue000+", "", reader.text).strip()
        has_doubt = any(token.keys & {"not", "wrong", "no", "asks", "less"} for token in reader.tokens)
        if not has_doubt and "?" not in rest and len(rest) <= (_SHORT_TEXT if unit.mention.form == "text" else _SHORT):
            return _answer(unit, "only")
    candidates = {candidate for one in said for candidate in one.unit.candidates}
    return Outcome("several" if len(candidates) > 1 and not rejected else "unreadable")


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
            is_refused or before[-1:] in (*",;.(–-", "") or token.keys == _ARROW
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
    return (start, end) if _WORDS.search(low[start:end]) else None


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
        if _WORDS.search(part):
            left = at + len(part) - len(part.lstrip(" ,"))
            found.append((left, left + len(part.strip(" ,"))))
        at = max(at, end)
    return found

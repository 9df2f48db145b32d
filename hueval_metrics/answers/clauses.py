"""What the clauses of a text say of the candidates that it names.

A clause is read by the meanings of its words (`names.tokens`), and by what earlier clauses mean for the next name.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from hueval_metrics.answers.names import KEYS, Mention, Token, folded, tokens
from hueval_metrics.answers.units import (
    HIDDEN,
    WORD,
    Unit,
    View,
    keys_of,
    mark_lists,
    rest,
    sentences,
    units_of,
    within,
)

KNOWN = frozenset(KEYS)
SHORT = 40  # characters of a sentence that is only a remark, or that has no room for anything but the answer
STATED, HEDGED, PRAISED = 3, 2, 1
_FILLERS = frozenset(("article", "option", "answer", "is", "points_at"))
_NEGATING = frozenset(("not", "no", "article"))
_PAUSE = re.compile(r"[,:;()，：；（）\[\]|]|\s[–—-]+\s|—")


@dataclass(slots=True)
class Said:
    """What a clause says of a candidate; `weight` counts where it states one."""

    unit: Unit
    status: str  # stated, several, rejected, less, open, withdrawn, named
    weight: int = 0
    corrects: bool = False
    concludes: bool = False
    is_bare: bool = False
    is_exception: bool = False
    is_alone: bool = False  # on a line of its own
    start: int = 0  # of the part of its clause that is read for it
    clause: int = 0  # the start of its clause


@dataclass(slots=True)
class Carried:
    """What earlier clauses mean for the next name."""

    is_open: bool = False
    verdict: str = ""  # rejected or less
    is_cue: bool = False
    corrects: bool = False
    concludes: bool = False
    turns: bool = False


@dataclass(slots=True)
class Reader(View):
    """The state of reading a text from its beginning to its end."""

    said: list[Said] = field(default_factory=list)
    carried: Carried = field(default_factory=Carried)
    abstains: bool = False  # says "neither" or "both", or doubts, apart from any name


def read(text: str, mentions: Sequence[Mention], languages: Sequence[str], nouns: Sequence[str] = ()) -> Reader:
    """What a text says of each name, in order.

    Args:
        text: any text, not folded.
        mentions: the names in it, as `names.longest` leaves them.
        languages: ISO codes; English is added.
        nouns: further words for an option.
    """
    hidden = list(folded(text))
    for one in mentions:
        hidden[one.start : one.end] = HIDDEN * (one.end - one.start)
    reader = Reader("".join(hidden), [])
    reader.tokens = tokens(reader.text, languages, nouns)
    units = units_of(reader, mentions)
    mark_lists(reader, units)
    for unit in units:
        unit.is_number = text[unit.start : unit.end].isdigit()
    at = 0
    for start, end in sentences(text, reader.text, units):
        first = at
        while at < len(units) and units[at].start < end:
            at += 1
        _read_sentence(reader, start, end, units[first:at])
    return reader


def _read_sentence(reader: Reader, start: int, end: int, units: Sequence[Unit]) -> None:
    """Add what a sentence says of the candidates that it names, or that it points at."""
    inside = within(reader, start, end)
    sentence = reader.text[start:end].strip()
    is_question = sentence.rstrip("\"'”»」』)*_ ").endswith(("?", "？"))
    if not units:
        _read_remark(reader, start, end, inside, is_question)
        return
    carried, reader.carried = reader.carried, Carried()
    asked_from = max((token.start for token in inside if "but" in token.keys), default=start)
    last: Said | None = None
    denied = ""
    starts = [unit.start for unit in units]
    for clause_start, clause_end in _clauses(reader, start, end, inside):
        own = units[bisect_left(starts, clause_start) : bisect_left(starts, clause_end)]
        words = within(reader, clause_start, clause_end)
        keys = keys_of(words)
        if keys & {"but", "therefore"} or reader.text[clause_start] in ";；":
            carried.is_open, carried.verdict = False, ""
        if words and "that" in words[0].keys:
            carried.verdict = denied if denied in ("rejected", "less") else carried.verdict
        carried.corrects |= "instead" in keys
        carried.concludes |= "therefore" in keys
        if "but" in keys and last is not None and last.status == "stated":
            carried.turns = True  # what is granted before "but" is not what is meant
        if not own:
            denied = _verdict(words)
            reader.abstains |= any(token.keys & {"both", "neither"} and "is" not in token.keys for token in words)
            points_ahead = reader.text[clause_end : clause_end + 1] in (":", "：")
            if last is not None and not points_ahead and _attach(reader, last, words, clause_start, clause_end):
                carried.corrects |= last.status == "withdrawn"
                continue
            carried.is_open |= bool(keys & {"if", "maybe", "asks"}) and "because" not in keys
            if points_ahead:
                carried.verdict = denied if denied == "rejected" else ""
            carried.is_cue |= bool(keys & {"answer", "choose", "right"}) and denied not in ("rejected", "less")
            continue
        at = clause_start
        for place, unit in enumerate(own):
            behind_end = own[place + 1].start if place + 1 < len(own) else clause_end
            before = within(reader, at, unit.start)
            behind = within(reader, unit.end, behind_end)
            if last is not None and last.status == "less":  # "less likely than the first"
                before = [token for token in before if "than" not in token.keys]
            kept: list[Token] = []
            if place + 1 < len(own):  # "not" right before the next name is said of that
                kept = _before_next(reader, behind, behind_end)
                behind = [token for token in behind if token not in kept]
            here = (at, unit.start, unit.end, kept[0].start if kept else behind_end)
            at = here[3]
            one = _said_of(reader, unit, before, behind, carried, here, is_question and clause_start >= asked_from)
            other = reader.said[-1] if reader.said else None
            if other and "or" in keys_of(before) and {other.status, one.status} <= {"stated", "named"}:
                other.unit.candidates |= unit.candidates
                unit.candidates = other.unit.candidates
                other.status = one.status = "several"
                one.weight = other.weight = max(one.weight, other.weight)
            one.corrects |= carried.turns
            one.clause = clause_start
            last = one
            reader.said.append(one)
        carried = Carried(is_open=carried.is_open)


def _clauses(reader: Reader, start: int, end: int, inside: Sequence[Token]) -> Iterator[tuple[int, int]]:
    """The ranges of the clauses of a sentence."""
    cuts = {match.start() for match in _PAUSE.finditer(reader.text, start, end)}
    cuts |= {token.start for token in inside if token.keys & {"but", "because", "therefore", "arrow"}}
    at = start
    for cut in (*sorted(cuts), end):
        if cut > at:
            yield at, cut
            at = cut


def _before_next(reader: Reader, behind: list[Token], end: int) -> list[Token]:
    """The words between two names that belong to the second: a negation right before it, or a correction."""
    for at, token in enumerate(behind):
        if token.keys & {"not", "than"} and not WORD.search(rest(reader, token.end, end, _FILLERS)):
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
        elif keys & {"not", "than", "no", "neither"}:
            is_negated = True
        elif keys & {"right", "choose", "answer"} and found != "rejected":
            found = "stated"
        elif "fits" in keys and not found:
            found = "praised"
    if is_less and found != "rejected":
        return "open" if is_negated else "less"
    return "rejected" if is_negated else found


def _said_of(
    reader: Reader,
    unit: Unit,
    before: Sequence[Token],
    behind: Sequence[Token],
    carried: Carried,
    here: tuple[int, int, int, int],
    is_question: bool,
) -> Said:
    """What its clause says of a name."""
    words = [*before, *(token for token in behind if "identifies" not in token.keys)]
    keys = keys_of(words)
    verdict = _verdict(words)
    is_exception = "except" in keys
    if is_exception:
        verdict = {"rejected": "stated", "stated": "rejected"}.get(verdict, "open")
    rest_before = rest(reader, here[0], here[1], KNOWN)
    rest_behind = rest(reader, here[2], here[3], KNOWN)
    is_clear_behind = not WORD.search(rest_behind)
    is_bare = is_clear_behind and not WORD.search(rest_before)
    other = next((token.end for token in behind if "or" in token.keys), here[3])
    is_left_open = bool(WORD.search(rest(reader, other, here[3], KNOWN)))  # "Buda or another town"
    is_cued = bool(keys & {"answer", "choose"}) or carried.is_cue
    status, weight = "named", 0
    if is_question or is_left_open or carried.is_open or keys & {"if", "asks"} or verdict == "open":
        status = "open"
    elif (said_before := carried.verdict or verdict) in ("less", "rejected"):
        status = said_before
    elif "maybe" in keys:
        first = next(token for token in words if token.keys & {"maybe", "answer", "choose"})
        is_hedged = carried.is_cue or "maybe" not in first.keys  # "the answer may be 1", not "maybe 1 is the answer"
        status, weight = ("stated", HEDGED) if is_hedged else ("open", 0)
    elif "because" in keys and not is_cued:
        status = "named"
    elif verdict == "stated" or (carried.is_cue and is_clear_behind) or carried.corrects:
        status, weight = "stated", PRAISED if unit.is_listed else STATED
    elif carried.concludes and is_clear_behind:
        status, weight = "stated", STATED
    elif verdict == "praised":
        status, weight = "stated", PRAISED
    elif is_bare and not unit.is_listed and not _describes(reader, unit, here[3]):
        status, weight = "stated", STATED
    if len(unit.candidates) > 1 and status == "stated":
        status = "named" if is_bare and not is_cued else "several"
    line_before = reader.text[max(0, unit.start - 200) : unit.start].rpartition("\n")[2]
    line_behind = reader.text[unit.end : unit.end + 200].partition("\n")[0]
    is_bare = is_bare and not verdict
    is_alone = is_bare and not WORD.search(line_before + line_behind)
    is_discussed = is_bare and not is_alone and unit.mention.form == "text" and not (keys or carried.is_cue)
    if status == "stated" and is_discussed:
        status, weight = "named", 0
    corrects, concludes = carried.corrects, carried.concludes
    return Said(unit, status, weight, corrects, concludes, is_bare, is_exception, is_alone, here[0])


def _describes(reader: Reader, unit: Unit, end: int) -> bool:
    """Whether a colon and a description follow a name: an item of a list that goes on."""
    if reader.text[end : end + 1] not in (":", "："):
        return False
    line = reader.text[end : end + 200].split("\n", 1)[0]
    return bool(WORD.search(rest(reader, end, end + len(line), KNOWN)))


def _attach(reader: Reader, last: Said, words: Sequence[Token], start: int, end: int) -> bool:
    """Whether a clause without a name says something of the last one; note it there."""
    verdict = "stated" if last.is_exception else _verdict(words)
    is_only = not WORD.search(rest(reader, start, end, KNOWN))
    if verdict in ("", "open") or (not is_only and keys_of(words) <= _NEGATING):
        return False  # "1526, not 1541"
    is_pointed = last.status == "stated" and "points_at" in keys_of(words)
    is_unsaid = last.status == "named" or (last.status == "open" and last.is_exception)
    if not (is_unsaid or is_pointed or (last.is_bare and is_only)):
        return False
    if verdict in ("stated", "praised"):
        last.status = "several" if len(last.unit.candidates) > 1 else "stated"
        last.weight = PRAISED if verdict == "praised" or last.unit.is_listed else STATED
    else:
        last.status, last.weight = ("withdrawn" if last.is_bare or is_pointed else "rejected"), 0
    return True


def _read_remark(reader: Reader, start: int, end: int, inside: Sequence[Token], is_question: bool) -> None:
    """Note what a sentence without a name says of the last name or of the next."""
    sentence = reader.text[start:end].strip()
    keys = keys_of(inside)
    carried = reader.carried
    reader.abstains |= bool(keys & {"both", "neither", "if", "maybe"})
    if not keys or is_question:
        if WORD.search(sentence):
            reader.carried = Carried(corrects=carried.corrects)
        return
    is_short = len(sentence) <= SHORT
    if sentence.endswith((":", "：")) or (is_short and not sentence.endswith((".", "。", "!", "！"))):
        carried.verdict = "rejected" if _verdict(inside) == "rejected" else ""
        carried.is_cue = bool(keys & {"answer", "choose", "therefore"}) and not carried.verdict
    elif reader.said and any(_takes_back(reader, *clause) for clause in _clauses(reader, start, end, inside)):
        last = reader.said[-1]
        if last.status in ("stated", "open", "named"):
            last.status, last.weight = ("withdrawn", 0)
            carried.corrects = True
    carried.corrects |= "instead" in keys


def _takes_back(reader: Reader, start: int, end: int) -> bool:
    """Whether a clause rejects what it points at, or says nothing but that something is wrong."""
    words = within(reader, start, end)
    if _verdict(words) != "rejected":
        return False
    points = words[0].keys & {"points_at", "instead"} and not WORD.search(reader.text, start, words[0].start)
    return bool(points) or not WORD.search(rest(reader, start, end, KNOWN))

"""Statements about blanks: which answer fills which blank, by what the clauses of a trace say of its answers.

The name of a blank is read as a cue of an answer: "#0# is H" states H as "the answer is H" does. Only words with a
meaning may be between a blank and its answer: precision counts more than finding every statement. A sentence that
names no blank speaks of the last one that was named, if it draws a conclusion.
"""

from __future__ import annotations

import re
from collections.abc import Hashable, Iterator, Sequence

from hueval_metrics.answers.clauses import HEDGED, KNOWN, PRAISED, Said, read
from hueval_metrics.answers.names import Mention, folded, tokens
from hueval_metrics.answers.stated import Statement
from hueval_metrics.answers.statements.sentences import sentences
from hueval_metrics.answers.statements.signs import BLANK, LANGUAGES, lowered
from hueval_metrics.answers.units import WORD, View, rest, within
from hueval_metrics.languages.load import pattern, remembered, words

_ASIDE = re.compile(r"</?\w{1,20}>|\([^()\n]{0,80}\)|[\"“„'‘«]\w[^\"”“'’»\n]{0,60}[\"”'’»]")
_NEAR = 40  # characters before a blank's name that can speak of what is beside it
_FARTHEST = 2_000  # characters between a blank's name and a conclusion about it


def statements(trace: str, names: Sequence[Mention]) -> list[Statement]:
    """The statements of a trace.

    Args:
        trace: any text.
        names: those of blanks and of answers in it, in order, none inside another; the candidates are ids and answers.
    """
    low = lowered(trace)
    elsewhere = pattern("elsewhere", LANGUAGES)
    found: list[Statement] = []
    focus: Mention | None = None  # the last blank that was named, if its sentence names no other
    for start, end, first, last in sentences(trace, [name[:2] for name in names]):
        here = names[first:last]
        blanks = {name.candidate: name for name in here if name.form == BLANK}
        if len(blanks) < len(here):
            is_near = focus is not None and not blanks and end - focus.end <= _FARTHEST
            near = focus if focus and is_near and not elsewhere.search(low, focus.end, end) else None
            found += {one.part: one for one in _of_sentence(trace, start, end, here, near)}.values()
        if blanks:
            focus = next(reversed(blanks.values())) if len(blanks) == 1 else None
    return found


def _of_sentence(
    trace: str, start: int, end: int, names: Sequence[Mention], focus: Mention | None
) -> Iterator[Statement]:
    """The statements of a sentence; of several for one blank, the last counts."""
    text, moved = _with_cues(trace, start, end, names)
    view = read(text, [one for one in moved if one.form != BLANK], LANGUAGES, small_words())
    supposed = [token.start for token in view.tokens if "if" in token.keys]
    supposed += [match.start() for match in pattern("thought", LANGUAGES).finditer(view.text)]
    places = {one.start: place for place, one in enumerate(moved)}
    blanks = [place if one.form == BLANK else None for place, one in enumerate(names)]
    before: list[int | None] = []  # the last blank up to each name
    for at in blanks:
        before.append(before[-1] if at is None and before else at)
    values: dict[int, set[Hashable]] = {}  # those that each clause names
    for said in view.said:
        values.setdefault(said.clause, set()).add(said.unit.mention.candidate)
    for said in view.said:
        if said.status != "stated" or said.weight == HEDGED or said.unit.start > min(supposed, default=len(text)):
            continue
        place = places[said.unit.mention.start]
        value = str(names[place].candidate)
        behind = blanks[place + 1] if place + 1 < len(names) else None
        which = before[place] if behind is None or blanks[0] is not None else behind
        if which is not None:
            blank = moved[which]
            gap = (said.unit.end, blank.start) if which > place else (max(blank.end, said.start), said.unit.start)
            if not _has_others(view, *gap) and not _is_beside(view, blank.start):
                yield Statement(str(blank.candidate), names[which].start, value)
        elif focus and len(values[said.clause]) == 1 and _draws_conclusion(view, said):
            yield Statement(str(focus.candidate), names[place].start, value)


def _with_cues(trace: str, start: int, end: int, names: Sequence[Mention]) -> tuple[str, list[Mention]]:
    """A sentence with a cue of an answer for each blank, without what is in brackets or quotes; and its names."""
    cue = words("answer", ())[0].rstrip("*")
    text, at = "", start
    moved = []
    for one in names:
        text += _ASIDE.sub(" ", trace[at : one.start])
        name = trace[one.start : one.end]
        if one.form == BLANK:
            name = f" {cue}: " if name != name.rstrip() else f" {cue} "
        form = BLANK if one.form == BLANK else "letter"
        moved.append(Mention(len(text), len(text) + len(name), one.candidate, form))
        text += name
        at = one.end
    return text + _ASIDE.sub(" ", trace[at:end]), moved


def _draws_conclusion(view: View, said: Said) -> bool:
    """Whether only words with a meaning precede a name, and say more of it than that it is one."""
    before = within(view, said.start, said.unit.start)
    is_cued = any(token.keys - {"article", "option"} for token in before)
    is_cued |= said.concludes or said.weight == PRAISED
    return is_cued and not _has_others(view, said.start, said.unit.start)


def _is_beside(view: View, start: int) -> bool:
    """Whether words before the name of a blank speak of what is beside it: "the word before #0#"."""
    found = [match.end() for match in pattern("beside", LANGUAGES).finditer(view.text, max(0, start - _NEAR), start)]
    return bool(found) and not WORD.search(rest(view, found[-1], start, frozenset(("article",))))


def _has_others(view: View, start: int, end: int) -> bool:
    """Whether a range has words without a meaning."""
    return bool(WORD.search(rest(view, start, end, KNOWN)))


@remembered
def small_words() -> tuple[str, ...]:
    """Words that may be between a blank and its answer and decide nothing."""
    found = [word for key in ("fills", "blank", "links", "filler", "wording") for word in words(key, LANGUAGES)]
    return tuple(word for word in dict.fromkeys(found) if not tokens(folded(word.rstrip("*")), LANGUAGES))

"""Parse fill-in-the-blank answers: from a reply to one text per blank, in the order of the gold answers.

For prompts that mark blanks as `#n#` and ask for a JSON list such as `["#0#F", "#1#A"]`.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from itertools import islice

from hueval_metrics.answers.blanks.around import is_open, is_unstated
from hueval_metrics.answers.blanks.blank import MARK, Asked, Blank, split_mark
from hueval_metrics.answers.blanks.filled import is_line, squeezed
from hueval_metrics.answers.blanks.lines import as_blanks, corrections, read_lines
from hueval_metrics.answers.blanks.names import ids
from hueval_metrics.answers.blanks.tree import blanks_of
from hueval_metrics.answers.blanks.words import is_plain
from hueval_metrics.answers.decide import unread
from hueval_metrics.answers.objects import Found, is_form, objects, outside
from hueval_metrics.answers.reading import NOTHING, SEVERAL, Reading, Span, answered
from hueval_metrics.answers.text import Text, readable, without_markup

_READ_LIMIT = 20_000  # characters; a longer reply without an object is a runaway generation
_MOST_OBJECTS = 500  # one per blank, and a few more; a longer reply is a runaway generation
_DISTINCTIVE = 4  # blanks equal to those of the example; so many are no coincidence
_ODD = 2  # a few questions have repeated letters, or options without a letter
_EMPTY_TAG = re.compile(r"<(\w[^<>=]{0,40}=[^<>]{0,200})/>")


def read_blanks(response: str, asked: Asked | None = None) -> Reading[list[Blank]]:
    """The blanks that a response fills, and where.

    Args:
        response: the model's reply without reasoning, cut where the prompt begins again; any text.
        asked: the question; None if only the reply is known.

    Returns:
        The blanks in the model's order; `answered` where at least one of them resolves (`Asked.reads`). The spans are
        those of the blanks of the question, in the order of its marks; None for one that is not read.
    """
    asked = asked or Asked()
    if not re.search(r"[^\W_]", response):
        return NOTHING
    text = readable(response)
    said, rule = asked, "object"
    if not asked.options:  # a value is an answer also where its words deny: "nem tudja"
        asked = replace(asked, reads=lambda words: said.reads(words) or is_plain(words, said.languages))
    found = _in_objects(text, asked)
    if found is not None and not found[0] and not found[1]:
        asked, text, rule = said, _plain(text, found[2]), "line"
        entries = read_lines(text.plain, asked)
        found = None if entries is None else (as_blanks(text, entries), False, ())
    if found is None:
        return SEVERAL
    blanks = _from_zero(found[0], asked.count)
    spans = _spans(blanks, asked)
    is_read = any(spans) if asked.question else any(asked.reads(blank.text) for blank in blanks)
    if is_read and not _is_echo(blanks, asked):
        return answered(blanks, spans, rule)
    return unread(text.plain[-_READ_LIMIT:], asked.languages)


def parse_blanks(response: str, asked: Asked | None = None) -> list[Blank] | None:
    """The blanks that a response fills, as `read_blanks` has them; None if the response has no readable answer."""
    return read_blanks(response, asked).value


def _plain(text: Text, found: Sequence[Found]) -> Text:
    """The end of a text without its objects and markup."""
    text = outside(text, found) if found else text
    text = text.part(max(0, len(text) - _READ_LIMIT), len(text)) if len(text) > _READ_LIMIT else text
    text = without_markup(text.sub(_EMPTY_TAG, 1))
    return text.sub(re.compile(r"(?<=[^\W\d_])_(?=\d)"), " ") if "_" in text.plain else text


def _in_objects(text: Text, asked: Asked) -> tuple[list[Blank], bool, Sequence[Found]] | None:
    """The blanks of the objects of a reply; whether one was read and is no answer; the objects that hold none.

    Returns None if the reply leaves two answers open.
    """
    example = [split_mark(answer) for answer in asked.example]
    seen = sorted(islice(objects(text), _MOST_OBJECTS), key=lambda one: one.is_cut)  # a cut one only if it is the only
    blanks: list[Blank] = []
    start = end = 0  # of the objects that hold them
    is_read = False
    for one in seen:
        made = [] if is_form(one) else blanks_of(one, asked)
        if not any(asked.reads(blank.text) for blank in made):
            continue
        made = [replace(blank, at=blank.at and text.span(*blank.at)) for blank in made]
        if _is_copied(made, example) or is_unstated(text.plain, one.start, one.end, asked.languages):
            is_read = True
        elif not blanks:
            blanks, start, end = made, one.start, one.end
        elif _are_disjoint(made, blanks) or (asked.count > 1 and len(made) == 1 and not _ids([*made, *blanks])):
            blanks, start = [*made, *blanks], one.start  # one object per blank
        elif made != blanks and is_open(text.plain[one.end : start], asked.languages):
            return None
        else:
            break
    if blanks and len(text) - end < _READ_LIMIT and MARK.search(text.plain, end):
        behind = without_markup(text.part(end, len(text)))
        corrected = {blank.id: blank for blank in as_blanks(behind, corrections(behind.plain, asked))}
        blanks = [*(corrected.pop(blank.id, blank) for blank in blanks), *corrected.values()]
    return blanks, is_read, [one for one in seen if isinstance(one.value, dict)]


def _spans(blanks: Sequence[Blank], asked: Asked) -> tuple[Span | None, ...]:
    """Where each blank of the question is filled, in the response; None for one that is not, or by no answer."""
    known = ids(asked)
    found = aligned_blanks(blanks, known, known)
    return tuple(Span(*blank.at) if blank and blank.at and asked.reads(blank.text) else None for blank in found)


def _is_copied(blanks: Sequence[Blank], example: Sequence[Blank]) -> bool:
    """Whether blanks repeat the prompt's example, or begin with it, or are the beginning of it."""
    length = min(len(blanks), len(example))
    return length >= _DISTINCTIVE and list(blanks[:length]) == list(example[:length])


def _ids(blanks: Sequence[Blank]) -> set[int]:
    return {blank.id for blank in blanks if blank.id is not None}


def _are_disjoint(blanks: Sequence[Blank], others: Sequence[Blank]) -> bool:
    """Whether all blanks have ids, and no id is in both lists."""
    return all(blank.id is not None for blank in [*blanks, *others]) and _ids(blanks).isdisjoint(_ids(others))


def _is_echo(blanks: Sequence[Blank], asked: Asked) -> bool:
    """Whether the blanks only list the options from the first on, with their texts or all of them, or the question."""
    if not asked.options:
        return len(blanks) > 1 and all(is_line(blank.text, asked) for blank in blanks)
    if not all(blank.id is None or blank.is_numbered for blank in blanks):
        return False
    texts = [squeezed(blank.text)[0] for blank in blanks]
    forms = [(letter + words, words, letter) for letter, words in asked.options.items()]
    in_full, words, letters = ([squeezed(text)[0] for text in column] for column in zip(*forms, strict=True))
    n_in_full = sum(text == option for text, option in zip(texts, in_full, strict=False))
    return n_in_full >= max(2, len(texts) - _ODD) or texts == words or (len(texts) > asked.count and texts == letters)


def _from_zero(blanks: list[Blank], count: int) -> list[Blank]:
    """The blanks; renumbered from 0 if their plain numbers begin with 1."""
    known = _ids(blanks)
    is_from_one = all(blank.is_numbered for blank in blanks) and known and min(known) == 1 and max(known) <= count
    return [replace(blank, id=(blank.id or 0) - 1) for blank in blanks] if is_from_one else blanks


def aligned_blanks(
    blanks: Sequence[Blank], gold_ids: Sequence[int | None], question_ids: Sequence[int]
) -> list[Blank | None]:
    """One predicted blank per gold blank, in gold's order; see `align`."""
    by_gold = {id_: slot for slot, id_ in enumerate(gold_ids) if id_ is not None}
    by_question = {id_: slot for slot, id_ in enumerate(question_ids) if slot < len(gold_ids)}
    known = _ids(blanks)
    slots = by_question if any(id_ in by_question and id_ not in by_gold for id_ in known) else by_gold
    found: list[Blank | None] = [None] * len(gold_ids)
    for blank in blanks:
        slot = slots.get(blank.id) if blank.id is not None else None
        if slot is not None and found[slot] is None:
            found[slot] = blank
    for position, blank in enumerate(blanks[: len(found)]):
        if blank.id is None and found[position] is None:
            found[position] = blank
    return found


def align(blanks: Sequence[Blank], gold_ids: Sequence[int | None], question_ids: Sequence[int]) -> list[str | None]:
    """One predicted text per gold blank, in gold's order.

    Blanks are matched by gold's ids, since models shuffle the list and keep the ids; by the question's ids if the
    prediction uses an id that only the question has (some data number gold from 1 and the question from 0); by position
    if a blank has no id. The first text for a blank counts, so that listing several gains nothing.

    Args:
        blanks: the blanks that the model filled, in its order.
        gold_ids: the id of each gold blank; None if it has none.
        question_ids: the ids of the marks in the question, in reading order; may be empty.

    Returns:
        A list as long as `gold_ids`; None for a blank that the model did not fill.
    """
    return [blank.text if blank else None for blank in aligned_blanks(blanks, gold_ids, question_ids)]

"""Parse fill-in-the-blank answers: from a reply to one text per blank, in the order of the gold answers.

For prompts that mark blanks as `#n#` and ask for a JSON list such as `["#0#F", "#1#A"]`.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from itertools import islice
from typing import Any

from hueval_metrics.answers.blanks.blank import Asked, Blank, split_mark
from hueval_metrics.answers.blanks.lines import read_lines
from hueval_metrics.answers.json_answer import answers, entry, entry_text
from hueval_metrics.answers.json_objects import json_objects, outside
from hueval_metrics.answers.plain_text import readable
from hueval_metrics.answers.remarks import is_announced_wrong, is_open_between

_SEVERAL = re.compile(r"[\[({]?#\s*\d{1,6}\s*#[\])}]?")
_BARE_MARK = re.compile(r"\W{0,3}#\s*(\d{1,6})\s*#?\W{0,3}")
_BARE_ID = re.compile(r"(?:blank|gap|hely|üres[\s_]hely)?[\s_\-[(#]{0,3}(\d{1,6})[\s\])#.:]{0,3}", re.IGNORECASE)
_NUMBER_BEFORE = re.compile(
    r"(?:(?:blank|gap|hely)\s)?[\[(]?(\d{1,3})(?:#|\s?[:=→]|[.)\]](?=\s|[A-Za-z]\b)|\s[-–—]\s)\s*"
)
_LETTERS = re.compile(r"[A-Za-z]{1,2}(?:\s*[,;/|\s]\s*[A-Za-z]{1,2})*")
_RUN_OF_LETTERS = re.compile(r"[A-Z]+")
_MOST_OBJECTS = 500  # one per blank, and a few more; a longer reply is a runaway generation
_ODD_OPTIONS = 2  # a few questions have repeated letters, or options without a letter
_DISTINCTIVE = 4  # blanks equal to those of the example; so many are no coincidence


def parse_blanks(response: str, asked: Asked | None = None) -> list[Blank] | None:
    """The blanks that a response fills.

    Args:
        response: the model's reply without reasoning, cut where the prompt begins again; any text.
        asked: the question; None if only the reply is known.

    Returns:
        The blanks in the model's order; None if the response has no readable answer.
    """
    asked = asked or Asked()
    text = readable(response)
    example = [split_mark(answer) for answer in asked.example]
    found: list[Blank] = []
    start = len(text)  # of the last answer found
    is_read = False
    is_by_ids = False
    for answer in islice(answers(text), _MOST_OBJECTS):
        blanks = _read(answer.value, asked)
        is_list = text.startswith("[", answer.start) and not all(str(item).startswith("#") for item in answer.value)
        if not blanks or _is_copied(blanks, example) or is_announced_wrong(text, answer.start, answer.end):
            is_read |= bool(blanks)
            continue
        if is_list and _is_question(blanks, asked):
            return None
        is_object_of_ids = isinstance(answer.value, dict)
        if not found:
            found, start, is_by_ids = blanks, answer.start, is_object_of_ids
            continue
        if is_by_ids and not is_object_of_ids and all(_is_note(blank.text, asked) for blank in found):
            found = blanks  # {"answer": […]}, then an object of notes by id
        elif _are_disjoint(blanks, found) or (asked.count > 1 and len(blanks) == 1 and not _ids([*blanks, *found])):
            found = [*blanks, *found]  # one object per blank
            start = answer.start
            continue
        elif blanks != found and is_open_between(text[answer.end : start], text):
            return None
        break
    if not found and not is_read:
        found = read_lines(outside(text, json_objects(text)), asked)
        found = [] if _is_question(found, asked) else found
    if not found or _is_list_of_options(found, asked):
        return None
    return _from_zero(found, asked.count)


def _is_copied(blanks: Sequence[Blank], example: Sequence[Blank]) -> bool:
    """Whether blanks repeat the prompt's example, or begin with it, or are the beginning of it."""
    length = min(len(blanks), len(example))
    return length >= _DISTINCTIVE and list(blanks[:length]) == list(example[:length])


def _is_note(text: str, asked: Asked) -> bool:
    return not asked.reads(text) or len(text.split()) > 2


def _ids(blanks: Sequence[Blank]) -> set[int]:
    return {blank.id for blank in blanks if blank.id is not None}


def _are_disjoint(blanks: Sequence[Blank], others: Sequence[Blank]) -> bool:
    """Whether all blanks have ids, and no id is in both lists."""
    return all(blank.id is not None for blank in [*blanks, *others]) and _ids(blanks).isdisjoint(_ids(others))


def _is_list_of_options(blanks: Sequence[Blank], asked: Asked) -> bool:
    """Whether the blanks only list the options in order, by their texts, or by more letters than there are blanks."""
    if len(blanks) < 2 or _ids(blanks) or not asked.options:
        return False
    texts = [_letters(blank.text) for blank in blanks]
    in_full = [_letters(letter + words) for letter, words in asked.options.items()]
    if sum(a == b for a, b in zip(texts, in_full, strict=False)) >= max(2, len(texts) - _ODD_OPTIONS):
        return True
    words = [_letters(text) for text in asked.options.values()]
    return texts == words or (len(texts) > asked.count and texts == [_letters(letter) for letter in asked.options])


def _is_question(blanks: Sequence[Blank], asked: Asked) -> bool:
    """Whether the blanks consist of the question's own text around its marks."""
    pieces = {_letters(part) for line in asked.question.split("\n") for part in [line, *_SEVERAL.split(line)]}
    pieces |= {piece[1:] for piece in pieces}  # without the letter of the question
    texts = [text for blank in blanks if (text := _letters(blank.text))]
    return len(texts) > 1 and not asked.options and pieces.issuperset(texts)


def _letters(text: str) -> str:
    return "".join(char for char in text.casefold() if char.isalnum())


def _from_zero(blanks: list[Blank], count: int) -> list[Blank]:
    """The blanks; renumbered from 0 if their plain numbers are 1 to `count`."""
    is_from_one = all(blank.is_numbered for blank in blanks) and _ids(blanks) == set(range(1, count + 1))
    return [Blank((b.id or 0) - 1, b.text) for b in blanks] if is_from_one else blanks


def _read(value: Any, asked: Asked) -> list[Blank] | None:
    """The blanks of a parsed answer: a list, an object from ids to texts, or one string with marks."""
    if isinstance(value, dict):
        return _read_object(value) or next((_read(v, asked) for v in value.values() if isinstance(v, list)), None)
    if isinstance(value, list):
        while len(value) == 1 and isinstance(value[0], list):
            value = value[0]
        if len(value) == 1 and isinstance(value[0], str):  # all blanks in one string
            return _read_text(value[0], asked)
        return _read_list(value)
    return _read_text(value, asked) if isinstance(value, str) and value.strip() else None


def _read_text(text: str, asked: Asked) -> list[Blank]:
    """The blanks of a text: several if it has several marks, letters or lines, else one."""
    if marked := _split_at_marks(text):
        return marked
    if asked.count > 1:
        letters = re.findall(r"[A-Za-z]{1,2}", text) if _LETTERS.fullmatch(text.strip()) else []
        if _RUN_OF_LETTERS.fullmatch(text.strip()) and len(text.strip()) == asked.count:
            letters = list(text.strip())
        if len(letters) > 1 and all(letter.upper() in asked.options for letter in letters):
            return [Blank(None, letter) for letter in letters]
        if lines := read_lines(text, asked):
            return lines
    return [split_mark(text)]


def _split_at_marks(text: str) -> list[Blank]:
    starts = [m.start() for m in _SEVERAL.finditer(text)]
    if len(starts) < 2:
        return []
    ends = [*starts[1:], len(text)]
    return [split_mark(text[a:b].rstrip(" ,;\n")) for a, b in zip(starts, ends, strict=True)]


def _read_object(value: Mapping[str, Any]) -> list[Blank] | None:
    pairs = ((key, entry_text(item) if isinstance(item, dict) else item) for key, item in value.items())
    return [blank for key, item in pairs if (blank := _keyed(key, item))] or None


def _keyed(key: str, item: Any) -> Blank | None:
    """The blank of an id, such as `#0#`, `1` or `blank 1`, and a text; None if they are not of these forms."""
    match = _BARE_MARK.fullmatch(key.strip()) or _BARE_ID.fullmatch(key.strip())
    text = _scalar(item)
    return (
        Blank(int(match[1]), split_mark(text).text, is_numbered="#" not in key) if match and text is not None else None
    )


def _read_list(value: list[Any]) -> list[Blank] | None:
    texts = [_scalar(item) for item in value]
    numbered = [_NUMBER_BEFORE.match(text) if text else None for text in texts]
    numbers = [int(match[1]) for match in numbered if match]
    if len(numbers) == len(texts) and numbers in (list(range(len(texts))), list(range(1, len(texts) + 1))):
        rest = [text[match.end() :] for text, match in zip(texts, numbered, strict=True) if text and match]
        return [Blank(n, text.strip(), is_numbered=True) for n, text in zip(numbers, rest, strict=True)]
    blanks: list[Blank] = []
    for item, text in zip(value, texts, strict=True):
        if text is not None:
            blanks += _split_at_marks(text) or [_without_question(split_mark(text))]
        elif isinstance(item, dict):
            blanks += _read_object(entry(item) or item) or [Blank(None, _scalar(entry_text(item)) or "")]
        else:  # null and other lists count as an empty blank, since position matters
            is_pair = isinstance(item, list) and len(item) == 2
            blanks.append((is_pair and _keyed(_scalar(item[0]) or "", item[1])) or Blank(None, ""))
    return _joined(blanks) or None


def _without_question(blank: Blank) -> Blank:
    """The blank; empty if its text is that of a question, with the mark inside."""
    return Blank(None, "") if blank.id is None and _SEVERAL.search(blank.text) else blank


def _joined(blanks: list[Blank]) -> list[Blank]:
    """The blanks; marks and texts are joined if they are separate entries: `["#0#", "F", "#1#", "A"]`."""
    marks, texts = blanks[::2], blanks[1::2]
    is_flat = (
        len(marks) == len(texts)
        and all(mark.id is not None and not mark.text for mark in marks)
        and all(text.id is None and text.text for text in texts)
    )
    return [Blank(m.id, t.text) for m, t in zip(marks, texts, strict=True)] if is_flat else blanks


def _scalar(item: Any) -> str | None:
    if isinstance(item, str):
        return item
    return str(item) if isinstance(item, (int, float)) and not isinstance(item, bool) else None


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
    by_gold = {id_: slot for slot, id_ in enumerate(gold_ids) if id_ is not None}
    by_question = {id_: slot for slot, id_ in enumerate(question_ids) if slot < len(gold_ids)}
    ids = {blank.id for blank in blanks if blank.id is not None}
    slots = by_question if any(id_ in by_question and id_ not in by_gold for id_ in ids) else by_gold
    texts: list[str | None] = [None] * len(gold_ids)
    for blank in blanks:
        slot = slots.get(blank.id) if blank.id is not None else None
        if slot is not None and texts[slot] is None:
            texts[slot] = blank.text
    for position, blank in enumerate(blanks[: len(texts)]):
        if blank.id is None and texts[position] is None:
            texts[position] = blank.text
    return texts

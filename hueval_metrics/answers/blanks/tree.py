"""Read blanks from an object: a list, an object from names of blanks to texts, one entry a blank, a text with marks."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from typing import Any

from hueval_metrics.answers.blanks.blank import Asked, Blank, split_mark
from hueval_metrics.answers.blanks.filled import squeezed
from hueval_metrics.answers.blanks.lines import as_blanks, read_lines
from hueval_metrics.answers.blanks.names import ids, named_by
from hueval_metrics.answers.objects import Found, answer_of, key_name
from hueval_metrics.answers.text import Text
from hueval_metrics.languages.load import pattern

_SEVERAL = re.compile(r"[\[({]?#\s*\d{1,6}\s*#[\])}]?")
_MARKED = re.compile(r"\W{0,3}#\s?\d{1,6}\s?#")
_NUMBER_BEFORE = re.compile(r"[\[(]?(\d{1,3})(?:#|\s?[:=→]|[.)\]](?=\s|[A-Za-z]\b)|\s[-–—]\s)\s*")
_LETTER_BEFORE = re.compile(r"\s*[(\[]?([A-Z])[.):\]]\s*(?=\S)")
_LETTERS = re.compile(r"[A-Za-z]{1,2}(?:\s*[,;/|\s]\s*[A-Za-z]{1,2})*")
_RUN_OF_LETTERS = re.compile(r"[A-Z]+")
_DEPTH = 8
_SHORTEST_LINE = 8  # characters of a question's line by which a key or a text names its blank


def blanks_of(found: Found, text: Text, asked: Asked, depth: int = 0) -> list[Blank]:
    """The blanks that an object fills; empty if it fills none.

    Args:
        found: an object of `text`, or a value in one.
        text: the text, for the place of what is read.
        asked: the question.
        depth: how deep the value is.
    """
    if depth > _DEPTH:
        return []
    if isinstance(found.value, str):
        return _of_text(found, text, asked) if depth and re.search(r"[^\W_]", found.value) else []
    if isinstance(found.value, list):
        return _of_list(found, text, asked) if depth or _is_answer_list(found, asked) else []
    if not isinstance(found.value, dict):
        return []
    if entry := _entry(found, asked):
        return [entry]
    if keyed := _of_keys(found, text, asked, depth):
        return keyed
    for inner in (found, *(value for _, value in found.entries)):
        if (
            isinstance(inner.value, (dict, list))
            and len(made := [entry for _, one in inner.entries if (entry := _entry(one, asked))]) > 1
        ):
            return made
    answer = answer_of(found, asked.languages, ("blanks",))
    if answer is not None and answer is not found and (made := blanks_of(answer, text, asked, depth + 1)):
        return made
    if answer is not None:
        return []
    aside = pattern("aside wrong question because option", asked.languages)
    inside = [value for key, value in found.entries if not aside.match(key_name(key).replace("_", " "))]
    tried = ((value, blanks_of(value, text, asked, depth + 1)) for value in reversed(inside))
    return next((blanks for value, blanks in tried if blanks and _is_marked(value)), [])


def _is_answer_list(found: Found, asked: Asked) -> bool:
    """Whether a list that is no value of an object may be an answer: texts, pairs, or objects of blanks."""
    return all(
        isinstance(value, str) or (isinstance(value, list) and len(value) == 2) or isinstance(value, dict)
        for value in found.value
    )


def _is_marked(found: Found) -> bool:
    """Whether a value says itself that it fills blanks: an object, or texts that begin with marks."""
    if isinstance(found.value, list):
        return bool(found.value) and all(
            isinstance(value, dict) or (isinstance(value, str) and _MARKED.match(value)) for value in found.value
        )
    return isinstance(found.value, dict) or bool(_SEVERAL.search(str(found.value)))


def _of_keys(found: Found, text: Text, asked: Asked, depth: int) -> list[Blank]:
    """The blanks of an object whose keys name blanks, or options that fill the blanks of their values."""
    made: list[Blank] = []
    n_keys = 0
    for key, value in found.entries:
        name = named_by(key, asked)
        number = name.id if name else _line_named(key, asked)
        n_keys += number is not None
        if isinstance(value.value, dict):
            value = _entry_value(value, asked) or value
        words = _scalar(value.value)
        if number is not None and words is not None:
            made.append(
                replace(_blank(value, split_mark(words).text, number), is_numbered=bool(name and name.is_numbered))
            )
    if n_keys * 2 >= len(found.entries) > 0 or (depth and n_keys):
        return made
    return _by_options(found, asked)


def _by_options(found: Found, asked: Asked) -> list[Blank]:
    """The blanks of an object from options to the blanks that they fill."""
    made = []
    for key, value in found.entries:
        places = [value] if not isinstance(value.value, list) else [item for _, item in value.entries]
        marks = [re.fullmatch(r"\W*#\s?(\d{1,6})\s?#\W*", str(place.value)) for place in places]
        if not asked.options or not all(marks) or not asked.reads(key):
            return []
        made += [_blank(place, key, int(mark[1])) for place, mark in zip(places, marks, strict=True) if mark]
    return made


def _line_named(text: str, asked: Asked) -> int | None:
    """The number of the mark in the question's line that a text repeats; None if it repeats none."""
    return _question_lines(asked.question).get(squeezed(text)[0]) if len(text) >= _SHORTEST_LINE else None


@lru_cache(64)
def _question_lines(question: str) -> Mapping[str, int]:
    """The letters of each line of a question with one mark → the number of the mark."""
    lines = [(line, _SEVERAL.findall(line)) for line in question.split("\n")]
    known = [(line, int(re.findall(r"\d+", marks[0])[0])) for line, marks in lines if len(marks) == 1]
    return {squeezed(form)[0]: number for line, number in known for form in (line, _SEVERAL.sub("", line))}


def _entry(found: Found, asked: Asked) -> Blank | None:
    """The blank of an object of one: its id, and the text that fills it."""
    if not isinstance(found.value, dict) or len(found.entries) < 2:
        return None
    for key, value in found.entries:
        words = str(value.value) if isinstance(value.value, (str, int)) and not isinstance(value.value, bool) else ""
        is_key = (
            pattern("blank question", asked.languages).search(key_name(key).replace("_", " ")) or key.strip() == "#"
        )
        is_key = is_key and not named_by(key, asked)
        name = named_by(words, asked) if words and (is_key or _MARKED.match(words)) else None
        number = name.id if name else _line_named(words, asked) if is_key else None
        if number is None:
            continue
        filled = _entry_value(found, asked, but=key)
        scalar = _scalar(filled.value) if filled else None
        if filled and scalar is not None:
            blank = _blank(filled, split_mark(scalar).text, number)
            return replace(blank, is_numbered=bool(name and name.is_numbered))
    return None


def _entry_value(found: Found, asked: Asked, but: str = "") -> Found | None:
    """What an entry fills in: its letter, its word, or both, for a later check that they agree."""
    spoken = {key: key_name(key).replace("_", " ") for key, _ in found.entries if key != but}
    aside = pattern("aside because wrong question confidence", asked.languages)
    left = [(key, value) for key, value in found.entries if key in spoken and not aside.search(spoken[key])]
    left = [(key, value) for key, value in left if isinstance(value.value, (str, int, float))]
    letters = [value for key, value in left if pattern("option letter", asked.languages).search(spoken[key])]
    words = [value for key, value in left if pattern("answer holder fills blank", asked.languages).search(spoken[key])]
    words = [value for value in words if value not in letters]
    words = words or [value for _, value in left if len(left) == 1 and value not in letters]
    if letters and words and letters[0].value != words[0].value:
        return replace(letters[0], value=f"{letters[0].value}. {words[0].value}", end=max(letters[0].end, words[0].end))
    return next(iter(letters or words), None)


def _blank(found: Found, words: str, id_: int | None = None) -> Blank:
    """The blank that a value fills with some of its words."""
    at = str(found.value).find(words) if words else -1
    whole = found.end - found.start == len(str(found.value)) and at >= 0
    span = (found.start + at, found.start + at + len(words)) if whole else (found.start, found.end)
    return Blank(id_, words, at=span)


def _of_text(found: Found, text: Text, asked: Asked) -> list[Blank]:
    """The blanks of a text: several if it has several marks, letters or lines, else one."""
    words = found.value
    if marked := _split_at_marks(found):
        return marked
    if asked.count > 1:
        letters = [*re.finditer(r"[A-Za-z]{1,2}", words)] if _LETTERS.fullmatch(words.strip()) else []
        if _RUN_OF_LETTERS.fullmatch(words.strip()) and len(words.strip()) == asked.count:
            letters = [*re.finditer(r"\w", words)]
        if len(letters) > 1 and all(match[0].upper() in asked.options for match in letters):
            return [Blank(None, m[0], at=(found.start + m.start(), found.start + m.end())) for m in letters]
        if entries := read_lines(words, asked):
            blanks = as_blanks(words, entries)
            is_plain = found.end - found.start == len(words)
            move = found.start if is_plain else 0
            return [replace(b, at=(b.at[0] + move, b.at[1] + move) if b.at and is_plain else None) for b in blanks]
    blank = split_mark(words)
    return [_blank(found, blank.text, blank.id)]


def _split_at_marks(found: Found) -> list[Blank]:
    words = str(found.value)
    starts = [match.start() for match in _SEVERAL.finditer(words)]
    if len(starts) < 2:
        return []
    blanks = []
    for a, b in zip(starts, [*starts[1:], len(words)], strict=True):
        part = split_mark(words[a:b].rstrip(" ,;\n"))
        at = words.find(part.text, a) if part.text else a
        is_plain = found.end - found.start == len(words)
        span = (found.start + at, found.start + at + len(part.text)) if is_plain else (found.start, found.end)
        blanks.append(replace(part, at=span))
    return blanks


def _of_list(found: Found, text: Text, asked: Asked) -> list[Blank]:
    items = [item for _, item in found.entries]
    while len(items) == 1 and isinstance(items[0].value, list):
        items = [item for _, item in items[0].entries]
    if len(items) == 1 and isinstance(items[0].value, str):  # all blanks in one string
        return _of_text(items[0], text, asked)
    if len(items) == 1 and isinstance(items[0].value, dict) and not _entry(items[0], asked):
        return blanks_of(items[0], text, asked, 1)
    texts = [_scalar(item.value) for item in items]
    if counted := _counted(items, texts, asked):
        return counted
    blanks: list[Blank] = []
    for item, words in zip(items, texts, strict=True):
        if words is not None:
            part = split_mark(words)
            is_question = part.id is None and _SEVERAL.search(part.text)
            blanks += _split_at_marks(item) or [_blank(item, "" if is_question else part.text, part.id)]
        elif isinstance(item.value, dict):
            entry = _entry(item, asked)
            value = None if entry else _entry_value(item, asked)
            blanks += (
                [entry]
                if entry
                else _of_keys(item, text, asked, 1)
                or [_blank(value, _scalar(value.value) or "") if value else Blank(None, "")]
            )
        else:  # null and other lists count as an empty blank, since position matters
            pair = [one for _, one in item.entries] if isinstance(item.value, list) and len(item.value) == 2 else []
            name = named_by(str(pair[0].value), asked) if pair else None
            words = _scalar(pair[1].value) if pair else None
            is_pair = name is not None and words is not None
            blanks.append(
                replace(_blank(pair[1], split_mark(words or "").text, name.id), is_numbered=name.is_numbered)
                if is_pair and name
                else Blank(None, "")
            )
    return _joined(blanks) or []


def _counted(items: Sequence[Found], texts: Sequence[str | None], asked: Asked) -> list[Blank]:
    """The blanks of a list whose texts begin with numbers, or with the letters of the questions, in order."""
    numbered = [_NUMBER_BEFORE.match(text) if text else None for text in texts]
    numbers = [int(match[1]) for match in numbered if match]
    if len(numbers) == len(texts) and numbers in (list(range(len(texts))), list(range(1, len(texts) + 1))):
        parts = zip(items, numbered, texts, numbers, strict=True)
        return [
            replace(_blank(item, text[match.end() :].strip(), number), is_numbered=True)
            for item, match, text, number in parts
            if match and text
        ]
    lettered = [_LETTER_BEFORE.match(text) if text and not asked.options else None for text in texts]
    letters = "".join(match[1] for match in lettered if match)
    if len(letters) == len(texts) > 1 and letters == "".join(chr(ord("A") + n) for n in range(len(texts))):
        known = ids(asked)
        if len(known) >= len(texts):
            return [
                _blank(item, split_mark(text[match.end() :]).text, known[place])
                for place, (item, match, text) in enumerate(zip(items, lettered, texts, strict=True))
                if match and text
            ]
    return []


def _joined(blanks: list[Blank]) -> list[Blank]:
    """The blanks; marks and texts are joined if they are separate entries: `["#0#", "F", "#1#", "A"]`."""
    marks, texts = blanks[::2], blanks[1::2]
    is_flat = (
        len(marks) == len(texts)
        and all(mark.id is not None and not mark.text for mark in marks)
        and all(text.id is None and text.text for text in texts)
    )
    return [replace(text, id=mark.id) for mark, text in zip(marks, texts, strict=True)] if is_flat else blanks


def _scalar(item: Any) -> str | None:
    if isinstance(item, str):
        return item
    return str(item) if isinstance(item, (int, float)) and not isinstance(item, bool) else None

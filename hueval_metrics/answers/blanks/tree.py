"""Read blanks from an object: each of its texts, with what names its blank: a key, an id, a mark, its place."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace

from hueval_metrics.answers.blanks.blank import MARK, Asked, Blank, split_mark
from hueval_metrics.answers.blanks.filled import filled_in
from hueval_metrics.answers.blanks.lines import as_blanks, letters_of, read_lines
from hueval_metrics.answers.blanks.names import Name, named_by
from hueval_metrics.answers.objects import Found, answer_of, is_aside, spoken_key
from hueval_metrics.answers.text import Text
from hueval_metrics.languages.load import pattern

_HEAD = re.compile(r"[\[(]?(\d{1,3}|[A-Z])(?:#|\s?[:=→]|[.)\]](?=\s|[A-Za-z]\b)|\s[-–—]\s)\s*")
_DEPTH = 8


def blanks_of(found: Found, asked: Asked, depth: int = 0) -> list[Blank]:
    """The blanks that an object fills; empty if it fills none.

    Args:
        found: an object, or a value in one.
        asked: the question.
        depth: how deep the value is.
    """
    if isinstance(found.value, list) and depth < _DEPTH:
        return _of_list(found, asked, depth)
    if not isinstance(found.value, dict) or depth > _DEPTH:
        return _of_text(found, asked) if depth and isinstance(found.value, str) else []
    if pair := _entry(found, asked):
        return [_named(*pair)]
    pairs = [pair for key, value in found.entries if (pair := _of_key(key, value, asked))]
    if len(pairs) * 2 >= len(found.entries) > 0 or (depth and pairs):
        return [_named(*pair) for pair in pairs]
    answer = answer_of(found, asked.languages, ("blanks",))
    if answer is not None:
        return blanks_of(answer, asked, depth + 1) if answer is not found else []
    inside = [value for key, value in reversed(found.entries) if not is_aside(key, asked.languages)]
    marked = [value for value in inside if isinstance(value.value, dict) or MARK.search(str(value.value))]
    return next(filter(None, (blanks_of(value, asked, depth + 1) for value in marked)), [])


def _of_key(key: str, value: Found, asked: Asked) -> tuple[Name, Found] | None:
    """The blank that a key names, and what fills it."""
    name = named_by(key, asked)
    value = value.entries[0][1] if isinstance(value.value, list) and len(value.value) == 1 else value
    value = (_filler(value, asked) if name else None) or value
    return (name, value) if name and _is_scalar(value) else _entry(value, asked)


def _entry(found: Found, asked: Asked) -> tuple[Name, Found] | None:
    """The blank of an object of one, by a value that names it, and what fills it."""
    for key, value in found.entries if len(found.entries) > 1 else ():
        words = str(value.value)
        is_id = pattern("blank question", asked.languages).search(spoken_key(key))
        name = named_by(words, asked) if (is_id and not named_by(key, asked)) or MARK.fullmatch(words) else None
        if name and (filler := _filler(found, asked, but=key)):
            return name, filler
    return None


def _filler(found: Found, asked: Asked, but: str = "") -> Found | None:
    """What an entry fills in: its letter, its word, or both, for a later check that they agree."""
    aside = pattern("aside because wrong question confidence", asked.languages)
    left = [(spoken_key(key), value) for key, value in found.entries if key != but and _is_scalar(value)]
    left = [(key, value) for key, value in left if not aside.search(key)]
    letters = [value for key, value in left if pattern("option letter", asked.languages).search(key)]
    words = [value for key, value in left if pattern("answer holder fills blank", asked.languages).search(key)]
    words = [value for value in words or [value for _, value in left] if value not in letters]
    if letters and words:
        return replace(letters[0], value=f"{letters[0].value}. {words[0].value}", end=max(letters[0].end, words[0].end))
    return next(iter(letters or words), None)


def _is_scalar(found: Found) -> bool:
    return isinstance(found.value, (str, int, float)) and not isinstance(found.value, bool)


def _named(name: Name | None, value: Found) -> Blank:
    """The blank that a value fills: the one named beside it, else the one of its mark."""
    part = split_mark(str(value.value))
    blank = _blank(value, part.text, part.id)
    return replace(blank, id=name.id, is_numbered=name.is_numbered) if name else blank


def _blank(found: Found, words: str, id_: int | None = None, at: int = 0) -> Blank:
    """The blank that a value fills with some of its words, from a place on."""
    start = str(found.value).find(words, at)
    is_plain = found.end - found.start == len(str(found.value)) and words and start >= 0
    span = (found.start + start, found.start + start + len(words)) if is_plain else (found.start, found.end)
    return Blank(id_, words, at=span)


def _of_text(found: Found, asked: Asked) -> list[Blank]:
    """The blanks of a text: several if it has several marks, letters or lines, else one."""
    words = str(found.value)
    starts = [match.start() for match in MARK.finditer(words)]
    if len(starts) > 1:
        parts = [(a, split_mark(words[a:b].rstrip(" ,;\n"))) for a, b in zip(starts, [*starts[1:], None], strict=True)]
        return [_blank(found, part.text, part.id, a) for a, part in parts]
    if asked.count > 1:
        if letters := letters_of(words, asked):
            return [_blank(found, words[a:b], None, a) for a, b in letters]
        if entries := read_lines(words, asked):
            return [
                replace(_blank(found, b.text, b.id), is_numbered=b.is_numbered) for b in as_blanks(Text(words), entries)
            ]
    return [_named(None, found)]


def _of_list(found: Found, asked: Asked, depth: int) -> list[Blank]:
    items = [item for _, item in found.entries]
    if len(items) == 1 and (made := blanks_of(items[0], asked, depth + 1)):  # all blanks in one string, list or object
        return made
    texts = [str(item.value) for item in items]
    if all(map(_is_scalar, items)):
        lines = "\n".join(words.replace("\n", " ") for words in texts)
        is_prose = not asked.options and lines.count(" ") > 2 * len(items)
        if filled := filled_in(lines, asked) if is_prose else []:
            return [_blank(items[lines.count("\n", 0, a)], lines[a:b], id_) for id_, (a, b) in filled]
        heads = [_HEAD.match(words) for words in texts]
        orders = [[str(first + n) for n in range(len(items))] for first in (0, 1)]
        orders += [[chr(ord("A") + n) for n in range(len(items))]] if not asked.options else []
        if [head[1] for head in heads if head] in orders:
            return [_blank(i, split_mark(w[h.end() :]).text) for i, w, h in zip(items, texts, heads, strict=True) if h]
    blanks = [blank for item in items for blank in _of_item(item, asked, depth)]
    marks, fills = blanks[::2], blanks[1::2]
    if len(marks) == len(fills) and all(
        m.id is not None and not m.text and f.id is None for m, f in zip(marks, fills, strict=True)
    ):
        return [replace(fill, id=mark.id) for mark, fill in zip(marks, fills, strict=True)]  # ["#0#", "F", …]
    return blanks


def _of_item(item: Found, asked: Asked, depth: int) -> Iterator[Blank]:
    """The blanks of an item of a list; null and other lists count as an empty blank, since position matters."""
    if _is_scalar(item):
        yield from _of_text(item, asked) if len(MARK.findall(str(item.value))) > 1 else [_named(None, item)]
    elif isinstance(item.value, dict):
        made = blanks_of(item, asked, depth + 1)
        filler = None if made else _filler(item, asked)
        yield from made or [_named(None, filler) if filler else Blank(None, "")]
    else:
        pair = [one for _, one in item.entries] if isinstance(item.value, list) and len(item.value) == 2 else []
        name = named_by(str(pair[0].value), asked) if pair and _is_scalar(pair[1]) else None
        yield _named(name, pair[1]) if name else Blank(None, "")

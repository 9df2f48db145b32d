"""Read JSON in a text, each value with its place: strictly if possible, else repaired.

Models write prose around an object, raw line breaks, other quotes and single ones in it, and may be cut off inside it.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from typing import Any

from hueval_metrics.answers.text import Text
from hueval_metrics.text.unify import western_digits

_REPAIR_LIMIT = 20_000  # characters; 30 blanks need 2,000, and repair is too slow for a runaway generation
_NEAR = 1_000  # characters between a value and the next, where keys were read twice or escapes are long
_BRACKET = re.compile(r'[{}\]"\\]|\[(?=\s{0,9}[\[{"\'„“«#])')
_BRACE = re.compile(r"[{}]")
_KEYED = re.compile(r"[\w\"'”“»«`]\s{0,3}[:：]")
_OPENED = re.compile(r"\{\s{0,20}[\"'„“”][^\"'„“”\n]{1,60}[\"'„“”]\s{0,3}[:：]")
_KEY = re.compile(r"[^{}\"„“”\n]*\w[^{}\"„“”\n]*")
_ESCAPE = re.compile(r'\\(["\\/nt])')
_MEANT = {"n": "\n", "t": "\t"}
_FOREIGN_NUMBER = re.compile(r"(?<=[:\[])\s{0,9}[^\W\d_]?\d[\d٫.%٪]{0,20}")
_QUOTES = str.maketrans("„”“»«‟＂『』「」`،", '"' * 12 + ",")
_UNQUOTED_MARK = re.compile(r"(?<=[\[,\s])(#\d{1,6}#[^\"'„“»«`,\]\n]{1,100})(?=[,\]\n])")


@dataclass(frozen=True, slots=True)
class Found:
    """A value in a text: an object, or what is in one.

    Attributes:
        value: as Python has JSON: a text, a number, a bool, None, a list or a dict.
        start, end: its range in the text; of a string without its quotes.
        entries: the keys and values of an object, repeated keys too; the items of a list, with empty keys.
        is_cut: of an object: whether the text ends before it does.
    """

    value: Any
    start: int
    end: int
    entries: tuple[tuple[str, Found], ...] = ()
    is_cut: bool = False

    def moved(self, place: Callable[[int, int], tuple[int, int]]) -> Found:
        """The same value with all ranges in another text."""
        start, end = place(self.start, self.end)
        return replace(
            self, start=start, end=end, entries=tuple((key, found.moved(place)) for key, found in self.entries)
        )

    def leaves(self) -> Iterator[Found]:
        """The texts, numbers, bools and nulls in it, in order."""
        for _, found in self.entries:
            yield from found.leaves()
        if not isinstance(self.value, (dict, list)):
            yield self


Entries = tuple[tuple[str, Found], ...]


def of_entries(entries: Entries, start: int, end: int) -> Found:
    """An object in a range of a text."""
    return Found({key: found.value for key, found in entries}, start, end, entries)


@dataclass(slots=True)
class Piece:
    """A range of a text that may be an object; `read` reads what is no JSON."""

    start: int
    end: int
    depth: int = 1
    children: list[Piece] = field(default_factory=list)
    read: Callable[[str], Found | None] | None = None
    is_cut: bool = False


def json_pieces(text: str) -> list[Piece]:
    """The outermost pieces of a text that may be JSON: balanced brackets, and an object that is cut off at the end."""
    if "{" not in text and "[" not in text:
        return []
    found, opened = _balanced(text, 0, _BRACKET)
    end = found[-1].end if found else 0  # a stray quote behind it may hide a closing brace
    found += _balanced(text, end, _BRACE)[0] if "}" in text[end:] else []
    tail = next((piece for piece in opened if _OPENED.match(text, piece.start)), None)
    return [*found, Piece(tail.start, len(text), is_cut=True)] if tail else found


def _balanced(text: str, at: int, tokens: re.Pattern[str]) -> tuple[list[Piece], list[Piece]]:
    """The outermost balanced brackets from a place on, left to right, in one pass; and those that are not closed."""
    opened: list[Piece] = []
    top: list[Piece] = []
    n_braces, in_string, skip = 0, False, -1
    for match in tokens.finditer(text, at):
        place, token = match.start(), match[0]
        if token == "\\":
            skip = place + 1 if place != skip else -1  # the character after a backslash is literal
        elif place == skip:
            continue
        elif token == '"':
            in_string = not in_string and bool(opened)  # a quote in prose does not open a string
        elif in_string:
            continue
        elif token in "{[":
            n_braces += token == "{"
            opened.append(Piece(place, -1))
        elif opened and (text[opened[-1].start] == "[" if token == "]" else n_braces):
            closing = [piece := opened.pop()]
            while token == "}" and text[piece.start] == "[":
                closing.append(piece := opened.pop())
            inner = [child for one in reversed(closing) for child in one.children]
            n_braces -= token == "}"
            closed = Piece(piece.start, place + 1, 1 + max((one.depth for one in inner), default=0), inner)
            (opened[-1].children if opened else top).append(closed)
    for piece in opened:
        top += piece.children
    return top, opened


def strict(text: str, piece: Piece) -> Found | None:
    """A piece that is a JSON object, or a list of texts, lists or objects."""
    data = _loads(text[piece.start : piece.end])
    if not data or (not isinstance(data, _Pairs) and not all(isinstance(one, (str, list)) for one in data)):
        return None
    return _placed(data, text, piece.start)[0]


class _Pairs(list[tuple[str, Any]]):
    """The keys and values of an object, repeated keys too."""


_DECODER = json.JSONDecoder(strict=False, object_pairs_hook=_Pairs)  # models write raw line breaks inside strings


def _loads(text: str) -> Any | None:
    try:
        return _DECODER.decode(text)
    except (ValueError, RecursionError):
        return None


def _placed(data: Any, text: str, at: int) -> tuple[Found, int]:
    """Parsed JSON with the place of each value in the text from `at` on, and the end of the last one."""
    if not isinstance(data, (list, dict)):
        start, end = _place_of(data, text, at)
        found = Found(data, start, end)
        return (isinstance(data, str) and _embedded(found, text)) or found, end
    is_list = isinstance(data, list) and not isinstance(data, _Pairs)
    start = max(at, text.find("[" if is_list else "{", at, at + _NEAR))
    at, entries = start + 1, []
    for key, value in [("", value) for value in data] if is_list else data.items() if isinstance(data, dict) else data:
        at = _place_of(key, text, at)[1] if key else at
        found, at = _placed(value, text, at)
        entries.append((key, found))
    end = text.find("]" if is_list else "}", at, at + _NEAR) + 1 or at
    made = of_entries(tuple(entries), start, end)
    return (replace(made, value=[found.value for _, found in entries]) if is_list else made), end


def _place_of(value: Any, text: str, at: int) -> tuple[int, int]:
    """Where a key or a simple value is in the text from `at` on; an empty range where it is written otherwise."""
    as_json = (json.dumps(value, ensure_ascii=is_ascii) for is_ascii in (False, True))
    for form in (str(value), *(one.removeprefix('"').removesuffix('"') for one in as_json)):
        start = text.find(form, at, at + len(form) + _NEAR)
        if start >= 0:
            return start, start + len(form)
    return at, at


def _embedded(found: Found, text: str) -> Found | None:
    """The object in a string of JSON that holds one."""
    if found.value.lstrip()[:1] not in ("{", "[") or found.start == found.end:
        return None
    plain = Text(text[found.start : found.end]).sub(_ESCAPE, lambda match: _MEANT.get(match[1], match[1]))
    data = _loads(plain.plain.strip())

    def place(start: int, end: int) -> tuple[int, int]:
        span = plain.span(start, end)
        return found.start + span.start, found.start + span.end

    return _placed(data, plain.plain, 0)[0].moved(place) if isinstance(data, list) else None


def is_repairable(text: str, piece: Piece) -> bool:
    """Whether a malformed piece has keys, or is a list of texts."""
    is_short = piece.end - piece.start <= _REPAIR_LIMIT
    return is_short and bool(text[piece.start] == "[" or _KEYED.search(text, piece.start, piece.end))


def repaired(text: str, piece: Piece) -> Found | None:
    """The object or list in a malformed piece; None where a key of it, or all its values, are not in the piece."""
    from json_repair import repair_json

    inner = text[piece.start : piece.end]
    inner = _FOREIGN_NUMBER.sub(lambda match: western_digits(match[0]), inner)
    for form in dict.fromkeys((inner, inner.translate(_QUOTES))):
        try:
            data = repair_json(_UNQUOTED_MARK.sub(r'"\1"', form), return_objects=True, skip_json_loads=True)
        except (ValueError, RecursionError):
            continue
        if _is_in(data, form):
            found, _ = _placed(data, form, 0)
            moved = found.moved(lambda a, b: (piece.start + a, piece.start + b))
            return replace(moved, start=piece.start, end=piece.end, is_cut=piece.is_cut)
    return None


def _is_in(data: Any, text: str) -> bool:
    """Whether the keys of an object, or the texts of a list, are in a text, and a letter or digit in its values."""
    if isinstance(data, dict):
        is_there = all(isinstance(key, str) and key in text and _KEY.fullmatch(key) for key in data)
        return is_there and bool(re.search(r"\w", str([*data.values()]).replace("None", "")))
    return isinstance(data, list) and bool(data) and all(isinstance(item, str) and item in text for item in data)

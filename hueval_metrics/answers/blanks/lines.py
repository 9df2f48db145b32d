"""Read blanks from a reply without an object: names of blanks in lines and tables, the filled-in text, a plain list."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from typing import NamedTuple

from hueval_metrics.answers.blanks.around import is_final, is_open, is_refused, is_unstated
from hueval_metrics.answers.blanks.blank import MARK, Asked, Blank, Range
from hueval_metrics.answers.blanks.filled import filled_in, is_line, is_own, squeezed
from hueval_metrics.answers.blanks.names import FORMS, Name, named_by, names
from hueval_metrics.answers.blanks.values import fill, is_bare
from hueval_metrics.answers.decide import tokens
from hueval_metrics.answers.names import folded
from hueval_metrics.answers.text import Text
from hueval_metrics.languages.load import pattern, source

_LONGEST = 120  # characters of one filled blank
_WORD = re.compile(r"[^\W_]")
_BETWEEN = re.compile(r"\s*[,;/|]\s*|\s+(?:[-–—]|[^\w\s\x00-\x7f]|[-=]>)\s+")
_UNCHECKED = re.compile(r"\W*\[ \]")
_COMMON_BULLET = re.compile(r"[,;|•·/\t]\s*\Z|\s{2,}\Z|\s[^\w\s\x00-\x7f]\s*\Z")


class Entry(NamedTuple):
    """A blank with the range of the text that fills it; `at` is where its name begins."""

    id: int | None
    start: int
    end: int
    at: int
    is_numbered: bool = False
    corrects: bool = False


def read_lines(text: str, asked: Asked) -> list[Entry] | None:
    """The blanks that a text without objects fills, in its order.

    Args:
        text: readable, without markup.
        asked: the question.

    Returns:
        Empty if none can be read; None if the text leaves two answers open.
    """
    if filled := filled_in(text, asked):
        return [Entry(id_, *span, span[0]) for id_, span in filled]
    for form in FORMS:
        found = [*_entries(text, form, asked)]
        if found and (form == "mark" or len({entry.id for entry in found}) >= min(2, asked.count)):
            return _stated(text, found, asked)
    listed = _listed(text, asked)
    is_denied = listed and is_unstated(text, listed[0].start, listed[-1].end, asked.languages)
    return [] if is_denied or is_refused(text, asked.languages) else listed


def corrections(text: str, asked: Asked) -> list[Entry]:
    """The blanks that a text behind an answer corrects."""
    found = next((found for form in FORMS[:2] if (found := [*_entries(text, form, asked)])), [])
    return [entry for is_last, block in _blocks(text, found, asked) for entry in block if is_last or entry.corrects]


def _entries(text: str, form: str, asked: Asked) -> Iterator[Entry]:
    """All parts of a text that have the form of an entry for one blank, in order."""
    at = 0
    pending: Sequence[Name] = ()  # the blanks that a line names alone; their answers are below
    heads: list[str] = []  # of the columns of a table
    for line in text.split("\n"):
        end = at + len(line)
        found = names(line, at, form, asked)
        cells = [
            (at + match.start(), at + match.end()) for match in re.finditer(r"[^|]+", line) if _WORD.search(match[0])
        ]
        found_in = enumerate(cells if len(cells) > 1 else ())
        named = {place: name for place, (a, b) in found_in if (name := named_by(text[a:b], asked))}
        if len(cells) > 1 and (named or len(found) < 2):
            if len(named) > 1 and len({name.is_numbered for name in named.values()}) == 1:  # a blank a column
                pending = [*named.values()]
            elif len(pending) > 1:
                filled = [
                    (name, fill(text, *cell, asked)) for name, cell in zip(pending[::-1], cells[::-1], strict=False)
                ]
                yield from (Entry(name.id, *span, at, name.is_numbered) for name, span in filled[::-1] if span)
                pending = ()
            elif named or found:
                yield from _of_row(text, at, cells, named, found, heads, asked)
            heads = heads or [text[a:b] for a, b in cells]
        elif found:
            pending = found if len(found) == 1 and _is_alone(line, found[0], at, asked) else ()
            yield from () if pending else _of_line(text, at, end, found, asked)
        elif pending and cells:
            entries = [*_below(text, at, line, pending[0], asked)]
            yield from entries
            pending = () if entries else pending
        at = end + 1


def _of_row(
    text: str,
    at: int,
    cells: Sequence[Range],
    named: Mapping[int, Name],
    found: Sequence[Name],
    heads: Sequence[str],
    asked: Asked,
) -> Iterator[Entry]:
    """The entry of a row of a table: one cell names a blank, another fills it, by the headings of their columns."""
    place = min(named) if named else next(n for n, (a, b) in enumerate(cells) if a <= found[0].start < b)
    name = named.get(place) or found[0]
    ranked = sorted((_rank(heads, n, asked), n) for n in range(len(cells)) if n != place)
    rest = [cells[n] for _, n in ranked if asked.options or not is_own(text[slice(*cells[n])], asked)]
    if span := next(filter(None, (fill(text, *cell, asked) for cell in rest)), None):
        yield Entry(name.id, *span, at, name.is_numbered)


def _rank(heads: Sequence[str], place: int, asked: Asked) -> int:
    """The rank of a column by its heading; the column with the lowest rank has the answer."""
    low = folded(heads[place]) if place < len(heads) else ""
    ranks = ("therefore right", "answer option", "wrong because aside question confidence")
    return next((2 * rank for rank, keys in enumerate(ranks) if pattern(keys, asked.languages).search(low)), 3)


def _is_alone(line: str, name: Name, at: int, asked: Asked) -> bool:
    """Whether a line names a blank and says nothing of it."""
    own = pattern("blank unfilled answer question article", asked.languages)
    before = own.sub("", folded(line[: name.start - at]))
    return not _WORD.search(before) and is_bare(line[name.end - at :], asked.languages)


def _of_line(text: str, at: int, end: int, found: Sequence[Name], asked: Asked) -> Iterator[Entry]:
    """The entries in a line that names blanks: the text behind each name, or the text before names alone."""
    before = text[at : found[0].start]
    parts = [(name, name.end, following.start) for name, following in pairwise([*found, Name(end, end, -1)])]
    if all(is_bare(text[a:b], asked.languages) for _, a, b in parts):
        is_question = is_line(before, asked) if asked.options else is_own(before, asked)
        span = None if is_question else fill(text, at, found[0].start, asked)
        if span and (asked.options or len(found) == 1):
            yield from (Entry(name.id, *span, at, name.is_numbered) for name in found)
        return
    known = {key for token in tokens(folded(before), asked.languages) for key in token.keys}
    for name, a, b in parts if "if" not in known else ():
        span = fill(text, a, b, asked)
        if span and _is_entry(before, text[a:b], b == end, asked) and not _is_echo(text[a:b], name, asked):
            joint = tokens(folded(text[a : span[0]]), asked.languages)
            corrects = "instead" in known or any("instead" in token.keys for token in joint)
            yield Entry(name.id, *span, name.start, name.is_numbered, corrects)


def _is_entry(before: str, content: str, is_last: bool, asked: Asked) -> bool:
    """Whether words behind a name may fill its blank, by the text beside them; a letter always may."""
    if asked.options or re.match(r"[\w(]", content):  # `#0#regula`, as the prompt asks
        return True
    is_short = len(re.findall(r"[^\W\d_]+", before)) <= 4
    return bool(is_last or _COMMON_BULLET.search(content)) and (is_short or is_own(before, asked))


def _is_echo(content: str, name: Name, asked: Asked) -> bool:
    """Whether words are the question's own behind the mark."""
    piece = re.search(rf"#\s?{name.id}\s?#([^#\n]*)", asked.question)
    said = squeezed(content)[0]
    own = squeezed(piece[1])[0] if piece else ""
    return own.startswith(said) and len(said) > (7 if asked.options else 0)


def _below(text: str, at: int, line: str, name: Name, asked: Asked) -> Iterator[Entry]:
    """The entry of a line below one that names a blank alone."""
    keys = "because aside question" if ":" in line else "because"
    is_aside = pattern(keys, asked.languages).match(folded(line.lstrip(" \t*_-•>")))
    span = None if is_aside or _UNCHECKED.match(line) else fill(text, at, at + len(line), asked)
    if span and (asked.options or not _WORD.search(text[span[1] : at + len(line)])):
        yield Entry(name.id, *span, name.start, name.is_numbered)


def _stated(text: str, entries: Sequence[Entry], asked: Asked) -> list[Entry] | None:
    """The entries that the text states in the end; None if it leaves different ones of one blank open."""
    kept: dict[int | None, Entry] = {}
    end = 0
    for is_last, block in _blocks(text, entries, asked):
        between = text[end : block[0].at]
        end = max(entry.end for entry in block)
        end_of_line = text.find("\n", end)
        if is_unstated(text, block[0].at, end_of_line if end_of_line > 0 else len(text), asked.languages):
            continue
        for entry in block:
            other = kept.get(entry.id, entry)
            is_other = text[slice(*other[1:3])] != text[slice(*entry[1:3])]
            if is_other and (is_open(between, asked.languages) or is_refused(text[entries[-1].end :], asked.languages)):
                return None
            if other is entry or entry.corrects or is_last:
                kept[entry.id] = entry
    return [*kept.values()]


def _blocks(text: str, entries: Sequence[Entry], asked: Asked) -> list[tuple[bool, list[Entry]]]:
    """Entries one behind the other, none twice, and whether the text before them says that they replace others."""
    blocks: list[tuple[bool, list[Entry]]] = []
    end = 0
    for entry in entries:
        lines = text[end : entry.at].split("\n")[1 if blocks else 0 :]
        is_last = any(is_final(line, asked.languages) for line in lines)
        if not blocks or is_last or any(entry.id == other.id for other in blocks[-1][1]):
            blocks.append((is_last, []))
        blocks[-1][1].append(entry)
        end = max(end, entry.end)
    return blocks


def _listed(text: str, asked: Asked) -> list[Entry]:
    """A plain list of exactly as many entries as there are blanks, one per line or all in one line."""
    if asked.count < 2 or MARK.search(text):
        return []
    lines = [(match.start(), match.end()) for match in re.finditer(r"[^\n]+", text) if _WORD.search(match[0])]
    items = [(a, b) for a, b in lines if not _is_heading(text[a:b])]
    in_lines = [_in_a_line(text, a, b, asked) for a, b in lines[-3:][::-1] if b - a <= _LONGEST * asked.count]
    for spans in (items, *in_lines):
        if len(spans) == asked.count:
            fills = [fill(text, a, b, asked) if b - a <= _LONGEST // 2 else None for a, b in spans]
            if all(fills):
                return [Entry(None, *span, span[0]) for span in fills if span]
    return []


def _is_heading(line: str) -> bool:
    return line.rstrip(" *_").endswith(":") or line.startswith(("```", "#", "\\begin", "\\end"))


def _in_a_line(text: str, a: int, b: int, asked: Asked) -> list[Range]:
    """The items of a list in one line: words with commas, letters with anything but letters between them."""
    at = text.rfind(":", a, b) + 1 or a
    content = text[at:b].rstrip(" .")
    if letters := letters_of(content, asked):
        return [(at + start, at + end) for start, end in letters]
    cuts = [match.span() for match in _BETWEEN.finditer(content)]
    joint = re.compile(rf"\s+{source('and', asked.languages)}\s+")
    if cuts and (last := joint.search(folded(content), cuts[-1][1])):
        cuts.append(last.span())
    ends = [0, *(place for cut in cuts for place in cut), len(content)]
    return [(at + start, at + end) for start, end in zip(ends[::2], ends[1::2], strict=True)]


def letters_of(text: str, asked: Asked) -> list[Range]:
    """The letters of options in a text that consists of them: `F, A, C`, or `FAC` for all blanks."""
    found = [match.span() for match in re.finditer(r"[^\W_]+", text)]
    if len(found) == 1 and found[0][1] - found[0][0] == asked.count:
        found = [(place, place + 1) for place in range(*found[0])]
    return found if len(found) > 1 and all(text[a:b].upper() in asked.options for a, b in found) else []


def as_blanks(text: Text, entries: Sequence[Entry]) -> list[Blank]:
    """The entries as blanks; those without an id go by their order."""
    return [Blank(e.id, text.plain[e.start : e.end], e.is_numbered, text.span(e.start, e.end)) for e in entries]

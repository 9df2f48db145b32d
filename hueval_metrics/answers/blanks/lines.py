"""Read blanks from a reply without an object: names of blanks in lines and tables, the filled-in text, a plain list."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from typing import NamedTuple

from hueval_metrics.answers.blanks.around import is_final, is_open, is_refused, is_unstated
from hueval_metrics.answers.blanks.blank import MARK, Asked, Blank, Range
from hueval_metrics.answers.blanks.filled import filled_in, is_own
from hueval_metrics.answers.blanks.names import FORMS, Name, named_by, names
from hueval_metrics.answers.blanks.values import fill, is_bare
from hueval_metrics.answers.decide import tokens
from hueval_metrics.answers.names import folded
from hueval_metrics.answers.text import Text
from hueval_metrics.languages.load import pattern, source

_LONGEST = 120  # characters of one filled blank
_WORD = re.compile(r"[^\W_]")
_ITEM = re.compile(r"[^\w\"'„“«(\[#*-]*(?:-\s+|\\item\b)?[^\w\"'„“«(\[#*-]*")
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
        known = sorted({entry.id for entry in found if entry.id is not None})
        is_run = known == [*range(known[0], known[0] + len(known))] and len(known) >= min(2, asked.count) if known else False
        if found and (form == "mark" or is_run):
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
    pending: Sequence[Name] = ()  # the blanks that a line names alone; their answers stand below
    heads: list[str] = []  # of the columns of a table
    for line in text.split("\n"):
        end = at + len(line)
        found = names(line, at, form, asked)
        cells = [(at + match.start(), at + match.end()) for match in re.finditer(r"[^|\n]*[^\W_][^|\n]*", line)]
        named = _named(text, cells, asked) if len(cells) > 1 else {}
        if len(cells) > 1 and (named or len(found) < 2):
            if len(named) > 1 and len({name.is_numbered for name in named.values()}) == 1:  # a blank a column
                pending = [*named.values()]
            elif len(pending) > 1:
                yield from _side_by_side(text, cells[-len(pending) :], pending, asked)
                pending = ()
            elif named or found:
                place = min(named) if named else next(n for n, (a, b) in enumerate(cells) if a <= found[0].start < b)
                rest = sorted((_rank(heads, n, asked), n) for n in range(len(cells)) if n != place)
                rest = [cells[n] for _, n in rest if asked.options or not is_own(text[slice(*cells[n])], asked)]
                if span := next(filter(None, (fill(text, *cell, asked) for cell in rest)), None):
                    name = named.get(place) or found[0]
                    yield Entry(name.id, *span, at, name.is_numbered)
            heads = heads or [text[a:b] for a, b in cells]
        elif found:
            entries = [*_of_line(text, at, end, found, asked)]
            yield from entries
            is_alone = not entries and not any(_WORD.search(text[a:b]) for a, b in _around(text, at, end, found, asked))
            pending = found if is_alone else ()
        elif pending and cells:
            entries = [*_below(text, at, line, pending, asked)]
            yield from entries
            pending = () if entries else pending
        at = end + 1


def _named(text: str, cells: Sequence[Range], asked: Asked) -> Mapping[int, Name]:
    """The cells that name a blank and nothing else."""
    return {place: name for place, (a, b) in enumerate(cells) if (name := named_by(text[a:b], asked))}


def _rank(heads: Sequence[str], place: int, asked: Asked) -> int:
    """The rank of a column by its heading; the column with the lowest rank has the answer."""
    low = folded(heads[place]) if place < len(heads) else ""
    ranks = ("therefore right", "answer option", "wrong because aside question confidence")
    return next((2 * rank for rank, keys in enumerate(ranks) if pattern(keys, asked.languages).search(low)), 3)


def _around(text: str, at: int, end: int, found: Sequence[Name], asked: Asked) -> Iterator[Range]:
    """The ranges of a line beside its names, without the words that belong to a name."""
    low = folded(text[at : found[0].start])
    article = re.search(rf"{source('article', asked.languages)}\s*\Z", low)
    yield at, at + article.start() if article else found[0].start
    blank = re.compile(rf"\W*(?:(?:{source('blank', asked.languages)})\W*)*")
    for name, following in pairwise([*found, Name(end, end, -1)]):
        match = blank.match(folded(text[name.end : following.start]))
        yield name.end + (match.end() if match else 0), following.start


def _of_line(text: str, at: int, end: int, found: Sequence[Name], asked: Asked) -> Iterator[Entry]:
    """The entries in a line that names blanks: the text behind each name, or the text before names alone."""
    (_, first), *behind = _around(text, at, end, found, asked)
    before = text[at:first]
    if all(is_bare(text[a:b], asked.languages) for a, b in behind):
        if not _WORD.search(pattern("blank unfilled answer question", asked.languages).sub("", folded(before))):
            return
        is_question = is_own(before, asked) and not (asked.options and asked.reads(before.strip(" →–:=")))
        span = None if is_question else fill(text, at, first, asked)
        if span and (asked.options or len(found) == 1):
            yield from (Entry(name.id, *span, at, name.is_numbered) for name in found)
        return
    known = {key for token in tokens(folded(before), asked.languages) for key in token.keys}
    for name, following in pairwise([*found, Name(end, end, -1)]):
        content = text[name.end : following.start]
        span = fill(text, name.end, following.start, asked)
        if not span or not _is_entry(before, content, following.start == end, asked) or _is_echo(content, name, asked):
            continue
        joint = text[name.end : span[0]]
        keys = {key for token in tokens(folded(joint), asked.languages) for key in token.keys}
        if "if" not in known and "?" not in joint and not keys & {"maybe", "if", "asks"}:
            yield Entry(name.id, *span, name.start, name.is_numbered, "instead" in known | keys)


def _is_entry(before: str, content: str, is_last: bool, asked: Asked) -> bool:
    """Whether words behind a name may fill its blank, by the text beside them; a letter always may."""
    if asked.options or re.match(r"\w", content):  # `#0#regula`, as the prompt asks
        return True
    if not is_last and not _COMMON_BULLET.search(content):
        return False
    is_short = len(re.findall(r"[^\W\d_]+", before)) <= 4
    return is_short or bool(re.search(r"[*„“\"»«:→]", content)) or is_own(before, asked)


def _is_echo(content: str, name: Name, asked: Asked) -> bool:
    """Whether words are the question's own behind the mark."""
    piece = re.search(rf"#\s?{name.id}\s?#([^#\n]*)", asked.question)
    own = "".join(filter(str.isalnum, folded(piece[1]))) if piece else ""
    said = "".join(filter(str.isalnum, folded(content)))
    return own.startswith(said) and len(said) > (4 if asked.options else 0)  # a letter may begin a word


def _below(text: str, at: int, line: str, pending: Sequence[Name], asked: Asked) -> Iterator[Entry]:
    """The entries of a line below one that names blanks alone."""
    if len(pending) == 1:
        aside = pattern("because aside question", asked.languages)
        is_aside = _UNCHECKED.match(line) or aside.match(folded(line.lstrip(" \t*_-•>")))
        span = None if is_aside else fill(text, at, at + len(line), asked)
        if span and (asked.options or line[span[1] - at :].strip(" *_.\"'”)]") == ""):
            yield Entry(pending[0].id, *span, pending[0].start, pending[0].is_numbered)
        return
    sign = next((sign for sign in ",;\t" if line.count(sign) == len(pending) - 1), "")
    item = rf"[^{sign}]+" if sign else r"\S+(?: \S+)*" if "  " in line else r"\S+"
    items = [(at + match.start(), at + match.end()) for match in re.finditer(item, line)]
    yield from _side_by_side(text, items, pending, asked)


def _side_by_side(text: str, items: Sequence[Range], pending: Sequence[Name], asked: Asked) -> Iterator[Entry]:
    """The entries of texts that stand in the order of the blanks named above them."""
    if len(items) == len(pending):
        spans = [fill(text, *item, asked) for item in items]
        yield from (Entry(n.id, *span, n.start, n.is_numbered) for n, span in zip(pending, spans, strict=True) if span)


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
    """Entries one behind the other, none twice, each time with whether the text before them makes them the last word."""
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
    lines = [(match.start(), match.end()) for match in re.finditer(r"[^\n]*[^\W_\n][^\n]*", text)]
    items = [(a + len(match[0]) if (match := _ITEM.match(text[a:b])) else a, b) for a, b in lines if not _is_heading(text[a:b])]
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

"""Read blanks from a reply without an object: names of blanks in lines and tables, the filled-in text, a plain list."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import NamedTuple

from hueval_metrics.answers.blanks.around import announces, is_open, is_refused, is_unstated
from hueval_metrics.answers.blanks.blank import MARK, Asked, Blank, Range
from hueval_metrics.answers.blanks.filled import filled_in, is_own
from hueval_metrics.answers.blanks.names import FORMS, Name, named_by, names
from hueval_metrics.answers.blanks.table import Header, of_row
from hueval_metrics.answers.blanks.values import fill, is_bare
from hueval_metrics.answers.decide import tokens
from hueval_metrics.answers.names import folded
from hueval_metrics.answers.text import Text
from hueval_metrics.languages.load import pattern, source

_LONGEST = 120  # characters of one filled blank
_DISTINCTIVE = 8  # letters that are the question's own, if it has them behind the mark
_WORD = re.compile(r"[^\W_]")
_ITEM = re.compile(r"[^\w\"'„“«(\[#*-]*(?:-\s+|\\item\b)?[^\w\"'„“«(\[#*-]*")
_BETWEEN = re.compile(r"\s*[,;/|]\s*|\s+(?:[-–—]|[^\w\s\x00-\x7f]|[-=]>)\s+")
_CHECKBOX = re.compile(r"\W*\[([ xX✓✔])\]\s*")
_RUN = re.compile(r"[A-Z]+")
_COMMON_BULLET = re.compile(r"[,;|•·/\t]\s*\Z|\s{2,}\Z|\s[^\w\s\x00-\x7f]\s*\Z")


class Entry(NamedTuple):
    """A blank with the range of the text that fills it; `line` is where its line begins."""

    id: int | None
    start: int
    end: int
    line: int
    is_numbered: bool = False
    corrects: bool = False


@dataclass(slots=True)
class _Block:
    """Entries one behind the other, none twice, and what the text before them says of them."""

    entries: list[Entry] = field(default_factory=list)
    before: str = ""

    def end(self) -> int:
        return max(entry.end for entry in self.entries)


def read_lines(text: str, asked: Asked) -> list[Entry] | None:
    """The blanks that a text without objects fills, in its order.

    Args:
        text: readable, without markup.
        asked: the question.

    Returns:
        Empty if none can be read; None if the text leaves two answers open.
    """
    if filled := filled_in(text, asked):
        return [Entry(id_, *span, span[0]) for id_, span in filled if not is_unstated(text, *span, asked.languages)]
    for form in FORMS:
        found = [*_entries(text, form, asked)]
        if form == "number":
            found = _longest_run(found, asked.count)
        if form == "letter" and (len(found) < 2 or [e.id for e in found] != sorted({e.id or 0 for e in found})):
            found = []
        if found and not (form != "mark" and len(found) == 1 < asked.count):
            return _stated(text, found, asked)
    listed = _listed(text, asked)
    if listed and (
        is_refused(text, asked.languages) or is_unstated(text, listed[0].start, listed[-1].end, asked.languages)
    ):
        return []
    return listed


def corrections(text: str, asked: Asked) -> list[Entry]:
    """The blanks that a text behind an answer corrects."""
    found = next((found for form in FORMS[:3] if (found := [*_entries(text, form, asked)])), [])
    blocks = _blocks(text, found, asked.languages)
    return [entry for block in blocks for entry in block.entries if entry.corrects or block.before == "final"]


def _entries(text: str, form: str, asked: Asked) -> Iterator[Entry]:
    """All parts of a text that have the form of an entry for one blank, in order."""
    at = 0
    pending: list[Name] = []  # the blanks that a line names alone; their answers stand below
    header = Header()
    for line in text.split("\n"):
        found = names(line, at, form, asked)
        end = at + len(line)
        if "|" in line and not _is_list(line, at, found, asked) and (found or header.cells or line.count("|") > 1):
            yield from (Entry(*one, at, *two) for one, two in of_row(text, at, end, found, header, asked))
        elif found:
            header = Header()
            entries = [*_of_line(text, at, end, found, asked)]
            yield from entries
            is_bare = not any(_WORD.search(text[a:b]) for a, b in _around(text, at, end, found, asked))
            pending = found if not entries and is_bare else []
        elif pending and _WORD.search(line):
            entries = [*_below(text, at, end, pending, asked)]
            yield from entries
            pending = [] if entries or len(pending) > 1 else pending
        at = end + 1


def _is_list(line: str, at: int, found: Sequence[Name], asked: Asked) -> bool:
    """Whether bars separate the entries of a line, each with its name, and no cells."""
    cells = [(at + match.start(), at + match.end()) for match in re.finditer(r"[^|]+", line)]
    named = [(name, b) for name in found for a, b in cells if a <= name.start < b]
    return sum(not is_bare(line[name.end - at : b - at], asked.languages) for name, b in named) > 1


def _around(text: str, at: int, end: int, found: Sequence[Name], asked: Asked) -> Iterator[Range]:
    """The ranges of a line beside its names, without the words that belong to a name."""
    low = folded(text[at : found[0].start])
    article = re.search(rf"{source('article', asked.languages)}\s*\Z", low)
    yield at, at + article.start() if article else found[0].start
    for name, following in pairwise([*found, Name(end, end, -1)]):
        match = re.match(
            rf"\W*(?:(?:{source('blank', asked.languages)})\W*)*", folded(text[name.end : following.start])
        )
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
    corrects = any("instead" in token.keys for token in tokens(folded(before), asked.languages))
    for name, following in pairwise([*found, Name(end, end, -1)]):
        content = text[name.end : following.start]
        is_list = following.start == end or asked.options or _COMMON_BULLET.search(content)
        if not is_list or not _is_entry(before, content, asked):
            continue
        span = fill(text, name.end, following.start, asked)
        if span and not _is_echo(text[slice(*span)], name, asked):
            keys = [token.keys for token in tokens(folded(text[name.end : span[0]]), asked.languages)]
            is_asked = "?" in text[name.end : span[0]]
            if is_asked or any(each & {"maybe", "if", "asks"} for each in keys):
                continue
            turned = corrects or any("instead" in each for each in keys)
            yield Entry(name.id, *span, at, name.is_numbered, turned)


def _is_entry(before: str, content: str, asked: Asked) -> bool:
    """Whether a text behind a name may fill its blank, by the text before the name."""
    if asked.options or len(re.findall(r"[^\W\d_]+", before)) <= 4:
        return "if" not in {key for token in tokens(folded(before), asked.languages) for key in token.keys}
    return bool(re.search(r"[*„“\"»«:→]", content)) or is_own(before, asked)


def _is_echo(words: str, name: Name, asked: Asked) -> bool:
    """Whether words are the question's own behind the mark."""
    piece = re.search(rf"#\s?{name.id}\s?#([^#\n]*)", asked.question)
    own = "".join(filter(str.isalnum, piece[1].casefold())) if piece else ""
    said = "".join(filter(str.isalnum, words.casefold()))
    if asked.options and len(said) < _DISTINCTIVE:
        return False  # a letter, which may begin a word of the question
    return bool(own) and (own.startswith(said) or said.startswith(own))


def _below(text: str, at: int, end: int, pending: Sequence[Name], asked: Asked) -> Iterator[Entry]:
    """The entries of a line below one that names blanks alone."""
    line = text[at:end]
    if len(pending) == 1:
        if box := _CHECKBOX.match(line):
            at += box.end()
        is_aside = (box and box[1] == " ") or pattern("because aside question", asked.languages).match(
            folded(line.lstrip(" \t*_-•>"))
        )
        span = None if is_aside else fill(text, at, end, asked)
        if (span and line[span[1] - at :].strip(" *_.\"'”)]") == "") or (span and asked.options):
            yield Entry(pending[0].id, *span, at, pending[0].is_numbered)
        return
    sign = next((sign for sign in ",;\t" if line.count(sign) == len(pending) - 1), "")
    item = rf"[^{sign}]+" if sign else r"\S+(?: \S+)*" if "  " in line else r"\S+"
    items = [*re.finditer(item, line)]
    if len(items) == len(pending):
        spans = [fill(text, at + item.start(), at + item.end(), asked) for item in items]
        yield from (Entry(n.id, *span, at, n.is_numbered) for n, span in zip(pending, spans, strict=True) if span)


def _longest_run(entries: Sequence[Entry], count: int) -> list[Entry]:
    """The last run of entries numbered from 0 or 1 with `count` entries; without one, the longest run."""
    runs: list[list[Entry]] = []
    for entry in entries:
        if runs and entry.id == (runs[-1][-1].id or 0) + 1:
            runs[-1].append(entry)
        elif entry.id in (0, 1):
            runs.append([entry])
    whole = [run for run in runs if len(run) == count]
    return whole[-1] if whole else max(runs, key=len, default=[])


def _stated(text: str, entries: Sequence[Entry], asked: Asked) -> list[Entry] | None:
    """The entries that the text states in the end; None if it leaves different ones of one blank open."""
    kept: dict[int | None, Entry] = {}
    end = 0
    for block in _blocks(text, entries, asked.languages):
        start = block.entries[0].line
        between, end = text[end:start], block.end()
        end_of_line = text.find("\n", end)
        if is_unstated(text, start, end_of_line if end_of_line > 0 else len(text), asked.languages) or (
            block.before == "aside" and kept
        ):
            continue
        for entry in block.entries:
            other = kept.get(entry.id)
            if other is None or entry.corrects or block.before == "final":
                kept[entry.id] = entry
            elif text[slice(*other[1:3])] != text[slice(*entry[1:3])] and is_open(between, asked.languages):
                return None
    return [*kept.values()]


def _blocks(text: str, entries: Sequence[Entry], languages: Sequence[str]) -> list[_Block]:
    blocks: list[_Block] = []
    end = 0
    for entry in entries:
        before = ""
        next_line = text.find("\n", end) + 1 if blocks else 0
        for line in text[next_line : entry.line].split("\n") if entry.line > end else ():
            before = (announces(line, languages) if _WORD.search(line) else "") or before
        if not blocks or before or any(entry.id == other.id for other in blocks[-1].entries):
            blocks.append(_Block([], before))
        blocks[-1].entries.append(entry)
        end = max(end, entry.end)
    return blocks


def _listed(text: str, asked: Asked) -> list[Entry]:
    """A plain list of exactly as many entries as there are blanks, one per line or all in one line."""
    if asked.count < 2 or MARK.search(text):
        return []
    lines = [(match.start(), match.end()) for match in re.finditer(r"[^\n]+", text) if _WORD.search(match[0])]
    items = [(a + _bullet(text[a:b]), b) for a, b in lines if not _is_heading(text[a:b])]
    for spans in (
        items,
        *(_in_a_line(text, a, b, asked) for a, b in lines[-3:][::-1] if b - a <= _LONGEST * asked.count),
    ):
        if len(spans) == asked.count:
            fills = [fill(text, a, b, asked) if b - a <= _LONGEST // 2 else None for a, b in spans]
            if all(fills):
                return [Entry(None, *span, span[0]) for span in fills if span]
    return []


def _bullet(line: str) -> int:
    match = _ITEM.match(line)
    return match.end() if match else 0


def _is_heading(line: str) -> bool:
    return line.rstrip(" *_").endswith(":") or line.startswith(("```", "#", "\\begin", "\\end"))


def _in_a_line(text: str, a: int, b: int, asked: Asked) -> list[Range]:
    """The items of a list in one line: words with commas, letters with signs, spaces or nothing between them."""
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

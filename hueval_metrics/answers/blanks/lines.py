"""Parse filled blanks in a reply without JSON: marked or numbered lines, a table, the filled-in text, a plain list."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

from hueval_metrics.answers.blanks.blank import Asked, Blank
from hueval_metrics.answers.plain_text import without_markup
from hueval_metrics.answers.remarks import WRONG, alternatives, is_correction, is_open_between, is_refusal, settled

_READ_LIMIT = 20_000  # characters; a longer reply without JSON is a runaway generation
_LONGEST = 120  # characters of one filled blank
_QUESTION_LETTER = re.compile(r"\A\s*\(?[A-Z]\s?[.)]\s?")
_DISTINCTIVE = 8  # letters around the blanks of a line that are enough to recognise the line
_MARK = re.compile(r"[\[({<]?#\s?(\d{1,6})\s?#[\])}>]?")
_ANY_MARK = re.compile(r"[\[({<]?#\s?\d{1,6}\s?#[\])}>]?")
_BOUND = re.compile(r"(\*\*|__|`)#\s?(\d{1,6})\s?#[ \t]*([^*_`\n]{1,120})\1")
_BEFORE_MARK = re.compile(r"[\s>*_`\"'•|+\-–\d.)(]*(?:[^\W\d]+[\s.:*_]*){0,4}")
_LABEL = r"(?:az?|the|blank|gap|üres|hely|válasz|answer|megoldás|szó|jel|no|nr|number|space|sorszám)"
_NUMBERED = re.compile(
    rf"[\s>*_`•+\-–\"']*(?:{_LABEL}[\s.:]+){{0,3}}[(\[]?(\d{{1,3}})(?=\s*[.)\]:=→,;#]|\s*[-=]>|"
    rf"\s+[-–—]\s|[\"'*_]|\s+hely|$)",
    re.IGNORECASE,
)
_SEPARATOR = re.compile(
    r"(?:[.)\]:=→,;#*_`\"'\s]|[-=]>|[-–—](?=\s)|(?:üres\s)?(?:hely|helyre|helyen|helye|blank|gap|mező|mezőbe|szó)\b)*",
    re.IGNORECASE,
)
_LETTERED = re.compile(r"[\s>*_•\-]*\(?([A-Z])[.):]\**\s+")
_BULLET = re.compile(r"[\s>]*(?:[•*+\-–]\s+)?")
_BOLD = re.compile(r"\*\*([^*\n]{1,120})\*\*|__([^_\n]{1,120})__")
_EXPLANATION = re.compile(
    r"\s[-–—]\s|\s?\(|,\s(?:mert|mivel|because|since|ugyanis)\b|;\s|\s\|\s|[.]\s(?=[A-ZÁÉÍÓÖŐÚÜŰ])|\s//"
)
_HEADING = re.compile(r"[\s#*_>]*([^\n|]{1,60}?)[\s*_]*:?[\s*_]*")
_FINAL_WORD = re.compile(r"megoldás|válasz|answer|solution|kitölt|eredmény|result", re.IGNORECASE)
_WRONG_WORD = re.compile(rf"{WRONG}|első (?:tipp|gondolat)|first guess", re.IGNORECASE)
_REASON_WORD = re.compile(r"magyaráz|indok|explan|reason|megjegyz|miért|note", re.IGNORECASE)
_ANSWER_COLUMN = re.compile(r"végleges|végső|final|helyes|correct", re.IGNORECASE)
_OTHER_COLUMN = re.compile(
    r"kérd|question|szöveg|mondat|text|sentence|indok|magyaráz|reason|explan|context|környezet", re.IGNORECASE
)
_ID_CELL = re.compile(
    r"[^\w#]*(?:blank|hely|az?)?[^\w#]{0,3}(#?)\s?(\d{1,6})\s?#?\W*(?:hely(?:re)?)?\W*", re.IGNORECASE
)


class _Entry(NamedTuple):
    at: int  # start of its line, or of itself; an index into the text
    id: int
    text: str
    is_numbered: bool


def read_lines(text: str, asked: Asked) -> list[Blank]:
    """The blanks that a reply without JSON fills.

    Args:
        text: the reply; only its last `_READ_LIMIT` characters are read.
        asked: the question.

    Returns:
        The blanks in the order of the reply; empty if none can be read.
    """
    text = without_markup(text[-_READ_LIMIT:])
    if filled := _filled_in(text, asked):
        return filled
    start, end, entries = _answer_section(text, _entries(text, asked))
    marked = [entry for entry in entries if not entry.is_numbered]
    if marked:
        return _without_repeats(text[start:end], marked)
    if numbered := _longest_run([entry for entry in entries if entry.is_numbered], asked.count):
        return [Blank(None, entry.text) for entry in numbered]
    return _lettered(text[start:end], asked) or _listed(text[start:end], asked)


def _entries(text: str, asked: Asked) -> list[_Entry]:
    """All parts of the text that have the form of an entry for one blank, in order."""
    found = [
        _Entry(match.start(), int(match[2]), filled, False)
        for match in _BOUND.finditer(text)
        if (filled := _fill(match[3], asked))
    ]
    if found:
        return found
    at = 0
    pending: int | None = None  # the id of a mark that is alone on its line
    columns: list[str] = []  # of a table
    for line in text.split("\n"):
        cells = [cell.strip() for cell in line.strip().strip("|").split("|")] if line.count("|") > 1 else []
        entries: list[_Entry] = []
        if cells:
            entries, columns = _of_row(cells, columns, at, asked)
        else:
            columns = []
            if pending is not None and line.strip() and (filled := _fill(line, asked)):
                entries = [_Entry(at, pending, filled, False)]
            else:
                entries = [*_of_line(line, at, asked)]
            alone = _MARK.fullmatch(re.sub(r"\A#{1,6}\s", "", line).strip(" *_:`-"))
            pending = int(alone[1]) if alone else pending if not line.strip() else None
        found += entries
        at += len(line) + 1
    return found


def _of_line(line: str, at: int, asked: Asked) -> Iterator[_Entry]:
    marks = [*_MARK.finditer(line)]
    if not marks:
        match = _NUMBERED.match(line)
        if match and (filled := _fill(line[_after_separator(line, match.end()) :], asked)):
            yield _Entry(at, int(match[1]), filled, True)
        return
    if not _BEFORE_MARK.fullmatch(line, 0, marks[0].start()):
        return
    ends = [*(mark.start() for mark in marks[1:]), len(line)]
    texts = [line[_after_separator(line, mark.end()) : end] for mark, end in zip(marks, ends, strict=True)]
    is_list = all(text.rstrip().endswith((",", ";", "|")) for text in texts[:-1])
    fills = [_fill(text, asked) for text in texts]
    if is_list or (asked.options and all(fills)):
        yield from (_Entry(at, int(mark[1]), fill, False) for mark, fill in zip(marks, fills, strict=True) if fill)


def _of_row(cells: Sequence[str], columns: list[str], at: int, asked: Asked) -> tuple[list[_Entry], list[str]]:
    """The entries in a row of a table, and the cells of the table's header, if known."""
    places = [place for place, cell in enumerate(cells) if cell and _ID_CELL.fullmatch(cell)]
    if len(places) > 1 and all("#" in cells[place] for place in places):  # a header of ids
        return [], list(cells)
    ids = [match for cell in columns if (match := _ID_CELL.fullmatch(cell)) and match[1]]
    if len(ids) > 1 and len(cells) == len(columns) and not places:
        pairs = ((_ID_CELL.fullmatch(column), _fill(cell, asked)) for column, cell in zip(columns, cells, strict=True))
        return [_Entry(at, int(match[2]), fill, False) for match, fill in pairs if match and fill], columns
    if not places:
        return [], columns or list(cells)
    id_ = _ID_CELL.fullmatch(cells[places[0]])
    rest = sorted(range(len(cells)), key=lambda place: _rank(columns, place))
    fill = next((text for place in rest if place != places[0] and (text := _fill(cells[place], asked))), None)
    if id_ is None or fill is None:
        return [], columns
    return [_Entry(at, int(id_[2]), fill, not id_[1])], columns


def _rank(columns: Sequence[str], place: int) -> int:
    """The rank of a column by its heading; the column with the lowest rank contains the answer."""
    heading = columns[place] if place < len(columns) else ""
    if _ANSWER_COLUMN.search(heading):
        return 0
    if _WRONG_WORD.search(heading) or _OTHER_COLUMN.search(heading):
        return 3
    return 1 if _FINAL_WORD.search(heading) else 2


def _after_separator(line: str, at: int) -> int:
    match = _SEPARATOR.match(line, at)
    return match.end() if match else at


def _fill(content: str, asked: Asked) -> str | None:
    """The text that an entry fills in, without its explanation; None if it fills nothing in."""
    content = content.strip(" \t,;|`\"'„”").strip()
    whole = content.replace("**", "").replace("__", "").strip()
    if not re.search(r"\w", whole) or len(content) > 4 * _LONGEST:
        return None
    if asked.options and asked.reads(whole):
        return whole
    bold = [match[1] or match[2] for match in _BOLD.finditer(content)]
    cut = _EXPLANATION.search(whole, 1)
    short, rest = (whole[: cut.start()], whole[cut.end() :]) if cut else (whole, "")
    if len(alternatives(short)) > 1 or is_refusal(rest[:_LONGEST]):
        return None
    behind_colon = "" if is_refusal(whole) else whole.rpartition(":")[2]  # "hibás: Buda" rejects Buda
    candidates = (*bold[-1:], short, behind_colon)
    return next((text.strip() for text in candidates if len(text) <= _LONGEST and asked.reads(text.strip())), None)


def _answer_section(text: str, entries: list[_Entry]) -> tuple[int, int, list[_Entry]]:
    """The start and end of the section that gives the answer, found by its heading, and the entries in it."""
    at, start, end = 0, 0, len(text)
    taken = {entry.at for entry in entries}
    dropped: list[tuple[int, int]] = []
    headings: list[tuple[int, str]] = []
    for line in text.split("\n"):
        if at not in taken and (match := _HEADING.fullmatch(line)):
            if line.strip() and (line.rstrip(" *_").endswith(":") or line.lstrip()[0] in "#*"):
                headings.append((at, match[1]))
            elif is_correction(line):
                headings.append((at, line))
        at += len(line) + 1
    for (place, words), (following, _) in pairwise([*headings, (len(text), "")]):
        if _WRONG_WORD.search(words) and not is_correction(words):
            dropped.append((place, following))
        elif _REASON_WORD.search(words):
            end = min(end, place) if any(start <= entry.at < place for entry in entries) else end
        elif (_FINAL_WORD.search(words) or is_correction(words)) and any(entry.at > place for entry in entries):
            start, end = place, len(text)
    kept = [e for e in entries if start <= e.at < end and not any(a <= e.at < b for a, b in dropped)]
    return start, end, kept


def _without_repeats(text: str, entries: Sequence[_Entry]) -> list[Blank]:
    """The first entry of each blank; nothing if the text leaves different entries of one blank open."""
    texts: dict[int, str] = {}
    for entry in entries:
        if texts.setdefault(entry.id, entry.text) != entry.text and is_open_between(text, text):
            return []
    return [Blank(id_, filled) for id_, filled in texts.items()]


def _longest_run(entries: Sequence[_Entry], count: int) -> list[_Entry]:
    """The last run of entries numbered from 0 or 1 with `count` entries; without one, the longest run."""
    runs: list[list[_Entry]] = []
    for entry in entries:
        if runs and entry.id == runs[-1][-1].id + 1:
            runs[-1].append(entry)
        elif entry.id in (0, 1):
            runs.append([entry])
    whole = [run for run in runs if len(run) == count]
    return whole[-1] if whole else max(runs, key=len, default=[])


def _lettered(text: str, asked: Asked) -> list[Blank]:
    """Words behind the letters of the questions; not if options have letters, which would be ambiguous."""
    if asked.options or asked.count < 2:
        return []
    lines = [
        (match[1], line[match.end() :])
        for line in text.split("\n")
        if (match := _LETTERED.match(line)) and not _ANY_MARK.search(line)
    ]
    if [letter for letter, _ in lines] != [chr(ord("A") + n) for n in range(asked.count)]:
        return []
    return [Blank(None, _fill(words, asked) or "") for _, words in lines]


def _listed(text: str, asked: Asked) -> list[Blank]:
    """A plain list of exactly as many entries as there are blanks, one per line or all in one line."""
    if asked.count < 2:
        return []
    lines = [line[_BULLET.match(line).end() :] for line in text.split("\n") if line.strip()]  # type: ignore[union-attr]
    if any(_ANY_MARK.search(line) for line in lines):
        return []
    items = [line for line in lines if not line.rstrip(" *_").endswith(":") and not line.startswith(("```", "#"))]
    in_a_line = [re.split(r"\s*[,;]\s*", line.rpartition(":")[2].strip(" []().*`")) for line in lines[-3:]]
    for texts in (items, *in_a_line):
        fills = [_fill(text, asked) if len(text) <= _LONGEST // 2 else None for text in texts]
        if len(fills) == asked.count and all(fills):
            return [Blank(None, fill or "") for fill in fills]
    return []


def _filled_in(text: str, asked: Asked) -> list[Blank]:
    """The texts in the blanks of the question, if the reply repeats the question with the blanks filled in."""
    text = re.sub(r"[ \t]+", " ", re.sub(r"\*\*|__", "", text))
    found: list[Blank] = []
    at = 0
    for line in asked.question.split("\n"):
        ids = [int(match[1]) for match in _MARK.finditer(line)]
        if not ids:
            continue
        before, *pieces = (" ".join(piece.split()) for piece in _ANY_MARK.split(_QUESTION_LETTER.sub("", line)))
        if len(re.findall(r"[^\W\d_]", "".join([before, *pieces]))) < _DISTINCTIVE:
            return []
        anchor = before[-40:]
        at = text.find(anchor, at) + len(anchor) if anchor in text[at:] else -1
        for id_, piece in zip(ids, pieces, strict=True):
            end = text.find(piece, at) if piece else text.find("\n", at)
            end = len(text) if end < 0 and not piece else end
            if at < 0 or not 0 <= end - at <= _LONGEST:
                return []
            gap = _ANY_MARK.sub("", text[at:end]).strip(" _[]{}")
            if asked.options and not gap.strip("()").isalpha() and not asked.reads(gap):
                return []
            found.append(Blank(id_, gap))
            at = end + len(piece)
    return found if any(settled(blank.text) for blank in found) else []

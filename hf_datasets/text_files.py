"""Official text files (JSON Lines, CSV): found by name, read in bounded memory; an error names file, line and id."""

from __future__ import annotations

import csv
import json
import os
import re
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from types import NoneType
from typing import Any, NoReturn

from hf_datasets.repo import FileFaultError, MissingError
from hueval_metrics.errors import DataError
from hueval_metrics.one_line import one_line
from hueval_metrics.text.files import open_file

MAX_LINE = 16 * 2**20  # bytes; the longest published row is a thousandth of this
FRESH = "take a fresh copy"

_SIGNATURES = {
    b"PK\x03\x04": "a zip archive",
    b"\x1f\x8b": "a gzip archive",
    b"BZh": "a bzip2 archive",
    b"\xfd7zXZ\x00": "an xz archive",
    b"\x28\xb5\x2f\xfd": "a zstd archive",
    b"PAR1": "a Parquet file",
    b"version https://git-lfs": "a git-lfs pointer (run git lfs pull where it came from)",
    b"\xff\xfe": "UTF-16 text",
    b"\xfe\xff": "UTF-16 text",
}
_NAMES: dict[type, str] = {
    NoneType: "null",
    bool: "a true/false value",
    int: "a number",
    float: "a number",
    str: "a string",
    list: "a list",
    dict: "an object",
}
_MAX_DEPTH = 3  # folders deep: a data set's folder, not a whole disk
_SETTLED_NS = 2 * 10**9  # resolution of the coarsest time stamps: two changes within it may look like one
_listed: dict[Path, tuple[dict[Path, int], tuple[Path, ...]]] = {}  # folder → when it changed, and its files
_BOM = b"\xef\xbb\xbf"
_ID_IN_BROKEN_ROW = re.compile(r'"(?:qid|id|session_id)"\s*:\s*"([^"\\]+)"')


def find_one(folder: Path, fits: Callable[[Path], bool], wanted: str) -> Path:
    """The one file in a folder, up to three folders deep, that fits; hidden ones are skipped.

    Args:
        folder: where to look.
        fits: whether a file is the one, given its path below the folder.
        wanted: the expected name, for the message.

    Raises:
        MissingError: there is none.
        DataError: there are two, or the folder cannot be read.
    """
    return the_one(folder, lambda files: filter(fits, files), wanted)


def the_one(folder: Path, among: Callable[[tuple[Path, ...]], Iterable[Path]], wanted: str) -> Path:
    """The only file that fits, of all files below a folder; as `find_one`, for a caller that sorts them all at once.

    Args:
        folder, wanted: as for `find_one`.
        among: from all files those that fit, as paths below the folder.
    """
    shown = one_line(folder, 200)
    try:
        found = list(among(files_below(folder)))
    except OSError as problem:
        raise DataError(f"cannot read {shown} ({problem.strerror}). Fix its permissions") from None
    if not found:
        raise MissingError(f"{shown} has no {wanted}. Put the file there, or name another folder")
    if len(found) > 1:
        names = " and ".join(one_line(path, 80) for path in found[:2])
        raise DataError(f"{shown} has {wanted} twice: {names}. Leave one of them there")
    return folder / found[0]


def files_below(folder: Path) -> tuple[Path, ...]:
    """The files up to three folders deep, sorted, as paths below the folder; hidden ones are skipped.

    A folder that has not changed is listed once in a process, however many files are looked for in it.
    """
    changed, files = _listed.get(folder, ({}, ()))
    if changed and changed == {path: _changed(path) for path in changed}:
        return files
    now, changed = time.time_ns(), {}
    files = tuple(sorted(_list(folder, Path(), changed)))
    if max(changed.values(), default=now) < now - _SETTLED_NS:
        _listed[folder] = changed, files
    return files


def _list(folder: Path, inside: Path, changed: dict[Path, int]) -> Iterator[Path]:
    """The files of a folder; the time of the last change of each folder that was looked at goes to `changed`."""
    try:
        changed[folder] = _changed(folder)
        entries = list(os.scandir(folder))
    except (FileNotFoundError, NotADirectoryError):
        return
    except PermissionError:
        if inside.parts:  # somebody else's folder in that of the data
            return
        raise
    for entry in entries:
        if entry.name.startswith("."):
            continue
        below = inside / entry.name
        if entry.is_file():
            yield below
        elif len(below.parts) < _MAX_DEPTH and entry.is_dir():
            yield from _list(folder / entry.name, below, changed)


def _changed(folder: Path) -> int:
    try:
        return folder.stat().st_mtime_ns
    except FileNotFoundError:
        return 0


def text_lines(path: Path, expected: str = "text", fresh: str = FRESH) -> Iterator[str]:
    """The lines of a UTF-8 file with their line feeds; a BOM is dropped.

    Only a line feed ends a line: published rows contain U+0085, at which `str.splitlines` would cut.

    Args:
        path: the file.
        expected: the expected kind of file, for messages.
        fresh: how to get another copy, for messages.

    Raises:
        DataError: the file cannot be read, is not text, or has a line of more than MAX_LINE bytes.
    """
    number = 0
    try:
        with open_file(path) as file:
            if kind := foreign_kind(file.read(512)):
                refuse(path, f"is {kind}, expected {expected}", "Unpack or replace it", fresh)
            file.seek(0)
            while line := file.readline(MAX_LINE + 1):
                number += 1
                yield _decoded(path, number, line.removeprefix(_BOM) if number == 1 else line, fresh)
    except OSError as problem:
        fault = f"cannot read {one_line(path, 200)} ({problem.strerror})"
        raise DataError(f"{fault}. Fix its permissions, or use another copy") from None


def json_rows(path: Path, fresh: str = FRESH) -> Iterator[tuple[str, dict[str, Any]]]:
    """The objects of a JSON Lines file, each with its place, such as `line 3`; blank lines are skipped.

    Args:
        path, fresh: as for `text_lines`.

    Raises:
        DataError: as for `text_lines`; a line is not a JSON object; there are no rows.
    """
    empty = True
    for number, line in enumerate(text_lines(path, "JSON Lines", fresh), start=1):
        if not line.strip():
            continue
        empty = False
        try:
            row = json.loads(line, parse_constant=_no_constant)
        except (ValueError, RecursionError) as problem:  # ValueError: a number of 5,000 digits too
            broken = _ID_IN_BROKEN_ROW.search(line)
            where = f"line {number}{with_id(broken and broken[1])}"
            refuse(path, f"{where}: is cut short or not JSON ({one_line(problem, 80)})", "Fix the line", fresh)
        if not isinstance(row, dict):
            refuse(path, f"line {number}: is {json_type(row)}, expected an object", "Fix the line", fresh)
        yield f"line {number}", row
    if empty:
        refuse(path, "is empty, expected a JSON object a line", "Put the rows back", fresh)


def csv_rows(path: Path, columns: Sequence[str]) -> Iterator[tuple[str, dict[str, str]]]:
    r"""The rows of a CSV file with a header, each with its place, such as `row 3 (line 7)`.

    Reads what spreadsheets and pandas write: quoted fields with line breaks, a BOM, CRLF. Line breaks in a field become
    `\n`, so that the same table saved on another system gives the same rows. Empty lines are skipped.

    Args:
        path: the file.
        columns: those to read; their letter case does not matter, nor their order, nor which others there are.

    Yields:
        Place and cells by column, spelled as in `columns`.

    Raises:
        DataError: the file cannot be read, is not CSV, lacks a column, or a row has too many or too few cells.
    """
    reader = csv.reader(text_lines(path), strict=True)
    records = _records(path, reader)
    header = next(records, None)
    if header is None:
        refuse(path, f"is empty, expected a table with the columns {', '.join(columns)}")
    place_of = _places(path, header, columns)
    number = 0
    for number, cells in enumerate(records, start=1):
        place = f"row {number} (line {reader.line_num})"
        if len(cells) != len(header):
            refuse(path, f"{place} has not {len(header)} cells as the header has but {len(cells)}")
        yield place, {column: cells[at].replace("\r\n", "\n") for column, at in place_of.items()}
    if not number:
        refuse(path, "has a header and no rows, expected at least one")


def foreign_kind(content: bytes) -> str | None:
    """The kind of a file by its first bytes; None when it may be JSON Lines.

    >>> foreign_kind(b"<!DOCTYPE html><html>Sign in to the hotel network</html>")
    'a web page or XML'
    """
    for signature, kind in _SIGNATURES.items():
        if content.startswith(signature):
            return kind
    return "a web page or XML" if content[:200].lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"<") else None


def json_type(value: object) -> str:
    """The JSON name of a value's type, with its article.

    >>> json_type([1])
    'a list'
    """
    return _NAMES.get(type(value), type(value).__name__)


def with_id(row_id: object) -> str:
    """A row's id as it follows its place in a message; empty where the value is not an id.

    >>> with_id("q1"), with_id(None)
    (' (qid q1)', '')
    """
    return f" (qid {one_line(row_id, 40)})" if isinstance(row_id, str) and row_id.strip() else ""


def refuse(path: Path, fault: str, fix: str = "Fix it", fresh: str = FRESH) -> NoReturn:
    """Raise a FileFaultError of one line.

    Args:
        path: the file.
        fault: the text after the file's name.
        fix: the text before "in PATH".
        fresh: how to get another copy.
    """
    raise FileFaultError(f"{one_line(path.name, 80)} {fault}", f"{fix} in {one_line(path, 200)}, or {fresh}")


def _decoded(path: Path, number: int, line: bytes, fresh: str) -> str:
    if len(line) > MAX_LINE:
        refuse(path, f"line {number} is longer than {MAX_LINE // 2**20} MiB, expected a row", "Fix the line", fresh)
    if b"\0" in line:
        refuse(path, f"line {number} contains a NUL byte, expected text", "Replace the damaged file", fresh)
    try:
        return line.decode("utf-8")
    except UnicodeDecodeError as error:
        if error.end == len(line) and error.reason == "unexpected end of data":
            refuse(path, f"line {number}: is cut short inside a character", "Fix the line", fresh)
        byte = f"line {number} contains byte 0x{line[error.start]:02x}, expected UTF-8"
        refuse(path, byte, "Save it as UTF-8", fresh)


def _no_constant(spelling: str) -> NoReturn:
    raise ValueError(f"{spelling} is not JSON")


def _records(path: Path, reader: Any) -> Iterator[list[str]]:
    """The records that are not empty; an error names the last line that could be read."""
    before = 0
    while True:
        try:
            cells = next(reader, None)
        except csv.Error as problem:
            fault = f"what follows line {before} is not CSV ({one_line(problem, 80)})"
            refuse(path, fault, "Look for a quotation mark that is not closed or not doubled")
        if cells is None:
            return
        before = reader.line_num
        if cells:
            yield cells


def _places(path: Path, header: Sequence[str], columns: Sequence[str]) -> dict[str, int]:
    """Index of each column."""
    found = [name.strip().casefold() for name in header]
    for column in columns:
        if (count := found.count(column.casefold())) != 1:
            found_count = f"{count} columns" if count else "no column"
            names = one_line(", ".join(header), 80)
            refuse(path, f'has {found_count} called "{column}" (it has {names}), expected {", ".join(columns)}')
    return {column: found.index(column.casefold()) for column in columns}

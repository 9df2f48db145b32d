"""Checks of the bytes of source files, which cannot be made on converted rows.

A byte order mark, line ends, NUL bytes, columns that only some rows have, columns with values of several types.
"""

from __future__ import annotations

import csv
from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from hf_datasets.cache import file_blob_id
from hf_datasets.checks.findings import Finding, Tally
from hf_datasets.json_stream import JsonFaultError, array_entries, utf8_pieces
from hf_datasets.opened import source_files
from hf_datasets.repo import DatasetRepo
from hf_datasets.text_files import foreign_kind, json_rows, json_type
from hueval_metrics.errors import DataError
from hueval_metrics.one_line import one_line
from hueval_metrics.text.foreign import parse_json

_BOM = b"\xef\xbb\xbf"
LONG_LINE = 2**20  # bytes; many programs read a file line by line
_SUFFIXES = (".json", ".jsonl", ".csv")
_ONE_OBJECT = 2**20  # bytes; a file of one object has one row
_COLUMNS = 1000  # an object with more names uses ids as names
_MANY = "(values beyond the last column)"


def source_findings(repo: DatasetRepo, folder: Path, *, compare: bool = True) -> Iterator[Finding]:
    """Faults of the files of a folder in upstream's layout.

    Args:
        repo: the data set.
        folder: their folder.
        compare: whether they should be the official files.

    Raises:
        DataError: one of them is a link that leads out of the folder.
    """
    blob_ids = {source.path: source.blob_id for source in repo.sources if compare}
    for name, path in source_files(repo, folder).items():
        yield from _file_findings(path, name, blob_ids.get(name))


def _file_findings(path: Path, name: str, blob_id: str | None) -> Iterator[Finding]:
    tally = Tally(name, "")
    try:
        found = file_blob_id(path)
        if blob_id not in (None, found):
            tally.add("warning", "not the published file", f"git blob id {found}, expected {blob_id}")
        if path.suffix in _SUFFIXES:
            _look_at_bytes(path, tally)
            _look_at_columns(path, tally)
    except OSError as problem:
        tally.add("error", "unreadable file", problem.strerror or one_line(problem))
    except (DataError, JsonFaultError, csv.Error, UnicodeDecodeError) as fault:
        tally.add("error", "damaged file", one_line(fault))
    yield from tally.findings()


def _look_at_bytes(path: Path, tally: Tally) -> None:
    """Line ends, long lines, and whether the file is text."""
    with path.open("rb") as file:
        start = file.peek()
        if kind := foreign_kind(start):
            raise JsonFaultError(f"is {kind}")
        if start.startswith(_BOM):
            tally.add("warning", "byte order mark (BOM) at the start of the file")
        number, length = 1, 0
        while piece := file.readline(LONG_LINE):
            length += len(piece)
            if piece.endswith(b"\r\n"):
                tally.add("warning", "Windows line endings (CR LF)")
            if length > LONG_LINE >= length - len(piece) and path.suffix != ".json":  # an array may be in one line
                tally.add("warning", f"lines longer than {LONG_LINE // 2**20} MiB", f"line {number}")
            if piece.endswith(b"\n"):
                number, length = number + 1, 0


def _look_at_columns(path: Path, tally: Tally) -> None:
    """Columns that some rows lack, and columns with values of several types."""
    rows, columns, types = 0, Counter[str](), Counter[tuple[str, str]]()
    first: dict[tuple[str, str], int] = {}
    for number, row in enumerate(_raw_rows(path), start=1):
        if not isinstance(row, Mapping):
            tally.add("error", "rows that are not objects", f"row {number} is {json_type(row)}")
            continue
        rows += 1
        for name, value in row.items():
            if name in columns or len(columns) < _COLUMNS:
                columns[name] += 1
                kind = (name, json_type(value))
                types[kind] += 1
                first.setdefault(kind, number)
    for name, count in columns.items():
        if 2 * count <= rows:
            where = min(row for (column, _), row in first.items() if column == name)
            tally.add("warning", f"column in only {count:,} of {rows:,} rows", f'"{name}", first in row {where}')
        elif count < rows:
            tally.add("warning", f"column missing in {rows - count:,} of {rows:,} rows", f'"{name}"')
        kinds = [kind for column, kind in types if column == name and kind != "null"]
        if len(kinds) > 1:
            shown = ", ".join(f"{kind} {types[name, kind]:,}× (row {first[name, kind]})" for kind in kinds)
            tally.add("warning", "column with mixed types", f'"{name}": {shown}')


def _raw_rows(path: Path) -> Iterator[Any]:
    if path.suffix == ".csv":
        with path.open(encoding="utf-8-sig", newline="") as text:
            # Columns that a short row lacks are left out, as in a JSON object.
            for row in csv.DictReader(text, restkey=_MANY):
                yield {name: value for name, value in row.items() if value is not None}
    elif _is_array(path):
        with path.open("rb") as file:
            yield from array_entries(utf8_pieces(file))
    elif path.suffix == ".json" and path.stat().st_size < _ONE_OBJECT and (found := _object(path)) is not None:
        yield found
    else:
        for _, row in json_rows(path):
            yield row


def _object(path: Path) -> dict[str, Any] | None:
    """The JSON object that a file is, which may span several lines; None for anything else, such as JSON Lines."""
    try:
        value = parse_json(path.read_text(encoding="utf-8-sig"))
    except ValueError:
        return None
    return value if isinstance(value, dict) else None


def _is_array(path: Path) -> bool:
    with path.open("rb") as file:
        return file.peek().removeprefix(_BOM).lstrip().startswith(b"[")

"""Official text files: found by name, read line by line in bounded memory, each fault named with its line."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, NoReturn

from pydantic import ValidationError

from hf_datasets.file_kind import foreign_kind
from hf_datasets.json_types import json_type
from hf_datasets.repo import MissingError
from hueval_metrics.records import DataError
from hueval_metrics.text.one_line import one_line

MAX_LINE = 16 * 2**20  # bytes; the longest published row is a thousandth of this
Spelled = Mapping[tuple[int | str, ...], str]  # the official name of a field or column, by its place in our row

_MAX_DEPTH = 3  # folders deep: a dataset's folder, not a whole disk
_BOM = b"\xef\xbb\xbf"


def find_one(folder: Path, fits: Callable[[Path], bool], wanted: str) -> Path:
    """The one file in a folder, up to three folders deep, that fits; hidden ones are passed over.

    Args:
        folder: where to look.
        fits: whether a file, its path taken from the folder, is the one.
        wanted: the name that is expected, for the message.

    Raises:
        MissingError: there is none.
        DataError: there are two, or the folder cannot be read.
    """
    shown = one_line(folder, 200)
    patterns = ("/".join("*" * depth) for depth in range(1, _MAX_DEPTH + 1))
    try:
        inside = [path.relative_to(folder) for pattern in patterns for path in folder.glob(pattern)]
        found = sorted(path for path in inside if _is_visible(path) and fits(path) and (folder / path).is_file())
    except OSError as problem:
        raise DataError(f"cannot read {shown} ({problem.strerror}). Mend its permissions") from None
    if not found:
        raise MissingError(f"{shown} has no {wanted}. Put the file there, or name another folder")
    if len(found) > 1:
        names = " and ".join(one_line(path, 80) for path in found[:2])
        raise DataError(f"{shown} has {wanted} twice: {names}. Leave one of them there")
    return folder / found[0]


def text_lines(path: Path) -> Iterator[str]:
    """The lines of a UTF-8 file with their ends, which are line feeds only; a BOM is dropped.

    Raises:
        DataError: the file cannot be read, is something else than text, or has a line of more than MAX_LINE bytes.
    """
    number = 0
    try:
        with path.open("rb") as file:
            if kind := foreign_kind(file.peek()):
                refuse(path, f"is {kind}, expected text", "Unpack or replace it")
            while line := file.readline(MAX_LINE + 1):
                number += 1
                if number == 1:
                    line = line.removeprefix(_BOM)
                yield _decoded(path, number, line)
    except OSError as problem:
        fault = f"cannot read {one_line(path, 200)} ({problem.strerror})"
        raise DataError(f"{fault}. Mend its permissions, or use another copy") from None


def json_rows(path: Path) -> Iterator[tuple[str, dict[str, Any]]]:
    """The objects of a JSON Lines file, each with its place, such as `line 3`; blank lines are passed over.

    Raises:
        DataError: as for `text_lines`; a line is not a JSON object; there is none at all.
    """
    empty = True
    for number, line in enumerate(text_lines(path), start=1):
        if not line.strip():
            continue
        empty = False
        try:
            row = json.loads(line, parse_constant=_no_constant)
        except (ValueError, RecursionError) as problem:  # ValueError: a number of 5,000 digits too
            refuse(path, f"line {number} is cut short or not JSON ({one_line(problem, 80)})")
        if not isinstance(row, dict):
            refuse(path, f"line {number} is {json_type(row)}, expected an object")
        yield f"line {number}", row
    if empty:
        refuse(path, "is empty, expected a JSON object a line")


def first_fault(error: ValidationError, spelled: Spelled) -> str:
    """The first fault that pydantic found in a converted row, told of the field or column of the official file.

    Args:
        error: what pydantic raised.
        spelled: the official name of a location, such as `("choices", 2)` → `C`, where it is not the location's own.
    """
    fault = error.errors(include_url=False)[0]
    name = spelled.get(fault["loc"], ".".join(map(str, fault["loc"])))
    if fault["type"] == "string_unicode":
        return f'"{name}" holds half a surrogate pair, expected Unicode text'
    if fault["type"] in ("string_type", "string_pattern_mismatch"):
        return f'"{name}" is {kind_of(fault["input"])}, expected text'
    return str(fault["msg"])  # of our own validators


def kind_of(value: object) -> str:
    """What a value is, as a message says it.

    >>> kind_of(None), kind_of(" "), kind_of("Buda"), kind_of(7)
    ('missing', 'blank', '"Buda"', 'a number')
    """
    if value is None:
        return "missing"
    if isinstance(value, str):
        return f'"{one_line(value, 40)}"' if value.strip() else "blank"
    return json_type(value)


def refuse(path: Path, fault: str, mend: str = "Mend it, or take a fresh copy of the file") -> NoReturn:
    """Raise what is wrong with a file, in one line."""
    raise DataError(f"{one_line(path, 200)}: {fault}. {mend}")


def _is_visible(path: Path) -> bool:
    return not any(part.startswith(".") for part in path.parts)


def _decoded(path: Path, number: int, line: bytes) -> str:
    if len(line) > MAX_LINE:
        refuse(path, f"line {number} is longer than {MAX_LINE // 2**20} MiB, expected a row")
    if b"\0" in line:
        refuse(path, f"line {number} holds a NUL byte, expected text")
    try:
        return line.decode("utf-8")
    except UnicodeDecodeError as problem:
        refuse(path, f"line {number} holds byte 0x{line[problem.start]:02x}, expected UTF-8")


def _no_constant(spelling: str) -> NoReturn:
    raise ValueError(f"{spelling} is not JSON")

"""Read JSON Lines one row at a time, from files that anyone may have written."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

from hueval_metrics.errors import InputError
from hueval_metrics.text.files import open_file
from hueval_metrics.text.foreign import parse_json

MAX_LINE = 2**26  # bytes; the longest replies have some hundred thousand
_MARK = b"\xef\xbb\xbf"  # of UTF-8, as some editors write it at the start of a file


class Line(NamedTuple):
    """One row of a file.

    Attributes:
        number: of its line, from 1.
        start, length: where its text is in the file, in bytes.
        row: the object in it.
    """

    number: int
    start: int
    length: int
    row: dict[str, Any]


def read_lines(
    file: Path, on_fault: Callable[[str], None] | None = None, only: Iterable[int] | None = None
) -> Iterator[Line]:
    """The rows of a JSON Lines file; blank lines are none.

    Args:
        file: the file.
        on_fault: takes what is wrong with a line, which is then passed over; None to raise it.
        only: the numbers of the lines to read, rising; None for all.

    Raises:
        InputError: the file cannot be read, or a line is longer than MAX_LINE; without `on_fault` also a line that is
            not UTF-8, or no JSON object.
    """
    try:
        with open_file(file) as source:
            start, number = 0, 0
            wanted = None if only is None else iter(only)
            following = next(wanted, 0) if wanted else -1  # the next line to read; none after 0
            while following and (line := source.readline(MAX_LINE + 1)):
                number += 1
                if wanted is not None and number != following:
                    start += len(line)
                    continue
                if len(line) > MAX_LINE:
                    raise InputError(
                        f"{file} line {number}: longer than {MAX_LINE // 2**20} MiB, which no prediction is. "
                        "Is it JSON Lines, one object a line?"
                    )
                following = next(wanted, 0) if wanted else -1
                text = line.removeprefix(_MARK) if number == 1 else line
                start += len(line) - len(text)
                is_left_out = not text or text.isspace()
                if not is_left_out and (row := _row(text, file, number, on_fault)) is not None:
                    yield Line(number, start, len(text), row)
                start += len(text)
    except OSError as error:
        raise InputError(f"{file}: cannot be read ({error.strerror})") from None


def _row(line: bytes, file: Path, number: int, on_fault: Callable[[str], None] | None) -> dict[str, Any] | None:
    try:
        return parse_row(line, file, number)
    except InputError as error:
        if on_fault is None:
            raise
        on_fault(str(error))
        return None


def parse_row(line: bytes, file: Path, number: int) -> dict[str, Any]:
    """The JSON object in a line.

    Args:
        line: UTF-8, without a byte order mark.
        file, number: where it is, for messages.

    Raises:
        InputError: it is not UTF-8, or no JSON object.
    """
    try:
        data = parse_json(line.decode())
    except UnicodeDecodeError as error:
        raise InputError(
            f"{file} line {number}: not UTF-8 text ({error.reason}). Save it as UTF-8 JSON Lines"
        ) from None
    except ValueError as error:
        raise InputError(
            f"{file} line {number}: not JSON ({error}). Was the file cut off? Remove or fix the line"
        ) from None
    if not isinstance(data, dict):
        raise InputError(f"{file} line {number}: expected a JSON object, got {type(data).__name__}")
    return data

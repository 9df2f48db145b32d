"""`hueval cache export|import`: the judge's replies as lines of JSON, to keep or to carry to another machine."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, nullcontext
from pathlib import Path
from typing import Any

from hueval_metrics.judge.cache.rows import PAGE, Complaints, database, parsed, problem, rows, write
from hueval_metrics.records import InputError
from hueval_metrics.text.files import open_file, whole_file
from hueval_metrics.text.one_line import one_line

STDIO = Path("-")
_PAGE_SIZE = 2**20  # characters that are written at a time
_LINE_CAP = 32 * 2**20  # bytes; a reply has 4 MiB at most, and JSON may take six bytes for one
_FIELDS = ("reply", "model", "rubric", "at", "prompt_tokens", "completion_tokens")
_INSERT = "INSERT OR IGNORE INTO replies VALUES (?, ?)"


def export_replies(target: Path, folder: Path | None = None) -> int:
    """Write every reply as a line of JSON, by key: `key`, `reply`, `model`, `rubric`, `at` and the tokens.

    Args:
        target: a file, there whole or not at all; `-` for the standard output.
        folder: the folder of the files; None for the library's own.

    Returns:
        The exit status, 0.

    Raises:
        InputError: there is no cache, or the file cannot be written.
        DataError: the cache cannot be read.
    """
    count = left_out = 0
    with database(folder) as db, _writer(target) as write_text:
        for row in rows(db):
            if row.problem:
                left_out += 1
            else:
                write_text(json.dumps({"key": row.key} | _known(row.record)) + "\n")
                count += 1
    others = f", rows left out: {left_out:,} (hueval cache verify says why)" if left_out else ""
    print(f"Replies exported: {count:,}{others}", file=sys.stderr if target == STDIO else sys.stdout)
    return 0


def import_replies(source: Path, folder: Path | None = None) -> int:
    """Add the replies of an export that are missing here; one that is here stays as it is.

    Args:
        source: the file; `-` for the standard input. A line that is no reply is refused, and the rest goes on.
        folder: the folder of the files, made where it is missing; None for the library's own.

    Returns:
        The exit status: 0, or 1 when a line was refused.

    Raises:
        InputError: the file cannot be read.
        DataError: the cache cannot be written.
    """
    if source != STDIO and not source.exists():
        raise InputError(f"{source}: no such file")
    refused = Complaints()
    total = added = size = 0
    page: list[tuple[str, str]] = []
    with database(folder, make=True) as db:
        for number, line in _lines(source):
            try:
                key, record = _row(line)
            except ValueError as fault:
                refused.add(f"{one_line(source, 200)} line {number}: refused, {fault}")
                continue
            page.append((key, record))
            total, size = total + 1, size + len(record)
            if len(page) >= PAGE or size >= _PAGE_SIZE:
                added, size = added + write(db, _INSERT, page), 0
                page.clear()
        added += write(db, _INSERT, page)
    print(f"Replies added: {added:,}, here already: {total - added:,}, lines refused: {refused.count:,}")
    return 1 if refused.count else 0


def _row(line: bytes | None) -> tuple[str, str]:
    """The key and the record in a line; ValueError says why there are none."""
    if line is None:
        raise ValueError(f"it is longer than {_LINE_CAP >> 20} MiB")
    row = parsed(line)
    if fault := problem(row.get("key"), row) if isinstance(row, dict) else "it is no JSON object":
        raise ValueError(fault)
    return row["key"], json.dumps(_known(row))


def _known(record: Mapping[str, Any]) -> dict[str, Any]:
    return {name: record[name] for name in _FIELDS if name in record}


@contextmanager
def _writer(target: Path) -> Iterator[Callable[[str], object]]:
    """What writes a piece of ASCII text to the target."""
    if target == STDIO:
        yield sys.stdout.write
        sys.stdout.flush()
    else:
        with whole_file(target) as write_bytes:
            yield lambda text: write_bytes(text.encode("ascii"))


def _lines(source: Path) -> Iterator[tuple[int, bytes | None]]:
    """Lines and their numbers, blank ones left out; None for one that is too long to be a reply."""
    try:
        with nullcontext(sys.stdin.buffer) if source == STDIO else open_file(source) as file:
            number = 0
            while line := file.readline(_LINE_CAP + 1):
                number += 1
                is_long = len(line) > _LINE_CAP
                while is_long and line and not line.endswith(b"\n"):
                    line = file.readline(_LINE_CAP)
                if is_long or line.strip():
                    yield number, None if is_long else line
    except OSError as error:
        raise InputError(f"{source}: cannot be read ({error.strerror})") from None

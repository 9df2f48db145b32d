"""The rows of the judge's cache as its administration sees them: page by page, each with what is wrong with it.

Each page is a short transaction, so that a judging under way hardly waits, and a million replies need no more memory
than a thousand.
"""

from __future__ import annotations

import json
import re
import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from datetime import datetime
from itertools import chain
from pathlib import Path
from typing import Any, NamedTuple

from hueval_metrics.judge.cache.file import NewerFormatError, cache_file, connect, is_damage
from hueval_metrics.records import DataError, InputError

PAGE = 500  # rows
SHOWN = 20  # problems that are printed
MEND_DAMAGE = "The next judged run that meets the damage sets the file aside and begins anew; or delete it now"
_MOST_TOKENS = 10**9
_KEY = re.compile(r"[0-9a-f]{64}")
_RUBRIC = re.compile(r"[^\s/]+/[^\s/]+")  # name/version
_SELECT = (
    "SELECT key, CAST(record AS BLOB) FROM replies WHERE typeof(key) = 'text' AND key > CAST(? AS TEXT) "
    f"ORDER BY key LIMIT {PAGE}"
)


class Row(NamedTuple):
    """A row.

    Attributes:
        key: as it should be from `request_key`.
        text: the record as it is stored.
        record: it as JSON.
        problem: what is wrong with it; None when nothing is.
    """

    key: str
    text: bytes
    record: Any
    problem: str | None


def problem(key: object, record: object) -> str | None:
    """What is wrong with a row; None when nothing is.

    Args:
        key: should be a SHA-256 in hexadecimal.
        record: should be the object that `ReplyCache.put` writes.

    >>> problem("ab", {})
    'its key is no SHA-256 in 64 hexadecimal digits'
    """
    if not isinstance(key, str) or not _KEY.fullmatch(key):
        return "its key is no SHA-256 in 64 hexadecimal digits"
    if not isinstance(record, dict):
        return "it is no JSON object"
    for name in ("reply", "model", "rubric", "at"):
        if not isinstance(record.get(name), str) or not record[name]:
            return f'"{name}" is no text'
    if not _RUBRIC.fullmatch(record["rubric"]):
        return '"rubric" is not of the form name/version'
    if _date(record["at"]) is None:
        return '"at" is no date with a time zone, such as 2025-01-31T12:00:00+00:00'
    for name in ("prompt_tokens", "completion_tokens"):
        count = record.get(name, 0)
        if type(count) is not int or not 0 <= count <= _MOST_TOKENS:
            return f'"{name}" is no number of tokens'
    return None


def _date(text: str) -> datetime | None:
    try:
        date = datetime.fromisoformat(text)
    except ValueError:
        return None
    return date if date.tzinfo else None


def parsed(record: bytes) -> Any:
    """A record as JSON; None when it is not."""
    try:
        return json.loads(record.decode("utf-8"))
    except (ValueError, RecursionError):
        return None


@contextmanager
def database(folder: Path | None, *, make: bool = False) -> Iterator[sqlite3.Connection]:
    """The cache, opened; closed at the end of the `with` block.

    Args:
        folder: the folder of the files; None for the library's own.
        make: whether to make it where it is missing.

    Raises:
        InputError: there is none.
        DataError: SQLite has something to say against it, now or within the block.
    """
    file = cache_file(folder)
    if not make and not file.exists():
        raise InputError(f"{file}: no cache there. A judged run makes it; --dir names the folder of another one")
    try:
        db = connect(file)
    except (OSError, NewerFormatError) as error:
        reason = error.strerror if isinstance(error, OSError) else error
        raise DataError(f"{file}: cannot be opened ({reason})") from None
    except sqlite3.Error as error:
        raise _failure(file, error) from None
    with closing(db):
        try:
            yield db
        except sqlite3.Error as error:
            raise _failure(file, error) from None


def _failure(file: Path, error: sqlite3.Error) -> DataError:
    if is_damage(error):
        return DataError(f"{file}: damaged ({error}). {MEND_DAMAGE}")
    return DataError(f"{file}: {error}. Free some space there, or try again when no other process holds it")


def pages(db: sqlite3.Connection) -> Iterator[list[Row]]:
    """All rows, by key, some hundred at a time; nothing is locked in between."""
    last = b""
    while page := db.execute(_SELECT, (last,)).fetchall():
        yield [_row(key.decode("utf-8", "replace"), text) for key, text in page]
        last = page[-1][0]


def rows(db: sqlite3.Connection) -> Iterator[Row]:
    """All rows, by key."""
    return chain.from_iterable(pages(db))


def _row(key: str, text: bytes) -> Row:
    record = parsed(text)
    return Row(key, text, record, problem(key, record))


def write(db: sqlite3.Connection, statement: str, values: Sequence[tuple[str, str | bytes]]) -> int:
    """Run a statement for each pair of values, in one short transaction; how many rows that changed."""
    if not values:
        return 0
    with db:
        db.execute("BEGIN IMMEDIATE")
        return db.executemany(statement, values).rowcount


class Complaints:
    """Problems, printed as they come; beyond `SHOWN` they are only counted.

    Attributes:
        count: how many there were so far.
    """

    def __init__(self) -> None:
        self.count = 0

    def add(self, text: str) -> None:
        """Count one, and print it in a line."""
        self.count += 1
        if self.count <= SHOWN:
            print(text)
        elif self.count == SHOWN + 1:
            print("… further ones are counted only")

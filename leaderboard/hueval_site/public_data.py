"""The data of a board that everybody may have: an example for its page, downloads, and what must not be there."""

from __future__ import annotations

import hashlib
import logging
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

from django.conf import settings

from hueval_metrics.api.boards import Row, json_text, one_line
from hueval_metrics.errors import DataError, HuevalError
from hueval_site.boards import Board

BLOCK = 2**20  # bytes that are hashed at a time

log = logging.getLogger(__name__)


@dataclass(frozen=True)
class DataFile:
    """A file to download.

    Attributes:
        path: where it lies.
        name: its path below the folder of public data, by which the site offers it.
        size: in bytes.
        sha256: its hash, in hexadecimal digits.
    """

    path: Path
    name: str
    size: int
    sha256: str


def example_row(board: Board) -> Mapping[str, str]:
    """The row that the page of a board shows: field → text, without hidden fields and those that it lacks.

    Nothing where the site does not have the data, or where they are broken; `hueval site check` tells which.
    """
    rows = _rows(board)
    if not rows:
        return {}
    row = rows[min(board.example.row, len(rows)) - 1]
    fields = board.example.fields or tuple(row)
    return {name: _text(row[name]) for name in fields if name not in board.hidden and row.get(name) not in (None, [])}


def example_file(board: Board) -> str:
    """The first lines of a file for a board; nothing where the site does not have its data."""
    try:
        return board.submission_format.example(board.public_target)
    except (HuevalError, OSError):
        return ""


def files(board: Board) -> tuple[DataFile, ...]:
    """The files that the site offers for a board: those that it declares and the site has.

    None if the public file of a board with hidden answers has answers: then somebody put the wrong one there, and it
    must not go out.
    """
    if has_hidden_answers(board):
        log.error("%s: the public data have the hidden answers. Nothing is offered until they are replaced", board.task)
        return ()
    folder = settings.CONFIG.data_dir.resolve()
    found = ((name, (folder / name).resolve()) for name in board.download.files)
    return tuple(_described(name, path) for name, path in found if path.is_file() and path.is_relative_to(folder))


def has_hidden_answers(board: Board) -> bool:
    """Whether the public data of a board have any of the fields that are hidden."""
    return any(row.get(name) is not None for row in _rows(board) for name in board.hidden) if board.hidden else False


def fault(board: Board) -> str | None:
    """Why the public data of a board cannot be used, in one line; None where they can."""
    try:
        board.rows(settings.CONFIG.data_dir)
    except DataError as error:
        return one_line(error, 500)
    if has_hidden_answers(board):
        return f"{board.task}: its public data have the hidden answers. Replace them by the published file"
    return None


def _rows(board: Board) -> list[Row]:
    try:
        return board.rows(settings.CONFIG.data_dir)
    except DataError as error:
        log.debug("%s: no example and no downloads (%s)", board.task, one_line(error, 200))
        return []


def _text(value: Any) -> str:
    """A field as a reader sees it: a list line by line, what has parts as JSON."""
    if isinstance(value, list) and all(isinstance(part, str) for part in value):
        return "\n".join(value)
    return value if isinstance(value, str) else json_text(value)


def _described(name: str, path: Path) -> DataFile:
    status = path.stat()
    return DataFile(path, name, status.st_size, _sha256(path, status.st_mtime_ns, status.st_size))


@lru_cache(maxsize=1_000)
def _sha256(path: Path, changed: int, size: int) -> str:
    """The hash of a file as it was at that time."""
    digest = hashlib.sha256()
    with path.open("rb") as file:
        while block := file.read(BLOCK):
            digest.update(block)
    return digest.hexdigest()

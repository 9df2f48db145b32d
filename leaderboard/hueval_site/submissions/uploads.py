"""Files as users send them: their names, their bytes on the disk, and the boards that they are for."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import IO

from django.conf import settings
from django.core.files.base import File
from django.utils.translation import gettext as _

from hueval_metrics.api.boards import one_line, task_in
from hueval_site.boards import Board, boards


@dataclass(frozen=True)
class Given:
    """A file and what it is for.

    Attributes:
        board: the board.
        file: its bytes.
        name: as the user calls it.
        shown: the same with its folders, for messages.
    """

    board: Board
    file: File[bytes]
    name: str
    shown: str


def assigned(files: Sequence[tuple[str, Path]], stack: ExitStack) -> tuple[list[Given], dict[str, str]]:
    """The files with the boards that they are for.

    Args:
        files: name and place of each.
        stack: closes them.

    Returns:
        The files, and name → why not of those whose board cannot be told, or has another one already.
    """
    refused: dict[str, str] = {}
    found: dict[str, Given] = {}
    for shown, path in files:
        task = _task_of(shown, path)
        if task is None:
            refused[shown] = _("Which task is it for? Name the file after its task, such as %(example)s.") % {
                "example": f"{next(iter(boards()))}.jsonl"
            }
        elif task in found:
            refused[shown] = _("It is for the same task as %(other)s. Leave one of them out.") % {
                "other": found[task].shown
            }
        else:
            file = File(stack.enter_context(path.open("rb")))
            found[task] = Given(boards()[task], file, PurePosixPath(shown).name, shown)
    return list(found.values()), refused


def _task_of(name: str, path: Path) -> str | None:
    """The one board that the name of a file tells, or else its first row; None where they tell none, or several."""
    formats = {id(board.submission_format): board.submission_format for board in boards().values()}.values()
    for given in (name, task_in(path)):
        told = {one.task_of(given) for one in formats} & boards().keys() if given else set()
        if len(told) == 1:
            return told.pop()
    return None


def name_of(upload: File[bytes]) -> str:
    """The name that the user gave, as it can be shown and stored."""
    return one_line(PurePosixPath((upload.name or "").replace("\\", "/")).name, 200) or "upload"


def temp_dir() -> Path:
    """The folder for uploads that are being received; it is made if it is missing."""
    folder: Path = settings.CONFIG.temp_dir
    folder.mkdir(parents=True, exist_ok=True)
    return folder


@contextmanager
def on_disk(upload: File[bytes]) -> Iterator[Path]:
    """An upload as a file."""
    if hasattr(upload, "temporary_file_path"):
        yield Path(upload.temporary_file_path())
        return
    with tempfile.TemporaryDirectory(dir=temp_dir()) as folder:
        path = Path(folder) / "upload"
        copy(upload, path)
        upload.seek(0)
        yield path


def copy(source: IO[bytes] | File[bytes], path: Path) -> None:
    """Write what a file has to a path."""
    with path.open("wb") as target:
        shutil.copyfileobj(source, target, 2**20)

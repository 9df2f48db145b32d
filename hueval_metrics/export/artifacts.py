"""The files of an export: planned first, so that they can be previewed or refused before anything is written."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from hueval_metrics.errors import InputError
from hueval_metrics.judge.templates import plain_text
from hueval_metrics.signals import signals_held
from hueval_metrics.text.files import open_file, whole_file

HEAD_LINES, HEAD_WIDTH = 12, 160


@dataclass(frozen=True)
class Artifact:
    """One file of an export.

    Attributes:
        path: relative to the folder of the export.
        chunks: yields its content in pieces; each call yields the same.
    """

    path: PurePosixPath
    chunks: Callable[[], Iterable[bytes]]


def text_artifact(path: str | PurePosixPath, text: str) -> Artifact:
    """A small file, held in memory."""
    content = plain_text(text).encode()
    return Artifact(PurePosixPath(path), lambda: [content])


def preview(artifacts: Sequence[Artifact], folder: Path) -> str:
    """A preview: each path with its size and its first lines.

    Unprintable characters are replaced, since the content may include a model's output.
    """
    parts = []
    for artifact in artifacts:
        size, head = 0, b""
        for chunk in artifact.chunks():
            size += len(chunk)
            head += chunk[: max(0, HEAD_LINES * HEAD_WIDTH * 4 - len(head))]  # 4: the most bytes of a character
        lines = head.decode(errors="replace").split("\n")
        parts += [f"{folder / artifact.path} ({size:,} bytes)", *(f"    {_shown(line)}" for line in lines[:HEAD_LINES])]
    return "\n".join(line.rstrip() for line in parts) + "\n"


def write(artifacts: Sequence[Artifact], folder: Path, *, overwrite: bool = False) -> list[Path]:
    """Write the files of an export; existing files with the same content are kept.

    Args:
        artifacts: the files, with unique paths.
        folder: the folder to write to.
        overwrite: whether to replace existing files with other content.

    Returns:
        Their paths.

    Raises:
        InputError: a file exists with other content, and then nothing is written; or the folder cannot be written.
    """
    pending = [artifact for artifact in artifacts if not _is_written(artifact, folder / artifact.path)]
    if not overwrite:
        for artifact in pending:
            if (path := folder / artifact.path).exists():
                raise InputError(f"{path} exists with other content. Choose another folder, or add --overwrite")
    with ExitStack() as files:
        for artifact in pending:
            write_chunk = files.enter_context(whole_file(folder / artifact.path))
            for chunk in artifact.chunks():
                write_chunk(chunk)
        with signals_held():  # an interruption would leave scores of one run and items of another
            files.close()
    return [folder / artifact.path for artifact in artifacts]


def _is_written(artifact: Artifact, path: Path) -> bool:
    """Whether a file exists with exactly this content."""
    try:
        with open_file(path) as file:
            same = all(file.read(len(chunk)) == chunk for chunk in artifact.chunks())
            return same and not file.read(1)
    except OSError:
        return False


def _shown(line: str) -> str:
    text = "".join(char if char.isprintable() else "\ufffd" for char in line)
    return text if len(text) <= HEAD_WIDTH else text[: HEAD_WIDTH - 1] + "…"

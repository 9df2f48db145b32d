"""Paths as the caller gives them."""

from __future__ import annotations

from pathlib import Path

from hueval_metrics.errors import InputError


def path_of(path: object, what: str = "a path") -> Path:
    """A path out of a text or a path.

    Args:
        path: what was given.
        what: it is, for the message.

    Raises:
        InputError: it is neither, or empty.
    """
    if not isinstance(path, (str, Path)):
        raise InputError(f"{what}: of type {type(path).__name__}, expected str or pathlib.Path")
    if path == "":  # as of a variable that was not set; `Path` takes it for the current folder
        raise InputError(f"{what}: empty. Name a file or folder")
    return Path(path)

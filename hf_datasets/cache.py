"""The folder where downloads are kept, and how a copy in it is named and checked."""

from __future__ import annotations

import hashlib
import os
from pathlib import Path

from hueval_metrics.records import DataError
from hueval_metrics.text.files import open_file


def cache_dir() -> Path:
    """The library's cache: `HUEVAL_CACHE_DIR`, else `hueval` under `XDG_CACHE_HOME`, else `~/.cache/hueval`.

    Raises:
        DataError: none of the three is set and the user has no home folder.
    """
    if own := os.environ.get("HUEVAL_CACHE_DIR"):
        return Path(own).expanduser()
    shared = os.environ.get("XDG_CACHE_HOME", "")
    if Path(shared).is_absolute():  # the XDG specification says to ignore a relative path
        return Path(shared, "hueval")
    try:
        return Path.home() / ".cache" / "hueval"
    except RuntimeError:
        raise DataError("there is no home folder for downloads. Set HUEVAL_CACHE_DIR to a folder") from None


def blob_id(content: bytes) -> str:
    """The git blob id of a file's content, as `git hash-object` prints it.

    >>> blob_id(b"")
    'e69de29bb2d1d6434b8b29ae775ad8c2e48c5391'
    """
    header = f"blob {len(content)}\0".encode()
    return hashlib.sha1(header + content, usedforsecurity=False).hexdigest()  # a name, not a seal: FIPS hosts allow it


def file_blob_id(path: Path) -> str:
    """The git blob id of a file of any size.

    Raises:
        OSError: it cannot be read.
    """
    digest = hashlib.sha1(f"blob {path.stat().st_size}\0".encode(), usedforsecurity=False)
    with open_file(path) as file:
        while chunk := file.read(2**20):
            digest.update(chunk)
    return digest.hexdigest()


def set_aside(path: Path) -> Path | None:
    """Rename a damaged file to `NAME.damaged`; None when that cannot be done (a read-only cache, another process)."""
    aside = path.with_name(f"{path.name}.damaged")
    try:
        return path.replace(aside)
    except OSError:
        return None

"""The cache folder, and how a file in it is hashed and set aside."""

from __future__ import annotations

import hashlib
import os
from pathlib import Path

from hueval_metrics.errors import DataError
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
    digest = _blob_digest(len(content))
    digest.update(content)
    return digest.hexdigest()


def file_blob_id(path: Path) -> str:
    """The git blob id of a file of any size.

    Raises:
        OSError: it cannot be read.
    """
    with open_file(path) as file:
        size = os.fstat(file.fileno()).st_size
        return hashlib.file_digest(file, lambda: _blob_digest(size)).hexdigest()


def file_sha256(path: Path) -> str:
    """The SHA-256 of a file of any size.

    Raises:
        OSError: it cannot be read.
    """
    with open_file(path) as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _blob_digest(size: int) -> hashlib._Hash:
    # usedforsecurity: SHA-1 only names content here, so hosts in FIPS mode allow it
    return hashlib.sha1(f"blob {size}\0".encode(), usedforsecurity=False)


def set_aside(path: Path) -> Path | None:
    """Rename a damaged file to `NAME.damaged`; None when that cannot be done (a read-only cache, another process)."""
    aside = path.with_name(f"{path.name}.damaged")
    try:
        return path.replace(aside)
    except OSError:
        return None

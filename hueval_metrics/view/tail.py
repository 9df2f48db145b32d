"""The lines of a file that another process appends to."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from hueval_metrics.errors import InputError
from hueval_metrics.scoring.lines import MAX_LINE, parse_row
from hueval_metrics.text.files import open_file

_CHUNK = 2**20


class Tail:
    """Reads each line once, when it is whole. The file stays open, so that no other gets its inode.

    Args:
        path: the file.

    Raises:
        OSError: it cannot be opened.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._file = open_file(path)
        self._rest = b""

    @property
    def is_current(self) -> bool:
        """Whether the file is still the one of this name, and not cut."""
        try:
            found = self._path.stat()
        except OSError:
            return False
        opened = os.fstat(self._file.fileno())
        return os.path.samestat(found, opened) and opened.st_size >= self._file.tell()

    def rows(self) -> Iterator[dict[str, Any]]:
        """The objects in the lines that were ended since the last call; what is none is passed over.

        Raises:
            OSError: the file cannot be read.
        """
        while chunk := self._file.read(_CHUNK):
            *lines, rest = (self._rest + chunk).split(b"\n")
            self._rest = rest if len(rest) <= MAX_LINE else b""
            for line in lines:
                try:
                    yield parse_row(line, self._path, 0)
                except InputError:  # a line that a full disk broke
                    continue

    def close(self) -> None:
        """Close the file."""
        self._file.close()

"""Who is asking which question just now, so that no two ask the same: among processes, and within one.

A claim is a lock of the operating system on one byte of a file that all share: it ends with its process, however that
ends. To the system such locks belong to the whole process, and closing the file anywhere in it drops them all; so a
process opens the file once, however many judgings it has under way, and keeps its own account of who holds what.
"""

from __future__ import annotations

import os
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from threading import Lock

try:
    import fcntl
except ImportError:  # Windows: two processes at once may ask the same, nothing else is lost
    fcntl = None  # type: ignore[assignment]

_guard = Lock()


@dataclass
class _LockFile:
    """A lock file as this process has it open; `handle` is None where there can be none."""

    handle: int | None
    held: set[int] = field(default_factory=set)
    users: int = 0


_files: dict[
    tuple[int, Path | None], _LockFile
] = {}  # by process too: a forked one inherits the account, not the locks


def _lock_file(path: Path | None) -> _LockFile:
    name = (os.getpid(), path)
    if name not in _files:
        handle = None
        with suppress(OSError):
            if path is not None:
                path.parent.mkdir(parents=True, exist_ok=True)
                handle = os.open(path, os.O_RDWR | os.O_CREAT, 0o644)
        _files[name] = _LockFile(handle)
    return _files[name]


def _place(key: str) -> int:
    """A question's byte in the lock file, which never grows: locks may lie beyond its end."""
    return int(key[:15], 16)


class Claims:
    """The claims of one judging; may be used from any thread, never raises.

    Args:
        path: the lock file, made where it is missing. Where it cannot be made, or is None, claims hold within this
            process alone.
    """

    def __init__(self, path: Path | None) -> None:
        self._path = Path(os.path.realpath(path)) if path else None
        self._mine: set[int] = set()
        with _guard:
            self._file = _lock_file(self._path)
            self._file.users += 1

    def claim(self, key: str) -> bool:
        """Take a question; False while anyone holds it, this judging included.

        Args:
            key: a hash in hexadecimal, of 15 digits or more.
        """
        place = _place(key)
        with _guard:
            if place in self._file.held or not self._lock(place):
                return False
            self._file.held.add(place)
            self._mine.add(place)
            return True

    def release(self, key: str) -> None:
        """Give a claim back; one that is not held here stays as it is."""
        with _guard:
            self._release(_place(key))

    def close(self) -> None:
        """Give all claims back, for good."""
        with _guard:
            for place in list(self._mine):
                self._release(place)
            self._file.users -= 1
            if self._file.users == 0:
                _files.pop((os.getpid(), self._path), None)
                if self._file.handle is not None:
                    os.close(self._file.handle)

    def _release(self, place: int) -> None:
        if place not in self._mine:
            return
        self._mine.remove(place)
        self._file.held.discard(place)
        if fcntl is not None and self._file.handle is not None:
            with suppress(OSError):
                fcntl.lockf(self._file.handle, fcntl.LOCK_UN, 1, place)

    def _lock(self, place: int) -> bool:
        if fcntl is None or self._file.handle is None:
            return True
        try:
            fcntl.lockf(self._file.handle, fcntl.LOCK_EX | fcntl.LOCK_NB, 1, place)
        except (BlockingIOError, PermissionError):
            return False
        except OSError:  # a file system without locks
            return True
        return True

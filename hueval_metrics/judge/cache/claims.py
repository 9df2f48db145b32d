"""Locks on requests, so that no two processes or threads send the same one at the same time.

A claim is an operating system lock on one byte of a file that all processes share; it ends with its process, even when
that is killed. Such locks belong to the process as a whole, and closing the file anywhere in it releases them all: so a
process opens the file once for all its judgings, and records which of them has which lock.
"""

from __future__ import annotations

import os
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from threading import Lock

try:
    import fcntl
except ImportError:  # Windows: two processes may send the same request at the same time
    fcntl = None  # type: ignore[assignment]


@dataclass
class _LockFile:
    """A lock file opened by this process; `handle` is None where it cannot be opened."""

    handle: int | None = None
    held: set[int] = field(default_factory=set)
    users: int = 0


_guard = Lock()
_files: dict[tuple[int, Path | None], _LockFile] = {}  # by process id too: a forked child inherits no locks


class Claims:
    """The claims of one judging; may be used from any thread, never raises.

    Args:
        path: the lock file, created where it is missing. Where that fails, or with None, claims are respected within
            this process only.
    """

    def __init__(self, path: Path | None) -> None:
        path = Path(os.path.realpath(path)) if path else None
        self._name = (os.getpid(), path)
        self._mine: set[int] = set()
        with _guard:
            if self._name not in _files:
                _files[self._name] = _LockFile()
                with suppress(OSError):
                    if path and fcntl:
                        path.parent.mkdir(parents=True, exist_ok=True)
                        _files[self._name].handle = os.open(path, os.O_RDWR | os.O_CREAT, 0o644)
            self._file = _files[self._name]
            self._file.users += 1

    def claim(self, key: str) -> bool:
        """Lock a request; False while any judging has locked it, this one included.

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
        """Unlock a request; nothing happens when another judging has locked it."""
        with _guard:
            self._release(_place(key))

    def close(self) -> None:
        """Release all claims, for good."""
        with _guard:
            for place in list(self._mine):
                self._release(place)
            self._file.users -= 1
            if self._file.users == 0:
                _files.pop(self._name, None)
                if self._file.handle is not None:
                    os.close(self._file.handle)

    def _release(self, place: int) -> None:
        if place not in self._mine:
            return
        self._mine.remove(place)
        self._file.held.discard(place)
        if self._file.handle is not None:
            with suppress(OSError):
                fcntl.lockf(self._file.handle, fcntl.LOCK_UN, 1, place)

    def _lock(self, place: int) -> bool:
        if self._file.handle is None:
            return True
        try:
            fcntl.lockf(self._file.handle, fcntl.LOCK_EX | fcntl.LOCK_NB, 1, place)
        except (BlockingIOError, PermissionError):
            return False
        except OSError:  # a file system without locks
            return True
        return True


def _place(key: str) -> int:
    """A request's byte in the lock file, which stays empty: a lock may be beyond its end."""
    return int(key[:15], 16)

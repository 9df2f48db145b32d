"""Which batches are under way at which server, on disk: a batch is paid for, whoever asked for it and whenever.

One SQLite file beside the judge's cache. A row is written before a batch is created, its id the moment the server gives
it, and it goes once the answers are in the cache. So a row without an id, seen under the lock, is of a process that was
killed in between, and the server is asked whether the batch was made.
"""

from __future__ import annotations

import asyncio
import hashlib
import logging
import os
import sqlite3
import time
from collections.abc import AsyncIterator, Iterable
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from hf_datasets.cache import cache_dir, set_aside
from hueval_metrics.records import DataError

try:
    import fcntl
except ImportError:  # Windows: two processes that start at once may submit the same, nothing else is lost
    fcntl = None  # type: ignore[assignment]

BUSY_S = 10.0
_LOCK_POLL_S = 0.05
_LOCK_MAX_POLL_S = 1.0
_SETUP = (
    "CREATE TABLE IF NOT EXISTS batches (token TEXT PRIMARY KEY, id TEXT, server TEXT NOT NULL, model TEXT NOT NULL, "
    "rubric TEXT NOT NULL, created REAL NOT NULL)",
    "CREATE TABLE IF NOT EXISTS requests (token TEXT NOT NULL, key TEXT NOT NULL, bytes INTEGER NOT NULL, "
    "max_tokens INTEGER NOT NULL, PRIMARY KEY (token, key)) WITHOUT ROWID",
    "SELECT token, id, server, model, rubric, created FROM batches LIMIT 1",
)

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class StoredBatch:
    """A batch that somebody asked for.

    Attributes:
        token: our own name of it, which the server keeps in the batch's metadata.
        id: the server's name; None when it never came to be stored.
        created: when it was asked for, in seconds since 1970.
    """

    token: str
    id: str | None
    created: float


@dataclass(frozen=True, slots=True)
class StoredRequest:
    """What a request in a batch can cost at most: so many bytes sent and tokens received."""

    key: str
    bytes: int
    max_tokens: int


class BatchStore:
    """The batches of one server, model and rubric. Closed by its `with` block; no method raises.

    Where writing fails, the list is kept in memory, and one warning says what that means.

    Args:
        server: where the server's API begins, without secrets.
        model: the judge's model id.
        rubric: name and version of the rubric.
        folder: where the file lies; None for `judge` in the library's cache.
    """

    def __init__(self, server: str, model: str, rubric: str, folder: Path | None = None) -> None:
        self._whose = (server, model, rubric)
        self._is_lasting = True
        self._file = Path()
        # A lock for each server: one that cannot be reached does not block those who ask another.
        self._lock_name = f"batches-{hashlib.sha256(server.encode()).hexdigest()[:12]}.lock"
        try:
            folder = folder or cache_dir() / "judge"
            self._file = folder / "batches.sqlite"
            folder.mkdir(parents=True, exist_ok=True)
            self._db = _open(self._file)
        except (OSError, DataError, sqlite3.Error) as error:
            self._fall_back(error)

    def __enter__(self) -> BatchStore:
        return self

    def __exit__(self, *_: object) -> None:
        self._close()

    @asynccontextmanager
    async def locked(self) -> AsyncIterator[None]:
        """Between looking for batches and storing new ones: one process and thread at a time, for each server.

        A lock of the operating system: it ends with the process, however that ends.
        """
        handle = None
        if fcntl is not None:
            with suppress(OSError):
                handle = os.open(self._file.with_name(self._lock_name), os.O_RDWR | os.O_CREAT, 0o644)
        try:
            wait_s = _LOCK_POLL_S
            while handle is not None and not _is_ours(handle):
                await asyncio.sleep(wait_s)
                wait_s = min(2 * wait_s, _LOCK_MAX_POLL_S)
            yield
        finally:
            if handle is not None:
                os.close(handle)

    def batches(self) -> list[StoredBatch]:
        """All that are under way, the oldest first."""
        query = "SELECT token, id, created FROM batches WHERE (server, model, rubric) = (?, ?, ?) ORDER BY created"
        return [StoredBatch(*row) for row in self._run(query, self._whose)]

    def requests(self, token: str) -> list[StoredRequest]:
        """The requests in a batch."""
        rows = self._run("SELECT key, bytes, max_tokens FROM requests WHERE token = ?", (token,))
        return [StoredRequest(*row) for row in rows]

    def intend(self, token: str, requests: Iterable[StoredRequest]) -> None:
        """Note a batch that is about to be created."""
        self._change(
            ("INSERT INTO batches VALUES (?, NULL, ?, ?, ?, ?)", [(token, *self._whose, time.time())]),
            ("INSERT INTO requests VALUES (?, ?, ?, ?)", [(token, r.key, r.bytes, r.max_tokens) for r in requests]),
        )

    def name(self, token: str, batch_id: str) -> None:
        """Note what the server calls a batch."""
        self._run("UPDATE batches SET id = ? WHERE token = ?", (batch_id, token))

    def holds(self, token: str) -> bool:
        """Whether a batch is still to be collected: False once another process has done so."""
        return not self._is_lasting or bool(self._run("SELECT 1 FROM batches WHERE token = ?", (token,)))

    def forget(self, token: str) -> None:
        """Take out a batch that is collected, or was never made."""
        self._change(
            ("DELETE FROM batches WHERE token = ?", [(token,)]), ("DELETE FROM requests WHERE token = ?", [(token,)])
        )

    def _change(self, *steps: tuple[str, list[tuple[object, ...]]]) -> None:
        """Carry out statements, each for several rows: all of it or nothing."""
        try:
            with self._db:
                self._db.execute("BEGIN IMMEDIATE")
                for statement, rows in steps:
                    self._db.executemany(statement, rows)
        except sqlite3.Error as error:
            self._fall_back(error)

    def _run(self, statement: str, values: tuple[object, ...]) -> list[tuple[Any, ...]]:
        try:
            return self._db.execute(statement, values).fetchall()
        except sqlite3.Error as error:
            self._fall_back(error)
            return []

    def _close(self) -> None:
        with suppress(sqlite3.Error, AttributeError):  # it may never have been opened
            self._db.close()

    def _fall_back(self, error: Exception) -> None:
        """Go on with a store that ends with the process: asking live instead would double the price unasked."""
        if self._is_lasting:
            reason = error.strerror if isinstance(error, OSError) else error
            log.warning(
                "The ids of batches cannot be stored in %s (%s): a run that is stopped before its batches are ready "
                "will pay for them again.",
                self._file,
                reason,
            )
        self._is_lasting = False
        self._close()
        self._db = sqlite3.connect(":memory:", isolation_level=None)
        for statement in _SETUP:
            self._db.execute(statement)


def _open(file: Path) -> sqlite3.Connection:
    try:
        return _connect(file)
    except sqlite3.OperationalError:  # locked, read-only, full: which a new file would not fix
        raise
    except sqlite3.DatabaseError:
        aside = set_aside(file)
        for suffix in ("-wal", "-shm"):  # they belong to the old file and would be read into the new one
            file.with_name(file.name + suffix).unlink(missing_ok=True)
        log.warning("The list of batches %s was damaged: set aside as %s, begun anew.", file, aside and aside.name)
        return _connect(file)


def _connect(file: Path) -> sqlite3.Connection:
    db = sqlite3.connect(file, timeout=BUSY_S, isolation_level=None)
    try:
        with suppress(sqlite3.OperationalError):  # some network file systems have no WAL
            db.execute("PRAGMA journal_mode=WAL")
        for statement in _SETUP:
            db.execute(statement)
    except BaseException:
        db.close()
        raise
    return db


def _is_ours(handle: int) -> bool:
    """Whether the lock is ours now. `flock` keeps threads apart too, which `lockf` would not."""
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError:  # a file system without locks
        return True
    return True

"""The requests of one call that are to go into batches: on disk, as there may be a million; gone with the process."""

from __future__ import annotations

import sqlite3
from collections.abc import Generator, Iterable
from dataclasses import dataclass

# What is lost with the process needs no journal and no sync.
_SETUP = (
    "PRAGMA journal_mode=OFF",
    "PRAGMA synchronous=OFF",
    "CREATE TABLE requests (key TEXT PRIMARY KEY, body BLOB, max_tokens INTEGER, tries INTEGER, batch TEXT)",
    "CREATE INDEX by_batch ON requests (batch)",
)


@dataclass(frozen=True, slots=True)
class BatchRequest:
    """One request to the judge.

    Attributes:
        key: its name, from `RequestKeys.key`: 64 hexadecimal letters.
        body: the request as JSON in one line, from `body_of`.
        max_tokens: the greatest length of the reply that the body asks for.
    """

    key: str
    body: bytes
    max_tokens: int


class Spool:
    """Requests, and which batch each is in; closed by its `with` block.

    A request leaves it once it is nothing for a batch any more. Every method raises `sqlite3.Error` when the disk is
    full.
    """

    def __init__(self) -> None:
        self._db = sqlite3.connect("", isolation_level=None)  # a temporary file without a name, once it is large
        for statement in _SETUP:
            self._db.execute(statement)

    def __enter__(self) -> Spool:
        return self

    def __exit__(self, *_: object) -> None:
        self._db.close()

    def add(self, request: BatchRequest) -> None:
        """Take in a request that is in no batch yet; one that is here already is left as it is."""
        row = (request.key, request.body, request.max_tokens)
        self._db.execute("INSERT OR IGNORE INTO requests VALUES (?, ?, ?, 0, NULL)", row)

    def waiting(self) -> Generator[BatchRequest, None, None]:
        """The requests that are in no batch; nothing may be changed before it is exhausted or closed."""
        for row in self._db.execute("SELECT key, body, max_tokens FROM requests WHERE batch IS NULL"):
            yield BatchRequest(*row)

    def waiting_keys(self) -> list[str]:
        """Their keys."""
        return [key for (key,) in self._db.execute("SELECT key FROM requests WHERE batch IS NULL")]

    def body(self, key: str) -> bytes | None:
        """The body of a request; None when it is not here."""
        row = self._db.execute("SELECT body FROM requests WHERE key = ?", (key,)).fetchone()
        return row[0] if row else None

    def assign(self, keys: Iterable[str], batch: str) -> int:
        """Put those of the keys that wait into a batch; returns how many these are."""
        rows = ((batch, key) for key in keys)
        return self._db.executemany("UPDATE requests SET batch = ? WHERE key = ? AND batch IS NULL", rows).rowcount

    def free(self, batch: str) -> None:
        """Let all requests of a batch wait again, as if it had never been."""
        self._db.execute("UPDATE requests SET batch = NULL WHERE batch = ?", (batch,))

    def retry(self, keys: Iterable[str], most: int) -> None:
        """Let requests wait for another batch; those that have had `most` further ones leave."""
        self._db.executemany(
            "UPDATE requests SET batch = NULL, tries = tries + 1 WHERE key = ?", ((key,) for key in keys)
        )
        self._db.execute("DELETE FROM requests WHERE batch IS NULL AND tries > ?", (most,))

    def drop(self, keys: Iterable[str]) -> None:
        """Let requests leave."""
        self._db.executemany("DELETE FROM requests WHERE key = ?", ((key,) for key in keys))

    def drop_waiting(self, keys: Iterable[str]) -> None:
        """Let those of the requests leave that are in no batch."""
        self._db.executemany("DELETE FROM requests WHERE key = ? AND batch IS NULL", ((key,) for key in keys))

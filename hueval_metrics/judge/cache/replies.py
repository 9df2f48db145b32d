"""The judge's replies on disk, so that no reply is paid for twice, and locks on the requests being sent.

A row is a reply that could be parsed, or why a request has none for good, as JSON text, under the hash of the request.
Rows that cannot be written stay in the memory of this process and in its verdicts, and judging continues.
"""

from __future__ import annotations

import json
import logging
import math
import sqlite3
import time
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import lru_cache
from pathlib import Path
from threading import Lock, Thread
from typing import Any

from hueval_metrics.errors import DataError
from hueval_metrics.judge.cache.claims import Claims
from hueval_metrics.judge.cache.file import (
    BUSY_S,
    NewerFormatError,
    cache_file,
    checkpoint,
    connect_or_replace,
    is_damage,
)
from hueval_metrics.records import Usage

RETRY_S = 30.0  # until the file is used again after an error; each attempt may wait BUSY_S
MEMORY_SIZE = 64 * 2**20  # characters of rows that could not be written
CHECKPOINT = 500  # rows after which the write-ahead log is copied into the file
_OPENING = "0" * 64  # claimed while the file is opened
_DELETED = "null"  # a row without a value

log = logging.getLogger(__name__)


@dataclass
class _Memory:
    """Rows that could not be written, shared by the threads of this process.

    Attributes:
        rows: by table and key, the oldest first.
        size: their length in characters.
        is_logged: whether the log says already that they could not be written.
    """

    rows: dict[tuple[str, str], str] = field(default_factory=dict)
    size: int = 0
    is_logged: bool = False
    lock: Lock = field(default_factory=Lock)

    def add(self, table: str, key: str, record: str) -> None:
        """Keep a row; the oldest ones are dropped beyond `MEMORY_SIZE`."""
        with self.lock:
            self._drop((table, key))
            self.rows[table, key] = record
            self.size += len(record)
            while self.size > MEMORY_SIZE:
                self._drop(next(iter(self.rows)))

    def _drop(self, name: tuple[str, str]) -> None:
        self.size -= len(self.rows.pop(name, ""))

    def write(self, db: sqlite3.Connection) -> None:
        """Write all rows in one transaction; on an error they are kept."""
        with self.lock:
            with db:
                db.execute("BEGIN IMMEDIATE")
                for (table, key), record in self.rows.items():
                    _write_row(db, table, key, record)
            self.rows.clear()
            self.size, self.is_logged = 0, False


_memories: dict[Path | None, _Memory] = {}  # by file: each judging of this process has a `ReplyCache` of its own


class ReplyCache:
    """Replies by request, and facts by name. Used within one thread and closed by its `with` block; never raises.

    Each reply is a transaction of its own, which takes 35 µs: 6 % of a core at 2,500 replies a second, the fastest
    judging. Transactions of several replies would save a quarter of that, and lose some replies to a kill.

    Args:
        folder: the folder of the files; None for `judge` in the library's cache.
    """

    def __init__(self, folder: Path | None = None) -> None:
        self._db: sqlite3.Connection | None = None
        self._retry_at = -math.inf  # until then the file is neither written nor opened
        self._was_damaged = False
        self._unsynced = 0  # rows written since the last checkpoint began
        self._syncing: Thread | None = None
        self._billed: set[int] = set()  # beginnings of keys whose usage was given: half the memory of keys
        try:
            self._file: Path | None = cache_file(folder).absolute()
        except (DataError, OSError) as error:  # no home folder, or the current folder was deleted
            self._file, reason = None, error
        self._memory = _memories.setdefault(self._file, _Memory())
        self._claims = Claims(self._file and self._file.with_name("replies.lock"))
        if self._file:
            self._open()
        else:
            self._pause(reason, for_good=True)

    def __enter__(self) -> ReplyCache:
        return self

    def __exit__(self, *_: object) -> None:
        with suppress(sqlite3.Error):
            self._write_memory()  # the reason of the error may be gone
        self._close()
        self._retry_at = math.inf
        self._claims.close()

    @property
    def is_usable(self) -> bool:
        """Whether the file can be read and written, as far as known."""
        return self._db is not None and time.monotonic() >= self._retry_at

    def get(self, key: str) -> str | None:
        """The reply to a request; None when there is none."""
        record = self.record(key)
        reply = record.get("reply") if "error" not in record else None
        return reply if isinstance(reply, str) else None

    def usage(self, key: str) -> Usage | None:
        """What the stored reply to a request took, once, so that items with the same request do not count it twice.

        Returns:
            None where it is not known, was given before, or came by `put` of this object.
        """
        if (request := int(key[:15], 16)) in self._billed:
            return None
        self._billed.add(request)
        record = self.record(key)
        return Usage.from_json(record) if "usd" in record else None

    def record(self, key: str) -> Mapping[str, Any]:
        """What `put` has stored under a key, which anyone may have written; empty when there is nothing."""
        record = self._read("replies", key)
        return record if isinstance(record, dict) else {}

    def put(
        self, key: str, reply: str, model: str, rubric: str, usage: Usage | None = None, **notes: str | bool | None
    ) -> None:
        """Store a reply. When this returns it is on disk and survives a kill, unless writing failed.

        Args:
            key: from `RequestKeys.key`.
            reply: the judge's reply.
            model: the judge's model id.
            rubric: name and version of the rubric.
            usage: what it took; None when that is not known.
            notes: `error`, where there is no verdict, with `raw`, its reply; `schema=False` (see `Verdict.schema`).
        """
        at = _time_of(int(time.time()))
        record: dict[str, Any] = {"reply": reply, "model": model, "rubric": rubric, "at": at, **notes}
        if usage is not None:
            record |= usage.to_dict()
        self._billed.add(int(key[:15], 16))
        self._write("replies", key, record)

    def is_saved(self, key: str) -> bool:
        """Whether no reply to a request is kept in memory because it could not be written."""
        return ("replies", key) not in self._memory.rows

    def recall(self, name: str) -> Any:
        """The fact under a name, stored by any process; None when there is none."""
        return self._read("facts", name)

    def recall_all(self, prefix: str) -> dict[str, Any]:
        """The facts whose names begin with a prefix, by the rest of the name."""
        rows = self._select("SELECT key, record FROM facts WHERE substr(key, 1, ?) = ?", len(prefix), prefix)
        found: dict[str, str | bytes] = {key.decode("utf-8", "replace"): record for key, record in rows}
        with self._memory.lock:
            found |= {key: record for (table, key), record in self._memory.rows.items() if table == "facts"}
        facts = {key.removeprefix(prefix): _value(record) for key, record in found.items() if key.startswith(prefix)}
        return {name: value for name, value in facts.items() if value is not None}

    def remember(self, name: str, value: Any) -> bool:
        """Store a fact, such as the parameters that a server refuses.

        Args:
            name: its name, without secrets.
            value: anything that JSON can express; None deletes the fact.

        Returns:
            Whether it is on disk and survives a kill.
        """
        return self._write("facts", name, value)

    def claim(self, key: str) -> bool:
        """Lock a request; False while another process or this one has locked it.

        The lock ends with `release`, with the `with` block, or with the process, even when that is killed.
        """
        return self._claims.claim(key)

    def release(self, key: str) -> None:
        """Unlock a request."""
        self._claims.release(key)

    def _read(self, table: str, key: str) -> Any:
        record: str | bytes | None = self._memory.rows.get((table, key))
        if record is None and (rows := self._select(f"SELECT record FROM {table} WHERE key = ?", key)):
            record = rows[0][0]
        return _value(record) if record else None

    def _select(self, statement: str, *values: object) -> list[tuple[bytes, ...]]:
        if db := self._opened():
            try:
                return db.execute(statement, values).fetchall()
            except sqlite3.Error as error:
                self._recover(error)
                if not is_damage(error):  # each further read might wait as long
                    self._close()
        return []

    def _write(self, table: str, key: str, value: Any) -> bool:
        record = json.dumps(value)  # ASCII, so that lone surrogates can be stored
        for _ in range(2):  # the second time into a file that has just been replaced
            if time.monotonic() < self._retry_at or not (db := self._opened()):
                break
            try:
                self._write_memory()
                _write_row(db, table, key, record)
                self._checkpoint()
                return True
            except sqlite3.Error as error:
                self._recover(error)
        self._memory.add(table, key, record)
        return False

    def _checkpoint(self) -> None:
        """Copy the log into the file in a thread of its own: that syncs the disk, which would hold up 100 replies."""
        self._unsynced += 1
        if self._unsynced >= CHECKPOINT and not (self._syncing and self._syncing.is_alive()):
            self._unsynced = 0
            self._syncing = Thread(target=checkpoint, args=(self._file,), name="hueval-cache", daemon=True)
            self._syncing.start()

    def _write_memory(self) -> None:
        if self._db is not None and self._memory.rows:
            self._memory.write(self._db)
            log.warning("The judge's cache %s can be written again; the replies in memory are saved.", self._file)

    def _opened(self) -> sqlite3.Connection | None:
        if self._db is None and time.monotonic() >= self._retry_at:
            self._open()
        return self._db

    def _open(self, *, thoroughly: bool = False) -> None:
        """Open the file, or replace a damaged one; one process at a time, or one would replace another's new file."""
        assert self._file is not None
        until = time.monotonic() + BUSY_S
        while not (is_alone := self._claims.claim(_OPENING)) and time.monotonic() < until:
            time.sleep(0.01)
        try:
            self._db = connect_or_replace(self._file, thoroughly=thoroughly)
        except (sqlite3.Error, OSError, NewerFormatError) as error:
            self._pause(error, for_good=isinstance(error, NewerFormatError))
        finally:
            if is_alone:
                self._claims.release(_OPENING)

    def _recover(self, error: sqlite3.Error) -> None:
        """Continue after a failed statement: reopen a damaged file, else do without the file for a while."""
        if not is_damage(error):
            self._pause(error)
            return
        self._close()
        if self._was_damaged:
            self._pause(error, for_good=True)
        else:
            self._was_damaged = True
            self._open(thoroughly=True)

    def _pause(self, error: Exception, *, for_good: bool = False) -> None:
        self._retry_at = math.inf if for_good else time.monotonic() + RETRY_S
        if not self._memory.is_logged:
            self._memory.is_logged = True
            reason = error.strerror if isinstance(error, OSError) else error
            where = f" {self._file}" if self._file else ""
            log.warning(
                "The judge's cache%s cannot be used (%s). Replies stay in memory and judging continues. A later "
                "`hueval score` into the same folder finds them in the verdicts.",
                where,
                reason,
            )

    def _close(self) -> None:
        if self._syncing is not None:
            self._syncing.join(BUSY_S)
        if self._db is not None:
            with suppress(sqlite3.Error):
                self._db.close()
            self._db = None


@lru_cache(1)
def _time_of(second: int) -> str:
    return datetime.fromtimestamp(second, UTC).isoformat(timespec="seconds")


def _write_row(db: sqlite3.Connection, table: str, key: str, record: str) -> None:
    if record == _DELETED:
        db.execute(f"DELETE FROM {table} WHERE key = ?", (key,))
    else:
        db.execute(f"INSERT OR REPLACE INTO {table} VALUES (?, ?)", (key, record))


def _value(record: str | bytes) -> Any:
    """The JSON value in a row; None where it is no JSON."""
    try:
        return json.loads(record)
    except (ValueError, RecursionError):
        return None

"""The judge's replies on disk, so that a question once paid for is not paid for again; and who asks which just now.

It holds replies that could be read, as JSON text, and nothing of the request but its hash. What the disk does not take
stays in the memory of this process and in its verdict, and judging continues.
"""

from __future__ import annotations

import json
import logging
import math
import sqlite3
import time
from collections.abc import Sequence
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from threading import Lock
from types import TracebackType
from typing import Any

from hueval_metrics.judge.cache.claims import Claims
from hueval_metrics.judge.cache.file import (
    BUSY_S,
    TABLES,
    NewerFormatError,
    cache_file,
    check,
    connect,
    is_damage,
    rebuild,
)
from hueval_metrics.records import DataError, Usage

RETRY_S = 30.0  # after the disk failed; each try may wait BUSY_S
MEMORY_SIZE = 64 * 2**20  # characters of replies that wait for the disk
_OPENING = "0" * 64  # claimed by who opens the file
_READ = {table: f"SELECT record FROM {table} WHERE key = ?" for table in TABLES}
_WRITE = {table: f"INSERT OR REPLACE INTO {table} VALUES (?, ?)" for table in TABLES}

log = logging.getLogger(__name__)


class _Memory:
    """Records that the disk has not taken, the oldest forgotten first; shared by the threads of this process.

    Attributes:
        is_told: whether the log says already that the disk does not take them.
    """

    def __init__(self) -> None:
        self.is_told = False
        self._records: dict[tuple[str, str], str] = {}  # by table and key
        self._size = 0
        self._guard = Lock()

    def get(self, table: str, key: str) -> str | None:
        return self._records.get((table, key)) if self._records else None

    def add(self, table: str, key: str, record: str) -> None:
        with self._guard:
            self._drop((table, key))
            self._records[table, key] = record
            self._size += len(record)
            while self._size > MEMORY_SIZE:
                self._drop(next(iter(self._records)))

    def all(self) -> list[tuple[str, str, str]]:
        """Table, key and record of each."""
        if not self._records:
            return []
        with self._guard:
            return [(*name, record) for name, record in self._records.items()]

    def forget(self, records: Sequence[tuple[str, str, str]]) -> None:
        """Drop those that have not changed since."""
        with self._guard:
            for table, key, record in records:
                if self._records.get((table, key)) is record:
                    self._drop((table, key))

    def _drop(self, name: tuple[str, str]) -> None:
        self._size -= len(self._records.pop(name, ""))


_memories: dict[Path | None, _Memory] = {}  # by file: the next judging of this process has a `ReplyCache` of its own


class ReplyCache:
    """Replies by request, and facts about servers. Used within one thread, closed by its `with` block; never raises.

    Each reply is a commit of its own, which takes 35 µs: 6 % of a core at 2,500 replies a second, the most that a
    judging reads. To commit several at a time would save a quarter of that, and lose some to a kill.

    Args:
        folder: where the files lie; None for `judge` in the library's cache.
    """

    def __init__(self, folder: Path | None = None) -> None:
        self._db: sqlite3.Connection | None = None
        self._rests_until = -math.inf  # before then the disk is not written to, nor the file opened
        self._was_damaged = False
        try:
            self._file: Path | None = cache_file(folder).absolute()
        except (DataError, OSError) as error:  # no home folder, or the current one is gone
            self._file, homeless = None, error
        self._memory = _memories.setdefault(self._file, _Memory())
        self._claims = Claims(self._file and self._file.with_name("replies.lock"))
        if self._file:
            self._open()
        else:
            self._rest(homeless, for_good=True)

    def __enter__(self) -> ReplyCache:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        with suppress(sqlite3.Error):
            self._save_memory()  # whatever it was that went wrong may be over
        self._close()
        self._rests_until = math.inf
        self._claims.close()

    def get(self, key: str) -> str | None:
        """The reply to a request; None when there is none."""
        record = self._read("replies", key)
        reply = record.get("reply") if isinstance(record, dict) else None
        return reply if isinstance(reply, str) else None

    def put(self, key: str, reply: str, model: str, rubric: str, usage: Usage | None = None) -> None:
        """Keep a reply, out of reach of a kill when this returns, unless the disk fails.

        Args:
            key: from `request_key`.
            reply: the judge's words.
            model: who said them.
            rubric: name and version of the rubric.
            usage: the tokens it took; None when they are not known.
        """
        now = datetime.now(UTC).isoformat(timespec="seconds")
        record: dict[str, Any] = {"reply": reply, "model": model, "rubric": rubric, "at": now}
        if usage is not None:
            record |= {"prompt_tokens": usage.prompt_tokens, "completion_tokens": usage.completion_tokens}
        self._write("replies", key, record)

    def is_saved(self, key: str) -> bool:
        """Whether no reply to a request waits for the disk."""
        return self._memory.get("replies", key) is None

    def recall(self, name: str) -> Any:
        """What was remembered under a name, by any process; None when nothing was."""
        return self._read("facts", name)

    def remember(self, name: str, value: Any) -> None:
        """Keep a fact that was learnt at some cost, such as what a server does not take.

        Args:
            name: what it is about; no secret.
            value: anything that JSON holds.
        """
        self._write("facts", name, value)

    def claim(self, key: str) -> bool:
        """Whether to ask a question now; False while it is being asked, by another process or this one.

        A claim ends with `release`, with the `with` block, or with the process, however that ends.
        """
        return self._claims.claim(key)

    def release(self, key: str) -> None:
        """Give a claim back."""
        self._claims.release(key)

    def _read(self, table: str, key: str) -> Any:
        record: str | bytes | None = self._memory.get(table, key)
        if record is None and (db := self._opened()):
            try:
                row = db.execute(_READ[table], (key,)).fetchone()
            except sqlite3.Error as error:
                self._recover(error)
                if not is_damage(error):  # each further read might wait as long
                    self._close()
                return None
            record = row and row[0]
        try:
            return json.loads(record) if record else None
        except (ValueError, RecursionError):
            return None

    def _write(self, table: str, key: str, value: Any) -> None:
        record = json.dumps(value)  # ASCII: lone surrogates can be kept
        for _ in range(2):  # the second time into a file that has just been rebuilt
            if time.monotonic() < self._rests_until or not (db := self._opened()):
                break
            try:
                self._save_memory()
                db.execute(_WRITE[table], (key, record))
                return
            except sqlite3.Error as error:
                self._recover(error)
        self._memory.add(table, key, record)

    def _save_memory(self) -> None:
        """Give the disk what it did not take before."""
        records = self._memory.all()
        if self._db is None or not records:
            return
        with self._db as db:
            db.execute("BEGIN IMMEDIATE")
            for table, key, record in records:
                db.execute(_WRITE[table], (key, record))
        self._memory.forget(records)
        self._memory.is_told = False
        log.warning("The judge's cache %s takes replies again; those that had to wait are stored.", self._file)

    def _opened(self) -> sqlite3.Connection | None:
        if self._db is None and time.monotonic() >= self._rests_until:
            self._open()
        return self._db

    def _open(self, *, thoroughly: bool = False) -> None:
        """Open the file, a damaged one set aside; by one process at a time, or one would set aside another's."""
        assert self._file is not None
        until = time.monotonic() + BUSY_S
        while not (alone := self._claims.claim(_OPENING)) and time.monotonic() < until:
            time.sleep(0.01)
        try:
            try:
                self._db = connect(self._file)
                if thoroughly:
                    check(self._db)
            except sqlite3.Error as error:
                if not is_damage(error):
                    raise
                self._close()
                self._db = rebuild(self._file)
        except (sqlite3.Error, OSError, NewerFormatError) as error:
            self._close()
            self._rest(error, for_good=isinstance(error, NewerFormatError))
        finally:
            if alone:
                self._claims.release(_OPENING)

    def _recover(self, error: sqlite3.Error) -> None:
        """Go on after a failed read or write: with the file opened anew, or without the disk for a while."""
        if not is_damage(error):
            self._rest(error)
            return
        self._close()
        if self._was_damaged:
            self._rest(error, for_good=True)
        else:
            self._was_damaged = True
            self._open(thoroughly=True)

    def _rest(self, error: Exception, *, for_good: bool = False) -> None:
        self._rests_until = math.inf if for_good else time.monotonic() + RETRY_S
        if not self._memory.is_told:
            self._memory.is_told = True
            reason = error.strerror if isinstance(error, OSError) else error
            where = f" {self._file}" if self._file else ""
            log.warning(
                "The judge's cache%s cannot be used (%s). Replies stay in memory and judging continues. A later "
                "`hueval score` into the same folder finds them in the verdicts.",
                where,
                reason,
            )

    def _close(self) -> None:
        if self._db is not None:
            with suppress(sqlite3.Error):
                self._db.close()
            self._db = None

"""The SQLite file of the judge's replies: its path, how it is opened, and how a damaged one is replaced.

Two tables of JSON text: `replies` by request, `facts` by name. Several processes may have it open.
"""

from __future__ import annotations

import logging
import os
import re
import sqlite3
from contextlib import closing, suppress
from pathlib import Path

from hf_datasets.cache import cache_dir, set_aside

FORMAT = 1  # `PRAGMA user_version`; raised when an older hueval could no longer read the file
TABLES = ("replies", "facts")
BUSY_S = 5.0  # a commit takes a millisecond; a process that locks the file for longer hangs, or runs `cache prune`

# With a rowid: SQLite stores large rows badly in a table without (a put of 4 kB among 50,000 took 97 µs instead of 54).
_SCHEMA = [
    f"CREATE TABLE IF NOT EXISTS {name} (key TEXT PRIMARY KEY NOT NULL, record TEXT NOT NULL)" for name in TABLES
]
_LOG_PAGES = 8000  # of the write-ahead log, 32 MB
_DAMAGE = {sqlite3.SQLITE_ERROR, sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB}  # ERROR: tables of another shape
_MOUNTS = Path("/proc/self/mounts")
_NETWORK = re.compile(r"nfs|cifs|smb|lustre|gpfs|beegfs|ceph|afs|panfs|pvfs|orangefs|wekafs|9p|fuse\.")

log = logging.getLogger(__name__)


class NewerFormatError(Exception):
    """The file was written by a newer hueval; it is not changed. The text is one line."""


class _MalformedError(sqlite3.DatabaseError):
    sqlite_errorcode = sqlite3.SQLITE_CORRUPT


def cache_file(folder: Path | None = None) -> Path:
    """The path of the file.

    Args:
        folder: its folder; None for `judge` in the library's cache.

    Raises:
        DataError: no cache folder is set and the user has no home folder.
    """
    return (folder or cache_dir() / "judge") / "replies.sqlite"


def connect(file: Path, *, thoroughly: bool = False) -> sqlite3.Connection:
    """Open the file, or create it. Every statement is its own transaction; texts are returned as bytes.

    Args:
        file: its path.
        thoroughly: whether to check every page for damage.

    Raises:
        OSError: its folder cannot be created.
        sqlite3.Error: it cannot be opened, or is damaged (`is_damage`).
        NewerFormatError: its format is newer than `FORMAT`.
    """
    file.parent.mkdir(parents=True, exist_ok=True)
    db = sqlite3.connect(file, timeout=BUSY_S, isolation_level=None)
    try:
        db.text_factory = bytes  # a text that is not UTF-8 must spoil its own row only
        (found,) = db.execute("PRAGMA user_version").fetchone()
        if found > FORMAT:
            raise NewerFormatError(
                f"a newer hueval wrote it, in format {found}; this one reads {FORMAT}. Upgrade hueval"
            )
        _set_journal(db, file)
        # A killed process loses nothing, a power failure the last few replies.
        db.execute("PRAGMA synchronous=NORMAL")
        # `checkpoint` is called long before: this bounds the log where it does not keep up.
        db.execute(f"PRAGMA wal_autocheckpoint={_LOG_PAGES}")
        for statement in _SCHEMA:
            db.execute(statement)
        for table in TABLES:
            db.execute(f"SELECT key, record FROM {table} LIMIT 1").fetchone()
        if found < FORMAT:
            db.execute(f"PRAGMA user_version={FORMAT}")
        if thoroughly and db.execute("PRAGMA quick_check(1)").fetchone() != (b"ok",):
            raise _MalformedError("malformed")
    except BaseException:
        db.close()
        raise
    return db


def checkpoint(file: Path) -> None:
    """Copy what the write-ahead log has into the file, beside whoever writes; the disk is synced. Never raises."""
    with suppress(sqlite3.Error), closing(sqlite3.connect(f"{file.as_uri()}?mode=rw", uri=True)) as db:
        db.execute("PRAGMA wal_checkpoint(PASSIVE)")


def connect_or_replace(file: Path, *, thoroughly: bool = False) -> sqlite3.Connection:
    """As `connect`, but a damaged file is renamed and an empty one created. No other process may be opening it."""
    try:
        return connect(file, thoroughly=thoroughly)
    except sqlite3.Error as error:
        if not is_damage(error):
            raise
    aside = set_aside(file)
    for suffix in ("-wal", "-shm"):  # they belong to the old file and would be read into the new one
        file.with_name(file.name + suffix).unlink(missing_ok=True)
    db = connect(file)
    log.warning("The judge's cache %s was damaged: set aside as %s, a new one is created.", file, aside and aside.name)
    return db


def is_damage(error: sqlite3.Error) -> bool:
    """Whether an error means that the file is damaged; otherwise it is the disk's or another process's."""
    code = getattr(error, "sqlite_errorcode", None)
    return code is not None and code & 0xFF in _DAMAGE  # the higher bits are details


def is_on_network(folder: Path, mounts: str) -> bool:
    """Whether a folder is on a network file system, so that other machines may have its files open.

    Args:
        folder: any folder, without symbolic links.
        mounts: the content of Linux's `/proc/self/mounts`; empty where there is no such file.

    >>> is_on_network(Path("/home/a/.cache"), "/dev/sda / ext4 rw 0 0\\nserver:/x /home nfs4 rw 0 0")
    True
    """
    found = (Path("/"), "")
    for line in mounts.splitlines():
        _, place, kind, *_ = line.split()
        mounted = Path(re.sub(r"\\(\d{3})", lambda code: chr(int(code[1], 8)), place))
        if folder.is_relative_to(mounted) and len(mounted.parts) >= len(found[0].parts):
            found = (mounted, kind)
    return bool(_NETWORK.match(found[1]))


def _set_journal(db: sqlite3.Connection, file: Path) -> None:
    """A write-ahead log is ten times faster, but needs memory that all processes share, so one machine only."""
    try:
        mounts = _MOUNTS.read_text(encoding="utf-8", errors="replace")
    except OSError:
        mounts = ""
    if not is_on_network(Path(os.path.realpath(file.parent)), mounts):
        try:
            db.execute("PRAGMA journal_mode=WAL")
            return
        except sqlite3.OperationalError as error:
            if is_damage(error):
                raise
    db.execute("PRAGMA journal_mode=TRUNCATE")

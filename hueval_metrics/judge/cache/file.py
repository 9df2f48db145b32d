"""The SQLite file of the judge's replies: where it lies, how it is opened, and what becomes of a damaged one.

Two tables of JSON text: `replies` by request, `facts` by name. Safe with several processes.
"""

from __future__ import annotations

import logging
import os
import re
import sqlite3
from pathlib import Path

from hf_datasets.cache import cache_dir, set_aside

FORMAT = 1  # `PRAGMA user_version`; raised when an older hueval could no longer read the file
TABLES = ("replies", "facts")
BUSY_S = 5.0  # a commit takes a millisecond; what holds the file for longer is stuck, or shrinks it

# With a rowid: SQLite keeps large rows badly in a table without (a put of 4 kB among 50,000 took 97 µs instead of 54).
_SCHEMA = [
    f"CREATE TABLE IF NOT EXISTS {name} (key TEXT PRIMARY KEY NOT NULL, record TEXT NOT NULL)" for name in TABLES
]
_DAMAGE = {sqlite3.SQLITE_ERROR, sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB}  # ERROR: tables of another shape
_MOUNTS = Path("/proc/self/mounts")
_NETWORK = re.compile(r"nfs|cifs|smb|lustre|gpfs|beegfs|ceph|afs|panfs|pvfs|orangefs|wekafs|9p|fuse\.")

log = logging.getLogger(__name__)


class NewerFormatError(Exception):
    """The file was written by a newer hueval; it is left as it is. The text says so in one line."""


def cache_file(folder: Path | None = None) -> Path:
    """The file in a folder.

    Args:
        folder: where it lies; None for `judge` in the library's cache.

    Raises:
        DataError: there is no home folder to have a cache in.
    """
    return (folder or cache_dir() / "judge") / "replies.sqlite"


def connect(file: Path) -> sqlite3.Connection:
    """Open the file, made where it is missing. Every statement is a commit of its own; texts come as bytes.

    Raises:
        OSError: its folder cannot be made.
        sqlite3.Error: it cannot be opened, or is damaged (`is_damage`).
        NewerFormatError: it is not for this version.
    """
    file.parent.mkdir(parents=True, exist_ok=True)
    db = sqlite3.connect(file, timeout=BUSY_S, isolation_level=None)
    try:
        db.text_factory = bytes  # what is no UTF-8 is for the reader to judge, row by row
        (found,) = db.execute("PRAGMA user_version").fetchone()
        if found > FORMAT:
            raise NewerFormatError(
                f"a newer hueval wrote it, in format {found}; this one reads {FORMAT}. Upgrade hueval"
            )
        _set_journal(db, file)
        # A killed process loses nothing, a power cut the last few replies.
        db.execute("PRAGMA synchronous=NORMAL")
        for statement in _SCHEMA:
            db.execute(statement)
        for table in TABLES:
            db.execute(f"SELECT key, record FROM {table} LIMIT 1").fetchone()
        if found < FORMAT:
            db.execute(f"PRAGMA user_version={FORMAT}")
    except BaseException:
        db.close()
        raise
    return db


def check(db: sqlite3.Connection) -> None:
    """Look at every page.

    Raises:
        sqlite3.DatabaseError: one is damaged.
    """
    (found,) = db.execute("PRAGMA quick_check(1)").fetchone()
    if found != b"ok":
        error = sqlite3.DatabaseError("malformed")
        error.sqlite_errorcode = sqlite3.SQLITE_CORRUPT
        raise error


def is_damage(error: sqlite3.Error) -> bool:
    """Whether it is the file that is at fault, and not the disk or another process."""
    code = getattr(error, "sqlite_errorcode", None)
    return code is not None and code & 0xFF in _DAMAGE  # above: details of the same


def rebuild(file: Path) -> sqlite3.Connection:
    """Set a damaged file aside and begin a new one; nobody else may be opening it.

    Raises:
        OSError, sqlite3.Error: that cannot be done either.
    """
    aside = set_aside(file)
    for suffix in ("-wal", "-shm"):  # they belong to the old file and would be read into the new one
        file.with_name(file.name + suffix).unlink(missing_ok=True)
    db = connect(file)
    log.warning("The judge's cache %s was damaged: set aside as %s, begun anew.", file, aside and aside.name)
    return db


def is_on_network(folder: Path, mounts: str) -> bool:
    """Whether other machines may have a folder open too.

    Args:
        folder: any folder, without symbolic links.
        mounts: as in Linux's `/proc/self/mounts`; empty where there is no such thing.

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
    """A write-ahead log where it can be had: ten times faster, but it lives in memory that machines do not share."""
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

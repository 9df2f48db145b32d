from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from hueval_metrics.judge.cache import file as module
from hueval_metrics.judge.cache.file import cache_file, connect, is_damage, is_on_network
from hueval_metrics.judge.cache.replies import ReplyCache

MOUNTS = """\
/dev/sda1 / ext4 rw,relatime 0 0
proc /proc proc rw 0 0
server:/export /home nfs4 rw,vers=4.2 0 0
tmpfs /home/user/tmp tmpfs rw 0 0
lfs@tcp:/work /scratch lustre rw,flock 0 0
//nas/my\\040share /mnt/my\\040share cifs rw 0 0
me@host: /mnt/host fuse.sshfs rw 0 0
/dev/sdb1 /mnt/stick fuseblk rw 0 0
overlay /over overlay rw 0 0
tmpfs /over nfs rw 0 0
"""


def test_where_it_lies(tmp_path):
    assert cache_file() == tmp_path / "cache" / "judge" / "replies.sqlite"
    assert cache_file(tmp_path) == tmp_path / "replies.sqlite"


@pytest.mark.parametrize(
    ("folder", "expected"),
    [
        ("/home/user/.cache", True),
        ("/home", True),
        ("/homes/user", False),  # another folder with the same prefix
        ("/home/user/tmp/x", False),  # local, below a remote one
        ("/scratch/user", True),
        ("/mnt/my share/x", True),
        ("/mnt/host", True),
        ("/mnt/stick", False),
        ("/over/x", True),  # mounted over the first one
        ("/var/cache", False),
    ],
)
def test_what_other_machines_may_have_open(folder, expected):
    assert is_on_network(Path(folder), MOUNTS) is expected
    assert not is_on_network(Path(folder), "")


def journal(file):
    with closing(sqlite3.connect(file)) as database:
        return database.execute("PRAGMA journal_mode").fetchone()[0]


def test_no_write_ahead_log_where_machines_share_the_file(tmp_path, monkeypatch, caplog):
    """Its index is shared memory, which two machines do not have: they would corrupt the file."""
    folder = tmp_path / "judge"
    with ReplyCache(folder) as cache:
        cache.put("0" * 64, "IGEN", "m", "toy/1")
    assert journal(folder / "replies.sqlite") == "wal"
    mounts = tmp_path / "mounts"
    mounts.write_text(f"server:/x {tmp_path} nfs4 rw 0 0\n")
    monkeypatch.setattr(module, "_MOUNTS", mounts)
    with ReplyCache(folder) as cache:
        assert cache.get("0" * 64) == "IGEN"
        cache.put("1" * 64, "NEM", "m", "toy/1")
        assert not (folder / "replies.sqlite-wal").exists()
    with ReplyCache(folder) as cache:
        assert cache.get("1" * 64) == "NEM"
    assert not caplog.records


@pytest.mark.parametrize("refusal", ["silent", "loud"])
def test_a_file_system_that_knows_no_write_ahead_log(tmp_path, monkeypatch, refusal, caplog):
    """SQLite's VFS without shared memory stays in another mode; on some file systems the statement fails."""
    plain = sqlite3.connect

    class Loud(sqlite3.Connection):
        def execute(self, statement, *values):
            if statement == "PRAGMA journal_mode=WAL":
                error = sqlite3.OperationalError("locking protocol")
                error.sqlite_errorcode = sqlite3.SQLITE_PROTOCOL
                raise error
            return super().execute(statement, *values)

    def unshared(file, **options):
        if refusal == "loud":
            return plain(file, factory=Loud, **options)
        return plain(f"{Path(file).as_uri()}?vfs=unix-dotfile", uri=True, **options)

    monkeypatch.setattr(module.sqlite3, "connect", unshared)
    folder = tmp_path / "judge"
    with ReplyCache(folder) as cache:
        cache.put("0" * 64, "IGEN", "m", "toy/1")
        assert not (folder / "replies.sqlite-wal").exists()
    with ReplyCache(folder) as cache:
        assert cache.get("0" * 64) == "IGEN"
    assert not caplog.records


def test_opening_an_existing_file_writes_nothing(tmp_path):
    """Otherwise a hundred processes that start together would wait for each other's locks."""
    connect(tmp_path / "replies.sqlite").close()
    holder = sqlite3.connect(tmp_path / "replies.sqlite", isolation_level=None)
    holder.execute("BEGIN IMMEDIATE")
    connect(tmp_path / "replies.sqlite").close()  # else "database is locked"
    holder.close()


@pytest.mark.parametrize(
    ("statement", "damage"),
    [("SELECT no_such_column FROM replies", True), ("SELECT * FROM no_such_table", True), ("BEGIN IMMEDIATE", False)],
)
def test_what_counts_as_damage(tmp_path, statement, damage):
    db = connect(tmp_path / "replies.sqlite")
    db.execute("PRAGMA busy_timeout=0")
    sqlite3.connect(tmp_path / "replies.sqlite", isolation_level=None).execute("BEGIN IMMEDIATE")
    with pytest.raises(sqlite3.Error) as raised:
        db.execute(statement)
    assert is_damage(raised.value) is damage
    db.close()

from __future__ import annotations

import json
import logging
import os
import sqlite3
import subprocess
import sys
from hashlib import sha256
from pathlib import Path

import pytest

from hueval_metrics.judge.cache import file as cache_file
from hueval_metrics.judge.cache import replies as module
from hueval_metrics.judge.cache.file import connect
from hueval_metrics.judge.cache.replies import ReplyCache
from hueval_metrics.records import Usage

MESSAGES = [{"role": "user", "content": "Helyes?"}]
KEYS = [sha256(str(n).encode()).hexdigest() for n in range(200)]


@pytest.fixture
def folder(tmp_path):
    return tmp_path / "judge"


def test_a_reply_comes_back(folder):
    with ReplyCache(folder) as cache:
        assert cache.get(KEYS[0]) is None
        cache.put(KEYS[0], "IGEN \ud800 \0 „ő”", "m", "toy/1")
        assert cache.get(KEYS[0]) == "IGEN \ud800 \0 „ő”"
        cache.put(KEYS[0], "NEM", "m", "toy/1")
    with ReplyCache(folder) as cache:
        assert cache.get(KEYS[0]) == "NEM"


def test_it_lies_in_the_librarys_cache_as_json(tmp_path):
    with ReplyCache() as cache:
        cache.put(KEYS[0], "IGEN", "m", "toy/1")
    rows = sqlite3.connect(tmp_path / "cache" / "judge" / "replies.sqlite").execute("SELECT * FROM replies").fetchall()
    assert [key for key, _ in rows] == [KEYS[0]]
    record = json.loads(rows[0][1])
    assert record.pop("at")
    assert record == {"reply": "IGEN", "model": "m", "rubric": "toy/1"}


@pytest.mark.parametrize("content", [b"this is no database, by far " * 100, b"SQLite format 3\0" + b"\xff" * 5000])
def test_a_damaged_file_is_set_aside(folder, caplog, content):
    folder.mkdir()
    (folder / "replies.sqlite").write_bytes(content)
    with ReplyCache(folder) as cache:
        cache.put(KEYS[0], "IGEN", "m", "toy/1")
        assert cache.get(KEYS[0]) == "IGEN"
    assert (folder / "replies.sqlite.damaged").read_bytes() == content
    assert len(caplog.records) == 1
    assert "was damaged: set aside as replies.sqlite.damaged" in caplog.text


def test_damage_found_later(folder, caplog):
    with ReplyCache(folder) as cache:
        for key in KEYS:
            cache.put(key, "IGEN " * 200, "m", "toy/1")
    file = folder / "replies.sqlite"
    content = bytearray(file.read_bytes())
    content[8192:-4096] = os.urandom(len(content) - 8192 - 4096)  # the first page, with the schema, is whole
    file.write_bytes(content)
    with ReplyCache(folder) as cache:
        for key in KEYS:
            cache.get(key)
        cache.put(KEYS[0], "NEM", "m", "toy/1")
        assert cache.get(KEYS[0]) == "NEM"
    assert sqlite3.connect(folder / "replies.sqlite").execute("SELECT key FROM replies").fetchall() == [(KEYS[0],)]
    assert (folder / "replies.sqlite.damaged").exists()
    assert len(caplog.records) == 1


def test_a_put_that_meets_the_damage_is_not_lost(folder):
    with ReplyCache(folder) as cache:
        for key in KEYS:
            cache.put(key, "IGEN " * 200, "m", "toy/1")
    file = folder / "replies.sqlite"
    file.write_bytes(file.read_bytes()[:4096] + os.urandom(len(file.read_bytes()) - 4096))
    with ReplyCache(folder) as cache:
        cache.put(KEYS[0], "NEM", "m", "toy/1")
    with ReplyCache(folder) as cache:
        assert [cache.get(key) for key in KEYS[:2]] == ["NEM", None]


def test_damaged_twice_it_is_left_alone(folder, caplog):
    with ReplyCache(folder) as cache:
        for _ in range(2):
            cache.put(KEYS[0], "IGEN", "m", "toy/1")
            cache._db.execute("DROP TABLE replies")
            assert cache.get(KEYS[1]) is None
        cache.put(KEYS[0], "NEM", "m", "toy/1")
        assert cache.get(KEYS[0]) == "NEM"
        assert cache._db is None
    assert "no such table" in caplog.records[-1].message


def test_a_strange_row_is_no_reply(folder):
    with ReplyCache(folder) as cache:
        cache.put(KEYS[0], "IGEN", "m", "toy/1")
    for record in ("no json", "[]", '{"reply": 1}', "{}"):
        with sqlite3.connect(folder / "replies.sqlite") as database:
            database.execute("UPDATE replies SET record = ?", (record,))
        with ReplyCache(folder) as cache:
            assert cache.get(KEYS[0]) is None


def test_tokens_are_kept_with_a_reply(folder):
    with ReplyCache(folder) as cache:
        cache.put(KEYS[0], "IGEN", "m", "toy/1", Usage(1, 400, 20))
    record = json.loads(sqlite3.connect(folder / "replies.sqlite").execute("SELECT record FROM replies").fetchone()[0])
    assert (record["prompt_tokens"], record["completion_tokens"]) == (400, 20)


def test_a_fact_is_remembered(folder):
    with ReplyCache(folder) as cache:
        assert cache.recall("http://host/v1 m") is None
        cache.remember("http://host/v1 m", {"refused": ["seed"]})
        cache.put(KEYS[0], "IGEN", "m", "toy/1")
    with ReplyCache(folder) as cache:
        assert cache.recall("http://host/v1 m") == {"refused": ["seed"]}
        cache.remember("http://host/v1 m", None)
        assert cache.recall("http://host/v1 m") is None
        assert cache.recall(KEYS[0]) is None


def test_without_a_disk_the_process_remembers(tmp_path, caplog):
    """A path below a file stands for a read-only home: the tests may run as root, who can write anywhere."""
    (tmp_path / "file").write_text("in the way")
    for label in ("IGEN", "NEM"):  # two judgings, one after the other
        with ReplyCache(tmp_path / "file" / "judge") as cache:
            assert cache.get(KEYS[0]) == (None if label == "IGEN" else "IGEN")
            cache.put(KEYS[0], label, "m", "toy/1")
            cache.remember("fact", [label])
            assert cache.get(KEYS[0]) == label
            assert cache.recall("fact") == [label]
            assert cache.claim(KEYS[0])
    assert [r.levelno for r in caplog.records] == [logging.WARNING]
    assert "cannot be used (Not a directory). Replies stay in memory and judging continues." in caplog.text


def test_without_a_home_the_process_remembers(monkeypatch, caplog):
    monkeypatch.setattr(module, "_memories", {})
    monkeypatch.delenv("HUEVAL_CACHE_DIR")
    monkeypatch.setattr(Path, "home", lambda: (_ for _ in ()).throw(RuntimeError("no home")))
    with ReplyCache() as cache:
        cache.put(KEYS[0], "IGEN", "m", "toy/1")
        assert cache.get(KEYS[0]) == "IGEN"
        assert cache.claim(KEYS[0])
    assert "Set HUEVAL_CACHE_DIR" in caplog.text
    assert not Path("replies.lock").exists()


def test_in_a_folder_that_is_gone_the_process_remembers(tmp_path, monkeypatch, caplog):
    monkeypatch.setattr(module, "_memories", {})
    monkeypatch.setenv("HUEVAL_CACHE_DIR", "relative")
    (tmp_path / "gone").mkdir()
    monkeypatch.chdir(tmp_path / "gone")
    (tmp_path / "gone").rmdir()
    with ReplyCache() as cache:
        cache.put(KEYS[0], "IGEN", "m", "toy/1")
        assert cache.get(KEYS[0]) == "IGEN"
    assert "cannot be used (No such file or directory)" in caplog.text


def test_memory_is_bounded(folder, monkeypatch):
    monkeypatch.setattr(module, "MEMORY_SIZE", 10_000)
    folder.write_text("in the way")
    with ReplyCache(folder) as cache:
        for key in KEYS:
            cache.put(key, "x" * 900, "m", "toy/1")
        kept = [key for key in KEYS if cache.get(key)]
        assert kept == KEYS[-len(kept) :]
        assert 5 <= len(kept) <= 10
        cache.put(KEYS[0], "x" * 20_000, "m", "toy/1")
        assert not any(map(cache.get, KEYS))


FULL = """
import logging, resource, sys
from pathlib import Path
from hueval_metrics.judge.cache import replies as module
from hueval_metrics.judge.cache.replies import ReplyCache
logging.basicConfig(format="%(message)s")
keys = [f"{n:064x}" for n in range(200)]
hard = resource.getrlimit(resource.RLIMIT_FSIZE)[1]
with ReplyCache(Path(sys.argv[1])) as cache:
    resource.setrlimit(resource.RLIMIT_FSIZE, (200_000, hard))
    for key in keys:
        cache.put(key, key * 50, "m", "toy/1")
    assert all(cache.get(key) == key * 50 for key in keys)
    assert len(cache._memory.all()) > 100
with ReplyCache(Path(sys.argv[1])) as cache:
    assert all(cache.get(key) == key * 50 for key in keys)
    resource.setrlimit(resource.RLIMIT_FSIZE, (hard, hard))
    cache._rests_until = 0.0
    if sys.argv[2] == "recovers":
        cache.put("f" * 64, "IGEN", "m", "toy/1")
        assert not cache._memory.all()
    if sys.argv[2] == "killed":
        import os
        os.kill(os.getpid(), 9)
"""


@pytest.mark.parametrize(("way", "stored"), [("recovers", 201), ("closes", 200), ("killed", None)])
def test_a_full_disk(folder, way, stored):
    """The limit on a file's size stands for it: both fail a write halfway. What did not fit is stored once it does."""
    done = subprocess.run([sys.executable, "-c", FULL, folder, way], capture_output=True, text=True, timeout=60)
    assert done.returncode == (-9 if way == "killed" else 0), done.stderr
    warnings = done.stderr.splitlines()
    assert "Replies stay in memory and judging continues." in warnings[0]
    assert len(warnings) == (1 if way == "killed" else 2)
    with sqlite3.connect(folder / "replies.sqlite") as database:
        assert database.execute("PRAGMA integrity_check").fetchone() == ("ok",)
        (count,) = database.execute("SELECT count(*) FROM replies").fetchone()
    assert count == stored if stored else 0 < count < 100


def test_a_database_at_its_limit(folder, monkeypatch, caplog):
    """SQLite's own "database or disk is full": what was there before can still be read from the file."""

    def limited(file):
        db = connect(file)
        db.execute("PRAGMA max_page_count=8")
        return db

    monkeypatch.setattr(module, "connect", limited)
    with ReplyCache(folder) as cache:
        cache.put(KEYS[0], "IGEN", "m", "toy/1")
        for key in KEYS[1:5]:
            cache.put(key, "x" * 20_000, "m", "toy/1")
        assert cache.get(KEYS[0]) == "IGEN"
        assert cache.get(KEYS[4]) == "x" * 20_000
    assert len(caplog.records) == 1
    assert "database or disk is full" in caplog.text


def test_a_file_that_another_process_holds(folder, monkeypatch, caplog):
    """A `prune` that rewrites a large file, or a process that was stopped: wait, then go on in memory, later store."""
    monkeypatch.setattr(cache_file, "BUSY_S", 0.05)
    with ReplyCache(folder) as cache:
        cache.put(KEYS[0], "IGEN", "m", "toy/1")
        other = sqlite3.connect(folder / "replies.sqlite", isolation_level=None)
        other.execute("BEGIN IMMEDIATE")
        cache.put(KEYS[0], "NEM", "m", "toy/1")
        assert cache.get(KEYS[0]) == "NEM"
        assert len(caplog.records) == 1
        other.execute("ROLLBACK")
        monkeypatch.setattr(cache, "_rests_until", 0.0)
        cache.put(KEYS[1], "IGEN", "m", "toy/1")
        assert "takes replies again" in caplog.text
    with ReplyCache(folder) as cache:
        assert [cache.get(key) for key in KEYS[:2]] == ["NEM", "IGEN"]


def test_a_file_that_cannot_be_read_is_left_alone_for_a_while(folder, caplog):
    """Each further read might wait as long; a closed connection stands for the I/O error."""
    with ReplyCache(folder) as cache:
        cache.put(KEYS[0], "IGEN", "m", "toy/1")
        cache._db.close()
        assert cache.get(KEYS[0]) is None
        assert cache._db is None
        assert cache.get(KEYS[0]) is None
        assert len(caplog.records) == 1
        cache._rests_until = 0.0
        assert cache.get(KEYS[0]) == "IGEN"


def test_a_file_of_a_newer_version_is_left_as_it_is(folder, caplog):
    folder.mkdir()
    with sqlite3.connect(folder / "replies.sqlite") as database:
        database.execute("PRAGMA user_version=7")
        database.execute("CREATE TABLE replies (something, new)")
    database.close()
    before = (folder / "replies.sqlite").read_bytes()
    with ReplyCache(folder) as cache:
        cache.put(KEYS[0], "IGEN", "m", "toy/1")
        assert cache.get(KEYS[0]) == "IGEN"
    assert (folder / "replies.sqlite").read_bytes() == before
    assert len(caplog.records) == 1
    assert "a newer hueval wrote it, in format 7; this one reads 1" in caplog.text


def test_a_file_of_the_first_version_goes_on(folder):
    folder.mkdir()
    with sqlite3.connect(folder / "replies.sqlite") as database:
        database.execute("CREATE TABLE replies (key TEXT PRIMARY KEY, record TEXT NOT NULL) WITHOUT ROWID")
        database.execute("INSERT INTO replies VALUES (?, ?)", (KEYS[0], json.dumps({"reply": "IGEN"})))
    database.close()
    with ReplyCache(folder) as cache:
        assert cache.get(KEYS[0]) == "IGEN"
        cache.put(KEYS[1], "NEM", "m", "toy/1")
        assert cache.get(KEYS[1]) == "NEM"


WRITER = """
import sys
from pathlib import Path
from hueval_metrics.judge.cache.replies import ReplyCache
with ReplyCache(Path(sys.argv[1])) as cache:
    for n in range(200):
        cache.put(f"{sys.argv[2]}{n:015x}", "IGEN", "m", "toy/1")
"""


def test_many_processes_write_at_once(folder, caplog):
    writers = [subprocess.Popen([sys.executable, "-c", WRITER, folder, name], stderr=subprocess.PIPE) for name in "abc"]
    assert [writer.communicate()[1] for writer in writers] == [b""] * 3
    with ReplyCache(folder) as cache:
        assert all(cache.get(f"{name}{n:015x}") == "IGEN" for name in "abc" for n in range(200))


ENDLESS = """
import sys
from pathlib import Path
from hueval_metrics.judge.cache.replies import ReplyCache
with ReplyCache(Path(sys.argv[1])) as cache:
    for n in range(10**9):
        cache.put(f"{n:064x}", "IGEN " * 200, "m", "toy/1")
        print(n, flush=True)
"""


def test_a_kill_loses_nothing_that_was_put(folder):
    """Three times at another moment, and the next process goes on in the same file."""
    for moment in (50, 333, 1200):
        writer = subprocess.Popen([sys.executable, "-c", ENDLESS, folder], stdout=subprocess.PIPE, text=True)
        lines = [writer.stdout.readline() for _ in range(moment)]
        writer.kill()
        last = int([*lines, *writer.communicate()[0].splitlines()][-1])
        with ReplyCache(folder) as cache:
            assert all(cache.get(f"{n:064x}") == "IGEN " * 200 for n in range(last + 1))
    assert not (folder / "replies.sqlite.damaged").exists()

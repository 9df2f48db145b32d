from __future__ import annotations

import json
import logging
import os
import sqlite3
import subprocess
import sys
import time
from contextlib import closing
from hashlib import sha256
from pathlib import Path

import pytest

from hueval_metrics.judge.cache.file import BUSY_S
from hueval_metrics.judge.cache.replies import MEMORY_SIZE, ReplyCache
from hueval_metrics.records import Usage
from tests.fakes.small_files import file_size_limit

ROOT = Path(__file__).parents[3]
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
            with closing(sqlite3.connect(folder / "replies.sqlite")) as database:
                database.execute("DROP TABLE replies")
            assert cache.get(KEYS[1]) is None
        cache.put(KEYS[0], "NEM", "m", "toy/1")
        assert cache.get(KEYS[0]) == "NEM"
        assert not cache.is_saved(KEYS[0]) and not cache.is_usable
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
        assert cache.remember("http://host/v1 m", None)
        assert cache.recall("http://host/v1 m") is None
        assert cache.recall(KEYS[0]) is None


@pytest.mark.parametrize("is_full", [False, True])
def test_facts_are_found_by_the_beginning_of_their_names(folder, is_full):
    with ReplyCache(folder) as cache:
        for name in ("batch a 1", "batch a 2", "batch ab 3"):
            assert cache.remember(name, [name])
        with file_size_limit(100 if is_full else 2**30):
            for name, value in (("batch a 2", None), ("batch a 4", ["new"]), ("batch b 5", ["other"])):
                assert cache.remember(name, value) is not is_full
            assert cache.recall_all("batch a ") == {"1": ["batch a 1"], "4": ["new"]}
    with ReplyCache(folder) as cache:  # written when there was room again
        assert cache.recall_all("batch a ") == {"1": ["batch a 1"], "4": ["new"]}


def test_without_a_disk_the_process_remembers(tmp_path, caplog):
    """A path below a file, not a read-only folder: the tests may run as root, who can write anywhere."""
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


NOWHERE = """
import os, sys, tempfile
from pathlib import Path
from hueval_metrics.judge.cache.replies import ReplyCache
if sys.argv[1] == "no home":
    del os.environ["HUEVAL_CACHE_DIR"]
    def home():
        raise RuntimeError("Could not determine home directory.")
    Path.home = home
else:
    os.environ["HUEVAL_CACHE_DIR"] = "relative"
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
with ReplyCache() as cache:
    cache.put("0" * 64, "IGEN", "m", "toy/1")
    assert cache.get("0" * 64) == "IGEN"
    assert cache.claim("1" * 64)
"""


@pytest.mark.process
@pytest.mark.parametrize(
    ("place", "reason"), [("no home", "Set HUEVAL_CACHE_DIR"), ("deleted folder", "(No such file or directory)")]
)
def test_without_a_folder_the_process_remembers(tmp_path, place, reason):
    done = subprocess.run([sys.executable, "-c", NOWHERE, place], cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert reason in done.stderr and "Replies stay in memory and judging continues." in done.stderr
    assert not list(tmp_path.iterdir())


def test_memory_is_bounded(folder):
    folder.write_text("in the way")
    mebi = "x" * 2**20
    with ReplyCache(folder) as cache:
        for key in KEYS[:80]:
            cache.put(key, mebi, "m", "toy/1")
        kept = [key for key in KEYS[:80] if cache.get(key)]
        assert kept == KEYS[80 - len(kept) : 80]
        assert 0.9 * MEMORY_SIZE < len(kept) * len(mebi) <= MEMORY_SIZE
        cache.put(KEYS[0], "x" * MEMORY_SIZE, "m", "toy/1")
        assert not any(map(cache.get, KEYS))


FULL = """
import os, sys
from pathlib import Path
from hueval_metrics.judge.cache.replies import ReplyCache
from tests.fakes.small_files import file_size_limit
keys = [f"{n:064x}" for n in range(200)]
folder, way = Path(sys.argv[1]), sys.argv[2]
with ReplyCache(folder) as cache:
    with file_size_limit(200_000):
        for key in keys:
            cache.put(key, key * 50, "m", "toy/1")
        assert all(cache.get(key) == key * 50 for key in keys)
        assert sum(not cache.is_saved(key) for key in keys) > 100
    if way == "killed":
        os.kill(os.getpid(), 9)
    if way == "recovers":
        with ReplyCache(folder) as next_:
            assert next_.get(keys[-1]) == keys[-1] * 50
            next_.put("f" * 64, "IGEN", "m", "toy/1")
        assert all(map(cache.is_saved, keys))
"""


@pytest.mark.process
@pytest.mark.parametrize(("way", "stored"), [("recovers", 201), ("closes", 200), ("killed", None)])
def test_a_full_disk(folder, way, stored):
    """What could not be written is written when there is room again."""
    command = [sys.executable, "-c", FULL, folder, way]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=240)
    assert done.returncode == (-9 if way == "killed" else 0), done.stderr
    warnings = done.stderr.splitlines()
    assert "Replies stay in memory and judging continues." in warnings[0]
    assert len(warnings) == (1 if way == "killed" else 2)
    with sqlite3.connect(folder / "replies.sqlite") as database:
        assert database.execute("PRAGMA integrity_check").fetchone() == ("ok",)
        (count,) = database.execute("SELECT count(*) FROM replies").fetchone()
    assert count == stored if stored else 0 < count < 100


def test_on_a_full_disk_the_file_can_still_be_read(folder, caplog):
    with ReplyCache(folder) as cache:
        cache.put(KEYS[0], "IGEN", "m", "toy/1")
        with file_size_limit(100):
            cache.put(KEYS[1], "NEM", "m", "toy/1")
            assert [cache.get(key) for key in KEYS[:2]] == ["IGEN", "NEM"]
            assert [cache.is_saved(key) for key in KEYS[:2]] == [True, False]
    assert len(caplog.records) == 2
    assert "disk I/O error" in caplog.text and "can be written again" in caplog.text


def test_a_file_that_another_process_locks(folder, caplog):
    """A `prune` of a large file, or a process that was stopped: wait, then go on in memory, and write later."""
    with ReplyCache(folder) as cache:
        cache.put(KEYS[0], "IGEN", "m", "toy/1")
        with closing(sqlite3.connect(folder / "replies.sqlite", isolation_level=None)) as other:
            other.execute("BEGIN IMMEDIATE")
            cache.put(KEYS[0], "NEM", "m", "toy/1")
            started = time.monotonic()
            cache.put(KEYS[1], "IGEN", "m", "toy/1")  # does not wait again
            assert time.monotonic() - started < BUSY_S
            assert [cache.get(key) for key in KEYS[:2]] == ["NEM", "IGEN"]
            assert len(caplog.records) == 1 and "database is locked" in caplog.text
    assert "can be written again" in caplog.text
    with ReplyCache(folder) as cache:
        assert [cache.get(key) for key in KEYS[:2]] == ["NEM", "IGEN"]


def test_a_file_that_cannot_be_read_is_left_alone_for_a_while(folder, caplog):
    """Each further read might wait as long."""
    folder.mkdir()
    with closing(sqlite3.connect(folder / "replies.sqlite", isolation_level=None)) as other:
        other.execute("CREATE TABLE replies (key TEXT PRIMARY KEY NOT NULL, record TEXT NOT NULL)")
        other.execute("INSERT INTO replies VALUES (?, ?)", (KEYS[0], json.dumps({"reply": "IGEN"})))
        other.execute("BEGIN EXCLUSIVE")
        with ReplyCache(folder) as cache:
            started = time.monotonic()
            assert cache.get(KEYS[0]) is None
            assert time.monotonic() - started < BUSY_S
            assert len(caplog.records) == 1 and "database is locked" in caplog.text
    with ReplyCache(folder) as cache:
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


@pytest.mark.process
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


@pytest.mark.process
def test_a_kill_loses_nothing_that_was_put(folder):
    """After each of three kills, the next process continues with the same file."""
    for moment in (50, 333, 1200):
        writer = subprocess.Popen([sys.executable, "-c", ENDLESS, folder], stdout=subprocess.PIPE, text=True)
        lines = [writer.stdout.readline() for _ in range(moment)]
        writer.kill()
        last = int([*lines, *writer.communicate()[0].splitlines()][-1])
        with ReplyCache(folder) as cache:
            assert all(cache.get(f"{n:064x}") == "IGEN " * 200 for n in range(last + 1))
    assert not (folder / "replies.sqlite.damaged").exists()

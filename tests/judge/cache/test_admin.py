from __future__ import annotations

import json
import sqlite3
import subprocess
import sys
from contextlib import closing
from datetime import UTC, datetime, timedelta, timezone
from hashlib import sha256

import pytest

from hueval_metrics.cli import main
from hueval_metrics.errors import DataError, InputError
from hueval_metrics.judge.cache.admin import prune, read_stats
from hueval_metrics.judge.cache.replies import ReplyCache
from hueval_metrics.records import Usage

KEYS = [sha256(str(n).encode()).hexdigest() for n in range(1500)]


@pytest.fixture
def folder(tmp_path):
    return tmp_path / "judge"


@pytest.fixture
def filled(folder):
    """Three replies of two judges under two rubrics, one of them without a count of tokens."""
    with ReplyCache(folder) as cache:
        cache.put(KEYS[0], "IGEN", "gpt-4o", "husimpleqa/1", Usage(1, 400, 20))
        cache.put(KEYS[1], "NEM", "gpt-4o", "husimpleqa/1", Usage(1, 500, 30))
        cache.put(KEYS[2], "5", "my\x1b[31mmodel", "huwildbench/2")
    return folder


def execute(folder, statement, *values):
    with closing(sqlite3.connect(folder / "replies.sqlite")) as database, database:
        database.execute(statement, values)


def backdate(folder, key, days):
    at = (datetime.now(UTC) - timedelta(days=days)).isoformat(timespec="seconds")
    execute(folder, "UPDATE replies SET record = json_set(record, '$.at', ?) WHERE key = ?", at, key)


def kept(folder):
    with ReplyCache(folder) as cache:
        return [n for n, key in enumerate(KEYS) if cache.get(key)]


def test_stats(filled):
    backdate(filled, KEYS[1], 10)
    stats = read_stats(filled)
    assert stats.pop("file") == str(filled / "replies.sqlite")
    assert stats.pop("bytes") >= 4096
    first, last = (datetime.fromisoformat(stats.pop(name)) for name in ("first", "last"))
    assert (last - first).days in (9, 10)
    assert stats == {
        "replies": 3,
        "uncounted": 1,
        "prompt_tokens": 900,
        "completion_tokens": 50,
        "unreadable": 0,
        "groups": [
            {
                "model": "gpt-4o",
                "rubric": "husimpleqa/1",
                "replies": 2,
                "uncounted": 0,
                "prompt_tokens": 900,
                "completion_tokens": 50,
            },
            {
                "model": "my\x1b[31mmodel",
                "rubric": "huwildbench/2",
                "replies": 1,
                "uncounted": 1,
                "prompt_tokens": 0,
                "completion_tokens": 0,
            },
        ],
    }


def test_stats_in_lines(filled, capsys):
    assert main(["cache", "stats", "--dir", str(filled)]) == 0
    printed = capsys.readouterr().out
    assert f"{filled / 'replies.sqlite'}: 0.0 MB, replies: 3" in printed
    assert "         2            900                 50  gpt-4o, husimpleqa/1" in printed
    assert "900 prompt and 50 completion tokens (replies without a count: 1)." in printed
    assert "\x1b" not in printed


def test_stats_as_json(filled, capsys):
    assert main(["cache", "stats", "--json", "--dir", str(filled)]) == 0
    assert json.loads(capsys.readouterr().out)["replies"] == 3


def test_stats_of_the_librarys_cache(capsys):
    with ReplyCache():
        pass
    assert main(["cache", "stats"]) == 0
    assert "MB, replies: 0" in capsys.readouterr().out


@pytest.mark.parametrize("action", ["stats", "prune --rubric toy"])
def test_no_cache_there(folder, capsys, action):
    assert main(["cache", *action.split(), "--dir", str(folder)]) == 1
    assert capsys.readouterr().err.startswith(f"hueval: {folder / 'replies.sqlite'}: no cache there.")
    assert not folder.exists()


@pytest.mark.parametrize("action", ["stats", "prune --rubric toy"])
def test_a_file_that_is_no_database_is_named_and_left(folder, capsys, action):
    folder.mkdir()
    (folder / "replies.sqlite").write_text("no database" * 100)
    assert main(["cache", *action.split(), "--dir", str(folder)]) == 1
    error = capsys.readouterr().err
    assert "damaged (file is not a database). The next judged run renames it" in error
    assert error.count("\n") == 1
    assert (folder / "replies.sqlite").read_text() == "no database" * 100


def test_a_file_of_a_newer_version(filled):
    execute(filled, "PRAGMA user_version=7")
    with pytest.raises(DataError, match="a newer hueval wrote it, in format 7"):
        read_stats(filled)


@pytest.mark.parametrize(
    ("conditions", "left"),
    [
        ({"model": "gpt-4o"}, [2]),
        ({"rubric": "husimpleqa/1"}, [2]),
        ({"rubric": "husimpleqa"}, [2]),
        ({"rubric": "husimpleqa/2"}, [0, 1, 2]),
        ({"older_than_days": 5}, [0, 2]),
        ({"older_than_days": 0}, []),
        ({"older_than_days": 5, "model": "another"}, [0, 1, 2]),
        ({"older_than_days": 5, "rubric": "husimpleqa", "dry_run": True}, [0, 1, 2]),
    ],
)
def test_prune_deletes_what_meets_every_condition(filled, conditions, left, capsys):
    backdate(filled, KEYS[1], 10)
    assert prune(filled, **conditions) == 0
    assert kept(filled) == left
    counted = 1 if conditions.get("dry_run") else 3 - len(left)
    did = "to delete" if "dry_run" in conditions else "deleted"
    assert capsys.readouterr().out == f"Replies {did}: {counted}\n"


@pytest.mark.parametrize("conditions", [{}, {"dry_run": True}, *({"older_than_days": days} for days in (-1, 1e9))])
def test_prune_wants_a_condition(filled, conditions):
    with pytest.raises(InputError, match=r"Give --older-than DAYS, --model M or --rubric R|days from 0 to 36500"):
        prune(filled, **conditions)
    assert kept(filled) == [0, 1, 2]


def test_not_a_number_of_days(filled, capsys):
    assert main(["cache", "prune", "--older-than", "nan", "--dir", str(filled)]) == 1
    assert "--older-than: nan is not usable" in capsys.readouterr().err


def test_prune_makes_the_file_smaller(folder):
    with ReplyCache(folder) as cache:
        for n, key in enumerate(KEYS):
            cache.put(key, "x" * 2000, "m", f"toy/{n % 3 + 1}")
    before = (folder / "replies.sqlite").stat().st_size
    with ReplyCache(folder) as cache:
        assert prune(folder, rubric="toy/1") == prune(folder, rubric="toy/3") == 0  # a judging is under way
        assert (folder / "replies.sqlite").stat().st_size < before / 2
        cache.put(KEYS[0], "IGEN", "m", "toy/1")
    assert kept(folder) == sorted({0, *range(1, len(KEYS), 3)})


def test_prune_leaves_a_reply_that_came_meanwhile(filled):
    reply = json.dumps({"reply": "NEM", "model": "gpt-4o", "rubric": "husimpleqa/1", "at": "2025-01-31T12:00:00+00:00"})
    execute(
        filled,
        f"CREATE TRIGGER t AFTER DELETE ON replies WHEN old.key = '{KEYS[0]}' "
        f"BEGIN INSERT INTO replies VALUES (old.key, '{reply}'); END",
    )
    prune(filled, model="gpt-4o")
    assert kept(filled) == [0, 2]


def test_prune_on_a_file_that_cannot_shrink(filled, capsys, monkeypatch):
    monkeypatch.setattr("hueval_metrics.judge.cache.file.BUSY_S", 0.1)  # how long it waits for the reader
    with closing(sqlite3.connect(filled / "replies.sqlite", isolation_level=None)) as reader:
        reader.execute("BEGIN")
        reader.execute("SELECT * FROM replies").fetchone()
        assert prune(filled, model="gpt-4o") == 0
    assert "Replies deleted: 2\nThe file keeps its size for now (another process reads it)" in capsys.readouterr().out
    assert kept(filled) == [2]


@pytest.mark.parametrize(
    "record",
    [
        "no json",
        "[" * 100_000,
        "[]",
        "{\udcff}",
        *({name: None} for name in ("reply", "model", "rubric", "at")),
        {"at": "yesterday"},
    ],
)
def test_a_row_that_is_no_reply_is_counted_and_never_deleted(filled, capsys, record):
    right = {"reply": "IGEN", "model": "m", "rubric": "toy/1", "at": "2025-01-31T12:00:00+00:00"}
    text = record if isinstance(record, str) else json.dumps(right | record)
    raw = text.encode("utf-8", "surrogateescape")
    execute(filled, "UPDATE replies SET record = CAST(? AS TEXT) WHERE key = ?", raw, KEYS[1])
    assert main(["cache", "stats", "--dir", str(filled)]) == 0
    printed = capsys.readouterr().out
    assert "MB, replies: 2\n" in printed
    assert "Unreadable rows: 1 (these replies are asked for again when they are needed)" in printed
    assert prune(filled, older_than_days=0) == 0
    assert capsys.readouterr().out == "Replies deleted: 2\n"
    assert read_stats(filled)["unreadable"] == 1


def test_a_file_of_the_first_version_is_counted_and_pruned(folder):
    """Its tables have no row ids."""
    folder.mkdir()
    execute(folder, "CREATE TABLE replies (key TEXT PRIMARY KEY, record TEXT NOT NULL) WITHOUT ROWID")
    row = {"reply": "IGEN", "rubric": "toy/1", "at": "2025-01-31T12:00:00+00:00"}
    for key, model in zip(KEYS, ("a", "b", "a"), strict=False):
        execute(folder, "INSERT INTO replies VALUES (?, ?)", key, json.dumps(row | {"model": model}))
    assert read_stats(folder)["replies"] == 3
    assert prune(folder, model="a") == 0
    assert kept(folder) == [1]


def test_any_time_zone_counts(filled):
    hours = timezone(timedelta(hours=14))
    at = (datetime.now(hours) - timedelta(days=1, hours=1)).isoformat(timespec="seconds")
    execute(filled, "UPDATE replies SET record = json_set(record, '$.at', ?) WHERE key = ?", at, KEYS[1])
    assert prune(filled, older_than_days=1) == 0
    assert kept(filled) == [0, 2]


JUDGING = """
import sys
from pathlib import Path
from hueval_metrics.judge.cache.replies import ReplyCache
with ReplyCache(Path(sys.argv[1])) as cache:
    print(flush=True)
    for n in range(3000):
        cache.put(f"{n:064x}", "IGEN " * 100, "m", "toy/1")
    assert all(cache.is_saved(f"{n:064x}") for n in range(3000))
"""


@pytest.mark.process
def test_all_is_safe_while_another_process_is_judging(folder):
    with ReplyCache(folder) as cache:
        for key in KEYS:
            cache.put(key, "IGEN " * 100, "old", "toy/1")
    judging = subprocess.Popen(
        [sys.executable, "-c", JUDGING, folder], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    judging.stdout.readline()
    for action in (["stats"], ["prune", "--model", "old"], ["stats"]):
        assert main(["cache", *action, "--dir", str(folder)]) == 0
    assert judging.communicate(timeout=240)[1] == ""
    assert judging.returncode == 0
    assert kept(folder) == []
    with ReplyCache(folder) as cache:
        assert all(cache.get(f"{n:064x}") for n in range(3000))


@pytest.mark.process
def test_it_imports_nothing_heavy(filled):
    program = (
        "import sys; from hueval_metrics.cli import main; status = main(['cache', 'stats', '--dir', sys.argv[1]]);"
        "heavy = {'aiohttp', 'datasets', 'lm_eval.tasks', 'scipy', 'sklearn', 'numpy'} & set(sys.modules);"
        "sys.exit(f'imported: {heavy}' if heavy else status)"
    )
    done = subprocess.run([sys.executable, "-c", program, filled], capture_output=True, text=True, timeout=240)
    assert done.returncode == 0, done.stderr

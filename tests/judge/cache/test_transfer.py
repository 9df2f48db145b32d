from __future__ import annotations

import io
import json
import re
import sqlite3
import sys
import tempfile
from contextlib import closing
from hashlib import sha256
from pathlib import Path
from types import SimpleNamespace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hueval_metrics.cli import main
from hueval_metrics.judge.cache import file as cache_file
from hueval_metrics.judge.cache import transfer as module
from hueval_metrics.judge.cache.admin import prune
from hueval_metrics.judge.cache.replies import ReplyCache
from hueval_metrics.judge.cache.transfer import STDIO, export_replies, import_replies
from hueval_metrics.records import InputError, Usage

KEYS = [sha256(str(n).encode()).hexdigest() for n in range(1500)]
ROW = {"key": KEYS[0], "reply": "IGEN", "model": "m", "rubric": "toy/1", "at": "2025-01-31T12:00:00+00:00"}


@pytest.fixture
def folder(tmp_path):
    return tmp_path / "judge"


def table(folder):
    with closing(sqlite3.connect(folder / "replies.sqlite")) as database:
        return database.execute("SELECT key, record FROM replies ORDER BY key").fetchall()


def fill(folder, count=1500):
    with ReplyCache(folder) as cache:
        for n, key in enumerate(KEYS[:count]):
            cache.put(key, f"IGEN \ud800 \0 „ő” {n}", "m", "toy/1", Usage(1, n, 2) if n % 2 else None)


def lines(*rows):
    return "".join((row if isinstance(row, str) else json.dumps(row)) + "\n" for row in rows).encode()


def test_export_prune_import_gives_the_same_replies(folder, tmp_path, capsys):
    fill(folder)
    before, file = table(folder), tmp_path / "new" / "out.jsonl"
    assert export_replies(file, folder) == 0
    assert prune(folder, model="m") == 0
    assert table(folder) == []
    assert import_replies(file, folder) == 0
    assert table(folder) == before
    assert capsys.readouterr().out.splitlines() == [
        "Replies exported: 1,500",
        "Replies deleted: 1,500",
        "Replies added: 1,500, here already: 0, lines refused: 0",
    ]


def test_a_line_is_a_json_object_by_key(folder, tmp_path):
    fill(folder, 20)
    export_replies(tmp_path / "out.jsonl", folder)
    rows = [json.loads(line) for line in (tmp_path / "out.jsonl").read_text(encoding="ascii").splitlines()]
    assert [row["key"] for row in rows] == sorted(KEYS[:20])
    counted = next(row for row in rows if row["key"] == KEYS[3])
    assert counted.pop("at")
    assert counted == {
        "key": KEYS[3],
        "reply": "IGEN \ud800 \0 „ő” 3",
        "model": "m",
        "rubric": "toy/1",
        "prompt_tokens": 3,
        "completion_tokens": 2,
    }


def test_through_pipes(folder, tmp_path, capsys, monkeypatch):
    fill(folder, 3)
    assert main(["cache", "export", "-", "--dir", str(folder)]) == 0
    printed = capsys.readouterr()
    assert printed.err == "Replies exported: 3\n"
    monkeypatch.setattr(sys, "stdin", SimpleNamespace(buffer=io.BytesIO(printed.out.encode())))
    assert main(["cache", "import", "-", "--dir", str(tmp_path / "other")]) == 0
    assert table(tmp_path / "other") == table(folder)


def test_import_never_overwrites(folder, tmp_path, capsys):
    with ReplyCache(folder) as cache:
        cache.put(KEYS[0], "NEM", "m", "toy/1")
    (tmp_path / "in.jsonl").write_bytes(lines(ROW, ROW | {"key": KEYS[1]}, ROW | {"key": KEYS[1], "reply": "NEM"}))
    assert main(["cache", "import", str(tmp_path / "in.jsonl"), "--dir", str(folder)]) == 0
    assert "Replies added: 1, here already: 2, lines refused: 0" in capsys.readouterr().out
    with ReplyCache(folder) as cache:
        assert [cache.get(key) for key in KEYS[:2]] == ["NEM", "IGEN"]


def test_a_broken_line_is_refused_and_the_rest_goes_on(folder, tmp_path, capsys, monkeypatch):
    monkeypatch.setattr(module, "_LINE_CAP", 2**20)
    file = tmp_path / "in.jsonl"
    file.write_bytes(
        lines("no json", "", "[]", ROW | {"key": "AB"}, ROW | {"reply": 1}, ROW | {"key": KEYS[1], "more": [1]})
        + b"\xff\n"
        + b"x" * (2**20 * 3)
        + b"\n"
        + lines(ROW)[:-1]
    )
    assert main(["cache", "import", str(file), "--dir", str(folder)]) == 1
    assert capsys.readouterr().out.splitlines() == [
        f"{file} line 1: refused, it is no JSON object",
        f"{file} line 3: refused, it is no JSON object",
        f"{file} line 4: refused, its key is no SHA-256 in 64 hexadecimal digits",
        f'{file} line 5: refused, "reply" is no text',
        f"{file} line 7: refused, it is no JSON object",
        f"{file} line 8: refused, it is longer than 1 MiB",
        "Replies added: 2, here already: 0, lines refused: 6",
    ]
    assert [key for key, _ in table(folder)] == sorted(KEYS[:2])
    assert "more" not in table(folder)[0][1] + table(folder)[1][1]


VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text(max_size=20)
    | st.sampled_from(list(ROW.values())),
    lambda inner: st.lists(inner, max_size=3),
    max_leaves=5,
)
OBJECTS = st.dictionaries(st.sampled_from([*ROW, "prompt_tokens", "completion_tokens", "more"]), VALUES).map(
    lambda changes: json.dumps(ROW | changes).encode()
)


@settings(max_examples=50)
@given(st.lists(OBJECTS | st.binary(max_size=200), max_size=8))
def test_any_lines_can_be_imported(given_lines):
    """Nothing raises, every line is accounted for, and what came in is in order and comes out again."""
    with tempfile.TemporaryDirectory() as name:
        folder, file, out = Path(name, "judge"), Path(name, "in.jsonl"), io.StringIO()
        file.write_bytes(b"\n".join(given_lines))
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(sys, "stdout", out)
            status = import_replies(file, folder)
            assert main(["cache", "verify", "--dir", str(folder)]) == 0
            assert export_replies(Path(name, "out.jsonl"), folder) == 0
            assert import_replies(Path(name, "out.jsonl"), Path(name, "again")) == 0
        summary = next(line for line in out.getvalue().splitlines() if "lines refused" in line)
        counts = [int(count) for count in re.findall(r"\d+", summary)]
        assert sum(counts) == sum(1 for line in file.read_bytes().split(b"\n") if line.strip())
        assert status == bool(counts[2])
        assert len(table(folder)) == counts[0]
        assert table(Path(name, "again")) == table(folder)


def test_an_export_is_there_whole_or_not_at_all(folder, tmp_path, monkeypatch):
    fill(folder, 3)
    (tmp_path / "out.jsonl").write_text("of yesterday")

    def broken(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr(module, "_known", broken)
    with pytest.raises(KeyboardInterrupt):
        export_replies(tmp_path / "out.jsonl", folder)
    assert (tmp_path / "out.jsonl").read_text() == "of yesterday"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["judge", "out.jsonl"]


def test_an_export_leaves_strange_rows_out(folder, tmp_path, capsys):
    fill(folder, 3)
    with closing(sqlite3.connect(folder / "replies.sqlite")) as database, database:
        database.execute("UPDATE replies SET record = 'no json' WHERE key = ?", (KEYS[0],))
    assert export_replies(tmp_path / "out.jsonl", folder) == 0
    assert "Replies exported: 2, rows left out: 1 " in capsys.readouterr().out
    assert len((tmp_path / "out.jsonl").read_text().splitlines()) == 2


def test_files_that_cannot_be_had(folder, tmp_path):
    fill(folder, 3)
    with pytest.raises(InputError, match="no such file"):
        import_replies(tmp_path / "nowhere", tmp_path / "other")
    with pytest.raises(InputError, match="cannot be read"):
        import_replies(tmp_path, folder)
    with pytest.raises(InputError, match="cannot write"):
        export_replies(folder, folder)
    assert not (tmp_path / "other").exists()


def test_an_import_that_waits_for_lines_locks_nobody_out(folder, tmp_path, monkeypatch):
    """It writes in bursts: while a pipe has no more lines yet, a judging can put its replies."""

    def stalling(_):
        for number, key in enumerate(KEYS[:700]):
            yield number, json.dumps(ROW | {"key": key}).encode()
        with ReplyCache(folder) as cache:
            cache.put(KEYS[700], "NEM", "m", "toy/1")
            assert not cache._memory.all()

    monkeypatch.setattr(module, "_lines", stalling)
    monkeypatch.setattr(cache_file, "BUSY_S", 0.05)
    assert import_replies(STDIO, folder) == 0
    assert len(table(folder)) == 701

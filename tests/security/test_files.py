"""A pipe, a device or an endless file in the place of an ordinary one is refused in one line, at once."""

from __future__ import annotations

import json
import os
import stat

import pytest

from hueval_metrics.text.files import MAX_BYTES, open_file, read_bytes, write_whole
from tests.each import each
from tests.harness.runs import hueval

QA = "openhueval_husimpleqa"
OFFLINE = {"HUEVAL_OFFLINE": "1", "HUEVAL_SAMPLE": "1", "HUEVAL_JUDGE": "lexical"}
PAID = {"HUEVAL_JUDGE": "openai", "HUEVAL_JUDGE_BASE_URL": "http://127.0.0.1:9/v1", "HUEVAL_JUDGE_MODEL": "m"}


def pipe(path):
    os.mkfifo(path)


def device(path):
    path.symlink_to("/dev/zero")


def sparse(path):
    with path.open("wb") as file:
        file.truncate(20 * MAX_BYTES)


def loop(path):
    path.symlink_to(path)


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "in").mkdir()
    row = {"task": QA, "qid": "q", "prediction": "x"}
    (tmp_path / "in" / "p.jsonl").write_text(json.dumps(row) + "\n", encoding="utf-8")
    (tmp_path / "sheet.csv").write_text("id,rating\n1,YES\n", encoding="utf-8")
    (tmp_path / "repo").mkdir()
    return tmp_path


@pytest.mark.process
@pytest.mark.parametrize("make", [pipe, device])
@pytest.mark.parametrize(
    ("place", "command", "setting"),
    [
        ("in/a.json", ("score", "in", "--output", "out"), ""),
        ("results.json", ("table", "results.json"), ""),
        ("ranks.csv", ("compare", ".", "--against", "ranks.csv"), ""),
        ("sheet.key.json", ("validate-judge", "import", "sheet.csv"), ""),
        ("prices.yaml", ("score", "in", "--output", "out"), "HUEVAL_JUDGE_PRICES"),
        ("repo/hueval.json", ("data", "check", "repo"), ""),
    ],
    ids=lambda part: part if isinstance(part, str) else "",
)
def test_refused_at_once(folder, make, place, command, setting):
    make(folder / place)
    environment = OFFLINE | ({setting: place, "HUEVAL_JUDGE_BUDGET_USD": "1"} | PAID if setting else {})
    outcome = hueval(*command, cwd=folder, **environment)
    assert outcome.status == 1
    assert "Traceback" not in outcome.err
    assert outcome.complaints


@each("make", [pipe, device, loop])
def test_only_ordinary_files_are_opened(tmp_path, make):
    make(tmp_path / "x")
    with pytest.raises(OSError, match=r"not an ordinary file|Too many levels"):
        open_file(tmp_path / "x")
    with pytest.raises(OSError):
        open_file(tmp_path)


def test_a_file_beyond_the_limit_is_not_read(tmp_path):
    sparse(tmp_path / "x")
    with pytest.raises(OSError, match="larger than 256 MiB"):
        read_bytes(tmp_path / "x")
    (tmp_path / "y").write_bytes(b"12345")
    assert read_bytes(tmp_path / "y", limit=5) == b"12345"


@each(("mask", "mode"), [(0o022, 0o644), (0o077, 0o600), (0o002, 0o664)])
def test_the_umask_says_who_may_read(tmp_path, mask, mode):
    before = os.umask(mask)
    try:
        write_whole(tmp_path / "a", b"")
        write_whole(tmp_path / "key", b"", private=True)
    finally:
        os.umask(before)
    assert stat.S_IMODE((tmp_path / "a").stat().st_mode) == mode
    assert stat.S_IMODE((tmp_path / "key").stat().st_mode) == 0o600

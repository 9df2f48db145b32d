"""A path that cannot be read or written, whatever the system says of it, and a full disk under the output: one line."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path

import pytest

from hueval_metrics.loader import documents
from tests.each import each
from tests.harness.runs import hueval, hueval_here, run

QA, FIB = "openhueval_husimpleqa", "openhueval_hustandardfib"
OFFLINE = {"HUEVAL_OFFLINE": "1", "HUEVAL_SAMPLE": "1", "HUEVAL_JUDGE": "lexical", "HUEVAL_SITE_TOKEN": "t"}
SITE = ("--site", "http://127.0.0.1:9", "--model-name", "m", "--contamination", "no")
COMMANDS = [  # @ is the path
    *(("score", "@", "--output", "o"), ("score", "p.jsonl", "--output", "@")),
    *(("table", "@"), ("compare", "@"), ("compare", "ok", "ok", "--against", "@")),
    *(("report", "@"), ("report", "ok", "--output", "@"), ("report", "ok", "--output", "@/x.html")),
    *(("traces", "@", "--output", "o"), ("traces", "ok", "--output", "@")),
    *(("export", "@", "--to", "hub", "--output", "o"), ("export", "ok", "--to", "hub", "--output", "@")),
    *(("submit", "@", *SITE), ("submit", "p.jsonl", *SITE, "--card", "@"), ("judge-agreement", "@")),
    *(
        ("validate-judge", "export", "@", "--output", "o.csv"),
        ("validate-judge", "export", "ok", "--output", "@/x.csv"),
    ),
    *(("validate-judge", "import", "@"), ("calibrate", "apply", "ok", "@", "--output", "o")),
    *(("judge-bench", "make", "@", "--output", "o"), ("judge-bench", "run", "@", "--output", "o")),
    *(("judge-bench", "make", "ok", "--output", "@", "--licence-unknown"), ("judge-bench", "show", "@")),
    *(("data", "convert", "@", "o", "--name", "openhueval"), ("data", "check", "@"), ("data", "diff", "@", "ok")),
    *(("run", "--config", "@"), ("run", "--model", "hueval-baseline", "--tasks", FIB, "--output_path", "@")),
    *(("hulu", "check", "@"), ("hulu", "package", "@")),
]


def under_a_file(folder: Path) -> str:
    (folder / "file").write_text("x", encoding="utf-8")
    return "file/x"


def too_long(folder: Path) -> str:
    return "n" * 300


def loop(folder: Path) -> str:
    (folder / "loop").symlink_to("loop")
    return "loop/x"


def locked(folder: Path) -> str:
    if os.geteuid() == 0:
        pytest.skip("root may enter every folder")
    (folder / "locked" / "x").mkdir(parents=True)
    (folder / "locked").chmod(0)
    return "locked/x"


@pytest.fixture(scope="module")
def scored(tmp_path_factory):
    folder = tmp_path_factory.mktemp("scored")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("HUEVAL_SAMPLE", "1")
        docs, _ = documents(QA)
    rows = [{"task": QA, "qid": doc["qid"], "prediction": "x"} for doc in docs]
    (folder / "p.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    assert hueval_here("score", "p.jsonl", "--output", "ok", cwd=folder, **OFFLINE).status == 0
    return folder


@pytest.fixture
def folder(scored, tmp_path):
    for name in ("p.jsonl", "ok"):
        (tmp_path / name).symlink_to(scored / name)
    return tmp_path


@each("make", [under_a_file, too_long, loop, locked])
def test_one_line_from_every_command(folder, make):
    path = make(folder)
    for command in COMMANDS:
        outcome = hueval_here(*(part.replace("@", path) for part in command), cwd=folder, **OFFLINE)
        assert outcome.status in (1, 2), command  # 2: of data diff
        assert "Traceback" not in outcome.err, command
        lines = [*outcome.complaints, *(outcome.out.splitlines() if command[1] == "check" else [])]
        assert len(lines) in (1, 2), (command, lines)  # of two, one says that nothing was changed


WRITE = [
    ("ls",),
    ("table", "ok"),
    ("table", "ok", "--format", "csv"),
    (),
    ("--version",),
    ("--help",),
    ("run", "--help"),
]


@pytest.mark.process
@pytest.mark.parametrize("unbuffered", ["", "1"])
@pytest.mark.parametrize("command", WRITE, ids=" ".join)
def test_standard_output_on_a_full_disk(folder, command, unbuffered):
    if not Path("/dev/full").exists():
        pytest.skip("needs /dev/full")
    outcome = run(
        "sh",
        "-c",
        f"{sys.executable} -m hueval_metrics {' '.join(command)} > /dev/full",
        cwd=folder,
        **OFFLINE,
        PYTHONUNBUFFERED=unbuffered,
    )
    assert outcome.status == 1
    (line,) = outcome.complaints
    assert line.startswith("hueval: what this command writes: No space left on device. ")


@pytest.mark.process
def test_a_name_that_is_no_text(folder):
    (folder / os.fsdecode(b"\xff")).mkdir()
    outcome = hueval("table", b"\xff".decode(errors="surrogateescape"), cwd=folder, **OFFLINE)
    assert outcome.status == 1
    assert len(outcome.complaints) == len(outcome.err.splitlines()) == 1

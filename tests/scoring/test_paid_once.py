"""What was paid for is not paid for again, whatever has become of the cache: the verdicts are in items.jsonl."""

from __future__ import annotations

import json
import shutil
import sqlite3
from contextlib import closing

import pytest

from hueval_metrics.judge.cache.file import cache_file
from hueval_metrics.scoring.judged import JudgePlan
from tests.fakes.judge_server import FakeJudge
from tests.helpers import json_lines
from tests.scoring.conftest import plain, write_lines
from tests.scoring.judged_runs import QA, TASK, asked, says, score


def _run(file, *statements):
    with closing(sqlite3.connect(file)) as db, db:
        for statement in statements:
            db.execute(statement)


def _as_folder(file):
    file.unlink()
    file.mkdir()


def _as_loop(file):
    file.unlink()
    file.symlink_to(file)


def _half(file):
    content = file.read_bytes()
    file.write_bytes(content[: len(content) // 2])


def _foreign(file):
    file.unlink()
    _run(file, "CREATE TABLE replies (id INTEGER, text TEXT)", "INSERT INTO replies VALUES (1, 'x')")


def _damaged_pages(file):
    content = bytearray(file.read_bytes())
    content[4096:] = b"\xff" * (len(content) - 4096)
    file.write_bytes(content)


KINDS = {
    "deleted": lambda file: file.unlink(),
    "empty": lambda file: file.write_bytes(b""),
    "garbage": lambda file: file.write_bytes(b"no database\n" * 500),
    "truncated": _half,
    "damaged pages": _damaged_pages,
    "newer": lambda file: _run(file, "PRAGMA user_version=99"),
    "foreign": _foreign,
    "rows that are no replies": lambda file: _run(file, "UPDATE replies SET record = '{'"),
    "a folder": _as_folder,
    "unreadable": _as_loop,
}


@pytest.mark.parametrize("kind", KINDS)
def test_with_no_usable_cache_the_verdicts_of_the_output_are_used(tmp_path, ask, kind):
    predictions, out = write_lines(tmp_path / "p.jsonl", plain(QA)), tmp_path / "out"
    with FakeJudge(says("CORRECT")) as judge:
        ask(judge)
        before, items = score(predictions, out, JudgePlan(), TASK)
        assert asked(judge) == len({item["prediction"] + item["qid"] for item in items})
        _run(cache_file(), "PRAGMA wal_checkpoint(TRUNCATE)", "PRAGMA journal_mode=DELETE")
        KINDS[kind](cache_file())
        judge.requests.clear()
        assert score(predictions, out, JudgePlan(), TASK) == (before, items)
        assert asked(judge) == 0


def test_a_panel_is_paid_once_when_all_have_replied(tmp_path, ask):
    predictions, out = write_lines(tmp_path / "p.jsonl", plain(QA)[:3]), tmp_path / "out"
    with FakeJudge(lambda r, _: json.dumps({"evaluation": "CORRECT" if r["model"] != "b" else "INCORRECT"})) as judge:
        ask(judge, "a,b,c")
        before = score(predictions, out, JudgePlan(), TASK)
        shutil.rmtree(cache_file().parent)
        assert score(predictions, out, JudgePlan(), TASK) == before
        assert asked(judge) == 9
        items = json_lines(out / "items.jsonl")
        items[0]["verdict"]["votes"][1] |= {"label": None, "raw": None, "error": "no reply"}
        items[1]["verdict"]["votes"][0] |= {"label": "NOT_ATTEMPTED"}
        items[2]["verdict"]["label"] = "INCORRECT"
        write_lines(out / "items.jsonl", items)
        shutil.rmtree(cache_file().parent, ignore_errors=True)
        score(predictions, out, JudgePlan(), TASK)
        assert asked(judge) == 18


@pytest.mark.parametrize("model", ["second", "a,b"])
def test_verdicts_by_an_older_parser_are_read_again_and_not_paid_again(tmp_path, ask, model):
    predictions, out = write_lines(tmp_path / "p.jsonl", plain(QA)[:3]), tmp_path / "out"
    with FakeJudge(says("CORRECT")) as judge:
        ask(judge, model)
        before = score(predictions, out, JudgePlan(), TASK)
        _by(out, "husimpleqa/2", ["forged_role"], label="INCORRECT")
        judge.requests.clear()
        assert score(predictions, out, JudgePlan(), TASK) == before
        assert asked(judge) == 0


@pytest.mark.parametrize(
    ("rubric", "changed"),
    [
        ("husimpleqa/1", {}),  # it showed the judge more than the answer
        ("husimpleqa/4", {}),
        ("kolassimpleqa/2", {}),
        ("husimpleqa/2", {"raw": "nothing that could be read"}),
        ("husimpleqa/2", {"raw": None}),
        ("husimpleqa/2", {"judge": "third"}),
    ],
)
def test_verdicts_that_do_not_hold_for_today_are_asked_for_again(tmp_path, ask, rubric, changed):
    predictions, out = write_lines(tmp_path / "p.jsonl", plain(QA)[:3]), tmp_path / "out"
    with FakeJudge(says("CORRECT")) as judge:
        ask(judge)
        summary, _ = score(predictions, out, JudgePlan(), TASK)
        _by(out, rubric, **changed)
        judge.requests.clear()
        assert score(predictions, out, JudgePlan(), TASK)[0]["correct"] == summary["correct"] == 100
        assert asked(judge) == 3


@pytest.mark.parametrize("field", ["prompt", "reference", "response"])
def test_a_verdict_on_another_question_reference_or_response_is_asked_for_again(tmp_path, ask, field):
    predictions, out = write_lines(tmp_path / "p.jsonl", plain(QA)[:3]), tmp_path / "out"
    with FakeJudge(says("CORRECT")) as judge:
        ask(judge)
        score(predictions, out, JudgePlan(), TASK)
        items = json_lines(out / "items.jsonl")
        write_lines(out / "items.jsonl", [item | {field: "as it was in an earlier version"} for item in items])
        shutil.rmtree(cache_file().parent)
        judge.requests.clear()
        score(predictions, out, JudgePlan(), TASK)
        assert asked(judge) == 3


def _by(out, rubric, marks=(), **changed):
    """Change the verdicts of an output, and delete the cache."""
    items = json_lines(out / "items.jsonl")
    for item in items:
        for verdict in (item["verdict"], *item["verdict"]["votes"]):
            verdict |= {"rubric": rubric, **changed}
        item["verdict"]["suspicious"] = list(marks)
    write_lines(out / "items.jsonl", items)
    shutil.rmtree(cache_file().parent)

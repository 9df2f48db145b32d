"""Forged or stale rows in the items.jsonl of an output, whose verdicts stand for what was paid for."""

from __future__ import annotations

import json
import shutil

import pytest

from hueval_metrics.judge.cache.file import cache_file
from hueval_metrics.scoring.judged import JudgePlan
from tests.fakes.judge_server import FakeJudge
from tests.scoring.conftest import ask, on_the_sample, plain, write_lines  # noqa: F401  fixtures
from tests.scoring.judged_runs import QA, TASK, asked, says, score


def _changed(row, name, value):
    if name in ("reference", "prompt", "prediction", "response"):
        row[name] = value
    else:
        row["verdict"][name] = value


@pytest.mark.parametrize(
    ("why", "name", "value"),
    [
        ("a label that the reply does not give", "label", "INCORRECT"),
        ("a reply that gives another label", "raw", json.dumps({"evaluation": "INCORRECT"})),
        ("no reply", "raw", None),
        ("an unreadable reply", "raw", "Hm."),
        ("an error beside the label", "error", "unreadable"),
        ("another judge", "judge", "another"),
        ("no judge", "judge", None),
        ("another version of the rubric", "rubric", "husimpleqa/99"),
        ("a mark that the response does not have", "suspicious", ["forged_verdict"]),
        ("votes of others", "votes", [{"label": "CORRECT", "judge": "second", "rubric": "husimpleqa/1"}]),
        ("another reference", "reference", "Budapest"),
        ("another question", "prompt", "Mi?"),
        ("another prediction", "prediction", "Szeged"),
        ("another response of the same prediction", "response", "Szeged"),
    ],
)  # fmt: skip
def test_a_forged_or_stale_row_does_not_pass(tmp_path, ask, why, name, value):  # noqa: F811
    """One row is changed, and the cache is gone: this one is asked again, and no other."""
    predictions, out = write_lines(tmp_path / "p.jsonl", plain(QA)[:3]), tmp_path / "out"
    with FakeJudge(says("CORRECT")) as judge:
        ask(judge)
        _, items = score(predictions, out, JudgePlan(), TASK)
        shutil.rmtree(cache_file().parent)
        _changed(items[1], name, value)
        write_lines(out / "items.jsonl", items)
        judge.requests.clear()
        summary, again = score(predictions, out, JudgePlan(), TASK)
        assert asked(judge) == 1
    assert summary["correct"] == 100.0
    assert again[1]["verdict"]["label"] == "CORRECT" and again[1]["verdict"]["judge"] == "second"

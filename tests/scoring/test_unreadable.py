"""Verdicts that could not be read, re-scored: those of today, and what hueval 0.1 put in their place."""

from __future__ import annotations

import logging

import pytest

from hueval_metrics.records import Filtered
from hueval_metrics.scoring.score import score_paths
from tests.fakes.judge_server import FakeJudge, refuse
from tests.scoring.conftest import DATE, samples, write_lines

OE, TASK = "huproverbrea_oe", "openhueval_huproverbrea_oe"
OLD = {"label": "NO", "score": None, "raw": "Hard to say.", "judge": "j", "rubric": f"{OE}/1"}
OLD |= {"error": "unreadable, counted wrong"}
NEW = OLD | {"label": None, "rubric": f"{OE}/2", "error": "unreadable: no label"}
YES = OLD | {"label": "YES", "raw": "YES", "error": None}


@pytest.fixture
def run(tmp_path):
    """A samples file of which every third verdict was not readable."""

    def written(unreadable):
        rows = samples(OE)
        for n, row in enumerate(rows):
            row["filtered_resps"] = [Filtered(f"Válasz {n}.", verdict=YES if n % 3 else unreadable).to_json()]
        return write_lines(tmp_path / f"samples_{TASK}_{DATE}.jsonl", rows), sum(not n % 3 for n in range(len(rows)))

    return written


def summary_of(path):
    (scored,) = score_paths([path], None, {})
    return scored.summary


@pytest.mark.parametrize("unreadable", [OLD, NEW], ids=["0.1", "now"])
def test_without_a_judge_they_are_missing_in_the_headline(run, unreadable, caplog):
    path, count = run(unreadable)
    with caplog.at_level(logging.WARNING):
        summary = summary_of(path)
    share = pytest.approx(100 * count / summary["n"])
    assert (summary["acc"], summary["unreadable_rate"]) == (100.0, share)
    assert 100 - summary["acc_ref"] == 100 - summary["judge_coverage"] == share
    assert f"{count} replies of the judge are unreadable" in caplog.text


@pytest.mark.usefixtures("virtual_clock")
@pytest.mark.parametrize(("reply", "acc", "left"), [("NO", None, 0), (refuse(500, "down"), 100.0, None)])
def test_with_a_judge_they_are_asked_for_again(run, monkeypatch, reply, acc, left):
    """Where nothing comes, the reply that was there still counts as one."""
    path, count = run(OLD)
    with FakeJudge(lambda *_: reply) as judge:
        monkeypatch.setenv("HUEVAL_JUDGE_BASE_URL", judge.url)
        monkeypatch.setenv("HUEVAL_QUIET", "1")
        summary = summary_of(path)
    share = 100 * count / summary["n"]
    assert summary["unreadable_rate"] == pytest.approx(share if left is None else left)
    assert summary["acc"] == pytest.approx(100 - share if acc is None else acc)

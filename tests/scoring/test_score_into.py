"""`hueval score` into a folder: item by item, with the verdicts that are there, and never half of anything."""

from __future__ import annotations

import fcntl
import logging
import os
import subprocess
import sys

import pytest

import hueval_metrics.scoring.judged as judged
from hueval_metrics.cli import main
from hueval_metrics.errors import InputError
from hueval_metrics.records import UNFILTERED, Filtered
from hueval_metrics.scoring.judged import JudgePlan
from hueval_metrics.scoring.score import score_paths
from hueval_metrics.scoring.write import score_into, write_scores
from tests.fakes.judge_server import FakeJudge
from tests.fakes.small_files import file_size_limit
from tests.helpers import json_lines
from tests.scoring.conftest import plain, sample, samples, write_lines, write_samples
from tests.scoring.judged_runs import ONLY_MISSING, QA, TASK, asked, run_of, says, score, verdict, without_cache


@pytest.mark.parametrize("task", ["humatchingfib", "huproverbrea_2cq"])
def test_the_files_are_those_of_scores_held_in_memory(tmp_path, task):
    path = write_lines(tmp_path / "p.jsonl", plain(task))
    write_scores(score_paths([path], f"openhueval_{task}", {}), tmp_path / "whole")
    score_into(tmp_path / "pieces", [path], f"openhueval_{task}", {}, JudgePlan())
    whole, pieces = (
        {file.name: file.read_bytes() for file in (tmp_path / name).iterdir()} for name in ("whole", "pieces")
    )
    assert whole == pieces
    assert set(whole) == {"items.jsonl", "results.json"}


def test_with_all_verdicts_nobody_is_asked_and_no_judge_is_needed(tmp_path):
    summary, items = score(run_of(tmp_path, [verdict()]), tmp_path / "out", JudgePlan())
    assert (summary["correct"], summary["judge_coverage"]) == (100.0, 100.0)
    assert [item["verdict"]["judge"] for item in items] == ["first"] * len(items)


def test_only_what_is_missing_is_asked(tmp_path, ask):
    path = run_of(tmp_path, [verdict(), None, {"error": "no reply"}])
    missing = [n for n in range(len(sample(QA))) if n % 3]
    with FakeJudge(says("INCORRECT")) as judge:
        ask(judge)
        summary, items = score(path, tmp_path / "out")
    assert [n for n, item in enumerate(items) if item["verdict"]["judge"] == "second"] == missing
    assert [item["qid"] for item in items] == [doc["qid"] for doc in sample(QA)]
    assert summary["judge_coverage"] == 100.0
    assert summary["judge"]["second"]["calls"] + summary["judge"]["second"]["cached"] == len(missing)
    assert "first" in summary["judge"]


@pytest.mark.parametrize("plan", [JudgePlan(), ONLY_MISSING, JudgePlan(rejudge=("third",))])
def test_what_did_not_pass_the_reasoning_filter_is_shown_to_no_judge(tmp_path, ask, plan):
    path = run_of(tmp_path, [{"error": UNFILTERED}])
    with FakeJudge(says("CORRECT")) as judge:
        ask(judge)
        summary, _ = score(path, tmp_path / "out", plan)
    assert asked(judge) == 0
    assert summary["judge_coverage"] == 0.0


def test_an_earlier_score_s_verdicts_are_taken_over_without_cache_or_judge(tmp_path, ask, monkeypatch):
    path, out = run_of(tmp_path, [verdict(), None]), tmp_path / "out"
    with FakeJudge(says("INCORRECT")) as judge:
        ask(judge)
        before = score(path, out)
    without_cache(tmp_path)
    monkeypatch.delenv("HUEVAL_JUDGE_BASE_URL")
    assert score(path, out) == before


def test_a_verdict_on_another_text_is_not_taken_over(tmp_path, monkeypatch):
    """The same question, answered anew."""
    out, texts = tmp_path / "out", [f"Válasz {n}" for n in range(len(sample(QA)))]
    score(run_of(tmp_path, [verdict()], texts), out)
    monkeypatch.setenv("HUEVAL_JUDGE", "lexical")
    _, items = score(run_of(tmp_path, [None], [*texts[:-1], "Más válasz"]), out)
    assert [item["verdict"]["judge"] for item in items] == ["first"] * (len(texts) - 1) + ["lexical"]


def test_without_the_option_the_samples_alone_count(tmp_path, monkeypatch):
    path, out = run_of(tmp_path, [None]), tmp_path / "out"
    score(run_of(tmp_path, [verdict()]), out)
    path = run_of(tmp_path, [None])
    monkeypatch.setenv("HUEVAL_JUDGE", "lexical")
    assert {item["verdict"]["judge"] for item in score(path, out, JudgePlan())[1]} == {"lexical"}


@pytest.mark.parametrize("mode", ["lexical", "defer"])
def test_what_was_judged_goes_along_when_the_samples_alone_count(tmp_path, monkeypatch, mode):
    out = tmp_path / "out"
    score(run_of(tmp_path, [verdict()]), out)
    path = run_of(tmp_path, [None])
    monkeypatch.setenv("HUEVAL_JUDGE", mode)
    for _ in range(2):
        _, items = score(path, out, JudgePlan())
        assert [item["earlier_verdicts"] for item in items] == [[verdict()]] * len(items)
    monkeypatch.delenv("HUEVAL_JUDGE")
    _, items = score(path, out)
    assert all(verdict() in (item["verdict"], *item.get("earlier_verdicts", ())) for item in items)


def test_verdicts_of_several_judges_are_said_to_be_so(tmp_path, caplog):
    with caplog.at_level(logging.WARNING):
        score(run_of(tmp_path, [verdict()]), tmp_path / "out")
        assert not caplog.text
        score(run_of(tmp_path, [verdict(), verdict(judge="second")]), tmp_path / "out")
    assert "its verdicts are of first and second" in caplog.text


@pytest.mark.parametrize(
    ("bad", "is_asked"),
    [
        ({"label": None, "score": float("nan")}, True),
        ({"label": None, "score": float("inf")}, True),
        ({"label": ["CORRECT"]}, True),
        ({"score": float("nan")}, False),
        ({"usage": {"calls": 10**400, "usd": float("nan"), "seconds": float("inf")}}, False),
        ({"votes": [{"score": 10**400, "judge": "a"}] * 2}, False),
    ],
)
def test_numbers_that_are_none_in_a_logged_verdict(tmp_path, ask, bad, is_asked):
    """The run is scored; what is no verdict is asked for, and no file has what is no JSON."""
    with FakeJudge(says("INCORRECT")) as judge:
        ask(judge)
        for plan in (ONLY_MISSING, ONLY_MISSING, JudgePlan(rejudge=("third",))):
            score(run_of(tmp_path, [verdict(**bad), verdict()]), tmp_path / "out", plan)
            if plan is ONLY_MISSING:
                assert bool(asked(judge)) == is_asked
    for file in ("items.jsonl", "results.json"):
        assert "NaN" not in (tmp_path / "out" / file).read_text(encoding="utf-8")


def test_an_editor_s_mark_at_the_start_of_the_items_loses_no_verdict(tmp_path):
    path, out = run_of(tmp_path, [verdict()]), tmp_path / "out"
    before = score(path, out)
    items = out / "items.jsonl"
    items.write_bytes(b"\xef\xbb\xbf" + items.read_bytes().replace(b"\n", b"\r\n"))
    assert score(run_of(tmp_path, [None]), out) == before


def test_plain_predictions_are_completed_too(tmp_path, monkeypatch):
    path, out = write_lines(tmp_path / "p.jsonl", plain(QA)), tmp_path / "out"
    monkeypatch.setenv("HUEVAL_JUDGE", "lexical")
    before = score(path, out, task=TASK)
    monkeypatch.delenv("HUEVAL_JUDGE")
    assert score(path, out, task=TASK) == before


def test_deferred_verdicts_are_left_open(tmp_path, monkeypatch, caplog):
    monkeypatch.setenv("HUEVAL_JUDGE", "defer")
    n = len(sample(QA))
    with caplog.at_level(logging.WARNING):
        summary, items = score(run_of(tmp_path, [None]), tmp_path / "out", JudgePlan())
    assert f"husimpleqa: {n} verdicts are left to a later `hueval score` (HUEVAL_JUDGE=defer)." in caplog.text
    assert (summary["judge_coverage"], items[0]["verdict"], summary["judge"]) == (0.0, None, {})


def test_missing_verdicts_want_a_judge(tmp_path):
    with pytest.raises(InputError, match="openhueval_husimpleqa is scored by a judge, and none is configured"):
        score(run_of(tmp_path, [verdict(), None]), tmp_path / "out")
    assert not (tmp_path / "out" / "items.jsonl").exists()


def test_the_command_s_options(tmp_path, ask, capsys):
    path, out = run_of(tmp_path, [verdict(), None]), tmp_path / "out"
    with FakeJudge(says("INCORRECT")) as judge:
        ask(judge)
        assert main(["score", str(path), "--output", str(out), "--only-missing"]) == 0
        assert {item["verdict"]["judge"] for item in json_lines(out / "items.jsonl")} == {"first", "second"}
        assert main(["score", str(path), "--output", str(out), "--rejudge", "third, fourth"]) == 0
        assert {item["verdict"]["judge"] for item in json_lines(out / "items.jsonl")} == {"third+fourth"}
    capsys.readouterr()
    assert main(["score", str(path), "--output", str(out), "--rejudge", ""]) == 1
    assert capsys.readouterr().err.startswith("hueval: --rejudge: expected one model id")


def test_verdicts_on_other_predictions_are_kept_aside(tmp_path, monkeypatch, caplog):
    out = tmp_path / "out"
    score(run_of(tmp_path, [verdict()], [f"a {n}" for n in range(len(sample(QA)))]), out)
    before = (out / "items.jsonl").read_bytes()
    monkeypatch.setenv("HUEVAL_JUDGE", "lexical")
    with caplog.at_level(logging.WARNING):
        score(run_of(tmp_path, [None], [f"b {n}" for n in range(len(sample(QA)))]), out)
    assert (out / "items.jsonl.1").read_bytes() == before
    assert f"has {len(sample(QA))} verdicts on other predictions; it is kept as items.jsonl.1" in caplog.text


def test_a_rule_task_scored_into_the_folder_of_a_judged_one_keeps_its_verdicts(tmp_path):
    """`--output` has one default for all tasks."""
    out = tmp_path / "out"
    score(run_of(tmp_path / "judged", [verdict()]), out)
    before = (out / "items.jsonl").read_bytes()
    score(write_samples(tmp_path, "humatchingfib"), out, JudgePlan())
    assert (out / "items.jsonl.1").read_bytes() == before
    score(write_samples(tmp_path, "humatchingfib"), out, JudgePlan())
    assert not (out / "items.jsonl.2").exists()  # a rule task's own items hold no verdict


def test_damaged_items_are_refused_not_dropped(tmp_path):
    path, out = run_of(tmp_path, [verdict()]), tmp_path / "out"
    score(path, out)
    with (out / "items.jsonl").open("a", encoding="utf-8") as file:
        file.write('{"task"')
    before = (out / "items.jsonl").read_bytes()
    with pytest.raises(InputError, match=r"items\.jsonl line \d+: not JSON"):
        score(path, out)
    assert (out / "items.jsonl").read_bytes() == before


def test_a_disk_that_fills_up_is_one_line_and_leaves_nothing(tmp_path, caplog):
    path, out = run_of(tmp_path, [verdict()]), tmp_path / "out"
    before = score(path, out)
    with file_size_limit(10), caplog.at_level(logging.WARNING), pytest.raises(InputError) as error:
        score(path, out)
    assert "items.jsonl (File too large)" in str(error.value)
    assert "Verdicts that came are in the judge's cache" in str(error.value)
    assert caplog.text == ""
    assert sorted(file.name for file in out.iterdir()) == ["items.jsonl", "results.json"]
    assert json_lines(out / "items.jsonl") == before[1]


def test_ctrl_c_leaves_the_old_files_and_says_where_the_verdicts_are(tmp_path, monkeypatch, caplog):
    path, out = run_of(tmp_path, [verdict()]), tmp_path / "out"
    before = score(path, out)

    def broken_off(items, rubric, settings, total, task):
        items = iter(items)
        next(items)
        raise KeyboardInterrupt
        yield

    monkeypatch.setattr(judged, "verdicts", broken_off)
    monkeypatch.setenv("HUEVAL_JUDGE", "lexical")
    with caplog.at_level(logging.WARNING), pytest.raises(KeyboardInterrupt):
        score(run_of(tmp_path, [verdict(), None]), out, JudgePlan())
    assert "Verdicts that came are in the judge's cache; the same command asks only for the rest" in caplog.text
    assert sorted(file.name for file in out.iterdir()) == ["items.jsonl", "results.json"]
    assert json_lines(out / "items.jsonl") == before[1]


def test_two_at_once_into_one_folder(tmp_path):
    path, out = run_of(tmp_path, [verdict()]), tmp_path / "out"
    score(path, out)
    handle = os.open(out, os.O_RDONLY)
    fcntl.flock(handle, fcntl.LOCK_EX)
    try:
        with pytest.raises(InputError, match="another `hueval score` is writing there"):
            score(path, out)
    finally:
        os.close(handle)
    score(path, out)


def test_what_a_killed_run_left_is_cleared_away(tmp_path):
    path, out = run_of(tmp_path, [verdict()]), tmp_path / "out"
    out.mkdir()
    (out / ".items.jsonl.x1y2").write_text('{"task"', encoding="utf-8")
    (out / ".results.json.x1y2").write_text("{", encoding="utf-8")
    score(path, out)
    assert sorted(file.name for file in out.iterdir()) == ["items.jsonl", "results.json"]


@pytest.mark.nightly
@pytest.mark.process
def test_memory_does_not_grow_with_the_samples(tmp_path):
    """A row has 3 kB here; what is left of each in memory is numbers."""
    program = (
        "import sys, tracemalloc; from pathlib import Path\n"
        "from hueval_metrics.scoring.judged import JudgePlan\n"
        "from hueval_metrics.scoring.write import score_into\n"
        "def score(path): score_into(Path(sys.argv[2]), [Path(path)], sys.argv[1], {}, JudgePlan())\n"
        "score(sys.argv[3])\n"
        "for path in sys.argv[4:]:\n"
        "    tracemalloc.start()\n"
        "    score(path)\n"
        "    print(tracemalloc.get_traced_memory()[1])\n"
        "    tracemalloc.stop()"
    )
    # The first imports, and fills what CPython keeps: up to 2,000 dead tuples of each length. It is not traced.
    counts = (2000, 200, 600)
    paths = []
    (first, *_) = samples(QA, [f"<think>{'Nem tudom. ' * 200}</think>Nem tudom."] * len(sample(QA)))
    filtered = Filtered("Nem tudom.", verdict=verdict("NOT_ATTEMPTED")).to_json()
    for count in counts:
        rows = (first | {"doc": first["doc"] | {"qid": f"q{n}"}, "filtered_resps": [filtered]} for n in range(count))
        paths.append(str(write_lines(tmp_path / f"{count}.jsonl", list(rows))))
    call = [sys.executable, "-c", program, TASK, str(tmp_path / "out"), *paths]
    done = subprocess.run(call, capture_output=True, text=True, env={**os.environ, "HUEVAL_SAMPLE": "1"})
    assert done.returncode == 0, done.stderr
    low, high = map(int, done.stdout.split())
    assert (high - low) / (counts[2] - counts[1]) < 250, (low, high)

"""Judges asked about a frozen set: what is asked, kept, and gone on with."""

from __future__ import annotations

import json
import os
import re
import signal
import sys
import time
from datetime import date
from pathlib import Path

import pytest

from hueval_metrics.cli import main
from hueval_metrics.judge.shutdown import _warn
from hueval_metrics.judges.bench.bench import read_bench
from tests.fakes.judge_server import Answer, FakeJudge
from tests.features.judges.bench.conftest import RIGHT, bench, honest, lenient, says
from tests.helpers import json_lines
from tests.preloaded import popen

ROOT = Path(__file__).parents[2]


def test_each_judge_has_a_scored_run_of_each_model(frozen, tmp_path, judge, capsys):
    out = tmp_path / "bench"
    with judge(honest) as server:
        assert bench("run", frozen, "--judge", "strict-1", "--judge", "lexical", "--output", out, "--no-attempts") == 0
    said = capsys.readouterr().out
    assert "husimpleqa/3: 54 verdicts, 0 from the cache, 54 calls to strict-1: about" in said
    assert {folder.name for folder in out.iterdir() if folder.is_dir()} == {"strict-1", "lexical"}
    assert {file.parent.name for file in out.glob("strict-1/*/results.json")} == set(RIGHT)
    assert len(server.requests) == 54
    for model, every in RIGHT.items():
        rows = json_lines(out / "strict-1" / model / "items.jsonl")
        assert {row["verdict"]["judge"] for row in rows} == {"strict-1"}
        assert sum(row["verdict"]["label"] == "CORRECT" for row in rows) == len(range(0, 18, every))
        results = json.loads((out / "strict-1" / model / "results.json").read_text())["openhueval_husimpleqa"]
        assert results["correct"] == pytest.approx(100 * len(range(0, 18, every)) / 18)
        assert results["model"] == model
        drawn = json.loads((frozen / "set.json").read_text())["sha256"][:12]
        assert results["signature"].endswith(f"|drawn:{drawn}|judge:strict-1|rubric:husimpleqa/3")


def test_other_commands_take_what_it_keeps(frozen, tmp_path, judge, capsys):
    out = tmp_path / "bench"
    with judge(honest):
        bench("run", frozen, "--judge", "strict-1", "--output", out, "--no-attempts")
        assert main(["validate-judge", "export", str(out / "strict-1"), "--output", str(tmp_path / "s.csv")]) == 0
        pair = [str(out / name / "third") for name in ("strict-1", "lexical")]
        assert main(["judge-agreement", *pair, "--any-rubric"]) == 0
        again = ["score", str(out / "strict-1" / "third"), "--rejudge", "second-2", "--output", str(tmp_path / "again")]
        assert main(again) == 0
    assert "18 responses" in capsys.readouterr().out
    assert json_lines(tmp_path / "again" / "items.jsonl")[0]["verdict"]["judge"] == "second-2"


def test_the_same_command_asks_nothing_twice_and_another_server_fills_the_same_folder(frozen, tmp_path, judge):
    out = tmp_path / "bench"
    command = ("run", frozen, "--judge", "strict-1", "--output", out)
    with judge(honest) as first:
        bench(*command)
        asked = len(first.requests)
        files = {file: file.read_bytes() for file in out.rglob("*") if file.is_file()}
        assert bench(*command) == 0
        assert len(first.requests) == asked > 54
    assert {file: file.read_bytes() for file in out.rglob("*") if file.is_file()} == files
    with judge(lenient) as second:
        assert bench("run", frozen, "--judge", "strict-1", "--judge", "kind-2", "--output", out) == 0
        assert {request["model"] for request in second.requests} == {"kind-2"}
    assert [one.name for one in read_bench(out).judges] == ["kind-2", "lexical", "strict-1"]


def test_a_reply_that_cannot_be_read_is_kept_and_not_asked_for_again(frozen, tmp_path, judge):
    out = tmp_path / "bench"
    with judge(lambda request, _: "Hm.") as server:
        assert bench("run", frozen, "--judge", "vague", "--output", out, "--no-attempts") == 0
        asked = len(server.requests)
        bench("run", frozen, "--judge", "vague", "--output", out, "--no-attempts")
    assert len(server.requests) == asked == 3 * 54
    vague = next(one for one in read_bench(out).judges if one.name == "vague")
    assert all(vague.verdict(answer).is_unreadable for answer in vague.verdicts)


def test_a_dry_run_asks_nothing_and_writes_nothing(frozen, tmp_path, judge, capsys, monkeypatch):
    prices = tmp_path / "prices.yaml"
    prices.write_text("strict-1: {input: 2.5, output: 10}\n")
    monkeypatch.setenv("HUEVAL_JUDGE_PRICES", str(prices))
    command = ("run", frozen, "--judge", "strict-1", "--repeats", 3, "--output", tmp_path / "b")
    with judge(honest) as server:
        assert bench(*command, "--dry-run") == 0
        assert server.requests == [] and not (tmp_path / "b").exists()
        plan = capsys.readouterr().out.splitlines()
        assert bench(*command) == 0
    what, once, thrice, total = plan
    assert what == "openhueval_husimpleqa: 54 answers, 68 attempts on each judge"
    calls = [int(re.search(r" (\d+) calls to strict-1: about", line)[1]) for line in (once, thrice)]
    assert calls == [len(server.requests) - 162, 162]
    assert once.startswith(
        f"husimpleqa/3: 122 verdicts, 0 from the cache, {122 - calls[0]} duplicates, {calls[0]} calls"
    )
    assert thrice.startswith("husimpleqa/3: 162 verdicts, 0 from the cache,")
    assert total.startswith("All judges: $")


def test_the_plan_counts_each_verdict_that_the_cache_has(frozen, tmp_path, judge, capsys):
    """Several answers with the same attempt are the same request."""
    command = ("run", frozen, "--judge", "strict-1")
    with judge(honest) as server:
        bench(*command, "--output", tmp_path / "first")
        assert len(server.requests) < 122
        capsys.readouterr()
        assert bench(*command, "--output", tmp_path / "second", "--dry-run") == 0
    assert "husimpleqa/3: 122 verdicts, 122 from the cache, 0 calls" in capsys.readouterr().out


def test_the_budget_stops_it_and_the_same_command_goes_on(frozen, tmp_path, judge, capsys, monkeypatch):
    prices = tmp_path / "prices.yaml"
    prices.write_text("strict-1: {input: 10, output: 10}\n")
    monkeypatch.setenv("HUEVAL_JUDGE_PRICES", str(prices))
    monkeypatch.setenv("HUEVAL_JUDGE_BUDGET_USD", "0.3")
    command = ("run", frozen, "--judge", "strict-1", "--output", tmp_path / "bench", "--no-attempts")
    bill = {"prompt_tokens": 1000, "completion_tokens": 10}
    with judge(lambda request, _: Answer(honest(request), usage=bill)) as server:
        assert bench(*command) == 3
        asked = len(server.requests)
        assert 0 < asked < 54
        told = capsys.readouterr().err
        assert "verdicts are missing" in told and "; asked again by the same command: 30; kept as they are: 0." in told
        assert "hueval score" not in told
        monkeypatch.setenv("HUEVAL_JUDGE_BUDGET_USD", "10")
        assert bench(*command) == 0
        assert len(server.requests) == 54
    asked_judge = next(one for one in read_bench(tmp_path / "bench").judges if one.name == "strict-1")
    assert sum(asked_judge.verdict(answer).is_given for answer in asked_judge.verdicts) == 54


@pytest.mark.process
def test_a_kill_loses_no_reply(frozen, tmp_path, judge):
    """`kill -9` in the midst of the requests; the same command asks for what did not come only."""

    def slow(request, number):
        return Answer(honest(request), delay_s=0.0 if number < 20 else 60.0 if number < 40 else 0.0)

    out = tmp_path / "bench"
    command = ["judge-bench", "run", str(frozen), "--judge", "strict-1", "--output", str(out), "--no-attempts"]
    with judge(slow) as server:
        environment = os.environ | {"PYTHONPATH": str(ROOT), "HUEVAL_JUDGE_CONCURRENCY": "4"}
        process = popen([sys.executable, "-m", "hueval_metrics", *command], env=environment)
        deadline = time.monotonic() + 60
        while len(server.requests) < 24 and time.monotonic() < deadline:
            time.sleep(0.05)
        process.send_signal(signal.SIGKILL)
        process.wait()
        assert len(server.requests) == 24
        assert not (out / "strict-1").exists()
    with judge(honest) as server:
        assert main(command) == 0
        assert len(server.requests) == 54 - 20


def test_judges_asked_again_and_again(frozen, tmp_path, judge, capsys):
    def moody(request, number):
        return honest(request) if request["seed"] == 0 else says("CORRECT")

    with judge(moody):
        bench("run", frozen, "--judge", "moody", "--repeats", 2, "--output", tmp_path / "b", "--no-attempts")
    assert "moody*2" not in capsys.readouterr().out  # it has no row of its own
    judges = {one.name: one for one in read_bench(tmp_path / "b").judges}
    assert set(judges) == {"lexical", "moody", "moody*2"}
    votes = [[vote.label for vote in judges["moody*2"].verdict(answer).votes] for answer in judges["moody"].verdicts]
    assert {second for _, second in votes} == {"CORRECT"}
    assert sum(first == "CORRECT" for first, _ in votes) == sum(len(range(0, 18, every)) for every in RIGHT.values())


def test_a_judge_that_is_not_asked_does_not_end(frozen, tmp_path, monkeypatch, capsys):
    monkeypatch.setattr("hueval_metrics.judge.shutdown._today", lambda: date(2027, 1, 1))
    _warn.cache_clear()
    command = ("run", frozen, "--output", tmp_path / "bench", "--dry-run")
    with monkeypatch.context() as patch:
        patch.setenv("HUEVAL_JUDGE", "lexical")
        assert bench(*command) == 0
    assert capsys.readouterr().err == ""
    monkeypatch.setenv("OPENAI_API_KEY", "sk-1")
    assert bench(*command) == 0
    assert "the judge gpt-4o-2024-11-20 ends on 2027-01-14, in 13 days" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("options", "environment", "said"),
    [
        ([], {}, "no judge is configured to ask gpt-4o-2024-11-20"),
        (["--judge", "a", "--judge", "a"], {}, "--judge: expected different model ids"),
        (["--judge", ""], {}, "--judge: expected different model ids"),
        (["--judge", "a"], {"HUEVAL_JUDGE": "lexical"}, "--judge a: HUEVAL_JUDGE=lexical makes no API calls"),
        (["--judge", "lexical", "--repeats", "0"], {}, "--repeats 0: expected 1 or more"),
        (
            ["--judge", "no-such-price"],
            {"HUEVAL_JUDGE_BASE_URL": "http://127.0.0.1:9/v1", "HUEVAL_JUDGE_BUDGET_USD": "1"},
            "the price of no-such-price is unknown",
        ),
        (["--judge", "lexical", "--reference", "nobody"], {}, "--reference nobody: no judge of"),
    ],
)
def test_what_is_refused(frozen, tmp_path, capsys, monkeypatch, options, environment, said):
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    assert bench("run", frozen, "--output", tmp_path / "bench", *options) == 1
    assert said in capsys.readouterr().err


def test_a_reference_that_cannot_be_is_refused_before_anybody_is_asked(frozen, tmp_path, judge, capsys):
    with judge(honest) as server:
        command = ("run", frozen, "--judge", "strict-1", "--output", tmp_path / "bench", "--no-attempts")
        assert bench(*command, "--reference", "nobody") == 1
        assert server.requests == [] and not (tmp_path / "bench").exists()
        assert bench(*command, "--reference", "lexical") == 0  # whose verdicts come with the set
    assert "reference: lexical (54 rated)" in capsys.readouterr().out


def test_a_folder_of_another_set_or_of_something_else_is_refused(frozen, runs, tmp_path, capsys):
    bench("make", *runs, "--output", tmp_path / "other", "--n", 9, "--licence-unknown")
    bench("run", frozen, "--output", tmp_path / "bench", "--judge", "lexical")
    capsys.readouterr()
    assert bench("run", tmp_path / "other", "--output", tmp_path / "bench", "--judge", "lexical") == 1
    assert "has the verdicts on another set" in capsys.readouterr().err
    assert bench("run", frozen, "--output", runs[0], "--judge", "lexical") == 1
    assert "is there already, and is no bench" in capsys.readouterr().err


def test_a_second_writer_is_refused(frozen, tmp_path, capsys, monkeypatch):
    from hueval_metrics.text.files import locked

    with locked(tmp_path / "bench"):
        assert bench("run", frozen, "--output", tmp_path / "bench", "--judge", "lexical") == 1
    assert "another judge-bench is writing there" in capsys.readouterr().err


def test_a_dead_server_leaves_the_verdicts_missing(frozen, tmp_path, monkeypatch, capsys):
    with FakeJudge(honest) as server:
        url = server.url
    monkeypatch.setenv("HUEVAL_JUDGE_BASE_URL", url)
    assert bench("run", frozen, "--output", tmp_path / "b", "--judge", "gone", "--no-attempts") == 3
    assert "Without a rating: gone 54." in capsys.readouterr().out


def test_a_calibration_is_fitted_with_the_weights_of_the_draw(runs, tmp_path, judge, capsys):
    """30 of 54 answers, rare verdicts more often; the weights in the calibration add up to the runs again."""
    bench("make", *runs, "--output", tmp_path / "set", "--n", 30, "--licence-unknown")
    out = tmp_path / "bench"
    with judge(lambda request, _: (lenient if request["model"] == "kind-2" else honest)(request)):
        command = ("run", tmp_path / "set", "--judge", "kind-2", "--judge", "strict-1", "--output", out)
        assert bench(*command, "--no-attempts") == 0
    fit = ["calibrate", "fit", "--judge", str(out / "kind-2"), "--reference", str(out / "strict-1")]
    assert main([*fit, "--output", str(tmp_path / "c.json")]) == 0
    (task,) = json.loads((tmp_path / "c.json").read_text())["tasks"].values()
    assert (task["judge"], task["reference"], len(task["items"])) == ("kind-2", "strict-1", 30)
    drawn = [row["weight"] for row in json_lines(tmp_path / "set" / "data" / "openhueval_husimpleqa.jsonl")]
    assert len(set(drawn)) > 1
    assert sorted(item[5] for item in task["items"]) == pytest.approx(sorted(drawn))


def test_a_panel_is_one_judge(frozen, tmp_path, judge, monkeypatch, capsys):
    monkeypatch.setenv("HUEVAL_JUDGE_MODEL", "strict-1,kind-2")
    with judge(lambda request, _: (lenient if request["model"] == "kind-2" else honest)(request)) as server:
        assert bench("run", frozen, "--output", tmp_path / "bench", "--no-attempts") == 0
    assert len(server.requests) == 108
    plan = capsys.readouterr().out
    assert "54 calls to strict-1: about" in plan and "54 calls to kind-2: about" in plan
    panel = next(one for one in read_bench(tmp_path / "bench").judges if one.name == "strict-1+kind-2")
    assert {len(panel.verdict(answer).votes) for answer in panel.verdicts} == {2}


def test_a_judge_whose_verdicts_came_with_the_set_is_not_asked_for_them(runs, tmp_path, judge, capsys):
    with judge(honest) as server:
        bench("make", *runs, "--output", tmp_path / "set", "--n", 54, "--licence-unknown")
        bench("run", tmp_path / "set", "--judge", "strict-1", "--output", tmp_path / "first", "--no-attempts")
        again = tmp_path / "first" / "strict-1"
        bench("make", again, "--output", tmp_path / "again", "--n", 54, "--licence-unknown")
        asked = len(server.requests)
        capsys.readouterr()
        command = ("run", tmp_path / "again", "--judge", "strict-1", "--output", tmp_path / "second")
        assert bench(*command, "--dry-run", "--no-attempts") == 0
        assert "husimpleqa: all verdicts of strict-1 are there\nAll judges: $0\n" in capsys.readouterr().out
        assert bench(*command, "--no-attempts") == 0
        assert len(server.requests) == asked
        assert "strict-1 (as drawn)" in capsys.readouterr().out
        assert bench(*command) == 0
        assert len(server.requests) > asked
        assert "strict-1 (as drawn)" in capsys.readouterr().out

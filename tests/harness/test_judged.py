"""The judged tasks from end to end: a live run, a deferred one scored later, and what the judge is shown."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
import time
from urllib.request import Request, urlopen

import pytest

from hueval_metrics.registry import TASKS_DIR
from tests.fakes.judge_server import FakeJudge
from tests.harness.runs import JUDGED_TASKS, hueval_in_process, metrics, results, samples
from tests.helpers import shared

SIMPLE_QA, WILD_BENCH, OPEN_ENDED = "openhueval_husimpleqa", "openhueval_huwildbench", "openhueval_huproverbrea_oe"
# The mock's replies by task: a model named NAME:TEMPLATE answers in that form.
JUDGES = {SIMPLE_QA: "mock:husimpleqa", WILD_BENCH: "mock:wildbench", OPEN_ENDED: "mock:yesno"}
START_S = 240


class MockJudge:
    """The mock judge server in a process of its own."""

    def __init__(self) -> None:
        with socket.socket() as unused:
            unused.bind(("127.0.0.1", 0))
            self.port = unused.getsockname()[1]
        script = shared("bench", "mock_judge.py")
        command = [sys.executable, str(script), "--port", str(self.port), "--latency-ms", "5", "--batch-seconds", "0.2"]
        self.process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self.url = f"http://127.0.0.1:{self.port}"
        deadline = time.monotonic() + START_S
        while True:
            try:
                self.stats()
                return
            except OSError:
                assert time.monotonic() < deadline and self.process.poll() is None, "the mock judge did not start"
                time.sleep(0.05)

    def stats(self) -> dict:
        with urlopen(f"{self.url}/stats", timeout=60) as reply:
            return json.load(reply)

    def reset(self) -> None:
        urlopen(Request(f"{self.url}/reset", method="POST"), timeout=60).close()

    def stop(self) -> None:
        self.process.terminate()
        self.process.wait(timeout=240)


@pytest.fixture(scope="module")
def mock_judge():
    server = MockJudge()
    yield server
    server.stop()


@pytest.fixture
def judge(mock_judge, monkeypatch):
    """The mock as the configured judge, its counts at zero."""
    monkeypatch.delenv("HUEVAL_JUDGE")
    monkeypatch.setenv("HUEVAL_JUDGE_BASE_URL", f"{mock_judge.url}/v1")
    monkeypatch.setenv("HUEVAL_QUIET", "1")
    mock_judge.reset()
    return mock_judge


def baseline(folder, task, *more):
    arguments = ("--model", "hueval-baseline", "--model_args", "policy=first", "--tasks", task, "--output_path", folder)
    assert hueval_in_process("run", *arguments, *more) == 0
    return metrics(folder)[task]


@pytest.mark.process
@pytest.mark.parametrize("task", JUDGED_TASKS)
def test_deferred_then_scored_is_the_live_run(judge, monkeypatch, tmp_path, task):
    monkeypatch.setenv("HUEVAL_JUDGE_MODEL", JUDGES[task])
    live = baseline(tmp_path / "live", task)
    assert live["judge_coverage"] == 100
    monkeypatch.setenv("HUEVAL_JUDGE", "defer")
    assert baseline(tmp_path / "deferred", task)["judge_coverage"] == 0
    monkeypatch.delenv("HUEVAL_JUDGE")
    monkeypatch.setenv("HUEVAL_CACHE_DIR", str(tmp_path / "another cache"))  # the judge is really asked again
    assert hueval_in_process("score", tmp_path / "deferred", "--output", tmp_path / "scored") == 0
    scored = json.loads((tmp_path / "scored" / "results.json").read_text(encoding="utf-8"))[task]
    assert {metric: scored[metric] for metric in live} == live
    assert f"|judge:{JUDGES[task]}|rubric:{task.removeprefix('openhueval_')}/3" in scored["signature"]
    recorded = results(tmp_path / "live")["configs"][task]["metadata"]["provenance"]["signature"]
    assert recorded.endswith(f"|judge:{JUDGES[task]}|rubric:{task.removeprefix('openhueval_')}/3")


@pytest.mark.process
def test_deferred_then_scored_by_batch_is_the_live_run(judge, monkeypatch, tmp_path):
    monkeypatch.setenv("HUEVAL_JUDGE_MODEL", JUDGES[WILD_BENCH])
    live = baseline(tmp_path / "live", WILD_BENCH)
    monkeypatch.setenv("HUEVAL_JUDGE", "defer")
    baseline(tmp_path / "deferred", WILD_BENCH)
    monkeypatch.setenv("HUEVAL_JUDGE", "batch")
    monkeypatch.setenv("HUEVAL_CACHE_DIR", str(tmp_path / "another cache"))
    judge.reset()
    for place in ("scored", "again"):
        assert hueval_in_process("score", tmp_path / "deferred", "--output", tmp_path / place) == 0
        scored = json.loads((tmp_path / place / "results.json").read_text(encoding="utf-8"))[WILD_BENCH]
        assert {metric: scored[metric] for metric in live} == live
        stats = judge.stats()
        assert (stats["batch_requests"], stats["requests"]) == (scored["n"], 0)  # no live call, and no second batch


@pytest.mark.process
def test_a_panel_live_and_scored(judge, monkeypatch, tmp_path):
    monkeypatch.setenv("HUEVAL_JUDGE_MODEL", "a:husimpleqa,b:husimpleqa,c:husimpleqa")
    live = baseline(tmp_path / "live", SIMPLE_QA)
    rows = list(samples(tmp_path / "live", SIMPLE_QA))
    assert judge.stats()["requests"] == 3 * len(rows)
    for row in rows:
        verdict = json.loads(row["filtered_resps"][0])["verdict"]
        votes = [vote["label"] for vote in verdict["votes"]]
        assert [vote["judge"] for vote in verdict["votes"]] == [f"{name}:husimpleqa" for name in "abc"]
        assert votes.count(verdict["label"]) == max(map(votes.count, votes))
    assert hueval_in_process("score", tmp_path / "live", "--output", tmp_path / "scored") == 0
    scored = json.loads((tmp_path / "scored" / "results.json").read_text(encoding="utf-8"))[SIMPLE_QA]
    assert {metric: scored[metric] for metric in live} == live
    assert "|judge:a:husimpleqa+b:husimpleqa+c:husimpleqa|" in scored["signature"]
    assert {model: used["calls"] for model, used in scored["judge"].items()} == {
        f"{name}:husimpleqa": len(rows) for name in "abc"
    }
    assert scored["judge_agreement"]["judges"] == 3


@pytest.mark.process
def test_a_judged_run_is_not_judged_again(judge, monkeypatch, tmp_path):
    monkeypatch.setenv("HUEVAL_JUDGE_MODEL", JUDGES[SIMPLE_QA])
    baseline(tmp_path / "live", SIMPLE_QA)
    asked = judge.stats()["requests"]
    assert asked == 18
    baseline(tmp_path / "again", SIMPLE_QA)  # from the cache
    assert hueval_in_process("score", tmp_path / "live", "--output", tmp_path / "scored") == 0  # verdicts are logged
    assert judge.stats()["requests"] == asked


@pytest.mark.process
def test_a_partly_judged_run_is_completed(judge, monkeypatch, tmp_path):
    monkeypatch.setenv("HUEVAL_JUDGE_MODEL", JUDGES[SIMPLE_QA])
    live = baseline(tmp_path / "live", SIMPLE_QA)
    (file,) = (tmp_path / "live").rglob("samples_*.jsonl")
    rows = [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]
    for row in rows[::2]:
        filtered = json.loads(row["filtered_resps"][0])
        row["filtered_resps"][0] = json.dumps(filtered | {"verdict": None})
    file.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    monkeypatch.setenv("HUEVAL_CACHE_DIR", str(tmp_path / "another cache"))
    before = judge.stats()["requests"]
    assert hueval_in_process("score", tmp_path / "live", "--output", tmp_path / "scored") == 0
    assert judge.stats()["requests"] - before == len(rows[::2])
    scored = json.loads((tmp_path / "scored" / "results.json").read_text(encoding="utf-8"))[SIMPLE_QA]
    assert {metric: scored[metric] for metric in live} == live


@pytest.mark.process
def test_a_trace_does_not_reach_the_judge(judge, monkeypatch, tmp_path):
    """The same answers with and without reasoning make the same requests: the second run asks nothing new."""
    monkeypatch.setenv("HUEVAL_JUDGE_MODEL", JUDGES[WILD_BENCH])
    baseline(tmp_path / "plain", WILD_BENCH)
    asked = judge.stats()
    (file,) = (tmp_path / "plain").rglob("samples_*.jsonl")
    rows = [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]
    for row in rows:
        row["resps"] = [[f"<think>Titkos gondolat: {row['doc']['qid']}</think>\n\n{row['resps'][0][0]}"]]
        del row["filtered_resps"]
    traced = tmp_path / file.name
    traced.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    monkeypatch.setenv("HUEVAL_CACHE_DIR", str(tmp_path / "another cache"))
    assert hueval_in_process("score", traced, "--output", tmp_path / "scored") == 0
    again = judge.stats()
    assert again["requests"] == 2 * asked["requests"]
    assert again["distinct_prompts"] == asked["distinct_prompts"]


def test_no_judge_is_one_line_before_the_model_loads(cli, monkeypatch):
    monkeypatch.delenv("HUEVAL_JUDGE")
    outcome = cli("run", "--model", "hf", "--model_args", "pretrained=/nowhere", "--tasks", SIMPLE_QA)
    assert outcome.status == 1
    (line,) = outcome.complaints
    for way in ("HUEVAL_JUDGE_API_KEY", "HUEVAL_JUDGE=lexical", "HUEVAL_JUDGE=defer", "--tasks hueval-rule"):
        assert way in line


@pytest.mark.process
def test_a_model_that_judges_itself_is_flagged(cli, judge, monkeypatch, tmp_path):
    monkeypatch.setenv("HUEVAL_JUDGE_MODEL", "mock:husimpleqa")
    arguments = ("--model", "hueval-baseline", "--model_args", "policy=first,model=mock:husimpleqa", "--limit", 1)
    outcome = cli("run", *arguments, "--tasks", SIMPLE_QA)
    assert any("the judge is the model under test" in line for line in outcome.complaints)


def test_predict_only_needs_no_judge_and_asks_none(cli, tmp_path, monkeypatch):
    monkeypatch.delenv("HUEVAL_JUDGE")  # nobody is configured
    tasks = ("--tasks", ",".join(JUDGED_TASKS))
    command = ("run", "--model", "hueval-baseline", *tasks, "--predict_only", "--output_path", tmp_path / "live")
    outcome = cli(*command)
    assert outcome.status == 0, outcome.err
    assert "HUEVAL_JUDGE" not in os.environ
    for task in JUDGED_TASKS:
        assert {json.loads(row["filtered_resps"][0])["verdict"] for row in samples(tmp_path / "live", task)} == {None}
    monkeypatch.setenv("HUEVAL_JUDGE", "lexical")
    assert cli("score", tmp_path / "live", "--output", tmp_path / "scored").status == 0
    scores = json.loads((tmp_path / "scored" / "results.json").read_text(encoding="utf-8"))
    assert scores[SIMPLE_QA]["correct"] == 100


@pytest.mark.process
def test_predict_only_leaves_a_judge_that_is_there_alone(cli, tmp_path, monkeypatch, mock_judge):
    mock_judge.reset()
    monkeypatch.setenv("HUEVAL_JUDGE", "openai")
    monkeypatch.setenv("HUEVAL_JUDGE_BASE_URL", f"{mock_judge.url}/v1")
    command = ("run", "--model", "hueval-baseline", "--tasks", SIMPLE_QA, "--predict_only", "--output_path", tmp_path)
    assert cli(*command).status == 0
    assert mock_judge.stats()["requests"] == 0


@pytest.mark.parametrize(("predict_only", "n_asked"), [(True, 0), (False, 3)])
def test_plain_lm_eval_pays_for_no_verdict_that_it_does_not_show(monkeypatch, predict_only, n_asked):
    from lm_eval.evaluator import simple_evaluate
    from lm_eval.tasks import TaskManager

    import hueval_metrics.harness.baseline  # noqa: F401  registers hueval-baseline

    manager = TaskManager(include_path=str(TASKS_DIR), include_defaults=False)
    with FakeJudge(lambda *_: '{"evaluation": "Correct"}') as asked:
        monkeypatch.setenv("HUEVAL_JUDGE", "openai")
        monkeypatch.setenv("HUEVAL_JUDGE_BASE_URL", asked.url)
        found = simple_evaluate(
            "hueval-baseline", tasks=[SIMPLE_QA], limit=3, task_manager=manager, predict_only=predict_only
        )
    assert len(asked.requests) == n_asked
    verdicts = [json.loads(row["filtered_resps"][0])["verdict"] for row in found["samples"][SIMPLE_QA]]
    assert len(verdicts) == 3 and all((verdict is None) == predict_only for verdict in verdicts)

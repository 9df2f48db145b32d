"""The exit status of real `hueval` processes, and what stands on disk after each."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from threading import Event

import pytest

from hueval_metrics.exit_status import MEANINGS
from tests.fakes.batch_server import FakeBatches
from tests.fakes.judge_server import Answer, FakeJudge, refuse
from tests.harness.runs import hueval_here
from tests.helpers import shared
from tests.killed import STOPS_SOON
from tests.preloaded import popen
from tests.scoring.conftest import plain, sample, write_lines

pytestmark = pytest.mark.process

TASK = "openhueval_husimpleqa"
NOBODY = "http://127.0.0.1:1/v1"
TIMEOUT_S = 240  # against a hang; the longest takes some 10 s
N = 18  # items of the packaged sample
COMMAND = ("-m", "hueval_metrics")
# The command in virtual time: pauses between attempts take none.
HURRIED = (
    "-c",
    "import sys; from tests.fakes.clock import virtual_time; from hueval_metrics.cli import main\n"
    "with virtual_time(): sys.exit(main())",
)


@pytest.fixture(autouse=True)
def on_the_sample(clean_environment, monkeypatch, tmp_path):
    monkeypatch.setenv("HUEVAL_SAMPLE", "1")
    monkeypatch.setenv("HUEVAL_OFFLINE", "1")
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    monkeypatch.chdir(tmp_path)


@pytest.fixture
def answers(tmp_path):
    """Answers to the sample of HuSimpleQA, to be judged."""
    rows = [{"qid": doc["qid"], "prediction": "Nem tudom."} for doc in sample("husimpleqa")]
    assert len(rows) == N
    return write_lines(tmp_path / "answers.jsonl", rows)


def start(*arguments, program=COMMAND, **variables):
    environment = os.environ | {"PYTHONPATH": str(Path(__file__).parents[1])} | variables
    command = [sys.executable, *program, *map(str, arguments)]
    return popen(command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def hueval(*arguments, **variables):
    """Status, standard output and standard error."""
    process = start(*arguments, **variables)
    out, err = process.communicate(timeout=TIMEOUT_S)
    assert "Traceback" not in err
    return process.returncode, out, err


def here(*arguments, **variables):
    """The same in this process: a step before or after the one whose status is tested."""
    done = hueval_here(*arguments, **variables)
    return done.status, done.out, done.err


def score(answers, **variables):
    """Status, the task's results and standard error of `hueval score`; with a judge at `url`, run `by` a function."""
    url, by = variables.pop("url", None), variables.pop("by", hueval)
    variables |= {"HUEVAL_JUDGE_BASE_URL": url} if url else {}
    folder = answers.parent / "scored"
    status, _, err = by("score", answers, "--task", TASK, "--output", folder, **variables)
    return status, json.loads((folder / "results.json").read_text(encoding="utf-8"))[TASK], err


def always(answer):
    return lambda request, number: answer


# ---- 3: verdicts are missing; for each way in which a server fails, see test_missing_verdicts.py ----


def test_a_dead_judge(answers):
    status, results, err = score(answers, url=NOBODY)
    assert (status, results["judge_coverage"], results["n_unanswered"]) == (3, 0.0, N)
    assert f"{N} of {N} verdicts are missing" in err
    with FakeJudge(always("CORRECT")) as judge:  # the same command, with a judge that is up
        status, results, _ = score(answers, url=judge.url, by=here)
    assert (status, results["judge_coverage"], results["n_unanswered"]) == (0, 100.0, 0)


def test_a_judge_that_dies_on_the_way(answers):
    def answer(request, number):
        return "CORRECT" if number < 5 else refuse(500, "out of order")

    with FakeJudge(answer) as judge:
        status, results, _ = score(
            answers, url=judge.url, program=HURRIED, HUEVAL_JUDGE_CONCURRENCY="4", HUEVAL_JUDGE_DEADLINE_S="8"
        )
    assert (status, results["n_unanswered"]) == (3, N - 5)


def test_a_spent_budget(answers, tmp_path):
    prices = tmp_path / "prices.yaml"
    prices.write_text("my-judge: {input: 1000, output: 1000}\n")
    setting = {"HUEVAL_JUDGE_MODEL": "my-judge", "HUEVAL_JUDGE_PRICES": str(prices), "HUEVAL_JUDGE_BUDGET_USD": "0.01"}
    with FakeJudge(always("CORRECT")) as judge:
        status, results, err = score(answers, url=judge.url, **setting)
    assert (status, results["n_unanswered"]) == (3, N)
    assert "HUEVAL_JUDGE_BUDGET_USD" in err


def test_a_deadline(answers):
    with FakeJudge(always(Answer(fault="hang"))) as judge:
        status, results, err = score(answers, url=judge.url, HUEVAL_JUDGE_DEADLINE_S="1")
    assert (status, results["n_unanswered"]) == (3, N)
    assert "HUEVAL_JUDGE_DEADLINE_S" in err


def test_a_batch_still_running(answers):
    with FakeBatches(lambda lines: ("in_progress", [], [])) as server:
        status, results, err = score(
            answers, url=server.url, program=HURRIED, HUEVAL_JUDGE="batch", HUEVAL_JUDGE_DEADLINE_S="15"
        )
    assert (status, results["n_unanswered"]) == (3, N)
    assert "batch-0 is not ready; the same command collects it" in err


def test_a_panel_that_has_lost_a_judge(answers):
    def answer(request, number):
        return "CORRECT" if request["model"] == "one" else refuse(404, "no such model")

    with FakeJudge(answer) as judge:
        status, results, _ = score(answers, url=judge.url, HUEVAL_JUDGE_MODEL="one,two")
    assert (status, results["judge_coverage"], results["n_unanswered"]) == (3, 100.0, N)


@pytest.mark.slow
def test_a_live_run_without_its_judge(tmp_path):
    arguments = ("--model", "hueval-baseline", "--model_args", "policy=first", "--tasks", TASK)
    status, _, err = hueval("run", *arguments, "--output_path", tmp_path / "runs", HUEVAL_JUDGE_BASE_URL=NOBODY)
    assert status == 3
    assert f"{N} of {N} verdicts are missing" in err
    assert len(list((tmp_path / "runs").rglob("results_*.json"))) == 1
    with FakeJudge(always("CORRECT")) as judge:
        status, _, _ = here("run", *arguments, HUEVAL_JUDGE_BASE_URL=judge.url)
    assert status == 0


# ---- 0: nobody was to be asked ----


def test_deferred_verdicts_are_counted_in_one_line(answers):
    for by in (hueval, here):
        status, results, err = score(answers, HUEVAL_JUDGE="defer", by=by)
        assert (status, results["judge_coverage"], results["n_unanswered"]) == (0, 0.0, 0)
        assert f"{N} verdicts are left to a later `hueval score`" in err


# ---- 1 and 2: nothing is written ----


@pytest.mark.parametrize(
    ("arguments", "variables", "status"),
    [
        (["score", "answers.jsonl", "--output", "scored"], {}, 1),  # which task?
        (["score", "answers.jsonl", "--task", TASK, "--output", "scored"], {}, 1),  # no judge
        (["score", "answers.jsonl", "--task", TASK, "--output", "scored"], {"HUEVAL_JUDGE": "oracle"}, 1),
        (["run", "--model", "nonsense", "--tasks", TASK, "--output_path", "scored"], {}, 1),
        (["report", "scored"], {}, 1),
        (["score", "--outputs"], {}, 2),
        (["nonsense"], {}, 2),
        (["run", "--model"], {}, 2),
    ],
)
def test_a_mistake_writes_nothing(answers, arguments, variables, status):
    before = sorted(answers.parent.rglob("*"))
    done, out, err = hueval(*arguments, HUEVAL_CACHE_DIR=str(answers.parent / "nowhere"), **variables)
    assert (done, out) == (status, "")
    assert err
    assert sorted(answers.parent.rglob("*")) == before


# ---- stopped ----


@pytest.mark.parametrize(("number", "status"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_stopped_while_it_judges(answers, number, status):
    with FakeJudge(always("INCORRECT")) as judge:
        score(answers, url=judge.url, by=here)
    folder = answers.parent / "scored"
    before = {file.name: file.read_bytes() for file in folder.iterdir()}
    asked = Event()

    def answer(request, count):
        if count < 7:
            return "CORRECT"
        asked.set()
        return Answer(content="CORRECT", fault="hang")

    again = ("score", answers, "--task", TASK, "--output", folder)
    variables = {"HUEVAL_JUDGE_MODEL": "another", "HUEVAL_JUDGE_CONCURRENCY": "1"}
    with FakeJudge(answer) as judge:
        process = start(*again, program=("-c", STOPS_SOON), HUEVAL_JUDGE_BASE_URL=judge.url, **variables)
        assert asked.wait(TIMEOUT_S)
        process.send_signal(number)
        _, err = process.communicate(timeout=TIMEOUT_S)
    assert process.returncode == status
    assert "hueval: stopped." in err and "Traceback" not in err
    assert {file.name: file.read_bytes() for file in folder.iterdir()} == before
    with FakeJudge(always("CORRECT")) as judge:
        assert here(*again, HUEVAL_JUDGE_BASE_URL=judge.url, **variables)[0] == 0
    assert len(judge.requests) == N - 7


@pytest.mark.slow
@pytest.mark.parametrize(("number", "status"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_stopped_while_a_model_generates(number, status, tmp_path):
    asked = Event()

    def answer(request, count):
        asked.set()
        return Answer(fault="hang")

    with FakeJudge(answer) as model:
        model_args = f"model=m,base_url={model.url}/chat/completions"
        arguments = ("--model", "local-chat-completions", "--model_args", model_args, "--apply_chat_template")
        process = start("run", *arguments, "--tasks", "openhueval_hustandardfib", "--output_path", tmp_path / "runs")
        assert asked.wait(TIMEOUT_S)
        process.send_signal(number)
        _, err = process.communicate(timeout=TIMEOUT_S)
    assert process.returncode == status, err
    assert "hueval: stopped." in err
    left = {file.name.partition("_")[0] for file in (tmp_path / "runs").rglob("*") if file.is_file()}
    assert left <= {"run", "live"}  # its log and what it answered so far, and no results


def test_stopped_while_it_converts(tmp_path):
    process = start("data", "convert", shared("data"), tmp_path / "out", "--name", "hulu")
    until = time.monotonic() + TIMEOUT_S
    while not list(tmp_path.glob(".out.*")):
        assert process.poll() is None and time.monotonic() < until
        time.sleep(0.01)
    process.terminate()
    _, err = process.communicate(timeout=TIMEOUT_S)
    assert process.returncode == 143
    assert "hueval: stopped." in err and "Traceback" not in err
    assert list(tmp_path.iterdir()) == []


def test_a_closed_pipe(tmp_path):
    rows = plain("hustandardfib", "openhueval_hustandardfib")
    assert here("score", write_lines(tmp_path / "p.jsonl", rows), "--output", tmp_path / "scored")[0] == 0
    hueval_table = f"{sys.executable} -m hueval_metrics table {tmp_path / 'scored'} --all"
    done = subprocess.run(
        ["bash", "-c", f"{hueval_table} | true; exit ${{PIPESTATUS[0]}}"],
        capture_output=True,
        text=True,
        env=os.environ | {"PYTHONPATH": str(Path(__file__).parents[1])},
        timeout=TIMEOUT_S,
    )
    assert (done.returncode, done.stderr) == (141, "")


def test_help_lists_the_statuses():
    """So does docs/reference/commands.md, which is written from the same list."""
    shown = hueval("--help")[1]
    for status, meaning in MEANINGS.items():
        assert f"  {status:<4} {meaning}\n" in shown

"""Ctrl-C and SIGTERM while requests are under way: their replies are kept, so that no request is sent twice."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from threading import Event, Semaphore

import pytest

from tests.fakes.judge_server import Answer, FakeJudge
from tests.preloaded import popen, run
from tests.scoring.conftest import on_the_sample, plain, write_lines  # noqa: F401  a fixture

pytestmark = pytest.mark.process

TASK, QA = "openhueval_husimpleqa", "husimpleqa"
TIMEOUT_S = 240
REPLY = json.dumps({"evaluation": "Correct"})
# No test waits so long: it says how long the command would.
SCRIPT = (
    "import sys; from hueval_metrics.judge import engine; engine.GRACE_S = 600; "
    "from hueval_metrics.cli import main; sys.exit(main())"
)


class Slow:
    """A judge that keeps all requests waiting until `gate` is set."""

    def __init__(self):
        self.asked, self.gate = Semaphore(0), Event()

    def __call__(self, request, number):
        self.asked.release()
        self.gate.wait(TIMEOUT_S)
        return Answer(REPLY)


@pytest.fixture
def stopped(tmp_path, request):
    """A judge, the arguments of a scoring by it, and that command, which has been sent a signal and says so."""
    slow, processes = Slow(), []
    predictions = write_lines(tmp_path / "p.jsonl", plain(QA))
    arguments = ["score", str(predictions), "--task", TASK, "--output", str(tmp_path / "out")]
    with FakeJudge(slow) as judge:
        env = os.environ | {"HUEVAL_JUDGE_BASE_URL": judge.url, "HUEVAL_QUIET": "1", **request.param}

        def start(number):
            process = popen([sys.executable, "-c", SCRIPT, *arguments], env=env, stderr=subprocess.PIPE, text=True)
            processes.append(process)
            for _ in range(3):
                assert slow.asked.acquire(timeout=TIMEOUT_S)
            process.send_signal(number)
            said = list(iter(lambda: line if "in flight" not in (line := process.stderr.readline()) else "", ""))
            assert process.poll() is None, said
            return process

        def again():
            return run([sys.executable, "-m", "hueval_metrics", *arguments], env=env, timeout=TIMEOUT_S)

        yield judge, slow, start, again
        slow.gate.set()
        for process in processes:
            process.kill()
            process.wait(TIMEOUT_S)
            process.stderr.close()


ONE, PANEL = {"HUEVAL_JUDGE_MODEL": "a"}, {"HUEVAL_JUDGE_MODEL": "a,b,c"}
SIGNALS = pytest.mark.parametrize(("number", "status"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])


@SIGNALS
@pytest.mark.parametrize("stopped", [ONE, PANEL], indirect=True, ids=["one judge", "a panel"])
def test_no_request_is_sent_twice(stopped, number, status):
    judge, slow, start, again = stopped
    process = start(number)
    slow.gate.set()
    assert process.wait(TIMEOUT_S) == status
    n_before = len(judge.requests)
    assert again().returncode == 0
    asked = [json.dumps(request, sort_keys=True) for request in judge.requests]
    assert len(asked) == len(set(asked)) > n_before  # not all had started


@SIGNALS
@pytest.mark.parametrize("stopped", [ONE], indirect=True, ids=["one judge"])
def test_a_second_signal_ends_it_at_once(stopped, number, status):
    _, _, start, _ = stopped
    process = start(number)
    while process.poll() is None:  # the repeats of the first half second count as the first
        process.send_signal(number)
        time.sleep(0.2)
    assert process.returncode in (status, -number)  # the latter in the interpreter's last moments

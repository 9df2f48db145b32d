"""The judge engine in several processes: two runs at a time, signals, and the mock judge with its faults."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import threading
import urllib.request

import pytest

from hueval_metrics.records import Verdict
from tests.fakes import toy_rubric
from tests.fakes.judge_server import Answer, FakeJudge, install_toy_rubric, judge_all, settings_for
from tests.helpers import shared
from tests.killed import LIMIT_S, ROOT, wait_for_replies
from tests.preloaded import popen

pytestmark = pytest.mark.process


@pytest.fixture(autouse=True)
def toy():
    return install_toy_rubric()


def items(count):
    return [({"question": f"q{n}"}, f"r{n}") for n in range(count)]


def asked(request):
    """The question in a request."""
    return json.loads(request["messages"][0]["content"])["question"]


def even(request, _=0):
    """YES to even questions."""
    return "NO" if int(asked(request)[1:]) % 2 else "YES"


RUN = """
import json, sys
sys.path.insert(0, sys.argv[3])
from hueval_metrics.judge import engine
from tests.fakes.judge_server import install_toy_rubric, judge_all, settings_for
engine.GRACE_S = 0.5  # the replies that are under way take half a minute
items = [({"question": f"q{n}"}, f"r{n}") for n in range(int(sys.argv[2]))]
print(json.dumps([v.label for v in judge_all(items, install_toy_rubric(), settings_for(sys.argv[1]))]))
"""


def start(url, count, **environment):
    command = [sys.executable, "-c", RUN, url, str(count), str(ROOT)]
    return popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=os.environ | environment)


def test_two_processes_at_once_judge_nothing_twice():
    with FakeJudge(lambda request, _: Answer(even(request), delay_s=0.05)) as judge:
        runs = [start(judge.url, 100) for _ in range(2)]
        outputs = [run.communicate(timeout=LIMIT_S) for run in runs]
    for out, _ in outputs:
        assert json.loads(out) == ["YES", "NO"] * 50
    assert sorted(map(asked, judge.requests)) == sorted(f"q{n}" for n in range(100))


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGKILL])
def test_broken_off_it_keeps_what_came(number):
    enough = threading.Event()

    def answer(request, n):
        if n >= 50:
            enough.set()
        return Answer(even(request), delay_s=30 if n >= 50 else 0)

    with FakeJudge(answer) as judge:
        run = start(judge.url, 200)
        assert enough.wait(LIMIT_S)
        wait_for_replies(50)
        run.send_signal(number)
        _, err = run.communicate(timeout=LIMIT_S)
        assert run.returncode != 0
        if number == signal.SIGINT:
            assert b"KeyboardInterrupt" in err
    with FakeJudge(even) as judge:
        verdicts = judge_all(items(200), "toy", settings_for(judge.url))
    assert [v.label for v in verdicts] == ["YES", "NO"] * 100
    assert len(judge.requests) == 150


def test_the_mock_judge_with_all_its_faults(monkeypatch):
    rubric = toy_rubric

    def parse(reply):
        found = re.search(r"YES|NO", reply)
        return Verdict(label=found[0]) if found else Verdict(error="unreadable")

    monkeypatch.setattr(rubric, "parse", parse)
    faults = ["--error-rate-500", ".05", "--drop-rate", ".02", "--malformed-rate", ".05", "--malformed-kind", "hard"]
    command = [sys.executable, shared("bench", "mock_judge.py"), "--port", "0", "--latency-ms", "5", *faults]
    mock = subprocess.Popen([*command, "--reply-template", "yesno"], stdout=subprocess.PIPE, text=True)
    try:
        url = mock.stdout.readline().split()[-1]
        verdicts = judge_all(items(400), "toy", settings_for(url))
        with urllib.request.urlopen(url.removesuffix("/v1") + "/stats") as answer:
            stats = json.load(answer)
    finally:
        mock.kill()
        mock.communicate()
    declined = [v.error for v in verdicts if v.is_missing]  # by chance twice in a row; it is not asked a third time
    assert set(declined) <= {"the reply is empty (finish_reason content_filter) (2 tries)"} and len(declined) < 8
    assert stats["status"]["500"] and stats["status"]["drop"] and stats["malformed"]

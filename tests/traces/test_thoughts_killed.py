"""A run that is killed while thoughts are scored goes on where it was: only what is missing is asked."""

from __future__ import annotations

import os
import signal
import sqlite3
import subprocess
import sys
import threading
import time
from collections import Counter
from contextlib import closing, suppress
from pathlib import Path

from hueval_metrics.judge.cache.file import cache_file
from tests.fakes.judge_server import Answer, FakeJudge
from tests.fakes.thought_judge import judge, step_of
from tests.traces.thought_items import item_of, values

ROOT = Path(__file__).parents[2]
LIMIT_S = 240  # against a hang
ITEMS, THOUGHTS, SCORED = 10, 6, 25
RUN = """
import sys
sys.path.insert(0, sys.argv[2])
from hueval_metrics.traces.judging import Asking
from hueval_metrics.traces.settings import Settings
from hueval_metrics.traces.thoughts.step import step
from tests.fakes.judge_server import settings_for
from tests.traces.test_thoughts_killed import items
step(items(), Asking(settings_for(sys.argv[1])), Settings(("thoughts",)))
"""


def items():
    """Ten replies of six thoughts each, no two alike."""
    return [item_of(n, " ".join(f"De {n} {k}." for k in range(THOUGHTS))) for n in range(ITEMS)]


def wait_for_replies(count):
    """Wait until so many replies are in the cache."""
    until = time.monotonic() + LIMIT_S
    while True:
        with (
            suppress(sqlite3.OperationalError),
            closing(sqlite3.connect(f"file:{cache_file()}?mode=ro", uri=True)) as db,
        ):
            if db.execute("SELECT count(*) FROM replies").fetchone()[0] >= count:
                return
        assert time.monotonic() < until
        time.sleep(0.02)


def test_killed_in_the_third_step():
    before = 2 * ITEMS + SCORED
    enough = threading.Event()

    def answer(request, number):
        if number >= before:
            enough.set()
        return Answer(judge(request), delay_s=60 if number >= before else 0)

    with FakeJudge(answer) as server:
        process = subprocess.Popen([sys.executable, "-c", RUN, server.url, str(ROOT)], env=os.environ)
        try:
            assert enough.wait(LIMIT_S)
            wait_for_replies(before)
        finally:
            process.send_signal(signal.SIGKILL)
            process.wait()
    found, requests = values(items())
    assert Counter(map(step_of, requests)) == {"thought": ITEMS * THOUGHTS - SCORED}
    assert [value["starts"] for value in found.values()] == [[8 * k for k in range(THOUGHTS)]] * ITEMS
    assert all(value["scores"] == [0] * THOUGHTS for value in found.values())
    _, none = values(items())
    assert none == []

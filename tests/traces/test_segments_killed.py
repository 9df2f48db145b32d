"""A run that is killed while segments are classified goes on where it was: only what is missing is asked."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
from collections import Counter

from tests.fakes.judge_server import Answer, FakeJudge
from tests.fakes.segment_judge import judge, step_of
from tests.traces.test_segments import TRACE, item_of, values
from tests.traces.test_thoughts_killed import LIMIT_S, ROOT, wait_for_replies

ITEMS, CLASSIFIED = 20, 8
RUN = """
import sys
sys.path.insert(0, sys.argv[2])
from hueval_metrics.traces.judging import Asking
from hueval_metrics.traces.segments.step import step
from hueval_metrics.traces.settings import Settings
from tests.fakes.judge_server import settings_for
from tests.traces.test_segments_killed import items
step(items(), Asking(settings_for(sys.argv[1])), Settings(("segments",)))
"""


def items():
    """Replies of which no two are alike."""
    return [item_of(n, TRACE.replace("text", f"text {n}")) for n in range(ITEMS)]


def test_killed_in_the_second_step():
    before = ITEMS + CLASSIFIED
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
    assert Counter(map(step_of, requests)) == {"segment_dimensions": ITEMS - CLASSIFIED}
    assert all(value["dimensions_left_out"] is None for value in found.values())
    assert [len(value["segments"]) for value in found.values()] == [5] * ITEMS
    _, none = values(items())
    assert none == []

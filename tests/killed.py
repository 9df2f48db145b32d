"""A judging in a process of its own, which is killed or stopped on the way."""

from __future__ import annotations

import sqlite3
import sys
import threading
import time
from collections.abc import Callable, Mapping
from contextlib import closing, suppress
from pathlib import Path
from typing import Any

from hueval_metrics.judge.cache.file import cache_file
from tests.fakes.judge_server import Answer, FakeJudge
from tests.preloaded import popen

ROOT = Path(__file__).parents[1]
LIMIT_S = 240  # against a hang
# The command, which does not wait long for replies that are under way when it is stopped.
STOPS_SOON = (
    "import sys; from hueval_metrics.judge import engine; engine.GRACE_S = 0.5; "
    "from hueval_metrics.cli import main; sys.exit(main())"
)


def wait_for_replies(count: int) -> None:
    """Wait until another process has so many replies in the cache."""
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


def kill_after(count: int, judge: Callable[[Mapping[str, Any]], str], program: str) -> None:
    """Run a program with the judge's address and this checkout as arguments, and kill it after so many replies."""
    enough = threading.Event()

    def answer(request: Mapping[str, Any], number: int) -> Answer:
        if number >= count:
            enough.set()
        return Answer(judge(request), delay_s=60 if number >= count else 0)

    with FakeJudge(answer) as server:
        process = popen([sys.executable, "-c", program, server.url, str(ROOT)])
        try:
            assert enough.wait(LIMIT_S)
            wait_for_replies(count)
        finally:
            process.kill()
            process.wait()

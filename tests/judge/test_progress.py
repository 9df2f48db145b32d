from __future__ import annotations

import os
import pty
import subprocess
import sys
import termios
from contextlib import contextmanager, redirect_stderr
from io import StringIO

import pytest

from hueval_metrics.judge.ledger import Ledger
from hueval_metrics.judge.progress import progress
from hueval_metrics.judge.settings import JudgeSettings

MODEL = "gpt-4o"
QUIET_START = """
import sys
from hueval_metrics.judge.ledger import Ledger
from hueval_metrics.judge.progress import progress
from hueval_metrics.judge.settings import JudgeSettings

with progress(10, "t", JudgeSettings(), Ledger()) as bar:
    bar.done()
assert not {"tqdm", "yaml"} & set(sys.modules)
"""


@contextmanager
def terminal():
    """A terminal in the place of stderr; yields a function that gives what it was sent since the last time."""
    ours, theirs = pty.openpty()
    termios.tcsetwinsize(theirs, (24, 160))
    os.set_blocking(ours, False)

    def shown():
        sys.stderr.flush()
        text = b""
        while True:
            try:
                text += os.read(ours, 65536)
            except BlockingIOError:
                return text.decode()

    try:
        with os.fdopen(theirs, "w", encoding="utf-8") as stderr, redirect_stderr(stderr):
            yield shown
    finally:
        os.close(ours)


def spend(book, settings):
    """Spend 1.23 dollars."""
    book.settle(book.reserve(MODEL, 500_000, 100, settings), 492_000, 0)


def test_a_terminal_shows_done_rate_errors_time_and_dollars():
    settings, book = JudgeSettings(budget_usd=20.0), Ledger()
    with terminal() as shown:
        with progress(1000, "husimpleqa", settings, book) as bar:
            spend(book, settings)
            bar.done(499)
            bar.done()
            bar.failed()
            bar.failed()
        last = shown().strip().split("\r")[-1]
    assert last.startswith("husimpleqa:  50%|")
    assert " 500/1000 [" in last
    assert " verdicts/s" in last
    assert "2 errors, $1.23 of $20.00]" in last


def test_the_bar_is_drawn_while_it_runs_without_a_known_end():
    settings, book = JudgeSettings(), Ledger()
    with terminal() as shown, progress(None, "t", settings, book) as bar:
        first = shown()
        assert "0 errors]" in first
        assert "$" not in first  # nothing is spent, and there is no budget
        bar._bar.mininterval = 0  # no wait in a test
        spend(book, settings)
        bar.failed()
        bar.done(7)
        second = shown()
    assert "7 verdicts [" in second
    assert "1 error, $1.23]" in second


def test_nothing_is_drawn_when_quiet():
    with terminal() as shown:
        with progress(10, "t", JudgeSettings(quiet=True), Ledger()) as bar:
            bar.done(10)
            bar.failed()
        assert shown() == ""


def test_nothing_is_drawn_without_a_terminal():
    with redirect_stderr(StringIO()) as stderr, progress(10, "t", JudgeSettings(), Ledger()) as bar:
        bar.done(10)
        bar.failed()
    assert stderr.getvalue() == ""


def test_a_hidden_bar_loads_no_library():
    subprocess.run([sys.executable, "-c", QUIET_START], check=True, timeout=60, stderr=subprocess.PIPE)


def test_a_fault_inside_closes_the_bar():
    with terminal() as shown:
        with pytest.raises(KeyError), progress(10, "t", JudgeSettings(), Ledger()) as bar:
            bar.done(3)
            raise KeyError
        assert " 3/10 [" in shown()
        bar.done()
        assert shown() == ""


def test_counting_draws_a_few_times_a_second_only():
    with terminal() as shown, progress(100_000, "t", JudgeSettings(), Ledger()) as bar:
        bar._bar.mininterval = 3600  # not again within this test, however slow the machine is
        shown()
        for _ in range(1000):
            bar.done()
        assert shown() == ""

from __future__ import annotations

import os
import pty
import re
import subprocess
import sys
import termios
from contextlib import contextmanager, redirect_stderr
from dataclasses import replace
from importlib.metadata import version
from io import StringIO

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hueval_metrics.judge.completion import Completion
from hueval_metrics.judge.ledger import Ledger
from hueval_metrics.judge.prices import dollars
from hueval_metrics.judge.progress import Estimate, JudgeProgress, duration, summary
from hueval_metrics.judge.settings import JudgeSettings
from hueval_metrics.judge.tokens import tokens_in
from hueval_metrics.progress import Progress, under_way
from hueval_metrics.records import Usage
from tests.fakes.judge_server import FakeJudge, even, judge_all, refuse, settings_for, toy_items

QUIET_START = """
import sys
from hueval_metrics.judge.ledger import Ledger
from hueval_metrics.judge.progress import JudgeProgress
from hueval_metrics.judge.settings import JudgeSettings

with JudgeProgress(10, "t", JudgeSettings(), Ledger()) as bar:
    bar.done()
assert not {"tqdm", "yaml"} & set(sys.modules)
"""
SETTINGS = JudgeSettings()
MODEL = SETTINGS.model
SIMPLE = {"verdicts": 1293, "cached": 200, "calls": 1093, "prompt_tokens": 1_900_000, "reply_tokens": 20}


@pytest.fixture(autouse=True)
def shown_progress(clean_environment, monkeypatch):
    monkeypatch.delenv("HUEVAL_QUIET")


def line(settings=SETTINGS, model=MODEL, left=None, **changes):
    return Estimate("husimpleqa", replace(settings, model=model), **{**SIMPLE, **changes}).line(left)


def test_the_line_says_calls_tokens_and_dollars():
    assert line() == (
        "husimpleqa: 1,293 verdicts, 200 from the cache, 1,093 calls to gpt-4o-2024-11-20: about 1.9 M tokens in, "
        f"22 k out, $4.97 ± 30 % plus any hidden reasoning (prices of genai-prices {version('genai-prices')})"
    )


def test_when_all_is_cached_nothing_is_said_of_money():
    assert line(cached=1293, calls=0, prompt_tokens=0) == "husimpleqa: 1,293 verdicts, 1,293 from the cache, 0 calls"


def test_equal_requests_are_counted_so_that_the_numbers_add_up():
    assert line(cached=61, calls=67, verdicts=129).startswith(
        "husimpleqa: 129 verdicts, 61 from the cache, 1 duplicate, 67 calls to gpt-4o"
    )


def test_a_batch_costs_half():
    assert "$2.48 ±" in line(replace(SETTINGS, mode="batch"))


def test_without_a_price_the_line_has_no_dollars():
    text = line(model="my-judge")
    assert text.endswith("1,093 calls to my-judge: about 1.9 M tokens in, 22 k out, price unknown")
    assert "$" not in text


def test_own_prices_are_called_so(tmp_path):
    own = tmp_path / "own.yaml"
    own.write_text("my-judge: {input: 0, output: 0}")
    assert line(replace(SETTINGS, prices=own), "my-judge").endswith("22 k out, $0 (your prices)")


@pytest.mark.parametrize(("reasons", "is_said"), [("true", True), ("false", False)])
def test_own_prices_say_whether_hidden_reasoning_comes_on_top(tmp_path, reasons, is_said):
    own = tmp_path / "own.yaml"
    own.write_text(f"my-judge: {{input: 1, output: 4, reasons: {reasons}}}")
    assert ("plus any hidden reasoning" in line(replace(SETTINGS, prices=own), "my-judge")) == is_said


def test_a_stream_of_known_length_is_judged_by_its_beginning():
    text = line(is_all=False, total=12_930)
    assert text.startswith("husimpleqa: 12,930 verdicts, 2,000 from the cache, 10,930 calls")
    assert "about 19 M tokens in, 219 k out, $49.69" in text
    assert text.endswith("judged by the first 1,293")


def test_a_stream_of_unknown_length_is_at_least_its_beginning():
    text = line(is_all=False)
    assert text.startswith("husimpleqa: at least 1,293 verdicts, 200 from the cache")
    assert text.endswith("judged by the first 1,293")


@pytest.mark.parametrize(("left", "is_said"), [(None, False), (100.0, False), (2.0, True), (0.0, True)])
def test_a_budget_below_the_estimate_is_said_with_what_happens(left, is_said):
    text = line(left=left)
    assert ("judging stops before it is exceeded" in text) == is_said
    assert ("`hueval score`" in text) == is_said
    assert (f"Of the budget {dollars(left or 0)} is left" in text) == is_said


def test_a_long_prompt_is_priced_as_such_for_each_call():
    # Ten calls of 100,000 tokens are not one of a million.
    short = Estimate(
        "t", replace(SETTINGS, model="gemini-2.5-pro"), **{**SIMPLE, "calls": 10, "prompt_tokens": 1_000_000}
    )
    assert short.usd == pytest.approx(10 * (0.125 + 0.0002))


@pytest.mark.parametrize(
    ("why", "text", "characters_per_token"),
    [
        ("English", "the cat sat on the mat " * 1000, 4.38),
        ("Hungarian: 9.5 % of the characters are accented", ("e" * 181 + "á" * 19) * 100, 2.66),
    ],
)
def test_tokens_of_two_languages(why, text, characters_per_token):
    assert len(text) / tokens_in(text.encode()) == pytest.approx(characters_per_token, rel=0.01), why


@given(st.binary())
def test_any_bytes_have_tokens(text):
    assert len(text) / 5 <= tokens_in(text) <= 2 * len(text)


def test_the_summary_says_what_it_took():
    assert summary("husimpleqa", MODEL, Usage(1093, 1_884_000, 20_900, 4.913, 200.0), cached=200, seconds=65.2) == (
        "husimpleqa: 1,093 calls to gpt-4o-2024-11-20, 1.88 M tokens in, 20.9 k out, $4.91; 200 cached, 65 s"
    )
    assert summary("t", "my-judge", Usage(1, 999_900, 999, None), cached=0, seconds=0.4) == (
        "t: 1 call to my-judge, 1 M tokens in, 999 out, price unknown; 0 cached, 0 s"
    )
    assert "999 tokens in, 3 out, less than $0.01;" in summary("t", "m", Usage(2, 999, 3, 0.005), cached=0, seconds=1)


@pytest.mark.parametrize(("seconds", "text"), [(119.4, "119 s"), (120, "2 min"), (3599, "1 h 0 min")])
def test_duration(seconds, text):
    assert duration(seconds) == text


@contextmanager
def terminal(columns=160):
    """A terminal in the place of stderr; yields a function that gives what it was sent since the last time."""
    ours, theirs = pty.openpty()
    termios.tcsetwinsize(theirs, (24, columns))
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
    book.settle(book.reserve("gpt-4o", 500_000, 100, settings), Completion("", "stop", 492_000, 0))


def test_a_terminal_shows_done_rate_errors_time_and_dollars():
    settings, book = JudgeSettings(budget_usd=20.0), Ledger()
    with terminal() as shown:
        with JudgeProgress(1000, "husimpleqa", settings, book) as bar:
            spend(book, settings)
            bar.done(499, is_error=True)
            bar.done(is_error=True)
            bar.faults = {"time-out": 3, "HTTP 429": 60}
        last = shown().strip().split("\r")[-1]
    assert last.startswith("Judging husimpleqa:  50%|")
    assert " 500/1000 [" in last
    assert " verdicts/s" in last
    assert "2 errors, $1.23 of $20.00, 60 × HTTP 429, 3 × time-out]" in last


def test_the_bar_counts_what_requests_come_to(hurried):
    def answer(request, number):
        return refuse(429, "slow down") if number < 3 else even(request)

    with FakeJudge(answer) as judge, terminal() as shown:
        judge_all(toy_items(5), hurried, settings_for(judge.url))
        last = shown()
    assert "0 errors, 3 × HTTP 429]" in last


def test_what_the_server_of_a_batch_reports_is_shown_until_it_is_over():
    for told, end in (("batch: 5 of 12 completed", "0 errors, batch: 5 of 12 completed]"), ("", "0 errors]")):
        with terminal() as shown:
            with JudgeProgress(12, "husimpleqa", JudgeSettings(), Ledger()) as bar:
                bar.report("batch: 4 of 12 completed")
                bar.report(told)
            assert shown().strip().split("\r")[-1].strip().endswith(end)


def test_quiet_is_every_stage(monkeypatch):
    monkeypatch.setenv("HUEVAL_QUIET", "1")
    with terminal() as shown:
        with Progress("Generating", 3, "answers") as bar:
            bar.done()
            bar.rename("Scoring")
        assert shown() == ""


def test_a_part_of_a_batch_counts_in_the_estimate():
    """0 of 12 answers after 100 s, and a third of the first four: 1.33 answers, so 800 s for the other 10.67."""
    with redirect_stderr(StringIO()), Progress("Generating", 12, "answers") as bar:
        bar._start -= 100
        under_way(4 / 3, "token 54 of at most 160 in this batch")
        assert (
            bar._line()
            == "Generating: 0 of 12 answers, 100 s, about 13 min left, token 54 of at most 160 in this batch"
        )
        bar.done(4)
        assert bar._line() == "Generating: 4 of 12 answers, 100 s, about 3 min left"


def test_in_80_columns_errors_and_dollars_are_not_cut():
    settings, book = JudgeSettings(budget_usd=20.0), Ledger()
    with terminal(80) as shown:
        with JudgeProgress(1000, "huproverbrea_oe/2", settings, book) as bar:
            spend(book, settings)
            bar.done(500, is_error=True)
        last = shown().strip().split("\r")[-1].rstrip()
    assert re.match(r"Judging huproverbrea_oe/2: 500/1000 \[[\d:]+<[\d:]+, 1 error, \$1\.23 of \$20\.00\] ", last)
    assert len(last) <= 80


def test_the_bar_is_drawn_while_it_runs_without_a_known_end():
    settings, book = JudgeSettings(), Ledger()
    with terminal() as shown, JudgeProgress(None, "t", settings, book) as bar:
        first = shown()
        assert "0 errors]" in first
        assert "$" not in first  # nothing is spent, and there is no budget
        bar._shown._bar.mininterval = 0  # no wait in a test
        spend(book, settings)
        bar.done(7, is_error=True)
        second = shown()
    assert "7 verdicts [" in second
    assert "1 error, $1.23]" in second


def test_nothing_is_drawn_when_quiet():
    with terminal() as shown:
        with JudgeProgress(10, "t", JudgeSettings(quiet=True), Ledger()) as bar:
            bar.done(10, is_error=True)
        assert shown() == ""


def test_nothing_is_drawn_without_a_terminal():
    with redirect_stderr(StringIO()) as stderr, JudgeProgress(10, "t", JudgeSettings(), Ledger()) as bar:
        bar.done(10, is_error=True)
    assert stderr.getvalue() == ""


@pytest.mark.process
def test_a_hidden_bar_loads_no_library():
    subprocess.run([sys.executable, "-c", QUIET_START], check=True, timeout=240, stderr=subprocess.PIPE)


def test_a_fault_inside_closes_the_bar():
    with terminal() as shown:
        with pytest.raises(KeyError), JudgeProgress(10, "t", JudgeSettings(), Ledger()) as bar:
            bar.done(3)
            raise KeyError
        assert " 3/10 [" in shown()
        bar.done()
        assert shown() == ""


def test_counting_draws_a_few_times_a_second_only():
    with terminal() as shown, JudgeProgress(100_000, "t", JudgeSettings(), Ledger()) as bar:
        bar._shown._bar.mininterval = 3600  # not again within this test, however slow the machine is
        shown()
        for _ in range(1000):
            bar.done()
        assert shown() == ""

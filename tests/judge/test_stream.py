"""The engine on a stream: any number of items, in order, with bounded memory."""

from __future__ import annotations

import itertools
import json
import threading
import time

import pytest

from hueval_metrics.errors import InputError
from hueval_metrics.judge import loop
from hueval_metrics.judge.engine import judge_stream
from hueval_metrics.judge.loop import AHEAD, CHUNK, WINDOW
from hueval_metrics.records import Verdict
from tests.fakes import toy_rubric
from tests.fakes.judge_server import Answer, FakeJudge, install_toy_rubric, settings_for


@pytest.fixture(autouse=True)
def toy():
    return install_toy_rubric()


def item(number):
    return {"question": f"q{number}"}, f"r{number}"


def number_of(request):
    return int(json.loads(request["messages"][0]["content"])["question"][1:])


def even(request, _=0):
    return "NO" if number_of(request) % 2 else "YES"


def test_a_generator_in_verdicts_out_in_order():
    with FakeJudge(lambda request, _: Answer(even(request), delay_s=0.05 * (number_of(request) % 7 == 0))) as judge:
        verdicts = judge_stream((item(n) for n in range(300)), "toy", settings_for(judge.url))
        assert [v.label for v in verdicts] == ["YES", "NO"] * 150
    assert len(judge.requests) == 300


def test_no_items_no_verdicts():
    assert list(judge_stream(iter(()), "toy", settings_for("http://127.0.0.1:1/v1"))) == []


def test_an_endless_source_is_not_run_ahead_of():
    taken = itertools.count()
    with FakeJudge(even) as judge:
        verdicts = judge_stream((item(next(taken) % 10) for _ in itertools.count()), "toy", settings_for(judge.url))
        first = [next(verdicts).label for _ in range(1000)]
        time.sleep(0.5)  # no verdict is taken in the meantime
        ahead = next(taken) - 1000
        verdicts.close()
    assert first == ["YES", "NO"] * 500
    # The window, the items that are read at a time, and the chunk of verdicts that the caller has not used up.
    assert 0 <= ahead <= WINDOW + CHUNK + WINDOW
    assert not [thread for thread in threading.enumerate() if thread.name == "hueval-judge"]


def test_one_slow_reply_holds_back_what_follows_it_and_not_the_asking():
    all_asked = threading.Event()

    def answer(request, count):
        if count >= 199:
            all_asked.set()
        if number_of(request) == 0:
            assert all_asked.wait(120)
        return even(request)

    with FakeJudge(answer) as judge:
        verdicts = judge_stream(map(item, range(200)), "toy", settings_for(judge.url, timeout_s=240, deadline_s=600))
        assert [v.label for v in verdicts] == ["YES", "NO"] * 100


def test_what_the_source_raises_comes_out_and_what_was_asked_is_kept():
    def source():
        yield from map(item, range(100))
        raise InputError("line 101 is broken")

    with FakeJudge(even) as judge:
        with pytest.raises(InputError, match="line 101 is broken"):
            list(judge_stream(source(), "toy", settings_for(judge.url)))
        before = len(judge.requests)
        again = list(judge_stream(map(item, range(100)), "toy", settings_for(judge.url)))
        assert sum(v.cached for v in again) == before
        assert len(judge.requests) == 100


def test_the_same_question_far_apart_is_asked_once_and_paid_once():
    count = 2 * WINDOW
    with FakeJudge(even) as judge:
        verdicts = list(judge_stream((item(n % 10) for n in range(count)), "toy", settings_for(judge.url)))
    assert [v.label for v in verdicts] == ["YES", "NO"] * (count // 2)
    assert len(judge.requests) == 10
    assert sum(v.usage.calls for v in verdicts if v.usage) == 10
    assert sum(v.cached for v in verdicts) == count - 10


def test_after_a_stop_what_is_known_is_still_given(caplog):
    with FakeJudge(even) as judge:
        list(judge_stream(map(item, range(3000, 3100)), "toy", settings_for(judge.url)))
    verdicts = list(judge_stream(map(item, range(3200)), "toy", settings_for("http://127.0.0.1:1/v1")))
    assert [v.label for v in verdicts] == [None] * 3000 + ["YES", "NO"] * 50 + [None] * 100
    assert all("connection refused" in v.error for v in verdicts if v.is_missing)
    assert "3100 of 3200 verdicts are missing" in caplog.text


def test_the_estimate_comes_before_the_first_call_and_the_bill_after_the_last(caplog):
    usage = {"prompt_tokens": 1000, "completion_tokens": 10, "total_tokens": 1010}

    def answer(request, _):
        if not caplog.records:
            return Answer(status=500, body=b"{}")  # no call before the estimate
        choice = {"message": {"content": even(request)}, "finish_reason": "stop"}
        return Answer(body=json.dumps({"choices": [choice], "usage": usage}).encode())

    with FakeJudge(answer) as judge, caplog.at_level("INFO"):
        settings = settings_for(judge.url, model="gpt-4o-2024-11-20")
        items = (item(n % 10) for n in range(WINDOW + 10))
        verdicts = list(judge_stream(items, "toy", settings, 2 * WINDOW))
    assert verdicts[0].usage.prompt_tokens == 1000
    assert verdicts[0].usage.usd == pytest.approx((1000 * 2.5 + 10 * 10) / 1e6)
    before, after = (record.getMessage() for record in caplog.records)
    assert before.startswith(
        "toy/1: 16,384 verdicts, 0 from the cache, 16,364 duplicates, 20 calls to gpt-4o-2024-11-20: about"
    )
    assert "judged by the first 8,192" in before
    assert after.startswith("toy/1: 10 calls to gpt-4o-2024-11-20, 10 k tokens in, 100 out, $0.03; ")


@pytest.mark.parametrize(
    "why, model, budget, said",
    [
        ("cents", "gpt-4o-2024-11-20", None, ["toy/1, hu_general: 20 calls to gpt-4o-2024-11-20, "]),
        ("no price", "own-judge", None, ["toy/1, hu_general: 20 calls to own-judge, "]),
        ("over budget", "gpt-4o-2024-11-20", 1e-6, ["toy/1, hu_general: 20 verdicts, 0 from the cache, 20 calls to "]),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_one_of_many_tasks_has_one_line_with_its_name(why, model, budget, said, caplog):
    usage = {"prompt_tokens": 1000, "completion_tokens": 10, "total_tokens": 1010}
    choice = {"message": {"content": "YES"}, "finish_reason": "stop"}
    answer = Answer(body=json.dumps({"choices": [choice], "usage": usage}).encode())
    with FakeJudge(lambda request, _: answer) as judge, caplog.at_level("INFO"):
        settings = settings_for(judge.url, model=model, budget_usd=budget)
        list(judge_stream(map(item, range(20)), "toy", settings, 20, "hu_general"))
    told = [record.getMessage() for record in caplog.records if record.levelname == "INFO"]
    assert [line.startswith(start) for line, start in zip(told, said, strict=True)] == [True], why


def test_closed_before_its_loop_runs_it_asks_nothing(monkeypatch):
    closed, cancel = threading.Event(), loop.JudgingLoop.cancel

    def breaking_off(judging, **how):
        n_awaited = cancel(judging, **how)
        closed.set()
        return n_awaited

    def factory():
        assert closed.wait(120)

    monkeypatch.setattr(loop.JudgingLoop, "cancel", breaking_off)
    monkeypatch.setattr(loop, "loop_factory", factory)
    with FakeJudge(even) as judge:
        judge_stream(map(item, range(500)), "toy", settings_for(judge.url)).close()
    assert judge.requests == []
    assert not [thread for thread in threading.enumerate() if thread.name == "hueval-judge"]


@pytest.mark.parametrize("at", [5, AHEAD + 100])
def test_a_source_that_ends_the_program_ends_the_judging(at):
    def source():
        yield from map(item, range(at))
        raise SystemExit("hueval: line 6 is broken")

    with FakeJudge(even) as judge, pytest.raises(SystemExit, match="line 6 is broken"):
        list(judge_stream(source(), "toy", settings_for(judge.url)))


def test_a_cached_reply_that_breaks_the_rubric_fails_alone(monkeypatch):
    """Also when the item is read while requests are under way."""
    with FakeJudge(even) as judge:
        list(judge_stream(map(item, range(200, 300)), "toy", settings_for(judge.url)))
        monkeypatch.setattr(toy_rubric, "parse", parse_no_more_than_yes)
        numbers = [*(n % 10 for n in range(WINDOW)), *range(200, 300)]
        verdicts = list(judge_stream(map(item, numbers), "toy", settings_for(judge.url)))
    assert [verdict.label for verdict in verdicts] == ["YES", None] * (len(numbers) // 2)
    assert all("RuntimeError: NO is new to it" in verdict.error for verdict in verdicts if verdict.is_missing)


def parse_no_more_than_yes(reply):
    if reply != "YES":
        raise RuntimeError(f"{reply} is new to it")
    return Verdict(label=reply, raw=reply, rubric="toy/1")


def test_the_first_long_request_does_not_wait_for_a_thousand_others(monkeypatch):
    """They are prepared as long as they have less than `AHEAD_BYTES`; a request with a whole trace has 40 kB."""
    read, read_at_first = [0], []

    def items():
        for number in range(1000):
            read[0] += 1
            doc, response = item(number)
            yield doc, response + "a" * 40_000

    def answer(request, number):
        read_at_first.append(read[0])
        return even(request)

    monkeypatch.setattr("hueval_metrics.judge.loop.AHEAD_BYTES", 4_000_000)
    with FakeJudge(answer) as judge:
        verdicts = list(judge_stream(items(), "toy", settings_for(judge.url, concurrency=8), 1000))
    assert [verdict.label for verdict in verdicts[:2]] == ["YES", "NO"]
    assert 90 <= read_at_first[0] <= 110

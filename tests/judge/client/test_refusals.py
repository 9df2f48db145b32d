"""Unsupported parameters, rate limits, deadlines and budgets: found out once, and no verdict is lost."""

from __future__ import annotations

import json
import threading
import time

import pytest

from hueval_metrics.judge import patience
from hueval_metrics.judge.client import servers
from hueval_metrics.judge.configured import judge_settings
from hueval_metrics.judge.errors import RetryPolicy
from hueval_metrics.judge.ledger import ledger
from tests.fakes import toy_rubric
from tests.fakes.judge_server import KEY, Answer, FakeJudge, even, refuse


def errors(verdicts):
    return [verdict.error for verdict in verdicts if verdict.is_missing]


# ---- what a server does not take ----


def has_format(request):
    return "response_format" in request


@pytest.mark.parametrize(
    ("why", "answer"),
    [
        ("400, named", refuse(400, "response_format is not supported by this model", param="response_format")),
        ("400, not named", refuse(400, "Invalid request: extra fields not permitted")),
        ("422", Answer(status=422, body=b'{"detail": "json_schema: Extra inputs are not permitted"}')),
        ("500", refuse(500, "Internal server error")),
        ("endless blanks", Answer(" \n" * 1000, finish_reason="length")),
        ("a brace and endless blanks", Answer("{" + " \n" * 1000, finish_reason="length")),
    ],
)
def test_a_server_without_structured_output_is_found_out_once(judged, monkeypatch, why, answer):
    monkeypatch.setattr(toy_rubric, "SCHEMA", {"type": "string"})
    with FakeJudge(lambda request, _: answer if has_format(request) else even(request)) as judge:
        assert errors(judged(judge.url, 100)) == []
        refused = sum(map(has_format, judge.requests))
        assert 1 <= refused <= 2 * servers.START * 2
        before = len(judge.requests)
        assert errors(judged(judge.url, 150)) == []
    assert len(judge.requests) == before + 50
    assert sum(map(has_format, judge.requests)) == refused  # remembered: the second run begins without


FILTERED = refuse(400, "The prompt was filtered", code="content_filter", param="prompt")


@pytest.mark.parametrize("number", [0, 5])
@pytest.mark.parametrize(
    ("why", "answer", "requests"),
    [
        ("a filter", FILTERED, 1),
        ("a filter, by its parameter alone", refuse(400, "Not supported", param="messages"), 1),
        ("unnamed", refuse(400, "Bad request"), 2),
        ("unnamed, by another word", refuse(422, "Unsupported value"), 2),
        ("named, though it is not the reason", refuse(400, "response_format is not supported"), 2),
        ("another one named", refuse(400, "temperature is not supported"), 3),  # guessed from it, then from no name
        ("a crash", refuse(500, "Internal server error"), 5),
        ("blanks", Answer(" \n" * 1000, finish_reason="length"), 6),
    ],
)
def test_an_error_about_one_request_changes_no_setting_of_the_others(
    judged, monkeypatch, why, answer, requests, number
):
    """The request fails without the parameter too, so that the guess was wrong; also where it is the first one."""
    monkeypatch.setattr(toy_rubric, "SCHEMA", {"type": "string"})
    question = json.dumps({"question": f"q{number}", "response": f"r{number}"})

    def is_bad(request):
        return request["messages"][0]["content"] == question

    with FakeJudge(lambda request, _: answer if is_bad(request) else even(request)) as judge:
        one_at_a_time = {"concurrency": 1, "is_concurrency_set": True}
        assert len(errors(judged(judge.url, 20, **one_at_a_time))) == 1
        assert sum(map(is_bad, judge.requests)) <= requests
        others = [request for request in judge.requests if not is_bad(request)]
        assert all(has_format(request) and "temperature" in request for request in others)
        before = len(judge.requests)
        judged(judge.url, 30)  # nothing is remembered
    assert all(map(has_format, [request for request in judge.requests[before:] if not is_bad(request)]))


@pytest.mark.parametrize(("takes_schema", "schema"), [(True, None), (False, False)])
def test_a_verdict_says_that_the_server_takes_no_schema(judged, monkeypatch, takes_schema, schema):
    monkeypatch.setattr(toy_rubric, "SCHEMA", {"type": "string"})
    refusal = refuse(400, "response_format is not supported", param="response_format")
    with FakeJudge(lambda request, _: refusal if has_format(request) and not takes_schema else even(request)) as judge:
        for is_cached in (False, True):
            verdicts = judged(judge.url, 5)
            assert {verdict.cached for verdict in verdicts} == {is_cached}
            assert {verdict.to_dict().get("schema") for verdict in verdicts} == {schema}


CALL = {"id": "1", "type": "function", "function": {"name": "rate", "arguments": "{}"}}


@pytest.mark.parametrize(
    ("message", "reason", "said"),
    [
        ({"refusal": "I cannot"}, "stop", "I cannot"),
        ({}, "content_filter", "finish_reason content_filter"),
        ({"tool_calls": [CALL]}, "tool_calls", "it calls a tool instead"),
        ({"reasoning_content": "YES"}, "stop", "its text is in reasoning_content alone: start the server without its "
         "reasoning parser (vLLM, SGLang: --reasoning-parser; llama.cpp: --reasoning-format none)"),
        ({"reasoning": "YES"}, "stop", "its text is in reasoning alone: start the server without its "
         "reasoning parser (vLLM, SGLang: --reasoning-parser; llama.cpp: --reasoning-format none)"),
    ],
)  # fmt: skip
def test_what_a_judge_declines_is_asked_twice(judged, message, reason, said):
    choice = {"message": {"role": "assistant", "content": None} | message, "finish_reason": reason}
    with FakeJudge(lambda *_: Answer(body=json.dumps({"choices": [choice]}).encode())) as judge:
        missing = errors(judged(judge.url, 10))
        assert set(missing) == {f"the reply is empty ({said}) (2 tries)"}
        assert len(judge.requests) == 20


# ---- a judge that does not answer ----


@pytest.mark.parametrize(
    ("answer", "counted", "fix"),
    [
        (refuse(429, "slow down"), "× HTTP 429", "use another key, or lower HUEVAL_JUDGE_RPM"),
        (Answer(fault="hang"), "× time-out", "raise HUEVAL_JUDGE_TIMEOUT_S"),
        (refuse(503, "busy"), "× HTTP 503", "Look at the log of its server"),
    ],
)
def test_a_judge_that_has_fallen_silent_is_left_alone(judged, answer, counted, fix):
    retry = RetryPolicy(tries=1000, first_tries=1000, backoff_s=0.01, max_wait_s=0.02)
    limits = {"timeout_s": 3, "silence_s": 0.5, "concurrency": 4, "is_concurrency_set": True, "retry": retry}
    with FakeJudge(lambda request, number: even(request) if number < 4 else answer) as judge:
        verdicts = judged(judge.url, 40, **limits)
    missing = errors(verdicts)
    assert len(missing) == 36
    last = verdicts[-1].error
    assert last.startswith("not asked: no reply for ") and "(HUEVAL_JUDGE_SILENCE_S): " in last
    assert counted in last and fix in last


def test_a_server_that_ignores_structured_output_is_read_all_the_same(judged, monkeypatch):
    monkeypatch.setattr(toy_rubric, "SCHEMA", {"type": "string"})
    with FakeJudge(even) as judge:
        assert errors(judged(judge.url, 100)) == []
    assert len(judge.requests) == 100
    assert all(map(has_format, judge.requests))


def test_a_server_without_temperature_seed_and_max_tokens_is_found_out_once(judged):
    def answer(request, _):
        for name in ("temperature", "seed", "max_tokens"):
            if name in request:
                return refuse(400, f"Unsupported parameter: '{name}'", param=name, code="unsupported_parameter")
        return even(request)

    with FakeJudge(answer) as judge:
        assert errors(judged(judge.url, 100)) == []
        before = len(judge.requests)
        assert errors(judged(judge.url, 150)) == []
    assert len(judge.requests) == before + 50


def test_azure(judged, monkeypatch):
    with FakeJudge(even) as judge:
        base = judge.url.removesuffix("/v1") + "/openai/deployments/my-judge?api-version=2024-10-21"
        monkeypatch.setenv("HUEVAL_JUDGE_BASE_URL", base)
        monkeypatch.setenv("HUEVAL_JUDGE_HEADERS", json.dumps({"api-key": KEY}))
        assert errors(judged(settings=judge_settings())) == []
    assert set(judge.paths) == {"/openai/deployments/my-judge/chat/completions?api-version=2024-10-21"}
    assert {headers["api-key"] for headers in judge.headers} == {KEY}
    assert not any("Authorization" in headers for headers in judge.headers)


# ---- limits of rate and money ----


@pytest.mark.parametrize("headers", [{"Retry-After": "0.2"}, {"retry-after-ms": "200"}, {}])
def test_a_low_limit_takes_its_time_and_no_verdict(judged, headers):
    """One request per 0.1 s: a short form of three a minute."""
    lock, free_at = threading.Lock(), 0.0

    def answer(request, _):
        nonlocal free_at
        with lock:
            if time.monotonic() < free_at:
                return refuse(429, "Rate limit reached", headers=headers)
            free_at = time.monotonic() + 0.1
            return even(request)

    with FakeJudge(answer) as judge:
        assert errors(judged(judge.url, 8)) == []
    assert len(judge.requests) > 8


def test_refusals_for_the_rate_are_no_failures(judged):
    """More refusals in a row than all attempts of the failures after which asking stops."""
    retry = RetryPolicy(backoff_s=0.01, max_wait_s=0.02)  # the pause for all doubles up to a minute
    refusals = patience.GIVE_UP_AFTER * retry.tries + 1

    def answer(request, number):
        return refuse(429, "Rate limit reached") if number < refusals else even(request)

    with FakeJudge(answer) as judge:
        assert errors(judged(judge.url, 30, retry=retry)) == []
    assert len(judge.requests) == refusals + 30


def test_the_deadline_ends_what_the_rate_does_not_allow(judged):
    with FakeJudge(lambda *_: refuse(429, "Limit of 3 requests a day reached")) as judge:
        verdicts = judged(judge.url, 100, deadline_s=3)
    assert len(errors(verdicts)) == 100
    said = 'HTTP 429: "Limit of 3 requests a day reached"'
    assert verdicts[-1].error == (f"not asked: 3 s have passed (HUEVAL_JUDGE_DEADLINE_S); the server last said {said}")


def test_what_waits_after_a_refusal_when_asking_stops_is_told_why_it_stopped(judged):
    told = refuse(429, "slow down", headers={"Retry-After": "30"})
    with FakeJudge(lambda request, number: told if number % 3 == 2 else even(request)) as judge:
        missing = errors(judged(judge.url, 60, deadline_s=1))
    assert len(missing) > 10
    assert {error.partition(" (")[0] for error in missing} == {"not asked: 1 s have passed"}


@pytest.mark.parametrize("slow", [0, 4])
def test_the_budget_is_never_exceeded(judged, tmp_path, slow):
    """A server that bills more than `max_tokens` allows, also for first calls that end when the budget is nearly spent:
    100 prompt tokens and up to 1,000 of a reply, at a dollar a thousand."""
    prices = tmp_path / "prices.yaml"
    prices.write_text("toy-judge: {input: 1000, output: 1000}\n")
    bills = []

    def answer(request, number):
        usage = {"prompt_tokens": 100, "completion_tokens": 1000 if number % 3 else 5}
        bills.append(sum(usage.values()) / 1000)
        return Answer(even(request), usage=usage, delay_s=1.0 if 0 < number <= slow else 0.0)

    with FakeJudge(answer) as judge:
        limits = {"prices": prices, "budget_usd": 30.0, "concurrency": 8}
        verdicts = judged(judge.url, 100, **limits)
        came = sum(not verdict.is_missing for verdict in verdicts)
        assert 30 - 4 < sum(bills) <= 30  # what is left would not cover the most that a call can cost
        assert came == len(judge.requests)
        assert sum(verdict.usage.usd for verdict in verdicts if verdict.usage) == pytest.approx(sum(bills))
        assert verdicts[-1].error.startswith("not asked: ")
        assert "HUEVAL_JUDGE_BUDGET_USD" in verdicts[-1].error
        bills.clear()
        ledger.cache_clear()
        again = judged(judge.url, 100, **limits)
        assert sum(bills) <= 30
    assert sum(verdict.cached for verdict in again) == came
    assert sum(not verdict.is_missing for verdict in again) == len(judge.requests)

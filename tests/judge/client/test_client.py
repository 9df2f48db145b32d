from __future__ import annotations

import asyncio
import json
import socket
import time
from threading import Thread

import pytest
from pydantic import SecretStr

from hueval_metrics.judge.client.client import JudgeClient
from hueval_metrics.judge.client.servers import SIZE_CAP
from hueval_metrics.judge.errors import JudgeUnusableError, NoReplyError, RetryPolicy
from hueval_metrics.judge.ledger import Ledger
from hueval_metrics.text.quick_json import to_json
from tests.fakes.judge_server import KEY, Answer, FakeJudge, refuse, settings_for

MESSAGES = [{"role": "user", "content": "Helyes a válasz?"}]
WISHED = {"temperature": 0, "seed": 0, "max_tokens": 2048}


def ask(url, messages=MESSAGES, times=1, **changes):
    """The replies to one client, which asks so many times."""

    async def run():
        async with JudgeClient(settings_for(url, **changes), Ledger()) as client:
            return [(await client.ask(to_json(messages), WISHED)).content for _ in range(times)]

    return asyncio.run(run())


def replies_of(*answers):
    """A judge with answers in order; the last one is repeated."""
    return FakeJudge(lambda _, number: answers[min(number, len(answers) - 1)])


def test_the_request():
    with replies_of("YES") as judge:
        assert ask(judge.url, [{"role": "user", "content": "ő „a” \ud800"}]) == ["YES"]
    assert judge.requests == [
        {
            "model": "toy-judge",
            "messages": [{"role": "user", "content": "ő „a” ?"}],  # half a surrogate pair is no UTF-8
            "temperature": 0,
            "seed": 0,
            "max_tokens": 2048,
        }
    ]
    assert judge.paths == ["/v1/chat/completions"]
    assert "Authorization" not in judge.headers[0]


def test_the_key_goes_into_the_header_only():
    with replies_of("YES") as judge:
        ask(judge.url, api_key=SecretStr(KEY))
    assert judge.headers[0]["Authorization"] == f"Bearer {KEY}"
    assert KEY not in json.dumps(judge.requests) + str(judge.paths)


@pytest.mark.parametrize(
    ("why", "first"),
    [
        ("408", refuse(408, "slow")),
        ("409", refuse(409, "conflict")),
        ("429", refuse(429, "Rate limit reached")),
        ("500", refuse(500, "oops")),
        ("503 as a web page", Answer(status=503, body=b"<html>busy</html>", kind="text/html")),
        ("dropped", Answer(fault="drop")),
        ("null", Answer(None)),
        ("null and a refusal", Answer(None, refusal="I cannot help with that")),
        ("filtered", Answer(None, finish_reason="content_filter")),
        ("empty", Answer("")),
        ("white space", Answer(" \n")),
        ("an error with status 200", Answer(body=b'{"error": {"message": "upstream is busy"}}')),
        ("cut off in the middle", Answer(body=b'{"choices": [{"mess')),
        ("no choices", Answer(body=b'{"choices": []}')),
    ],
)
def test_what_may_pass_is_tried_again(why, first):
    with replies_of(first, "YES") as judge:
        assert ask(judge.url) == ["YES"]
    assert len(judge.requests) == 2


def test_five_tries_and_no_more():
    with replies_of("YES", refuse(500, "oops")) as judge, pytest.raises(NoReplyError) as error:
        ask(judge.url, times=2)
    assert str(error.value) == 'HTTP 500: "oops" (5 tries)'
    assert len(judge.requests) == 1 + 5


@pytest.mark.parametrize(
    ("why", "answer", "reply"),
    [
        ("cut off", Answer('{"evaluation": "COR', finish_reason="length"), '{"evaluation": "COR'),
        ("declined in words", Answer("I'm sorry, I cannot."), "I'm sorry, I cannot."),
        ("in parts", Answer([{"type": "text", "text": "YE"}, {"type": "text", "text": "S"}]), "YES"),
    ],
)
def test_what_was_said_is_passed_on_as_it_is(why, answer, reply):
    with replies_of(answer) as judge:
        assert ask(judge.url) == [reply]


@pytest.mark.parametrize("headers", [{"Retry-After": "0.4"}, {"retry-after-ms": "400", "Retry-After": "60"}])
def test_the_server_says_how_long_to_wait(headers):
    with replies_of(refuse(429, "slow down", headers=headers), "YES") as judge:
        start = time.monotonic()
        ask(judge.url)
    assert 0.35 < time.monotonic() - start < 60


def test_nobody_waits_for_a_day():
    with replies_of(refuse(429, "slow down", headers={"Retry-After": "86400"}), "YES") as judge:
        assert ask(judge.url, retry=RetryPolicy(max_wait_s=0.05)) == ["YES"]


def refuses(*names, message="Unsupported parameter: '{}' is not supported with this model."):
    def answer(request, _):
        for name in names:
            if name in request:
                return refuse(400, message.format(name), param=name, code="unsupported_parameter")
        return "YES"

    return FakeJudge(answer)


@pytest.mark.parametrize(
    ("refused", "sent"),
    [
        (["temperature"], {"seed": 0, "max_tokens": 2048}),
        (["seed"], {"temperature": 0, "max_tokens": 2048}),
        (["temperature", "max_tokens"], {"seed": 0, "max_completion_tokens": 2048}),
        (["temperature", "seed", "max_tokens", "max_completion_tokens"], {}),
    ],
)
def test_a_refused_parameter_is_left_out_and_remembered(refused, sent):
    with refuses(*refused) as judge:
        assert ask(judge.url, times=3) == ["YES"] * 3
    last = judge.requests[-1]
    assert {key: value for key, value in last.items() if key not in ("model", "messages")} == sent
    assert len(judge.requests) == len(refused) + 3


def test_the_refusal_of_reasoning_models_names_both_lengths():
    message = "Unsupported parameter: '{}' is not supported with this model. Use 'max_completion_tokens' instead."
    with refuses("max_tokens", message=message) as judge:
        ask(judge.url)
    assert "max_tokens" not in judge.requests[-1]
    assert judge.requests[-1]["max_completion_tokens"] == 2048


def test_fastapi_words_it_otherwise():
    detail = {"detail": [{"loc": ["body", "seed"], "msg": "Extra inputs are not permitted"}]}
    answer = Answer(status=422, body=json.dumps(detail).encode())
    with FakeJudge(lambda request, _: answer if "seed" in request else "YES") as judge:
        assert ask(judge.url) == ["YES"]


def test_many_requests_find_it_out_together():
    async def run(url):
        async with JudgeClient(settings_for(url), Ledger()) as client:
            return await asyncio.gather(*(client.ask(to_json(MESSAGES), WISHED) for _ in range(16)))

    with refuses("temperature", "max_tokens") as judge:
        assert [reply.content for reply in asyncio.run(run(judge.url))] == ["YES"] * 16


def test_a_request_that_is_too_long_fails_alone():
    message = "'max_tokens' is too large: 2048. This model's maximum context length is 4096 tokens."
    with replies_of(refuse(400, message), "YES") as judge:
        with pytest.raises(NoReplyError, match="maximum context length is 4096"):
            ask(judge.url)
        assert len(judge.requests) == 1
        assert ask(judge.url) == ["YES"]


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        (refuse(401, "Incorrect API key provided"), ["the key is refused", "Incorrect API", "HUEVAL_JUDGE_API_KEY"]),
        (refuse(403, "Country not supported"), ["the key is refused", "HTTP 403"]),
        (refuse(404, "The model `x` does not exist"), ["HUEVAL_JUDGE_MODEL, now toy-judge", "does not exist", "/v1"]),
        (refuse(429, "You exceeded your quota", code="insufficient_quota"), ["the account is used up"]),
        (refuse(402, "Insufficient credits"), ["the account is used up"]),
        (Answer(status=404, body=b"<html>Not here</html>", kind="text/html"), ["Not here"]),
        (Answer(body=b"<!DOCTYPE html><html><body>Login</body></html>", kind="text/html"), ["it sends a web page"]),
        (Answer(body=b'{"hello": "world"}'), ["it sends no completion", "hello"]),
        (Answer(body=b"OK", kind="text/plain"), ["it sends no completion"]),
        (Answer(status=302, body=b"", headers={"Location": "http://127.0.0.1:1/"}), ["redirects"]),
    ],
)
def test_what_no_request_can_mend(answer, said):
    with replies_of(answer) as judge, pytest.raises(JudgeUnusableError) as error:
        ask(judge.url, api_key=SecretStr(KEY))
    text = str(error.value)
    assert "\n" not in text
    assert len(text) < 500
    for part in [judge.url, *said]:
        assert part in text
    assert len(judge.requests) <= 2


def test_no_key_where_one_is_wanted():
    with replies_of(refuse(401, "who are you?")) as judge, pytest.raises(JudgeUnusableError) as error:
        ask(judge.url)
    assert "none was sent, as OPENAI_API_KEY goes to api.openai.com only" in str(error.value)


def test_an_echoed_key_is_struck_out():
    with replies_of(refuse(401, f"wrong key {KEY}"), f"your key is {KEY}") as judge:
        with pytest.raises(JudgeUnusableError) as error:
            ask(judge.url, api_key=SecretStr(KEY))
        assert "wrong key [key]" in str(error.value)
        assert ask(judge.url, api_key=SecretStr(KEY)) == ["your key is [key]"]


def test_a_key_that_is_none_leaves_the_words_alone():
    with replies_of("EMPTY verdict") as judge:
        assert ask(judge.url, api_key=SecretStr("EMPTY")) == ["EMPTY verdict"]


@pytest.mark.parametrize(
    ("url", "said"),
    [
        ("http://127.0.0.1:1/v1", "connection refused"),
        ("http://judge.invalid/v1", "unknown host"),
        ("https://{host}/v1", "TLS"),
        ("http://judge..invalid/v1", "http://judge..invalid/v1 is no address"),
    ],
)
def test_nobody_there(url, said):
    with replies_of("YES") as judge:
        address = url.format(host=judge.url.split("/")[2])
        with pytest.raises(JudgeUnusableError) as error:
            ask(address)
    assert said in str(error.value)
    assert "HUEVAL_JUDGE_BASE_URL" in str(error.value)


def test_something_that_is_no_web_server():
    listener = socket.create_server(("127.0.0.1", 0))

    def greet():
        for _ in range(2):
            connection, _ = listener.accept()
            connection.recv(100)
            connection.sendall(b"SSH-2.0-OpenSSH_9.6\r\n")
            connection.close()

    Thread(target=greet, daemon=True).start()
    with listener, pytest.raises(JudgeUnusableError, match="does not speak HTTP"):
        ask(f"http://127.0.0.1:{listener.getsockname()[1]}/v1")


@pytest.mark.parametrize("fault", ["hang", "endless"])
def test_no_answer_is_waited_for_forever(fault):
    with replies_of(Answer("x", fault=fault)) as judge, pytest.raises(NoReplyError) as error:
        ask(judge.url, timeout_s=0.3)
    # of a reply of up to 2,048 tokens
    assert str(error.value) == "no answer within 0.75 s (HUEVAL_JUDGE_TIMEOUT_S) (2 tries)"


def test_a_hang_in_a_judge_that_answers_is_tried_again():
    with replies_of("YES", Answer(fault="hang"), Answer(fault="hang"), "NO") as judge:
        assert ask(judge.url, times=2, timeout_s=5) == ["YES", "NO"]


def test_a_giant_reply():
    with replies_of("x" * (SIZE_CAP + 1)) as judge, pytest.raises(NoReplyError, match="larger than 4 MiB"):
        ask(judge.url)


def test_a_judge_that_broke_down_is_not_a_wrong_address():
    with replies_of("YES", Answer(body=b"<html>restarting</html>", kind="text/html"), "NO") as judge:
        assert ask(judge.url, times=2) == ["YES", "NO"]


def test_a_proxy_does_not_stand_between_this_machine_and_itself(monkeypatch):
    monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:1")
    with replies_of("YES") as judge:
        assert ask(judge.url) == ["YES"]


def test_a_proxy_is_used_for_other_hosts(monkeypatch):
    with replies_of("YES") as proxy:
        monkeypatch.setenv("HTTP_PROXY", proxy.url.removesuffix("/v1"))
        assert ask("http://judge.invalid/v1") == ["YES"]
    assert proxy.paths == ["http://judge.invalid/v1/chat/completions"]


def test_no_proxy_where_the_user_wants_none(monkeypatch):
    with replies_of("YES") as proxy:
        monkeypatch.setenv("HTTP_PROXY", proxy.url.removesuffix("/v1"))
        monkeypatch.setenv("NO_PROXY", "elsewhere.invalid,.judge.invalid")
        with pytest.raises(JudgeUnusableError, match=r"unknown host a\.judge\.invalid"):
            ask("http://a.judge.invalid/v1")
    assert proxy.requests == []


def test_a_proxy_may_be_named_without_http(monkeypatch):
    with replies_of("YES") as proxy:
        monkeypatch.setenv("HTTP_PROXY", proxy.url.removeprefix("http://").removesuffix("/v1"))
        assert ask("http://judge.invalid/v1") == ["YES"]


def test_a_proxy_that_is_not_there_is_named(monkeypatch):
    monkeypatch.setenv("HTTP_PROXY", "http://user:password@127.0.0.1:1")
    with pytest.raises(JudgeUnusableError, match=r"connection refused by the proxy 127\.0\.0\.1:1") as raised:
        ask("http://judge.invalid/v1")
    assert "password" not in str(raised.value)


def test_a_login_of_netrc_does_not_come_before_the_key(monkeypatch, tmp_path):
    (tmp_path / "netrc").write_text("default login somebody password else\n")
    monkeypatch.setenv("NETRC", str(tmp_path / "netrc"))
    with replies_of("YES") as proxy:
        monkeypatch.setenv("HTTP_PROXY", proxy.url.removesuffix("/v1"))
        assert ask("http://judge.invalid/v1", api_key=SecretStr(KEY)) == ["YES"]
    assert proxy.headers[0]["Authorization"] == f"Bearer {KEY}"


@pytest.mark.parametrize(("body", "is_billed"), [({"choices": None, "usage": {"prompt_tokens": 9}}, True), ({}, False)])
def test_tokens_without_a_completion_count_against_the_budget(tmp_path, body, is_billed):
    prices = tmp_path / "prices.yaml"
    prices.write_text("toy-judge: {input: 1, output: 1}\n")
    ledger = Ledger()

    async def run(url):
        settings = settings_for(url, prices=prices, budget_usd=10.0)
        async with JudgeClient(settings, ledger) as client:
            return (await client.ask(to_json(MESSAGES), WISHED)).content

    counted = Answer("YES", usage={"prompt_tokens": 9, "completion_tokens": 1})
    with replies_of(Answer(body=json.dumps(body).encode()), counted) as judge:
        assert asyncio.run(run(judge.url)) == "YES"
    assert (ledger.at_risk_usd > 0) is is_billed

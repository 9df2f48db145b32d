"""Faults around a judging: no verdict is lost or invented, and the error is one clear line without keys.

What befalls a single request stands in test_client.py, what a server refuses in test_refusals.py; a refused connection,
a wrong key and errors alone in test_engine.py; two runs at once and signals in test_engine_processes.py; the disk by
itself in test_cache.py.
"""

from __future__ import annotations

import itertools
import json
import os
import socket
import ssl
import subprocess
import sys
import time
from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
import trustme

from tests.each import each
from tests.fakes.judge_server import KEY, Answer, FakeJudge, even, refuse
from tests.fakes.small_files import file_size_limit

ROOT = Path(__file__).parents[3]
NOBODY = "http://127.0.0.1:1/v1"


def errors(verdicts):
    return [verdict.error for verdict in verdicts if verdict.is_missing]


# ---- a judge that is not there, or of no use ----


@pytest.mark.parametrize("status", [500, 503])
def test_a_judge_that_is_broken_from_the_start_is_left_alone(judged, status):
    with FakeJudge(lambda *_: refuse(status, "out of order")) as judge:
        verdicts = judged(judge.url, 3600)
    assert len(errors(verdicts)) == 3600
    assert f'HTTP {status}: "out of order"' in verdicts[-1].error
    assert len(judge.requests) < 150


@pytest.fixture
def black_hole(virtual_clock):
    """The address of a server that accepts connections and never answers, as a stopped process does."""
    with closing(socket.create_server(("127.0.0.1", 0), backlog=256)) as hole:
        port = hole.getsockname()[1]
        virtual_clock.is_silent(port)
        yield f"http://127.0.0.1:{port}/v1"


def test_a_black_hole_is_left_alone(judged, black_hole):
    verdicts = judged(black_hole, 3600, timeout_s=0.3, deadline_s=600)
    assert len(errors(verdicts)) == 3600
    assert "no answer within 0.3 s" in verdicts[0].error
    assert verdicts[-1].error.startswith("not asked: ")
    assert "HUEVAL_JUDGE_DEADLINE_S" not in verdicts[-1].error  # nor waited for to the end


def test_a_model_that_is_not_there_is_told_with_those_that_are(judged):
    with FakeJudge(lambda *_: refuse(404, "The model does not exist"), models=["qwen3-32b", "mistral"]) as judge:
        verdicts = judged(judge.url, model="qwen3-23b")
    assert "It offers qwen3-32b, mistral." in verdicts[0].error
    assert "HUEVAL_JUDGE_MODEL, now qwen3-23b" in verdicts[0].error


def test_an_account_that_is_used_up_on_the_way(judged):
    spent = refuse(429, "You exceeded your current quota", code="insufficient_quota")
    with FakeJudge(lambda request, number: even(request) if number < 30 else spent) as judge:
        verdicts = judged(judge.url, 200, concurrency=4)
        asked = len(judge.requests)
        again = judged(judge.url, 200, concurrency=4)
    assert sum(not verdict.is_missing for verdict in verdicts) == 30
    assert asked <= 30 + 4
    assert verdicts[-1].error.startswith("not asked: ")
    assert "the account is used up" in verdicts[-1].error
    assert sum(verdict.cached for verdict in again) == 30


# ---- certificates and redirects ----

TLS = """
import json, sys
sys.path.insert(0, sys.argv[2])
from pydantic import SecretStr
from tests.fakes.judge_server import KEY, install_toy_rubric, judge_all, settings_for
settings = settings_for(sys.argv[1], api_key=SecretStr(KEY))
(verdict,) = judge_all([({"question": "q0"}, "r")], install_toy_rubric(), settings)
print(json.dumps([verdict.label, verdict.error]))
"""


@pytest.mark.process
@pytest.mark.parametrize(
    ("why", "is_trusted", "age", "said"),
    [
        ("good", True, timedelta(0), None),  # or the other cases would show nothing
        ("expired", True, timedelta(days=2), "certificate has expired"),
        ("of an unknown authority", False, timedelta(0), "certificate verify failed"),
    ],
)
def test_a_certificate_is_verified(tmp_path, why, is_trusted, age, said):
    """In a process of its own, as the trusted authorities are read once."""
    authority, today = trustme.CA(), datetime.now(UTC)
    certificate = authority.issue_cert(
        "127.0.0.1", not_before=today - timedelta(9), not_after=today + timedelta(1) - age
    )
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    certificate.configure_cert(context)
    trusted = tmp_path / "trusted.pem"
    (authority if is_trusted else trustme.CA()).cert_pem.write_to_path(trusted)
    with FakeJudge(even, tls=context) as judge:
        command = [sys.executable, "-c", TLS, judge.url, str(ROOT)]
        done = subprocess.run(
            command, capture_output=True, text=True, timeout=120, env=os.environ | {"SSL_CERT_FILE": str(trusted)}
        )
    label, error = json.loads(done.stdout)
    if said is None:
        assert (label, error) == ("YES", None)
        return
    assert label is None
    assert "TLS" in error
    assert said in error
    assert judge.requests == []  # and no key
    assert KEY not in done.stdout + done.stderr


@pytest.mark.parametrize(
    ("why", "status", "location"),
    [
        ("in a circle", 302, "/v1/chat/completions"),
        ("to another host", 307, "{elsewhere}/chat/completions"),
        ("for good", 308, "{elsewhere}/chat/completions"),
    ],
)
def test_a_redirect_is_not_followed(judged, why, status, location):
    with FakeJudge(even) as elsewhere:
        answer = Answer(status=status, body=b"", headers={"Location": location.format(elsewhere=elsewhere.url)})
        with FakeJudge(lambda *_: answer) as judge:
            verdicts = judged(judge.url, 100)
    assert len(errors(verdicts)) == 100
    assert "redirects" in verdicts[0].error
    assert elsewhere.requests == []  # and no key
    assert len(judge.requests) < 40


# ---- replies ----


def test_a_gigabyte_is_not_read_to_the_end(judged):
    with FakeJudge(lambda request, number: Answer(fault="flood") if number == 3 else even(request)) as judge:
        verdicts = judged(judge.url)
    (error,) = errors(verdicts)
    assert error.startswith("the reply is larger than 4 MiB")
    assert judge.flooded < 64 * 2**20  # what lies in the buffers between is small


def test_an_endless_reply_holds_nobody_up(judged):
    def answer(request, number):
        return Answer(even(request), fault="endless" if number == 3 else "")

    with FakeJudge(answer) as judge:
        verdicts = judged(judge.url, timeout_s=5)
    assert errors(verdicts) == []


@each("kind", ["text/plain", "text/html", "application/octet-stream", ""])
def test_a_completion_is_one_whatever_its_content_type(judged, kind):
    with FakeJudge(lambda request, _: Answer(even(request), kind=kind)) as judge:
        assert errors(judged(judge.url)) == []


def test_a_stream_of_events_is_no_completion(judged):
    body = b'data: {"choices": [{"delta": {"content": "YES"}}]}\n\ndata: [DONE]\n\n'
    with FakeJudge(lambda *_: Answer(body=body, kind="text/event-stream")) as judge:
        verdicts = judged(judge.url, 100)
    assert len(errors(verdicts)) == 100
    assert "no completion" in verdicts[0].error


# ---- clocks ----


def test_a_clock_that_jumps_changes_nothing(judged, monkeypatch):
    hours, real = itertools.cycle([0, 3600, -3600]), time.time
    monkeypatch.setattr(time, "time", lambda: real() + next(hours))

    def answer(request, number):
        return refuse(429, "slow down", headers={"Retry-After": "0.05"}) if number % 5 == 2 else even(request)

    with FakeJudge(answer) as judge:
        verdicts = judged(judge.url)
    assert errors(verdicts) == []  # an hour's wait would run into the deadline


# ---- several servers ----


def test_a_server_that_is_dead_from_the_start_is_left_out(judged):
    with FakeJudge(even) as judge:
        assert errors(judged(count=100, base_urls=(NOBODY, judge.url))) == []
    assert len(judge.requests) == 100


def test_a_server_that_never_says_a_word_leaves_its_share_to_the_others(judged, black_hole):
    with FakeJudge(even) as judge:
        assert errors(judged(count=200, base_urls=(black_hole, judge.url), timeout_s=8)) == []
    assert len(judge.requests) == 200


@pytest.mark.parametrize("fault", [Answer(fault="drop"), refuse(500, "oops"), refuse(503, "overloaded")])
def test_a_server_that_dies_on_the_way_leaves_its_share_to_the_others(judged, fault):
    with FakeJudge(even) as good, FakeJudge(lambda request, n: even(request) if n < 20 else fault) as dying:
        verdicts = judged(count=400, base_urls=(good.url, dying.url), concurrency=8)
    assert errors(verdicts) == []
    assert 20 <= len(dying.requests) < 200
    assert len(good.requests) >= 380


@pytest.mark.parametrize("status", [401, 402, 404])
def test_of_two_servers_one_that_refuses_for_good_is_left_out(judged, status, caplog):
    with FakeJudge(even) as good, FakeJudge(lambda *_: refuse(status, "not you")) as bad:
        verdicts = judged(count=300, base_urls=(bad.url, good.url), concurrency=8)
    assert errors(verdicts) == []
    assert len(bad.requests) <= 8
    (record,) = [record for record in caplog.records if "continues without it" in record.getMessage()]
    assert record.getMessage().startswith(bad.url)


def test_two_servers_that_refuse_for_good_are_as_good_as_none(judged):
    with FakeJudge(lambda *_: refuse(401, "not you")) as one, FakeJudge(lambda *_: refuse(404, "who?")) as other:
        verdicts = judged(count=300, base_urls=(one.url, other.url), concurrency=8)
    assert len(errors(verdicts)) == 300
    assert len(one.requests) + len(other.requests) <= 16


def test_a_server_that_comes_back_is_asked_again(judged):
    back_at = time.monotonic() + 0.5

    def returning(request, _):
        return Answer(even(request), delay_s=0.02) if time.monotonic() > back_at else Answer(fault="drop")

    with FakeJudge(lambda request, _: Answer(even(request), delay_s=0.02)) as good, FakeJudge(returning) as other:
        verdicts = judged(count=600, base_urls=(good.url, other.url), concurrency=8)
    assert errors(verdicts) == []
    assert len(good.requests) < 600


# ---- the cache ----


def test_below_a_file_there_is_no_cache(judged, monkeypatch, tmp_path, caplog):
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("HUEVAL_CACHE_DIR", str(tmp_path / "file" / "cache"))
    with FakeJudge(even) as judge:
        assert errors(judged(judge.url)) == []
    assert "Replies stay in memory and judging continues." in caplog.text


def test_a_disk_that_fills_up(judged, caplog):
    with FakeJudge(even) as judge, file_size_limit(60_000):
        assert errors(judged(judge.url, 500)) == []
        asked = len(judge.requests)
        assert errors(judged(judge.url, 500)) == []
    assert asked == len(judge.requests) == 500  # this process has kept what the disk did not take
    assert "Replies stay in memory and judging continues." in caplog.text


def test_a_damaged_cache_is_set_aside(judged, caplog, tmp_path):
    file = tmp_path / "cache" / "judge" / "replies.sqlite"
    file.parent.mkdir(parents=True)
    file.write_bytes(b"garbage" * 1000)
    with FakeJudge(even) as judge:
        assert errors(judged(judge.url)) == []
        assert all(verdict.cached for verdict in judged(judge.url))
    assert "was damaged: set aside" in caplog.text

"""Requests into batches: what is sent, how it is split, and batches that are refused as a whole."""

from __future__ import annotations

import pytest
from pydantic import SecretStr

from hueval_metrics.judge.batch import ask as module
from tests.fakes.batch_server import FakeBatches, answer_row
from tests.fakes.judge_server import KEY
from tests.judge.batch.helpers import PRICED, Asked, key, keys, requests

pytestmark = pytest.mark.usefixtures("virtual_clock")


def test_every_reply_comes_back_to_its_own_request():
    def finish(lines):
        return "completed", [answer_row(line["custom_id"], line["custom_id"][:5]) for line in reversed(lines)], []

    with FakeBatches(finish) as server:
        asked = Asked(server.url, requests(20))
    assert asked.kept == {key(n): key(n)[:5] for n in range(20)}
    assert set(asked.outcome.usage) == keys(*range(20))
    assert asked.outcome.usage[key(3)].prompt_tokens == 10
    assert (asked.outcome.pending, asked.outcome.pending_keys, asked.outcome.problem) == ((), frozenset(), None)
    assert asked.ledger.outstanding == 0


def test_a_line_of_the_upload_is_the_live_request_under_its_key():
    with FakeBatches() as server:
        Asked(server.url, requests(1), api_key=SecretStr(KEY))
    content = "Helyes a(z) 0. válasz?"
    assert server.uploads == [
        [
            {
                "custom_id": key(0),
                "method": "POST",
                "url": "/v1/chat/completions",
                "body": {
                    "model": "toy-judge",
                    "messages": [{"role": "user", "content": content}],
                    "seed": 0,
                    "max_tokens": 64,
                },
            }
        ]
    ]
    assert server.headers["Authorization"] == f"Bearer {KEY}"


def test_nothing_is_sent_that_the_settings_do_not_hold(monkeypatch):
    for name in ("OPENAI_API_KEY", "OPENAI_ORG_ID", "OPENAI_PROJECT_ID"):
        monkeypatch.setenv(name, KEY)
    with FakeBatches() as server:
        Asked(server.url, requests(1))
    assert "Authorization" not in server.headers and KEY not in str(server.headers)
    assert not [name for name in server.headers if name.casefold().startswith("openai-")]


def test_nothing_to_ask_is_no_call():
    with FakeBatches() as server:
        Asked(server.url, requests(0))
    assert not server.calls


@pytest.mark.parametrize(
    ("limit", "value", "sizes"),
    [("MAX_REQUESTS", 4, [4, 4, 2]), ("MAX_BYTES", 900, [3, 3, 3, 1]), ("MAX_BYTES", 1, [1] * 10)],
)
def test_many_requests_are_split_into_batches(monkeypatch, limit, value, sizes):
    monkeypatch.setattr(module, limit, value)
    with FakeBatches() as server:
        asked = Asked(server.url, requests(10))
    assert list(map(len, server.keys)) == sizes
    assert set(asked.kept) == keys(*range(10))


def test_a_batch_that_is_refused_as_a_whole_is_asked_live_and_said(caplog):
    class Refusing(FakeBatches):
        def _end(self, batch):
            batch["status"] = "failed"
            batch["errors"] = {"data": [{"code": "invalid", "line": 2, "message": "Line 2:\nno such model"}]}

    with Refusing() as server:
        asked = Asked(server.url, requests(3))
    assert asked.outcome.problem == f"{server.url} refuses batch batch-0: Line 2: no such model"
    assert asked.ledger.outstanding == 0 and asked.ledger.at_risk_usd == 0 and not asked.outcome.pending_keys


def test_a_full_queue_takes_smaller_batches_one_after_the_other():
    class Small(FakeBatches):
        def _end(self, batch):
            if len(self._lines(batch)) > 3:
                batch["status"] = "failed"
                batch["errors"] = {
                    "data": [{"code": "token_limit_exceeded", "message": "Enqueued token limit reached"}]
                }
            else:
                super()._end(batch)

    with Small() as server:
        asked = Asked(server.url, requests(10))
    assert list(map(len, server.keys)) == [10, 5, 2, 2, 2, 2, 2]
    assert set(asked.kept) == keys(*range(10)) and asked.outcome.problem is None


def test_what_the_budget_does_not_cover_waits_until_a_batch_is_settled(caplog):
    with FakeBatches() as server:
        asked = Asked(server.url, requests(50), model=PRICED, budget_usd=0.01)
    assert len(server.batches) > 1
    assert "the budget covers no more at a time, the rest follows when this batch is settled" in caplog.text
    assert set(asked.kept) == keys(*range(50)) and not asked.outcome.unaffordable_keys


def test_what_the_budget_does_not_cover_in_the_end_is_named():
    def dear(lines):
        row = answer_row(lines[0]["custom_id"])
        row["response"]["body"]["usage"] = {"prompt_tokens": 100, "completion_tokens": 60}
        return "completed", [row], []

    with FakeBatches(dear) as server:
        asked = Asked(server.url, requests(50), model=PRICED, budget_usd=0.002)
    outcome = asked.outcome
    assert outcome.unaffordable_keys and outcome.problem is None
    assert set(outcome.usage) | outcome.unaffordable_keys == keys(*range(50))
    assert asked.ledger.spent_usd + asked.ledger.at_risk_usd <= 0.002

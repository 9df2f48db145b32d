from __future__ import annotations

import asyncio
import errno
import hashlib
import json
import logging
import os
import time

import pytest
from pydantic import SecretStr

from hueval_metrics.judge.batch import ask as module
from hueval_metrics.judge.batch.ask import ask_in_batches
from hueval_metrics.judge.batch.store import BatchStore, StoredRequest
from hueval_metrics.judge.client.exceptions import JudgeUnusableError
from hueval_metrics.judge.ledger import Ledger
from tests.fakes.batch_server import FakeBatches, answer_row, completed, unexecuted_row
from tests.fakes.judge_server import KEY, Answer, refuse, settings_for

PRICES = "gpt-4o-2024-11-20"  # a model with a price


@pytest.fixture(autouse=True)
def no_waiting(monkeypatch):
    monkeypatch.setattr(module, "POLL_S", 0.01)


def key(number):
    return hashlib.sha256(b"%d" % number).hexdigest()


WISHED = {"seed": 0, "max_tokens": 64}


def requests(count, first=0):
    return {
        key(number): json.dumps([{"role": "user", "content": f"Helyes a(z) {number}. válasz?"}]).encode()
        for number in range(first, first + count)
    }


class Asked:
    """What came of one call: the outcome, the replies kept, and the ledger."""

    def __init__(self, url, asked, *, readable=lambda reply: True, seconds=120.0, **changes):
        self.kept = {}
        self.ledger = Ledger()

        def keep(key, reply, usage):
            self.kept[key] = reply
            return readable(reply)

        settings = settings_for(url, mode="batch", **changes)
        until = time.monotonic() + seconds
        self.outcome = asyncio.run(ask_in_batches(asked, WISHED, "toy/1", settings, keep, self.ledger, until))


def keys(*numbers):
    return {key(number) for number in numbers}


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


def fails(first, times):
    """A batch whose first request fails a number of times."""
    left = [times]

    def finish(lines):
        rows = [answer_row(line["custom_id"]) for line in lines]
        if left[0] and lines[0]["custom_id"] == key(0):
            left[0] -= 1
            status = "expired" if first is not None and first["response"] is None else "completed"
            return status, rows[1:], [first] if first else []
        return "completed", rows, []

    return finish


@pytest.mark.parametrize(
    ("why", "row"),
    [
        ("500", answer_row(key(0), status=500, message="oops")),
        ("429", answer_row(key(0), status=429, message="slow down")),
        ("expired", unexecuted_row(key(0), "batch_expired")),
        ("no answer at all", None),
    ],
)
def test_what_failed_is_submitted_again(why, row):
    with FakeBatches(fails(row, 2)) as server:
        asked = Asked(server.url, requests(3))
    assert server.keys == [[key(0), key(1), key(2)], [key(0)], [key(0)]]
    assert set(asked.kept) == keys(0, 1, 2)
    assert asked.outcome.problem is None


def test_what_fails_a_third_time_is_left_to_the_live_calls():
    with FakeBatches(fails(answer_row(key(0), status=500, message="oops"), 9)) as server:
        asked = Asked(server.url, requests(3))
    assert len(server.keys) == 3
    assert set(asked.kept) == set(asked.outcome.usage) == keys(1, 2)
    assert not asked.outcome.pending_keys and not asked.outcome.unaffordable_keys
    assert asked.ledger.outstanding == 0 and asked.ledger.at_risk_usd == 0


def test_an_unreadable_reply_is_paid_for_and_not_submitted_again():
    with FakeBatches() as server:
        asked = Asked(server.url, requests(2), readable=lambda reply: False)
    assert len(server.batches) == 1
    assert set(asked.outcome.usage) == keys(0, 1)


@pytest.mark.parametrize(
    ("why", "row"),
    [
        ("cut off", answer_row(key(0), '{"evaluation": "COR', finish_reason="length")),
        ("no words", answer_row(key(0), None, finish_reason="content_filter")),
    ],
)
def test_half_a_reply_and_none_are_paid_for_and_not_kept(why, row):
    with FakeBatches(lambda lines: ("completed", [row], [])) as server:
        asked = Asked(server.url, requests(1))
    assert not asked.kept and set(asked.outcome.usage) == keys(0)
    assert len(server.batches) == 1


def test_a_request_that_is_wrong_itself_is_left_to_the_live_calls():
    row = answer_row(key(0), status=400, message="maximum context length is 128000 tokens", code="context_length")
    with FakeBatches(lambda lines: ("completed", [answer_row(key(1))], [row])) as server:
        asked = Asked(server.url, requests(2))
    assert len(server.batches) == 1
    assert set(asked.kept) == keys(1) and asked.outcome.problem is None


def test_a_refused_parameter_ends_the_batches(caplog):
    def finish(lines):
        refused = {
            "status": 400,
            "message": "Unsupported parameter: 'max_tokens' is not supported",
            "param": "max_tokens",
        }
        rows = [answer_row(line["custom_id"], **refused) for line in lines[1:]]
        return "completed", [], [answer_row(lines[0]["custom_id"], status=500, message="oops"), *rows]

    with FakeBatches(finish) as server:
        asked = Asked(server.url, requests(3))
    assert len(server.batches) == 1  # the one that failed goes live, too
    assert asked.outcome.problem == "batch batch-0: the judge does not take max_tokens"
    assert asked.outcome.problem in caplog.text


@pytest.mark.parametrize("status", [404, 405, 501])
@pytest.mark.parametrize("where", ["POST /files", "POST /batches"])
def test_a_server_without_a_batch_api_is_asked_live_and_named(status, where, caplog):
    def replace(call, number):
        return refuse(status, "what?") if call == where else None

    with FakeBatches(replace=replace) as server:
        asked = Asked(server.url, requests(3))
    assert asked.outcome.problem == f'{server.url} has no Batch API (HTTP {status}: "what?")'
    assert [record.levelno for record in caplog.records] == [logging.WARNING]
    assert not asked.outcome.usage and not asked.outcome.pending_keys and asked.ledger.outstanding == 0


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


@pytest.mark.parametrize("status", [401, 403])
def test_a_refused_key_is_fatal_and_not_shown(status, caplog):
    with (
        FakeBatches(replace=lambda *_: refuse(status, f"bad key {KEY}")) as server,
        pytest.raises(JudgeUnusableError) as e,
    ):
        Asked(server.url, requests(3), api_key=SecretStr(KEY))
    assert "HUEVAL_JUDGE_API_KEY" in str(e.value) and "[key]" in str(e.value)
    assert KEY not in str(e.value) + caplog.text


def test_a_dead_server_is_fatal_at_once():
    with FakeBatches() as server:
        pass
    with pytest.raises(JudgeUnusableError, match=r"connection refused\. Is a judge running there"):
        Asked(server.url, requests(3))


STEPS = ["POST /files", "POST /batches", "GET /batches/ID", "GET /files/ID/content"]


@pytest.mark.parametrize("step", STEPS)
@pytest.mark.parametrize(
    ("why", "answer"),
    [
        ("500", refuse(500, "oops")),
        ("429", refuse(429, "slow down", headers={"retry-after-ms": "5"})),
        ("dropped", Answer(fault="drop")),
        ("cut off", Answer(body=b'{"id": "fi', fault="cut")),
    ],
)
def test_a_passing_fault_is_waited_out_at_every_step(step, why, answer):
    def replace(call, number):
        return answer if call == step and number < 2 else None

    with FakeBatches(replace=replace) as server:
        asked = Asked(server.url, requests(3))
    is_made = step == "POST /batches" and answer.fault  # and only the answer was lost
    assert server.calls[step] == 1 if is_made else server.calls[step] >= 3
    assert set(asked.kept) == keys(0, 1, 2)
    assert len(server.batches) == 1


def test_a_download_that_breaks_off_is_not_counted_twice():
    rows = b"".join(b'{"custom_id": "%b", "response": null}\n' % key(n).encode() for n in range(2))

    def replace(call, number):
        return Answer(body=rows, fault="cut") if call == "GET /files/ID/content" and not number else None

    with FakeBatches(replace=replace) as server:
        asked = Asked(server.url, requests(3))
    assert set(asked.kept) == keys(0, 1, 2) and len(server.batches) == 1


def test_a_download_that_ends_in_the_middle_of_a_line_is_fetched_again():
    def replace(call, number):
        is_first = call == "GET /files/ID/content" and not number
        return Answer(body=b'{"custom_id": "' + key(2)[:9].encode()) if is_first else None

    with FakeBatches(replace=replace) as server:
        asked = Asked(server.url, requests(3))
    assert set(asked.kept) == keys(0, 1, 2) and len(server.batches) == 1


def test_lines_that_cannot_be_read_or_are_unknown_are_counted(caplog):
    def finish(lines):
        rows = [answer_row(line["custom_id"]) for line in lines]
        return (
            ("completed", [rows[0], rows[0], answer_row("f" * 64), {"custom_id": 7}], [])
            if len(rows) > 1
            else completed(lines)
        )

    with FakeBatches(finish) as server:
        asked = Asked(server.url, requests(2))
    assert "1 lines of its answers cannot be read, 2 are of unknown requests, 1 requests have no answer" in caplog.text
    assert set(asked.kept) == keys(0, 1)
    assert asked.outcome.usage[key(0)].calls == 1  # the line that came twice


@pytest.mark.parametrize("row", [[], [unexecuted_row(key(1), "batch_cancelled")]])
def test_of_a_cancelled_batch_the_finished_part_is_kept_and_the_rest_goes_live(row):
    with FakeBatches(lambda lines: ("cancelled", [answer_row(key(0))], row)) as server:
        asked = Asked(server.url, requests(2))
    assert asked.outcome.problem == f"batch batch-0 was cancelled at {server.url}"
    assert set(asked.kept) == keys(0) and len(server.batches) == 1


def never(lines):
    return "in_progress", [], []


def test_what_is_not_ready_by_the_deadline_is_collected_by_the_next_call(caplog):
    is_ready = []
    with FakeBatches(lambda lines: completed(lines) if is_ready else never(lines)) as server:
        first = Asked(server.url, requests(3), seconds=2.0, model=PRICES)
        assert first.outcome.pending == ("batch-0",) and first.outcome.pending_keys == keys(0, 1, 2)
        assert "batch batch-0 not ready, 3 requests in all" in caplog.text
        assert first.ledger.at_risk_usd > 0 and first.ledger.outstanding == 0
        is_ready.append(True)
        second = Asked(server.url, requests(4, first=1), model=PRICES)  # another set, which shares two
    assert server.keys == [[key(0), key(1), key(2)], [key(3), key(4)]]
    assert set(second.kept) == keys(0, 1, 2, 3, 4)  # the one that nobody asks for just now is paid for
    assert second.outcome.usage[key(0)].usd == pytest.approx((10 * 2.5 + 2 * 10) / 1e6 / 2)
    assert second.ledger.outstanding == 0


def test_a_batch_that_is_on_the_bill_is_collected_whatever_the_budget():
    is_ready = []
    with FakeBatches(lambda lines: completed(lines) if is_ready else never(lines)) as server:
        Asked(server.url, requests(3), seconds=2.0, model=PRICES)
        is_ready.append(True)
        asked = Asked(server.url, requests(4), model=PRICES, budget_usd=1e-9)
    assert set(asked.kept) == set(asked.outcome.usage) == keys(0, 1, 2)
    assert asked.outcome.unaffordable_keys == keys(3) and asked.ledger.spent_usd > 1e-9


def test_another_judge_leaves_a_pending_batch_alone():
    with FakeBatches(never) as server:
        Asked(server.url, requests(2), seconds=2.0)
        Asked(server.url, requests(2), seconds=2.0, model="another")
    assert len(server.batches) == 2


def test_broken_off_it_leaves_the_batch_to_the_next_call():
    async def cancel(url):
        asked = ask_in_batches(
            requests(2), WISHED, "toy/1", settings_for(url), lambda *_: True, Ledger(), time.monotonic() + 20
        )
        task = asyncio.create_task(asked)
        while not server.calls["GET /batches/ID"]:
            await asyncio.sleep(0.01)
        task.cancel()
        await task

    is_ready = []
    with FakeBatches(lambda lines: completed(lines) if is_ready else never(lines)) as server:
        with pytest.raises(asyncio.CancelledError):
            asyncio.run(cancel(server.url))
        is_ready.append(True)
        asked = Asked(server.url, requests(2))
    assert set(asked.kept) == keys(0, 1) and len(server.batches) == 1


@pytest.mark.parametrize("lists", [True, False])
def test_a_batch_whose_id_was_never_stored_is_found_by_its_metadata(lists):
    """A process was killed between the creation and the note of it."""
    stored = [StoredRequest(key, 100, 64) for key in requests(2)]
    with FakeBatches(replace=lambda call, _: None if lists or call != "GET /batches" else refuse(404, "?")) as server:
        Asked(server.url, requests(2))
        (made,) = server.batches.values()
        made["status"] = "completed"
        with BatchStore(server.url, "toy-judge", "toy/1") as store:
            store.intend(made["metadata"]["hueval"], stored)
        asked = Asked(server.url, requests(2))
    assert set(asked.kept) == keys(0, 1)
    assert len(server.batches) == (1 if lists else 2)


def test_a_note_of_a_batch_that_was_never_made_holds_nothing_up():
    """A process was killed just before the creation."""
    with FakeBatches() as server:
        with BatchStore(server.url, "toy-judge", "toy/1") as store:
            store.intend("token", [StoredRequest(key, 100, 64) for key in requests(2)])
        asked = Asked(server.url, requests(2))
        with BatchStore(server.url, "toy-judge", "toy/1") as store:
            assert store.batches() == []
    assert set(asked.kept) == keys(0, 1) and len(server.batches) == 1


def test_a_batch_that_the_server_has_lost_is_submitted_again(caplog):
    with FakeBatches() as server:
        with BatchStore(server.url, "toy-judge", "toy/1") as store:
            store.intend("token", [StoredRequest(key, 100, 64) for key in requests(2)])
            store.name("token", "batch-lost")
        asked = Asked(server.url, requests(2))
    assert "knows no batch batch-lost any more" in caplog.text
    assert set(asked.kept) == keys(0, 1) and len(server.batches) == 1


@pytest.mark.parametrize("status", [302, 404])
def test_a_batch_that_is_out_of_sight_for_a_moment_is_not_lost(status):
    def replace(call, number):
        return refuse(status, "maintenance") if call == "GET /batches/ID" and number < 2 else None

    with FakeBatches(replace=replace) as server:
        asked = Asked(server.url, requests(2))
    assert set(asked.kept) == keys(0, 1) and len(server.batches) == 1


def test_answers_that_are_gone_are_asked_for_again():
    def replace(call, number):
        return refuse(404, "expired") if call == "GET /files/ID/content" and not number else None

    with FakeBatches(replace=replace) as server:
        asked = Asked(server.url, requests(2))
    assert set(asked.kept) == keys(0, 1) and len(server.batches) == 2


def test_answers_behind_a_redirect_leave_the_requests_to_the_live_calls():
    def replace(call, number):
        return Answer(status=302, headers={"Location": "/x"}) if call == "GET /files/ID/content" else None

    with FakeBatches(replace=replace) as server:
        asked = Asked(server.url, requests(2))
    assert "it redirects, which is not followed" in asked.outcome.problem
    assert not asked.outcome.pending_keys and len(server.batches) == 1


def test_what_the_budget_does_not_cover_waits_until_a_batch_is_settled(caplog):
    with FakeBatches() as server:
        asked = Asked(server.url, requests(50), model=PRICES, budget_usd=0.01)
    assert len(server.batches) > 1
    assert "the budget holds no more at a time, the rest follows when it is settled" in caplog.text
    assert set(asked.kept) == keys(*range(50)) and not asked.outcome.unaffordable_keys


def test_what_the_budget_does_not_cover_in_the_end_is_named():
    def dear(lines):
        row = answer_row(lines[0]["custom_id"])
        row["response"]["body"]["usage"] = {"prompt_tokens": 100, "completion_tokens": 60}
        return "completed", [row], []

    with FakeBatches(dear) as server:
        asked = Asked(server.url, requests(50), model=PRICES, budget_usd=0.002)
    outcome = asked.outcome
    assert outcome.unaffordable_keys and outcome.problem is None
    assert set(outcome.usage) | outcome.unaffordable_keys == keys(*range(50))
    assert asked.ledger.spent_usd + asked.ledger.at_risk_usd <= 0.002


def test_without_a_place_for_ids_it_goes_on_and_says_so(monkeypatch, tmp_path, caplog):
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("HUEVAL_CACHE_DIR", str(tmp_path / "file" / "below"))
    with FakeBatches() as server:
        asked = Asked(server.url, requests(2))
    assert set(asked.kept) == keys(0, 1)
    assert caplog.text.count("The ids of batches cannot be stored") == 1


def test_a_full_disk_leaves_the_batch_to_a_later_call(monkeypatch):
    real, calls = module.TemporaryFile, []

    def full():
        calls.append(1)
        if len(calls) > 1:  # the first file is the one of requests
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        return real()

    with FakeBatches() as server:
        with monkeypatch.context() as patch:
            patch.setattr(module, "TemporaryFile", full)
            asked = Asked(server.url, requests(2))
        assert asked.outcome.problem == "writing to the disk failed: No space left on device"
        assert asked.outcome.pending == ("batch-0",) and asked.outcome.pending_keys == keys(0, 1)
        asked = Asked(server.url, requests(2))
    assert set(asked.kept) == keys(0, 1) and len(server.batches) == 1


def test_the_key_is_in_no_reply_and_no_file(tmp_path, caplog):
    def finish(lines):
        return "completed", [answer_row(line["custom_id"], f"YES {KEY}") for line in lines], []

    with FakeBatches(finish) as server:
        asked = Asked(server.url, requests(1), api_key=SecretStr(KEY))
    assert asked.kept == {key(0): "YES [key]"}
    files = [path for path in tmp_path.rglob("*") if path.is_file()]
    assert files and not any(KEY.encode() in path.read_bytes() for path in files)
    assert KEY not in caplog.text

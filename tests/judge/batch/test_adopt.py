"""Batches of an earlier call, which was stopped or killed: found again and collected."""

from __future__ import annotations

import asyncio
import time

import pytest

from hueval_metrics.judge.batch.ask import ask_in_batches
from hueval_metrics.judge.batch.store import BatchStore, StoredBatch
from hueval_metrics.judge.cache.replies import ReplyCache
from hueval_metrics.judge.ledger import Ledger
from tests.fakes.batch_server import FakeBatches, completed
from tests.fakes.judge_server import refuse, settings_for
from tests.judge.batch.helpers import PARAMS, PRICED, Asked, key, keys, requests

pytestmark = pytest.mark.usefixtures("virtual_clock")


def never(lines):
    return "in_progress", [], []


def test_what_is_not_ready_by_the_deadline_is_collected_by_the_next_call(caplog):
    is_ready = []
    with FakeBatches(lambda lines: completed(lines) if is_ready else never(lines)) as server:
        first = Asked(server.url, requests(3), seconds=4.0, model=PRICED)
        assert first.outcome.pending == ("batch-0",) and first.outcome.pending_keys == keys(0, 1, 2)
        assert "batch batch-0 not ready, 3 requests in all" in caplog.text
        assert first.ledger.at_risk_usd > 0 and first.ledger.outstanding == 0
        is_ready.append(True)
        second = Asked(server.url, requests(4, first=1), model=PRICED)  # another set, which shares two
    assert server.keys == [[key(0), key(1), key(2)], [key(3), key(4)]]
    assert set(second.kept) == keys(0, 1, 2, 3, 4)  # the one that nobody asks for just now is paid for
    assert second.outcome.usage[key(0)].usd == pytest.approx((10 * 2.5 + 2 * 10) / 1e6 / 2)
    assert second.ledger.outstanding == 0


def test_without_a_disk_the_process_itself_collects_its_batch(monkeypatch, tmp_path):
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("HUEVAL_CACHE_DIR", str(tmp_path / "file" / "below"))
    is_ready = []
    with FakeBatches(lambda lines: completed(lines) if is_ready else never(lines)) as server:
        assert Asked(server.url, requests(2), seconds=4.0).outcome.pending == ("batch-0",)
        is_ready.append(True)
        asked = Asked(server.url, requests(2))
    assert set(asked.kept) == keys(0, 1) and len(server.batches) == 1


def test_a_batch_that_is_on_the_bill_is_collected_whatever_the_budget():
    is_ready = []
    with FakeBatches(lambda lines: completed(lines) if is_ready else never(lines)) as server:
        Asked(server.url, requests(3), seconds=4.0, model=PRICED)
        is_ready.append(True)
        asked = Asked(server.url, requests(4), model=PRICED, budget_usd=1e-9)
    assert set(asked.kept) == set(asked.outcome.usage) == keys(0, 1, 2)
    assert asked.outcome.unaffordable_keys == keys(3) and asked.ledger.spent_usd > 1e-9


def test_another_judge_leaves_a_pending_batch_alone():
    with FakeBatches(never) as server:
        Asked(server.url, requests(2), seconds=4.0)
        Asked(server.url, requests(2), seconds=4.0, model="another")
    assert len(server.batches) == 2


def test_broken_off_it_leaves_the_batch_to_the_next_call():
    async def cancel(url):
        settings, until = settings_for(url), time.monotonic() + 20
        with ReplyCache() as cache:
            asked = ask_in_batches(requests(2), PARAMS, "toy/1", settings, cache, lambda *_: True, Ledger(), until)
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


def store(url, token, batch_id=None):
    """Store a batch of two requests, as another process would."""
    with ReplyCache() as cache:
        batch = StoredBatch(time.time(), 64, dict.fromkeys(requests(2), 100), batch_id)
        BatchStore(cache, url, "toy-judge", "toy/1").put(token, batch)


@pytest.mark.parametrize("lists", [True, False])
def test_a_batch_whose_id_was_never_stored_is_found_by_its_metadata(lists):
    """A process was killed after the server had created the batch, before its id was stored."""
    with FakeBatches(replace=lambda call, _: None if lists or call != "GET /batches" else refuse(404, "?")) as server:
        Asked(server.url, requests(2))
        (made,) = server.batches.values()
        made["status"] = "completed"
        store(server.url, made["metadata"]["hueval"])
        asked = Asked(server.url, requests(2))
    assert set(asked.kept) == keys(0, 1)
    assert len(server.batches) == (1 if lists else 2)


def test_a_stored_batch_that_was_never_created_does_not_block():
    """A process was killed before the server created the batch."""
    with FakeBatches() as server:
        store(server.url, "token")
        asked = Asked(server.url, requests(2))
        with ReplyCache() as cache:
            assert BatchStore(cache, server.url, "toy-judge", "toy/1").batches() == {}
    assert set(asked.kept) == keys(0, 1) and len(server.batches) == 1


def test_a_batch_that_the_server_has_lost_is_submitted_again(caplog):
    with FakeBatches() as server:
        store(server.url, "token", "batch-lost")
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

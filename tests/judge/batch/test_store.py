from __future__ import annotations

import asyncio
import sqlite3
from threading import Event, Thread

import pytest

from hueval_metrics.judge.batch.store import BatchStore, StoredRequest

REQUESTS = [StoredRequest("a" * 64, 1500, 2048), StoredRequest("b" * 64, 900, 64)]


def open_store(folder, server="https://h/v1", model="m", rubric="r/1"):
    return BatchStore(server, model, rubric, folder)


def test_a_batch_is_there_for_the_next_process_until_it_is_forgotten(tmp_path):
    with open_store(tmp_path) as store:
        store.intend("token", REQUESTS)
        assert [(b.token, b.id) for b in store.batches()] == [("token", None)]
        store.name("token", "batch_1")
    with open_store(tmp_path) as store:
        assert [(b.token, b.id) for b in store.batches()] == [("token", "batch_1")]
        assert sorted(store.requests("token"), key=lambda r: r.key) == REQUESTS
        assert store.holds("token")
        store.forget("token")
        assert not store.holds("token") and store.batches() == [] and store.requests("token") == []


@pytest.mark.parametrize("other", [{"server": "https://other/v1"}, {"model": "n"}, {"rubric": "r/2"}])
def test_batches_of_others_are_not_seen(tmp_path, other):
    with open_store(tmp_path) as store, open_store(tmp_path, **other) as another:
        store.intend("token", REQUESTS)
        assert len(store.batches()) == 1 and another.batches() == []


def test_another_process_that_forgets_a_batch_is_seen(tmp_path):
    with open_store(tmp_path) as store, open_store(tmp_path) as another:
        store.intend("token", REQUESTS)
        another.forget("token")
        assert not store.holds("token")


@pytest.mark.parametrize(("server", "waits"), [("https://h/v1", True), ("https://other/v1", False)])
def test_one_at_a_time_looks_and_submits_at_a_server(tmp_path, server, waits):
    held, release, order = Event(), Event(), []

    async def hold():
        with open_store(tmp_path) as store:
            async with store.locked():
                held.set()
                await asyncio.to_thread(release.wait, 10)
                order.append("first")

    async def follow():
        with open_store(tmp_path, server) as store:
            if waits:
                asyncio.get_running_loop().call_later(0.2, release.set)
            async with store.locked():
                order.append("second")

    thread = Thread(target=asyncio.run, args=(hold(),))
    thread.start()
    assert held.wait(10)
    asyncio.run(follow())
    release.set()
    thread.join()
    assert order == (["first", "second"] if waits else ["second", "first"])


def test_a_damaged_file_is_set_aside_and_begun_anew(tmp_path, caplog):
    (tmp_path / "batches.sqlite").write_bytes(b"no database " * 100)
    with open_store(tmp_path) as store:
        store.intend("token", REQUESTS)
    assert "was damaged: set aside as batches.sqlite.damaged" in caplog.text
    with open_store(tmp_path) as store:
        assert len(store.batches()) == 1


def test_without_a_disk_it_goes_on_and_says_once_what_that_means(tmp_path, caplog):
    (tmp_path / "file").write_text("")
    with open_store(tmp_path / "file" / "below") as store:
        store.intend("token", REQUESTS)
        store.name("token", "batch_1")
        assert store.holds("token")

        async def lock():
            async with store.locked():
                return True

        assert asyncio.run(lock())
    assert caplog.text.count("will pay for them again") == 1


def test_a_disk_that_fills_up_holds_nothing_up(tmp_path, caplog):
    many = [StoredRequest(f"{n:064}", 1500, 2048) for n in range(5000)]
    with open_store(tmp_path) as store:
        store.intend("first", REQUESTS)
        pages = store._db.execute("PRAGMA page_count").fetchone()[0]
        store._db.execute(f"PRAGMA max_page_count = {pages + 1}")
        store.intend("second", many)
        assert store.holds("second")
    assert "database or disk is full" in caplog.text
    with open_store(tmp_path) as store:
        assert [b.token for b in store.batches()] == ["first"]  # the other is there as a whole or not at all


def test_a_file_that_is_locked_for_good_is_left_alone(tmp_path, monkeypatch, caplog):
    monkeypatch.setattr("hueval_metrics.judge.batch.store.BUSY_S", 0.05)
    with open_store(tmp_path) as store:
        store.intend("token", REQUESTS)
    other = sqlite3.connect(tmp_path / "batches.sqlite", isolation_level=None)
    other.execute("BEGIN EXCLUSIVE")
    with open_store(tmp_path) as store:
        store.intend("second", REQUESTS)
        assert "database is locked" in caplog.text
    other.execute("ROLLBACK")
    other.close()
    with open_store(tmp_path) as store:
        assert [b.token for b in store.batches()] == ["token"]

from __future__ import annotations

import asyncio
from threading import Event, Thread

import pytest

from hueval_metrics.judge.batch.store import BatchStore, StoredBatch
from hueval_metrics.judge.cache.replies import ReplyCache
from tests.fakes.small_files import file_size_limit

BATCH = StoredBatch(1e9, 2048, {"a" * 64: 1500, "b" * 64: 900})
NAMED = StoredBatch(1e9, 2048, BATCH.requests, "batch_1")


@pytest.fixture
def open_store(tmp_path):
    """Opens the stores of several judgings, each with its own cache."""
    caches = []

    def make(server="https://h/v1", model="m", rubric="r/1", folder=tmp_path / "judge"):
        caches.append(ReplyCache(folder))
        return BatchStore(caches[-1], server, model, rubric)

    yield make
    for cache in caches:
        with cache:
            pass


def test_a_batch_is_stored_until_it_is_deleted(open_store):
    store, other = open_store(), open_store()
    store.put("token", BATCH)
    assert other.batches() == {"token": BATCH}
    store.put("token", NAMED)
    assert other.batches() == {"token": NAMED} and other.is_open("token")
    other.delete("token")
    assert not store.is_open("token") and store.batches() == {}


def test_a_batch_in_another_form_is_left_alone(open_store):
    """As a later version may store it: the judging goes on, and the other batches are collected."""
    store = open_store()
    store.put("token", BATCH)
    store._cache.remember("batch https://h/v1 m r/1 later", {"created": 1.0, "parts": 2})
    assert store.batches() == {"token": BATCH}


def test_the_oldest_comes_first(open_store):
    store = open_store()
    for token, created in (("a", 3.0), ("b", 1.0), ("c", 2.0)):
        store.put(token, StoredBatch(created, 64, {}))
    assert list(store.batches()) == ["b", "c", "a"]


@pytest.mark.parametrize("other", [{"server": "https://other/v1"}, {"model": "n"}, {"rubric": "r/2"}])
def test_batches_of_others_are_not_seen(open_store, other):
    store, another = open_store(), open_store(**other)
    store.put("token", BATCH)
    assert len(store.batches()) == 1 and another.batches() == {}


@pytest.mark.parametrize(("server", "waits"), [("https://h/v1", True), ("https://other/v1", False)])
def test_one_at_a_time_looks_and_submits_at_a_server(open_store, server, waits):
    held, release, order = Event(), Event(), []
    first, second = open_store(), open_store(server)

    async def hold():
        async with first.locked():
            held.set()
            await asyncio.to_thread(release.wait, 10)
            order.append("first")

    async def follow():
        if waits:
            asyncio.get_running_loop().call_later(0.2, release.set)
        async with second.locked():
            order.append("second")

    thread = Thread(target=asyncio.run, args=(hold(),))
    thread.start()
    assert held.wait(240)
    asyncio.run(follow())
    release.set()
    thread.join()
    assert order == (["first", "second"] if waits else ["second", "first"])


def test_without_a_disk_it_goes_on_and_says_once_what_that_means(open_store, tmp_path, caplog):
    (tmp_path / "file").write_text("")
    store = open_store(folder=tmp_path / "file" / "below")

    async def lock():
        async with store.locked():
            return True

    assert asyncio.run(lock())
    store.put("token", BATCH)
    store.put("token", NAMED)
    assert store.is_open("token") and store.batches() == {"token": NAMED}
    assert caplog.text.count("will pay for them again") == 1
    store.delete("token")
    assert store.batches() == {}


def test_what_a_full_disk_refuses_is_there_as_a_whole_or_not_at_all(open_store, caplog):
    store, other = open_store(), open_store()
    store.put("first", BATCH)
    many = StoredBatch(2e9, 64, {f"{n:064}": 1500 for n in range(5000)})
    with file_size_limit(200_000):
        store.put("second", many)
        assert list(store.batches()) == ["first", "second"] and store.is_open("second")
        assert list(other.batches()) == ["first", "second"]  # the same process
        store.delete("first")
        assert list(store.batches()) == ["second"]
    assert caplog.text.count("will pay for them again") == 1
    store, _ = open_store(), open_store().put("third", BATCH)
    assert sorted(store.batches()) == ["second", "third"]

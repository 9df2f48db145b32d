"""Virtual time: waiting takes none, and what takes real time is not cut short."""

from __future__ import annotations

import asyncio
import socket
import time
from contextlib import closing
from threading import Barrier, Event, Thread
from time import monotonic as really  # bound before time is virtual

import aiohttp
import pytest

from tests.fakes.batch_server import FakeBatches
from tests.fakes.clock import VirtualLoop
from tests.fakes.judge_server import Answer, FakeJudge

BUSY_S = 30  # an hour of waiting takes milliseconds, on a busy machine some seconds


async def status_of(url, timeout_s):
    timeout = aiohttp.ClientTimeout(total=timeout_s)
    async with aiohttp.ClientSession(timeout=timeout) as session, session.post(url, json={}) as response:
        await response.read()
        return response.status


def judge(answer):
    return FakeJudge(lambda *_: answer)


@pytest.fixture
def elapsed(virtual_clock):
    """The virtual seconds since the test began; real ones are few."""
    start, really_started = time.monotonic(), really()
    yield lambda: time.monotonic() - start
    assert really() - really_started < BUSY_S


def test_an_hour_takes_no_time(elapsed):
    before = time.time()
    asyncio.run(asyncio.sleep(3600))
    assert 3600 <= elapsed() < 3600 + BUSY_S
    assert 3600 <= time.time() - before < 3600 + BUSY_S


def test_timers_fire_in_order(elapsed):
    async def run():
        done = []

        async def wait(seconds):
            await asyncio.sleep(seconds)
            done.append(seconds)

        await asyncio.gather(*map(wait, (300, 100, 200)))
        return done

    assert asyncio.run(run()) == [100, 200, 300]
    assert 300 <= elapsed() < 300 + BUSY_S


def test_a_reply_that_takes_real_time_is_in_time(elapsed):
    def answer(*_):
        assert not Event().wait(0.3)
        return "YES"

    with FakeJudge(answer) as server:
        assert asyncio.run(status_of(server.url, 100)) == 200
    assert 0.3 <= elapsed() < 100


def test_an_upload_of_a_batch_that_takes_real_time_is_in_time(elapsed):
    """The openai SDK does not use aiohttp."""
    pytest.importorskip("openai", reason="needs the batch extra")
    from tests.judge.batch.helpers import Asked, requests

    def replace(call, number):
        assert call != "POST /files" or not Event().wait(0.3)

    with FakeBatches(replace=replace) as server:
        asked = Asked(server.url, requests(2), timeout_s=100)
    assert len(asked.kept) == 2
    assert len(server.uploads) == 1


def test_work_in_a_thread_is_in_time(elapsed):
    async def run():
        async with asyncio.timeout(100):
            await asyncio.to_thread(Event().wait, 0.3)

    asyncio.run(run())
    assert 0.3 <= elapsed() < 100


def test_a_server_that_time_does_not_know_takes_real_time(elapsed):
    """As one in another process."""
    with closing(socket.create_server(("127.0.0.1", 0))) as listener:

        def serve():
            connection, _ = listener.accept()
            assert not Event().wait(0.3)
            connection.sendall(b"HTTP/1.1 204 No Content\r\n\r\n")
            connection.close()

        Thread(target=serve, daemon=True).start()
        assert asyncio.run(status_of(f"http://127.0.0.1:{listener.getsockname()[1]}", 100)) == 204
    assert 0.3 <= elapsed() < 100


def test_the_delay_of_a_server_is_virtual(elapsed):
    with judge(Answer("YES", delay_s=1000)) as server:
        assert asyncio.run(status_of(server.url, 1001)) == 200
        assert 1000 <= elapsed() < 1001 + BUSY_S
        with pytest.raises(TimeoutError):
            asyncio.run(status_of(server.url, 900))


@pytest.mark.parametrize("fault", ["hang", "endless"])
def test_a_server_that_does_not_finish_runs_into_the_time_out(elapsed, fault):
    with judge(Answer("YES", fault=fault)) as server, pytest.raises(TimeoutError):
        asyncio.run(status_of(server.url, 20))
    assert 20 <= elapsed() < 20 + BUSY_S


def test_a_server_that_is_known_to_be_silent_runs_into_the_time_out(virtual_clock, elapsed):
    with closing(socket.create_server(("127.0.0.1", 0))) as hole:
        virtual_clock.is_silent(port := hole.getsockname()[1])
        with pytest.raises(TimeoutError):
            asyncio.run(status_of(f"http://127.0.0.1:{port}", 1000))
    assert 1000 <= elapsed() < 1000 + BUSY_S


def test_an_idle_connection_and_one_that_hangs_do_not_hold_time_up_nor_push_it(elapsed):
    """One request waits in vain while others are answered in real time."""
    answers = [Answer(fault="hang"), *["YES"] * 9]

    def answer(_, number):
        Event().wait(0.02)
        return answers[number]

    async def run(url):
        statuses = []
        hanging = asyncio.create_task(status_of(url, 1000))
        async with aiohttp.ClientSession() as session:
            for _ in range(9):
                await asyncio.sleep(10)
                async with asyncio.timeout(100), session.post(url, json={}) as response:
                    statuses.append(response.status)
            with pytest.raises(TimeoutError):
                await hanging
        return statuses

    with FakeJudge(answer) as server:
        assert asyncio.run(run(server.url)) == [200] * 9
    assert 1000 <= elapsed() < 1000 + BUSY_S


def test_two_loops_jump_together(elapsed):
    ended, start = {}, Barrier(2)

    def run(name, seconds):
        async def steps():
            start.wait()  # in a loop that works: time does not jump
            for _ in range(4):
                await asyncio.sleep(seconds)
            ended[name] = elapsed()

        asyncio.run(steps())

    threads = [Thread(target=run, args=pair) for pair in (("slow", 100), ("fast", 40))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert 160 <= ended["fast"] < 160 + BUSY_S
    assert 400 <= ended["slow"] < 400 + BUSY_S


def test_the_time_of_other_tests_is_real():
    assert time.monotonic is really
    loop = asyncio.new_event_loop()
    loop.close()
    assert not isinstance(loop, VirtualLoop)
    with FakeBatches(), judge(Answer("YES", delay_s=0.1)) as server:
        start = really()
        assert asyncio.run(status_of(server.url, 100)) == 200
        assert really() - start >= 0.1

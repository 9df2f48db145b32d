"""Pacing against servers in simulated time, in which waiting takes no time."""

from __future__ import annotations

import asyncio
from functools import partial
from itertools import pairwise
from types import MappingProxyType

import pytest

from hueval_metrics.judge.client.pacing import Pacer, RateCaps

NO_CAPS = RateCaps(None, None)
START = 1000.0


class SimulatedLoop(asyncio.SelectorEventLoop):
    """An event loop whose clock jumps to the next timer; without a timer it fails instead of waiting forever."""

    def __init__(self):
        super().__init__()
        self.now, self.rounds = START, 0
        self._really_select = self._selector.select
        self._selector.select = self._select

    def time(self):
        return self.now

    def _select(self, timeout):
        if timeout is None:
            raise AssertionError("everybody waits, and nothing is left to happen")
        self.rounds += 1
        self.now += timeout
        return self._really_select(0)


@pytest.fixture
def loop():
    with asyncio.Runner(loop_factory=SimulatedLoop) as runner:
        loop = runner.get_loop()
        loop.run, loop.pacer = runner.run, partial(Pacer, clock=loop.time)
        yield loop


class Server:
    """A server with a bucket that refills.

    Args:
        loop: for the time.
        rate: how much comes back in a second; None for no limit.
        size: how much fits into the bucket.
        cost: what a request takes.
        latency: of the request with this number, in seconds.
        says: the headers, from the bucket's level.
    """

    def __init__(self, loop, rate=None, size=1.0, *, cost=1, latency=lambda _: 0.2, says=lambda _: {}):
        self.loop, self.rate, self.size, self.cost, self.latency, self.says = loop, rate, size, cost, latency, says
        self.level, self.at = size, loop.time()
        self.sent, self.refused = [], 0

    async def ask(self):
        """Returns whether it answers, and its headers; it refuses at once."""
        now = self.loop.time()
        self.sent.append(now)
        number = len(self.sent)
        if self.rate is not None:
            self.level = min(self.size, self.level + (now - self.at) * self.rate)
            self.at = now
            if self.level < self.cost:
                self.refused += 1
                return False, self.says(self.level)
            self.level -= self.cost
        headers = self.says(self.level)
        await asyncio.sleep(self.latency(number) + number * 1e-9)  # of two that take as long, the first comes first
        return True, headers


def told(rate, size, resource="requests"):
    """The headers of a server with such a bucket, by its level."""
    return lambda level: {
        f"x-ratelimit-limit-{resource}": f"{size:g}",
        f"x-ratelimit-remaining-{resource}": str(int(level)),
        f"x-ratelimit-reset-{resource}": f"{(size - level) / rate:.3f}s",
    }


async def ask_all(pacer, server, count, workers, backoff_s=1.0):
    """Ask until so many requests are answered; returns the seconds that it took."""
    todo, start = iter(range(count)), server.loop.time()

    async def work():
        for _ in todo:
            is_answered = False
            while not is_answered:
                await pacer.acquire(500)
                is_answered, headers = await server.ask()
                (pacer.answered if is_answered else pacer.limited)(headers)
                if not is_answered:
                    await asyncio.sleep(backoff_s)
                pacer.release()

    await asyncio.gather(*(work() for _ in range(workers)))
    assert pacer.in_use == 0
    return server.loop.time() - start


async def fill(pacer):
    while pacer.free > 0:
        await pacer.acquire(1)


async def window_of_answers(pacer, headers=MappingProxyType({})):
    """Answer all requests under way, one after the other; each free slot is used at once."""
    await fill(pacer)
    for _ in range(pacer.in_use):
        pacer.answered(headers)
        pacer.release()
        await fill(pacer)


def test_the_window_doubles_until_the_first_refusal_and_then_grows_by_one(loop):
    async def run():
        pacer = loop.pacer(100, 4, NO_CAPS)
        for expected in (8, 16, 32):
            await window_of_answers(pacer)
            assert pacer.window == expected
        pacer.limited({})
        assert pacer.window == pytest.approx(0.7 * 32)
        while pacer.in_use > pacer.window:
            pacer.release()
        await window_of_answers(pacer)
        assert pacer.window == pytest.approx(0.7 * 32 + 1, abs=0.1)

    loop.run(run())


def test_the_window_never_exceeds_the_cap(loop):
    async def run():
        pacer = loop.pacer(5, 4, NO_CAPS)
        for _ in range(3):
            await window_of_answers(pacer)
        return pacer.window

    assert loop.run(run()) == 5


def test_a_window_that_is_not_used_up_does_not_grow(loop):
    async def run():
        pacer = loop.pacer(64, 8, NO_CAPS)
        await ask_all(pacer, Server(loop), 50, workers=4)
        return pacer.window

    assert loop.run(run()) == 8


@pytest.mark.parametrize(("remaining", "window"), [("0", 8), ("1", 8), ("5", 16)])
def test_the_window_does_not_grow_while_nothing_remains(loop, remaining, window):
    async def run():
        pacer = loop.pacer(64, 8, NO_CAPS)
        await window_of_answers(pacer, {"x-ratelimit-remaining-requests": remaining})  # as Azure says it
        return pacer.window

    assert loop.run(run()) == window


def test_the_refusals_of_one_burst_are_one_signal(loop):
    async def run():
        pacer = loop.pacer(64, 64, NO_CAPS)
        for _ in range(64):
            await pacer.acquire(1)
        for _ in range(64):
            pacer.limited({})
            pacer.release()
        first = pacer.window
        await pacer.acquire(1)
        pacer.answered({})
        pacer.limited({})
        return first, pacer.window

    assert loop.run(run()) == (pytest.approx(44.8), pytest.approx(44.8 * 0.7, rel=0.01))


@pytest.mark.parametrize("start", [8, 64])
@pytest.mark.parametrize("jitter", [0.0, 0.3])
def test_a_limit_that_the_headers_tell_of_is_kept_without_refusals(loop, start, jitter):
    def latency(number):
        return 0.05 + jitter * (number * 7 % 11) / 11

    server = Server(loop, 150, 150, latency=latency, says=told(150, 150))
    wall = loop.run(ask_all(loop.pacer(64, start, NO_CAPS), server, 1000, 64))
    assert server.refused <= 2
    assert wall < 1.1 * 1000 / 150


def test_a_limit_that_nothing_tells_of_is_found(loop):
    server = Server(loop, 50, 50)
    wall = loop.run(ask_all(loop.pacer(64, 8, NO_CAPS), server, 1000, 64))
    assert server.refused < 150
    assert wall < 1.1 * 1000 / 50


@pytest.mark.parametrize(("says", "refused"), [(told(3 / 60, 3), 6), (lambda _: {}, 60)])
def test_an_account_of_three_requests_a_minute(loop, says, refused):
    server = Server(loop, 3 / 60, 3, says=says)
    wall = loop.run(ask_all(loop.pacer(64, 8, NO_CAPS), server, 12, 64))
    assert wall < 1.6 * (12 - 3) * 20
    assert server.refused < refused


def test_a_server_that_refuses_everything_is_left_alone_for_up_to_a_minute(loop):
    server = Server(loop, 0.0, 0.0)

    async def run():
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(3600):
                await ask_all(loop.pacer(16, 8, NO_CAPS), server, 1, 16, backoff_s=0.0)

    loop.run(run())
    gaps = [later - earlier for earlier, later in pairwise(server.sent)]
    assert max(gaps) <= 60.1
    assert all(gap >= 30 for gap in gaps[-10:])
    assert len(server.sent) < 200


def test_one_answer_ends_the_pause(loop):
    async def run():
        pacer = loop.pacer(64, 64, NO_CAPS)
        await pacer.acquire(1)
        for _ in range(15):
            await pacer.acquire(1)
            pacer.limited({})
            pacer.release()
        last = asyncio.create_task(pacer.acquire(1))
        await asyncio.sleep(0)
        assert not last.done()
        start = loop.time()
        pacer.answered({})
        pacer.release()
        await last
        return loop.time() - start

    assert loop.run(run()) == 0


def test_pauses_shorten_as_the_server_recovers(loop):
    async def pause_after(pacer, refusals, answers):
        for number in range(refusals + answers):
            await pacer.acquire(1)
            (pacer.limited if number < refusals else pacer.answered)({})
            pacer.release()
        await pacer.acquire(1)
        pacer.limited({})
        pacer.release()
        start = loop.time()
        await pacer.acquire(1)
        pacer.release()
        return loop.time() - start

    async def run():
        return [await pause_after(loop.pacer(1, 1, NO_CAPS), 12, answers) for answers in (0, 1, 8)]

    long, half, short = loop.run(run())
    assert 30 <= long <= 60
    assert 30 <= half <= 60  # half, doubled again
    assert 0.5 <= short <= 1


LIES = [
    {"limit": "1000", "remaining": "0", "reset": "24h"},
    {"limit": "1000", "remaining": "1", "reset": "24h"},
    {"limit": "1", "remaining": "0", "reset": "60s"},
    {"limit": "5", "remaining": "-1", "reset": "-1"},
    {"limit": "10", "remaining": "0", "reset": "1760000000"},
    {"limit": "ten", "remaining": "none", "reset": "tomorrow"},
]


@pytest.mark.parametrize("start", [1, 8])
@pytest.mark.parametrize("lie", LIES, ids=lambda lie: " ".join(lie.values()))
def test_headers_that_lie_do_not_hold_a_run_up(loop, lie, start):
    headers = {f"x-ratelimit-{part}-{what}": text for part, text in lie.items() for what in ("requests", "tokens")}
    server = Server(loop, says=lambda _: headers)
    wall = loop.run(ask_all(loop.pacer(64, start, NO_CAPS), server, 1000, 64))
    assert wall < 1000 * 0.2 / start + 150


def test_tokens_are_paced_like_requests(loop):
    server = Server(loop, 5000, 10_000, cost=500, says=told(5000, 10_000, "tokens"))
    wall = loop.run(ask_all(loop.pacer(64, 8, NO_CAPS), server, 400, 64))
    assert server.refused < 20
    assert wall < 1.15 * 400 * 500 / 5000


def test_those_who_wait_are_served_in_order(loop):
    async def run():
        pacer, served = loop.pacer(3, 3, RateCaps(600, 100_000)), []

        async def ask(number):
            await pacer.acquire(1 + number * 997 % 5000)
            served.append(number)
            await asyncio.sleep(0.3)
            pacer.release()

        await asyncio.gather(*(ask(number) for number in range(50)))
        return served

    assert loop.run(run()) == list(range(50))


def test_who_comes_later_does_not_overtake(loop):
    async def run():
        pacer, served = loop.pacer(8, 8, RateCaps(None, 1000)), []

        async def ask(name, tokens):
            await pacer.acquire(tokens)
            served.append(name)

        await ask("first", 600)
        large = asyncio.create_task(ask("large", 900))  # has to wait for a minute to pass, …
        await asyncio.sleep(40)
        await asyncio.gather(large, ask("small", 10))  # … which this one alone has not
        return served

    assert loop.run(run()) == ["first", "large", "small"]


def test_nobody_is_woken_up_in_vain(loop):
    async def run():
        pacer = loop.pacer(256, 256, RateCaps(60, None))
        await asyncio.gather(*(pacer.acquire(1) for _ in range(200)))

    loop.run(run())
    assert loop.rounds < 4 * 200


def test_who_gives_up_waiting_takes_no_place(loop):
    async def run():
        pacer = loop.pacer(1, 1, NO_CAPS)
        await pacer.acquire(1)
        first, second, third = (asyncio.create_task(pacer.acquire(1)) for _ in range(3))
        await asyncio.sleep(0)
        second.cancel()  # in the middle of the queue
        pacer.release()  # lets the first in, …
        first.cancel()  # … who gives up before it knows
        await asyncio.wait_for(third, 1)
        assert (first.cancelled(), second.cancelled(), pacer.in_use) == (True, True, 1)
        pacer.release()
        return pacer.in_use, pacer.free

    assert loop.run(run()) == (0, 1)


def test_who_gives_up_at_the_head_lets_the_next_one_in(loop):
    async def run():
        pacer = loop.pacer(4, 4, RateCaps(None, 1000))
        await pacer.acquire(600)
        large, small = (asyncio.create_task(pacer.acquire(tokens)) for tokens in (900, 300))
        await asyncio.sleep(10)
        large.cancel()
        start = loop.time()
        await small
        return loop.time() - start

    assert loop.run(run()) == pytest.approx(26, abs=0.2)  # sixty tokens take 3.6 s, whoever waits at the head


@pytest.mark.parametrize(("rpm", "tpm"), [(600, None), (None, 300_000)])
def test_caps_are_used_up(loop, rpm, tpm):
    wall = loop.run(ask_all(loop.pacer(64, 64, RateCaps(rpm, tpm)), Server(loop), 1200, 64))
    assert 119 < wall < 122  # ten requests of five hundred tokens a second


def test_caps_are_shared_by_all_servers(loop):
    async def run():
        caps, server = RateCaps(60, None), Server(loop)
        return await asyncio.gather(*(ask_all(loop.pacer(8, 8, caps), server, 30, 8) for _ in range(2)))

    assert 58 < max(loop.run(run())) < 61


def test_a_request_larger_than_the_cap_passes_alone(loop):
    async def run():
        pacer, times = loop.pacer(8, 8, RateCaps(None, 1000)), []
        for tokens in (100, 5000, 100):
            await pacer.acquire(tokens)
            times.append(loop.time() - START)
        return times

    assert loop.run(run()) == [0, pytest.approx(60, abs=0.2), pytest.approx(360, abs=0.2)]

"""Virtual time for tests of waiting: event loops that all wait jump to the next timer instead of sleeping.

Time passes as usual, and in addition it jumps when nothing can happen before the next timer: no event loop has anything
to do, no work of a loop runs in a thread, and no request is under way, but those that a fake server is letting wait.
So a time-out never ends a request because the machine is slow, and a request to a server that this module does not know
takes real time. Threads without an event loop wait in real time; time may jump while they do.
"""

from __future__ import annotations

import asyncio
import math
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import Condition, Event
from typing import TYPE_CHECKING, Any
from weakref import WeakSet

import pytest

if TYPE_CHECKING:
    import aiohttp

POLL_S = 0.001  # real time for I/O before each jump
LOOK_S = 0.05  # between looks whether a fake server has ended

_monotonic, _time = time.monotonic, time.time
_current: VirtualClock | None = None


class VirtualClock:
    """Real time, and how far it has jumped ahead; see `virtual_time`."""

    def __init__(self) -> None:
        self._ahead_s = 0.0
        self._changed = Condition()
        self._loops: dict[VirtualLoop, float] = {}  # those that run → until when they wait; 0: they have work to do
        self._waits: dict[int, float] = {}  # port of a client → until when a fake server lets its request wait
        self._silent: set[int] = set()  # ports of servers that never answer
        self._connectors: WeakSet[aiohttp.BaseConnector] = WeakSet()
        self._n_requests = 0  # of the openai SDK, which does not use aiohttp

    def monotonic(self) -> float:
        """Replaces `time.monotonic`, and by it the time of the event loops."""
        return _monotonic() + self._ahead_s

    def time(self) -> float:
        """Replaces `time.time`."""
        return _time() + self._ahead_s

    def is_silent(self, port: int) -> None:
        """Let time jump while requests to this port of the machine are under way, which nobody answers."""
        self._silent.add(port)

    def wait(self, over: Event, until: float, port: int) -> None:
        """Wait in the thread of a fake server, for the client at this port, until a time or until it is over."""
        with self._changed:
            self._waits[port] = until
            try:
                while not over.is_set() and (left := until - self.monotonic()) > 0:
                    self._changed.wait(min(left, LOOK_S))
            finally:
                del self._waits[port]

    def note(self, loop: VirtualLoop, until: float | None) -> None:
        """Note until when a loop waits; 0 while it works, None once it has ended."""
        with self._changed:
            if until is None:
                del self._loops[loop]
            else:
                self._loops[loop] = until

    def jump(self) -> None:
        """Jump to the next time at which anything happens, if nothing can happen before."""
        with self._changed:
            now = self.monotonic()
            times = [*self._loops.values(), *self._waits.values()]
            if min(times) > now and not self._is_asked(now) and (until := min(times)) < math.inf:
                self._ahead_s += until - now
                self._changed.notify_all()

    def _is_asked(self, now: float) -> bool:
        """Whether an answer may come at any moment."""
        if self._n_requests or any(loop.n_threads for loop in self._loops):
            return True
        for connector in list(self._connectors):
            if connector._loop in self._loops:
                for connection in list(connector._acquired):
                    if (transport := getattr(connection, "transport", None)) is None:  # is being opened
                        return True
                    own, peer = (transport.get_extra_info(name) or (0, 0) for name in ("sockname", "peername"))
                    if self._waits.get(own[1], 0.0) <= now and peer[1] not in self._silent:
                        return True
        return False

    def _watched(self, start: Callable[..., None]) -> Callable[..., None]:
        def init(connector: aiohttp.BaseConnector, *args: Any, **options: Any) -> None:
            start(connector, *args, **options)
            self._connectors.add(connector)

        return init

    def _counted(self, ask: Callable[..., Any]) -> Callable[..., Any]:
        async def call(*args: Any, **options: Any) -> Any:
            with self._changed:
                self._n_requests += 1
            try:
                return await ask(*args, **options)
            finally:
                with self._changed:
                    self._n_requests -= 1

        return call


class VirtualLoop(asyncio.SelectorEventLoop):
    """An event loop that has time jump when it waits."""

    def __init__(self) -> None:
        super().__init__()
        assert _current is not None
        self._clock = _current
        self.n_threads = 0
        self._really_select = self._selector.select
        self._selector.select = self._select

    def run_forever(self) -> None:
        self._clock.note(self, 0)
        try:
            super().run_forever()
        finally:
            self._clock.note(self, None)

    def run_in_executor(self, executor: Any, func: Callable[..., Any], *args: Any) -> asyncio.Future[Any]:
        self.n_threads += 1
        future = super().run_in_executor(executor, func, *args)
        future.add_done_callback(self._has_run)
        return future

    def _has_run(self, _: asyncio.Future[Any]) -> None:
        self.n_threads -= 1

    def _select(self, timeout: float | None) -> Any:
        if (events := self._really_select(0)) or (timeout is not None and timeout <= 0):
            return events
        until = math.inf if timeout is None else self.time() + timeout
        self._clock.note(self, until)
        try:
            while not (events := self._really_select(POLL_S)) and self.time() < until:
                self._clock.jump()
        finally:
            self._clock.note(self, 0)
        return events


@contextmanager
def virtual_time() -> Iterator[VirtualClock]:
    """Virtual time in this process: for all event loops that are made in the block, and for `time` as a module."""
    import aiohttp

    from hueval_metrics.judge.batch.api import BatchApi

    clock, connector = VirtualClock(), aiohttp.BaseConnector
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("tests.fakes.clock._current", clock)
        patch.setattr(time, "monotonic", clock.monotonic)
        patch.setattr(time, "time", clock.time)
        patch.setattr(asyncio.events, "new_event_loop", VirtualLoop)
        patch.setitem(sys.modules, "uvloop", None)  # its timers cannot jump
        patch.setattr(connector, "__init__", clock._watched(connector.__init__))
        patch.setattr(BatchApi, "_try", clock._counted(BatchApi._try))
        yield clock


@pytest.fixture
def virtual_clock() -> Iterator[VirtualClock]:
    """Virtual time for one test."""
    with virtual_time() as clock:
        yield clock


def wait(over: Event, seconds: float, port: int) -> None:
    """Wait in the thread of a fake server, for the client at this port, by the clock of the test, or until it is over.

    Args:
        over: set when the server ends.
        seconds: may be infinite.
        port: of the client, `client_address[1]` of the handler.
    """
    if seconds > 0 and not over.is_set():
        if _current:
            _current.wait(over, time.monotonic() + seconds, port)
        else:
            over.wait(None if seconds == math.inf else seconds)

"""How many requests a server gets, and how fast: as many as it can answer, found by trying.

Three limits delay a request. The window, the number of requests in flight, doubles until the server first refuses one;
from then on it grows by one per window of answers and shrinks by a factor, as in TCP (Jacobson 1988). The rate headers
of the server (`rate_headers`) prevent most refusals. The user's caps are never exceeded.

All of it is used within one event loop and needs no locks.
"""

from __future__ import annotations

import asyncio
import math
import random
import time
from collections import deque
from collections.abc import Callable, Mapping
from email.utils import parsedate_to_datetime

from hueval_metrics.judge.client.rate_headers import ServerLimit
from hueval_metrics.judge.errors import RETRY, RetryPolicy

SHRINK = 0.7  # factor of the window after a refusal; with TCP's 0.5 a fast server would be idle for too long
MINUTE_S = 60.0
BURST_S = 0.1  # seconds of a cap that may be used at once, or the delays of timers by milliseconds would add up
_LEAST_TIMER_S = 0.001  # uvloop counts in milliseconds
_SMOOTHING = 1 / 32  # weight of the latest request in the average of tokens


def retry_after(headers: Mapping[str, str]) -> float | None:
    """The seconds in `retry-after-ms`, or in `Retry-After`, as a number or a date; None for neither."""
    for name, unit in (("retry-after-ms", 0.001), ("Retry-After", 1.0)):
        try:
            return max(0.0, float(headers[name]) * unit)
        except (KeyError, ValueError):
            continue
    try:
        return max(0.0, parsedate_to_datetime(headers["Retry-After"]).timestamp() - time.time())
    except (KeyError, ValueError, TypeError, OverflowError):
        return None


class _Cap:
    """A limit per minute that holds in every interval of sixty seconds.

    Requests are spaced evenly, as servers that count per second would refuse a burst at the start of each minute. Even
    spacing does not limit a sum of unequal amounts, so that the last minute is summed up as well.
    """

    def __init__(self, limit: float) -> None:
        self._limit = limit
        self._next = -math.inf  # when the next request is due
        self._slots: deque[tuple[float, float, float]] = deque()  # first and last time, amount
        self._sum = 0.0

    def wait(self, amount: float, now: float) -> float:
        """The seconds until an amount may be used; 0 or less for now."""
        while self._slots and self._slots[0][1] + MINUTE_S <= now:
            self._sum -= self._slots.popleft()[2]
        wait = self._next - BURST_S - now
        excess = self._sum + amount - self._limit  # for more than the limit itself all before must have passed
        for _, last, taken in self._slots:
            if excess <= 0:
                break
            excess -= taken
            wait = max(wait, last + MINUTE_S - now)
        return wait

    def take(self, amount: float, now: float) -> None:
        """Use an amount, after `wait`."""
        self._next = max(self._next, now) + amount / self._limit * MINUTE_S
        self._sum = self._sum + amount if self._slots else amount  # a fresh sum has no rounding errors
        first, taken = now, 0.0
        if self._slots and now - self._slots[-1][0] < BURST_S:  # together, so that there are few slots
            first, _, taken = self._slots.pop()
        self._slots.append((first, now, taken + amount))


class RateCaps:
    """The user's hard limits, shared by all servers of one judging.

    Args:
        rpm: requests a minute; None for no limit. Below one, requests are more than a minute apart.
        tpm: tokens a minute, by the estimates that `Pacer.acquire` is given; None for no limit.
    """

    def __init__(self, rpm: float | None, tpm: float | None) -> None:
        self._requests = _Cap(rpm) if rpm else None
        self._tokens = _Cap(tpm) if tpm else None

    def wait(self, tokens: float, now: float) -> float:
        """The seconds until a request with these tokens may be sent; 0 or less for now."""
        wait = self._requests.wait(1, now) if self._requests else 0.0
        return max(wait, self._tokens.wait(tokens, now)) if self._tokens else wait

    def take(self, tokens: float, now: float) -> None:
        """Count a request with these tokens as sent."""
        if self._requests:
            self._requests.take(1, now)
        if self._tokens:
            self._tokens.take(tokens, now)


class Pacer:
    """The pace of requests to one server.

    An attempt calls `acquire`, then `answered` or `limited` if it was either, then `release`.

    Args:
        cap: the largest window, at least 1.
        start: the first window, 1 to `cap`.
        caps: the user's limits.
        retry: twice its first pause is the first pause of all requests; doubled while nothing is answered.
        clock: the monotonic clock of the event loop.
    """

    def __init__(
        self,
        cap: int,
        start: int,
        caps: RateCaps,
        retry: RetryPolicy = RETRY,
        *,
        clock: Callable[[], float],
    ) -> None:
        self._first_pause_s, self._max_wait_s = 2 * retry.backoff_s, retry.max_wait_s
        self._cap, self._window, self._caps, self._clock = cap, float(start), caps, clock
        self._in_use = 0
        self._waiters: deque[tuple[asyncio.Future[None], int]] = deque()
        self._timer: asyncio.TimerHandle | None = None
        self._requests, self._tokens = ServerLimit("requests"), ServerLimit("tokens")
        self._typical = 0.0  # average tokens of a request
        self._was_limited = self._was_answered = False  # ever; since the window last shrank
        self._same_burst = 0  # number of attempts to end before another refusal counts
        self._backoff_s, self._paused_until = 0.0, 0.0
        # The average duration of an attempt: the integral of the slots in use over time, by the attempts (Little 1961).
        self._held_s, self._integral, self._ended, self._changed_at = 0.0, 0.0, 0, clock()

    @property
    def window(self) -> float:
        """The number of requests that may be in flight at a time."""
        return self._window

    @property
    def in_use(self) -> int:
        """The number of slots in use, those of refused requests that wait included."""
        return self._in_use

    @property
    def free(self) -> int:
        """The number of free slots; if negative, of waiting requests."""
        return int(self._window) - self._in_use - len(self._waiters)

    async def acquire(self, tokens: int) -> None:
        """Wait, in the order of the calls, until a request may be sent. A cancelled call uses no slot.

        Args:
            tokens: an estimate of the request's tokens, its answer included.
        """
        if not self._waiters and self._in_use < int(self._window):
            now = self._clock()
            if self._wait(tokens, now) <= 0:
                self._take(tokens, now)
                return
        future = asyncio.get_running_loop().create_future()
        self._waiters.append((future, tokens))
        if len(self._waiters) == 1:
            self._admit()
        try:
            await future
        except asyncio.CancelledError:
            if not future.cancelled():  # it was admitted in the meantime
                self.release()
            elif self._waiters and self._waiters[0][0] is future:
                self._admit()
            raise

    def release(self) -> None:
        """Free the slot, once per `acquire`, when the attempt has ended and any `Retry-After` has passed."""
        self._count_time(self._clock())
        self._in_use -= 1
        self._ended += 1
        self._same_burst -= self._same_burst > 0
        if self._ended >= max(8, self._window):
            self._held_s, self._integral, self._ended = self._integral / self._ended, 0.0, 0
        if self._waiters:
            self._admit()

    def answered(self, headers: Mapping[str, str]) -> None:
        """Adapt to a success; called before `release`.

        Args:
            headers: of the response; case-insensitive, as aiohttp's mapping.
        """
        self._learn(headers, refused=False)
        self._was_answered, self._paused_until = True, 0.0
        self._backoff_s = self._backoff_s / 2 if self._backoff_s > self._first_pause_s else 0.0
        is_full = self._in_use >= int(self._window)  # else a larger window would show nothing
        if is_full and not (self._requests.is_low or self._tokens.is_low):
            growth = 1 / self._window if self._was_limited else 1.0
            self._window = min(self._cap, self._window + growth)

    def limited(self, headers: Mapping[str, str]) -> None:
        """Adapt to a refusal (429, 503, 529); called before `release`.

        Args:
            headers: of the response; case-insensitive, as aiohttp's mapping.
        """
        self._learn(headers, refused=True)
        if self._same_burst:
            return
        # All requests in flight were sent before this refusal: further refusals of them do not count.
        self._same_burst = self._in_use
        if self._window == 1 or (self._was_limited and not self._was_answered):
            self._backoff_s = min(self._max_wait_s, max(self._first_pause_s, 2 * self._backoff_s))
            self._paused_until = self._clock() + self._backoff_s * random.uniform(0.5, 1)
        self._window = max(1.0, SHRINK * self._window)
        self._was_limited, self._was_answered = True, False

    def _learn(self, headers: Mapping[str, str], *, refused: bool) -> None:
        now, others = self._clock(), self._in_use - 1
        self._requests.learn(headers, others, 1.0, self._held_s, now, refused=refused)
        self._tokens.learn(headers, others, self._typical, self._held_s, now, refused=refused)

    def _wait(self, tokens: int, now: float) -> float:
        """The seconds until a request may be sent, apart from the window; 0 or less for now."""
        return max(
            self._paused_until - now,
            self._requests.wait(1, now),
            self._tokens.wait(tokens, now),
            self._caps.wait(tokens, now),
        )

    def _take(self, tokens: int, now: float) -> None:
        self._count_time(now)
        self._in_use += 1
        self._typical += (tokens - self._typical) * (_SMOOTHING if self._typical else 1.0)
        self._requests.take(1, now)
        self._tokens.take(tokens, now)
        self._caps.take(tokens, now)

    def _count_time(self, now: float) -> None:
        self._integral += self._in_use * (now - self._changed_at)
        self._changed_at = now

    def _admit(self) -> None:
        """Admit the requests that may be sent now, and set a timer for the first one that may be sent later."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        while self._waiters:
            future, tokens = self._waiters[0]
            if not future.done():
                if self._in_use >= int(self._window):
                    return  # until a slot is free
                now = self._clock()
                wait = self._wait(tokens, now)
                if wait > 0:
                    self._timer = future.get_loop().call_later(max(wait, _LEAST_TIMER_S), self._admit)
                    return
                self._take(tokens, now)
                future.set_result(None)
            self._waiters.popleft()

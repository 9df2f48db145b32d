"""The rate limit in a server's `x-ratelimit-*` headers, as a token bucket.

OpenAI and compatible servers send, for `requests` and for `tokens`, the limit, the remainder and the time until the
limit is restored. They give the bucket's size, level and rate: (limit - remaining) / reset. Waiting for the bucket to
refill costs nothing, as the server would refuse an earlier request.

The headers are hints. A server may omit some (Azure sends the remainder only), define them differently, or be a proxy
for several accounts. So no wait is longer than a minute, and hints that the server's answers contradict count less and
less.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping

MAX_WAIT_S = 60.0  # the longest wait, whatever the headers say
RESERVE = 0.05  # part of the limit that is not used, as latency varies, …
RESERVE_S = 1.0  # … at most what is restored in this time, so that the last request of a day's limit can be used
DOUBTFUL_S = 0.1  # trust falls when a server has nothing left for this time and answers all the same
_PATIENCE = 4  # factor of the answers until trust falls again, each time that the headers were right
_GOOD_NEWS = 1 / 32  # weight of a header with a higher level than expected
_LONGEST_S = 31 * 86400.0  # a larger number is a date in seconds, not a duration
_SHORTEST_S = 1e-4  # a bucket that is full again sooner is no limit
_MOST = 1e12  # no server has a higher limit
_DURATION = re.compile(r"(?:\d+(?:\.\d+)?(?:ms|[dhms]))+")
_PART = re.compile(r"([\d.]+)(ms|[dhms])")
_UNITS: Mapping[str, float] = {"d": 86400.0, "h": 3600.0, "m": 60.0, "s": 1.0, "ms": 0.001}


def duration_s(text: str) -> float | None:
    """The seconds of a duration, with or without units; None for other texts, and for more than a month.

    >>> duration_s("6m0s"), duration_s("20ms"), duration_s("1h2m3.5s"), duration_s("3.2"), duration_s("soon")
    (360.0, 0.02, 3723.5, 3.2, None)
    """
    if not _DURATION.fullmatch(text):
        return _amount(text, _LONGEST_S)
    seconds = math.fsum(float(number) * _UNITS[unit] for number, unit in _PART.findall(text))
    return seconds if seconds <= _LONGEST_S else None


def _amount(text: str | None, most: float = _MOST) -> float | None:
    """A number from 0 to `most`; None for anything else."""
    try:
        amount = float(text or "nan")
    except ValueError:
        return None
    return amount if 0 <= amount <= most else None


class ServerLimit:
    """The bucket of one resource, by the headers; without headers it is no limit.

    Args:
        resource: `requests` or `tokens`, the unit of the amounts below.

    Attributes:
        is_low: whether the remainder is no more than a typical request uses.
    """

    def __init__(self, resource: str) -> None:
        self._names = [f"x-ratelimit-{part}-{resource}" for part in ("remaining", "limit", "reset")]
        self._size = self._level = self._rate = 0.0  # a rate of 0 means unknown
        self._at = 0.0  # time of the level
        self._trust = 1.0  # factor of waiting times
        self._answers, self._patience = 0, 1
        self.is_low = False

    def learn(
        self, headers: Mapping[str, str], others: int, typical: float, held_s: float, now: float, *, refused: bool
    ) -> None:
        """Read the headers of a response.

        Args:
            headers: case-insensitive, as aiohttp's mapping.
            others: number of other requests in flight.
            typical: average amount that a request uses.
            held_s: average seconds that a request is in flight.
            now: by the monotonic clock.
            refused: whether the request was refused for its rate.
        """
        remaining = _amount(headers.get(self._names[0]))
        if remaining is None:
            if not refused:  # gateways refuse without these headers
                self._rate, self.is_low = 0.0, False
            return
        self.is_low = remaining <= typical
        size = _amount(headers.get(self._names[1])) or 0.0
        reset_s = duration_s(headers.get(self._names[2]) or "") or 0.0
        if not (remaining < size and reset_s > _SHORTEST_S):
            self._rate = 0.0  # the bucket is full, or its rate unknown
            return
        level = self._level_at(now) if self._rate else math.inf
        self._rate = (size - remaining) / reset_s
        reserve = int(min(RESERVE * size, RESERVE_S * self._rate))
        self._size, self._at = size - reserve, now
        if refused:
            self._level = remaining - reserve  # a refusal is sent at once: the level is current
        else:
            # A response comes later than the server counted it. Since then the bucket was refilled for the duration
            # of a request, and the requests in flight use a part of it: the rest is left for new ones.
            stated = min(size, remaining + self._rate * held_s - others * typical) - reserve
            # A slow response shows the fuller bucket of long ago: lower levels count at once, higher ones slowly.
            self._level = stated if stated < level else level + (stated - level) * _GOOD_NEWS
        if self.is_low and refused:
            self._believe()
        elif self.is_low:
            self._doubt(typical)

    def wait(self, amount: float, now: float) -> float:
        """The seconds until an amount may be used; 0 or less for now."""
        if not self._rate:
            return 0.0
        missing = max(0.0, min(amount, self._size) - self._level)
        return self._at + min(missing / self._rate, MAX_WAIT_S) * self._trust - now

    def take(self, amount: float, now: float) -> None:
        """Use an amount, after `wait`."""
        if self._rate:
            # After a wait that was cut by MAX_WAIT_S or by the trust, the amount counts as available.
            level = max(self._level_at(now), min(amount, self._size))
            self._level, self._at = level - amount, now

    def _level_at(self, now: float) -> float:
        return min(self._size, self._level + (now - self._at) * self._rate)

    def _doubt(self, typical: float) -> None:
        """The headers say that nothing is left, and the server answers."""
        self._answers += typical / self._rate > DOUBTFUL_S
        if self._answers >= self._patience:
            self._answers, self._trust = 0, self._trust / 2

    def _believe(self) -> None:
        """The headers say that nothing is left, and the server refuses."""
        if self._trust < 1:
            self._answers, self._trust, self._patience = 0, 1.0, self._patience * _PATIENCE

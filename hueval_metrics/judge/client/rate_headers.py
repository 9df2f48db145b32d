"""What a server says of its rate limit, in `x-ratelimit-*` headers, as a bucket that refills.

OpenAI and those who copy it send, for `requests` and for `tokens`, the limit, what remains of it and how long until it
is full again. Hence the bucket's size, its level and its rate: (limit - remaining) / reset. To ask no faster than the
bucket refills costs nothing, since the server would refuse what comes sooner.

The headers are advice. A server may leave some out (Azure names the remainder alone), mean something else by them, or
be a proxy before several accounts. So no advice makes anybody wait for more than a minute, and advice that the server's
own answers contradict is followed less and less.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping

MAX_WAIT_S = 60.0  # at most, whatever the headers say
RESERVE = 0.05  # of the limit stays untouched, as latency varies, …
RESERVE_S = 1.0  # … but no more than comes back in this time: of a day's limit the last request may be used
DOUBTFUL_S = 0.1  # a server that has nothing left, not even after this time, and answers anyway is doubted
_PATIENCE = 4  # so many times more answers go before the next doubt, each time that the server was right
_GOOD_NEWS = 1 / 32  # weight of an answer that tells of a higher level than expected
_LONGEST_S = 31 * 86400.0  # a longer duration is none, but a date in seconds
_SHORTEST_S = 1e-4  # a bucket that is full again sooner limits nobody
_MOST = 1e12  # no server limits anybody to more
_DURATION = re.compile(r"(?:\d+(?:\.\d+)?(?:ms|[dhms]))+")
_PART = re.compile(r"([\d.]+)(ms|[dhms])")
_UNITS: Mapping[str, float] = {"d": 86400.0, "h": 3600.0, "m": 60.0, "s": 1.0, "ms": 0.001}


def duration_s(text: str) -> float | None:
    """The seconds of a duration, with or without units; None when it is none, or longer than a month.

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
    """The bucket of one resource, as the headers describe it; one of which nothing is known does not block.

    Args:
        resource: `requests` or `tokens`; amounts below are in this unit.

    Attributes:
        is_low: whether next to nothing remained.
    """

    def __init__(self, resource: str) -> None:
        self._names = [f"x-ratelimit-{part}-{resource}" for part in ("remaining", "limit", "reset")]
        self._size = self._level = self._rate = 0.0  # a rate of 0 stands for "not known"
        self._at = 0.0  # when the level was that
        self._trust = 1.0  # the share of a waiting time that is waited for
        self._answers, self._patience = 0, 1
        self.is_low = False

    def learn(
        self, headers: Mapping[str, str], others: int, typical: float, held_s: float, now: float, *, refused: bool
    ) -> None:
        """Read the headers of an answer or of a refusal.

        Args:
            headers: those of the server's reply; names in any case, as in aiohttp's mapping.
            others: how many other requests are under way.
            typical: what a request takes, on average.
            held_s: how long a request is under way, on average.
            now: by the monotonic clock.
            refused: whether the request was refused for its rate.
        """
        remaining = _amount(headers.get(self._names[0]))
        if remaining is None:
            if not refused:  # gateways refuse without these headers, too
                self._rate, self.is_low = 0.0, False
            return
        self.is_low = remaining <= typical
        size = _amount(headers.get(self._names[1])) or 0.0
        reset_s = duration_s(headers.get(self._names[2]) or "") or 0.0
        if not (remaining < size and reset_s > _SHORTEST_S):
            self._rate = 0.0  # all is there, or nobody knows when more comes
            return
        level = self._level_at(now) if self._rate else math.inf
        self._rate = (size - remaining) / reset_s
        reserve = int(min(RESERVE * size, RESERVE_S * self._rate))
        self._size, self._at = size - reserve, now
        if refused:
            self._level = remaining - reserve  # a refusal comes at once: this is the level now
        else:
            # An answer comes later than it was counted. Meanwhile the bucket was refilled for as long as a request
            # takes, and those under way were taken out or will be: the rest is there for new ones.
            told = min(size, remaining + self._rate * held_s - others * typical) - reserve
            # A slow answer tells of a fuller bucket long ago: bad news is believed at once, good news slowly.
            self._level = told if told < level else level + (told - level) * _GOOD_NEWS
        if self.is_low and refused:
            self._believe()
        elif self.is_low:
            self._doubt(typical)

    def wait(self, amount: float, now: float) -> float:
        """The seconds until so much may be taken; not above 0 when it may be at once."""
        if not self._rate:
            return 0.0
        missing = max(0.0, min(amount, self._size) - self._level)
        return self._at + min(missing / self._rate, MAX_WAIT_S) * self._trust - now

    def take(self, amount: float, now: float) -> None:
        """Take so much, after `wait`."""
        if self._rate:
            # Who has waited for as long as a server may ask for, or as it is believed, is owed the amount.
            level = max(self._level_at(now), min(amount, self._size))
            self._level, self._at = level - amount, now

    def _level_at(self, now: float) -> float:
        return min(self._size, self._level + (now - self._at) * self._rate)

    def _doubt(self, typical: float) -> None:
        """It says that nothing is left, and answers."""
        self._answers += typical / self._rate > DOUBTFUL_S
        if self._answers >= self._patience:
            self._answers, self._trust = 0, self._trust / 2

    def _believe(self) -> None:
        """It says that nothing is left, and refuses."""
        if self._trust < 1:
            self._answers, self._trust, self._patience = 0, 1.0, self._patience * _PATIENCE

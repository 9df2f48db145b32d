"""When a judging ends before all items are answered: after failures in a row, or after a time without any reply."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from typing import TYPE_CHECKING

from hueval_metrics.judge.progress import counts_of
from hueval_metrics.judge.settings import JudgeSettings
from hueval_metrics.progress import duration

if TYPE_CHECKING:
    from hueval_metrics.judge.client.client import JudgeClient

GIVE_UP_AFTER = 20  # items in a row without a reply …
PATIENCE_S = 120.0  # … and no reply for this long, unless there was never one
_LOOK_S = 1.0
_FIXES = {  # the most frequent way in which attempts ended → what helps
    "time-out": "It is too slow for what it is sent: lower HUEVAL_JUDGE_CONCURRENCY, or raise HUEVAL_JUDGE_TIMEOUT_S",
    "HTTP 429": "Its rate limit is used up: wait, use another key, or lower HUEVAL_JUDGE_RPM",
}


class Patience:
    """Counts the failures of one judging."""

    def __init__(self) -> None:
        self._failures = 0  # in a row
        self._last_reply: float | None = None

    def replied(self) -> None:
        """Note a verdict."""
        self._failures, self._last_reply = 0, time.monotonic()

    def failed(self) -> int:
        """Note an item without a reply; returns how many there were in a row if asking should stop, else 0."""
        self._failures += 1
        silent_s = PATIENCE_S if self._last_reply is None else time.monotonic() - self._last_reply
        return self._failures if self._failures >= GIVE_UP_AFTER and silent_s >= PATIENCE_S else 0


async def silence(client: JudgeClient, settings: JudgeSettings, is_asked: Callable[[], bool]) -> str:
    """Wait until the judge has not replied for `silence_s`, or for a whole time-out, if that is longer.

    Args:
        client: counts replies and faults.
        settings: of the judging.
        is_asked: whether any item waits for the judge now.

    Returns:
        Why asking should stop, and what would help.
    """
    waits_since = time.monotonic()
    while True:
        await asyncio.sleep(min(_LOOK_S, settings.silence_s / 4))
        now = time.monotonic()
        waits_since = waits_since if is_asked() else now
        limit_s = max(settings.silence_s, client.patience_s)
        if now - max(waits_since, client.answered_at) >= limit_s:
            most = max(client.faults, key=client.faults.__getitem__, default="")
            fix = _FIXES.get(most, "Look at the log of its server")
            counts = f": {counts_of(client.faults)}" if client.faults else ""
            return f"no reply for {duration(limit_s)} (HUEVAL_JUDGE_SILENCE_S){counts}. {fix}"

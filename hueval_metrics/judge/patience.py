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


def is_hopeless(failures: int, last_reply: float | None) -> bool:
    """Whether asking should stop after so many items in a row without a reply, and none since a time (None: never)."""
    return failures >= GIVE_UP_AFTER and (last_reply is None or time.monotonic() - last_reply >= PATIENCE_S)


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

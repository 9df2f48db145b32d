"""When a judging ends before all items are answered: after failures in a row, or after a time without any reply."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Mapping
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


def why_hopeless(failures: int, last_reply: float | None, error: Exception, faults: Mapping[str, int]) -> str:
    """Why asking should stop after so many items in a row without a reply, and none since a time (None: never).

    Returns:
        The reason and what would help; empty where asking should go on.
    """
    if failures < GIVE_UP_AFTER or (last_reply is not None and time.monotonic() - last_reply < PATIENCE_S):
        return ""
    return f"{failures} requests in a row failed, the last one: {error}. {what_helps(faults)}"


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
            counts = f": {counts_of(client.faults)}" if client.faults else ""
            return f"no reply for {duration(limit_s)} (HUEVAL_JUDGE_SILENCE_S){counts}. {what_helps(client.faults)}"


def what_helps(faults: Mapping[str, int]) -> str:
    """What the user can do against the most frequent way in which attempts ended."""
    most = max(faults, key=faults.__getitem__, default="")
    return _FIXES.get(most, "Look at the log of its server")

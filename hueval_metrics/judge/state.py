"""What a judging was given, what of it is in progress, and what was counted so far; used by its loop (`loop.py`)."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from hueval_metrics.judge.progress import of_rank
from hueval_metrics.judge.queue import Judged, VerdictQueue
from hueval_metrics.judge.settings import JudgeSettings
from hueval_metrics.records import Usage


@dataclass(slots=True)
class Given:
    """What a judging was given.

    Attributes:
        source: the items that were not read yet.
        rubric: the rubric's name, with its version once it is loaded.
        settings: the judge.
        queue: where the verdicts are emitted.
        total: number of items, where known.
        task: see `engine.judge_stream`.
    """

    source: Iterator[tuple[Mapping[str, Any], str]]
    rubric: str
    settings: JudgeSettings
    queue: VerdictQueue
    total: int | None = None
    task: str = ""

    @property
    def name(self) -> str:
        """How messages name the judging."""
        return (f"{self.rubric}, {self.task}" if self.task else self.rubric) + of_rank()


@dataclass(slots=True)
class UnderWay:
    """What is in progress.

    Attributes:
        jobs: by key, the first item of each request that was read and is not answered.
        todo: those of them that were not asked yet.
        fetched: by key, what the replies cost that a batch has just put into the cache.
        is_drained: whether all items have been read.
        broken: why no more items can be read.
        reason: why asking stopped; empty before.
        done: all items are read and answered, or asking has stopped.
        answered: the judge has answered a request.
        is_cancelled: whether the caller has ended the judging.
        loop, main: of the engine's thread, once it runs.
    """

    jobs: dict[str, Judged] = field(default_factory=dict)
    todo: asyncio.Queue[Judged] = field(default_factory=asyncio.Queue)
    fetched: dict[str, Usage] = field(default_factory=dict)
    is_drained: bool = False
    broken: Exception | None = None
    reason: str = ""
    done: asyncio.Event = field(default_factory=asyncio.Event)
    answered: asyncio.Event = field(default_factory=asyncio.Event)
    is_cancelled: bool = False
    loop: asyncio.AbstractEventLoop | None = None
    main: asyncio.Task[None] | None = None

    def look_whether_done(self, *, in_batches: bool) -> None:
        """Set `done` when no item is left; in batches only those that were read are waited for."""
        if not self.jobs and (self.is_drained or in_batches):
            self.done.set()


@dataclass(slots=True)
class Counted:
    """What was counted.

    Attributes:
        seen, cached: items read, and those of them that were answered from the cache.
        made, made_bytes: requests prepared, and their length.
        failures: requests in a row without a reply.
        last_reply: when the last reply came, by the monotonic clock.
        usage: what all replies cost.
        started: when judging began.
    """

    seen: int = 0
    cached: int = 0
    made: int = 0
    made_bytes: int = 0
    failures: int = 0
    last_reply: float | None = None
    usage: Usage = field(default_factory=Usage)
    started: float = field(default_factory=time.monotonic)

    def replied(self) -> None:
        """Count a reply: the failures before it are none in a row."""
        self.failures, self.last_reply = 0, time.monotonic()

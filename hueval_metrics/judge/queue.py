"""The items of a judging with their verdicts, and their queue from the engine's thread to the caller's."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from queue import Empty, SimpleQueue
from typing import Any

from hueval_metrics.records import Usage, Verdict

EMIT_S = 0.02  # verdicts are emitted in chunks, as each chunk wakes the waiting thread
LOOK_S = 0.5  # time-out of the waiting thread, since some systems deliver signals between waits only

Items = Iterable[tuple[Mapping[str, Any], str]]


class Again(dict[str, Any]):
    """A document that the same judge is asked about a second time, past its first reply in the cache."""


@dataclass(slots=True, eq=False)
class Judged:
    """One item of a judging, from its request to its verdict.

    Attributes:
        doc, messages, key: what is asked: the document, the chat messages as JSON, and the cache key of the request.
        paid: what the request has cost before it is asked; None where nothing is known to be paid.
        verdict: the verdict, with what it cost and whether it is from the cache; None until it is set, once.
        same: later items with the same request, which are answered with it.
    """

    doc: Mapping[str, Any] = field(default_factory=dict)
    messages: bytes = b""
    key: str = ""
    paid: Usage | None = None
    verdict: Verdict | None = None
    same: list[Judged] = field(default_factory=list)

    def drop_request(self) -> None:
        """Free what is no longer asked: thousands of items may wait for the slow verdict of an earlier one."""
        self.doc, self.messages = {}, b""
        self.same.clear()


class VerdictQueue:
    """Verdicts from the engine's thread to the caller's, in the order of the items."""

    def __init__(self) -> None:
        self._order: deque[Judged] = deque()  # not emitted yet
        self._emitted = 0  # written by the engine's thread only
        self._taken = 0  # written by the caller's thread only
        self._is_due = False
        self._queue: SimpleQueue[list[Verdict] | BaseException | None] = SimpleQueue()

    def verdicts(self) -> Iterator[Verdict]:
        """The verdicts, in order, in the caller's thread; raises the error that `end` was given."""
        while True:
            try:
                chunk = self._queue.get(timeout=LOOK_S)
            except Empty:
                continue
            if chunk is None:
                return
            if isinstance(chunk, BaseException):
                raise chunk
            yield from chunk
            self._taken += len(chunk)

    @property
    def size(self) -> int:
        """The number of items whose verdicts the caller has not taken."""
        return len(self._order) + self._emitted - self._taken

    def add(self, item: Judged) -> Judged:
        """Add the next item, and return it."""
        self._order.append(item)
        return item

    def emit_soon(self) -> None:
        """Emit within `EMIT_S`; to be called after verdicts were set."""
        if not self._is_due and self._order and self._order[0].verdict is not None:
            self._is_due = True
            asyncio.get_running_loop().call_later(EMIT_S, self.emit)

    def emit(self) -> None:
        """Emit all verdicts up to the first item without one."""
        self._is_due = False
        chunk = []
        while self._order and (verdict := self._order[0].verdict) is not None:
            chunk.append(verdict)
            self._order.popleft()
        if chunk:
            self._emitted += len(chunk)
            self._queue.put(chunk)

    def fill(self, verdict: Verdict) -> None:
        """Set the verdict of all items without one."""
        for item in self._order:
            item.verdict = item.verdict or verdict

    def end(self, error: BaseException | None = None) -> None:
        """End the iteration in the caller's thread, with an error if there is one."""
        self._queue.put(error)

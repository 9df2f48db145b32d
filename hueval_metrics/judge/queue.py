"""The items of a judging, and the queue of its verdicts from the engine's thread to the caller's."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from queue import Empty, SimpleQueue
from typing import Any

from hueval_metrics.records import Verdict

EMIT_S = 0.02  # verdicts are emitted in chunks, as each chunk wakes the waiting thread
LOOK_S = 0.5  # time-out of the waiting thread, since some systems deliver signals between waits only

Items = Iterable[tuple[Mapping[str, Any], str]]


@dataclass(slots=True)
class Slot:
    """The place of one item in the order; its verdict is set once."""

    verdict: Verdict | None = None


class VerdictQueue:
    """Verdicts from the engine's thread to the caller's, in the order of the items."""

    def __init__(self) -> None:
        self._order: deque[Slot] = deque()  # not emitted yet
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

    def slot(self) -> Slot:
        """A slot for the next item."""
        slot = Slot()
        self._order.append(slot)
        return slot

    def emit_soon(self) -> None:
        """Emit within `EMIT_S`; to be called after slots were filled."""
        if not self._is_due and self._order and self._order[0].verdict is not None:
            self._is_due = True
            asyncio.get_running_loop().call_later(EMIT_S, self.emit)

    def emit(self) -> None:
        """Emit all verdicts up to the first empty slot."""
        self._is_due = False
        chunk = []
        while self._order and (verdict := self._order[0].verdict) is not None:
            chunk.append(verdict)
            self._order.popleft()
        if chunk:
            self._emitted += len(chunk)
            self._queue.put(chunk)

    def fill(self, verdict: Verdict) -> None:
        """Put a verdict into all empty slots."""
        for slot in self._order:
            slot.verdict = slot.verdict or verdict

    def end(self, error: BaseException | None = None) -> None:
        """End the iteration in the caller's thread, with an error if there is one."""
        self._queue.put(error)

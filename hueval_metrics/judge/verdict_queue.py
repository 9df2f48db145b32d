"""Verdicts from the engine's thread to the caller's, in the order of the items."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass
from queue import Empty, SimpleQueue

from hueval_metrics.records import Verdict

EMIT_S = 0.02  # verdicts are emitted in chunks, as each chunk wakes the waiting thread
_LOOK_S = 0.5  # between looks of the waiting thread at signals, which some systems do not let through


@dataclass(slots=True)
class Slot:
    """The place of one item in the order; filled once."""

    verdict: Verdict | None = None


class VerdictQueue:
    """The slots that are not emitted yet, and the queue between the two threads."""

    def __init__(self) -> None:
        self._order: deque[Slot] = deque()
        self._handed = 0  # written by the engine's thread alone, …
        self._taken = 0  # … this by the caller's
        self._is_due = False
        self._queue: SimpleQueue[list[Verdict] | BaseException | None] = SimpleQueue()

    # ---- the caller's thread ----

    def verdicts(self) -> Iterator[Verdict]:
        """The verdicts, in order, as they come; raises what `end` was given."""
        while True:
            try:
                chunk = self._queue.get(timeout=_LOOK_S)
            except Empty:
                continue
            if chunk is None:
                return
            if isinstance(chunk, BaseException):
                raise chunk
            yield from chunk
            self._taken += len(chunk)

    # ---- the engine's thread ----

    @property
    def size(self) -> int:
        """How many items were read whose verdicts the caller has not taken."""
        return len(self._order) + self._handed - self._taken

    def slot(self) -> Slot:
        """A place for the next item."""
        slot = Slot()
        self._order.append(slot)
        return slot

    def emit_soon(self) -> None:
        """Emit soon what is filled without a gap; to be called after slots were filled."""
        if not self._is_due and self._order and self._order[0].verdict is not None:
            self._is_due = True
            asyncio.get_running_loop().call_later(EMIT_S, self.emit)

    def emit(self) -> None:
        """Emit what is filled without a gap."""
        self._is_due = False
        chunk = []
        while self._order and (verdict := self._order[0].verdict) is not None:
            chunk.append(verdict)
            self._order.popleft()
        if chunk:
            self._handed += len(chunk)
            self._queue.put(chunk)

    def fill(self, verdict: Verdict) -> None:
        """Put a verdict into all slots that are empty."""
        for slot in self._order:
            slot.verdict = slot.verdict or verdict

    def end(self, error: BaseException | None = None) -> None:
        """Nothing more will come; the caller gets the error, if there is one."""
        self._queue.put(error)

"""Which batches are running at a server: facts in the judge's cache, so that any process can collect their replies.

A batch is stored before it is created, its id when the server has answered, and it is deleted when its replies are in
the cache. A batch without an id, read under the lock, belongs to a process that was killed in between: it may exist at
the server or not.
"""

from __future__ import annotations

import asyncio
import hashlib
import logging
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager, suppress
from dataclasses import asdict, dataclass

from hueval_metrics.judge.cache.replies import ReplyCache

_LOCK_POLL_S = 0.05
_LOCK_MAX_POLL_S = 1.0

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class StoredBatch:
    """A running batch.

    Attributes:
        created: when it was stored, in seconds since 1970.
        max_tokens: the longest reply to one of its requests.
        requests: the length of each request's body in bytes, by key.
        id: the server's id of it; None when none was stored.
    """

    created: float
    max_tokens: int
    requests: Mapping[str, int]
    id: str | None = None


class BatchStore:
    """The batches of one server, model and rubric, by token: our own name of a batch. No method raises.

    Args:
        cache: stores them.
        server: the address of the server's API, without secrets.
        model: the judge's model id.
        rubric: name and version of the rubric.
    """

    def __init__(self, cache: ReplyCache, server: str, model: str, rubric: str) -> None:
        self._cache = cache
        self._prefix = f"batch {server} {model} {rubric} "
        # A lock for each server: one that does not answer must not block judgings at another.
        self._lock = hashlib.sha256(f"batches {server}".encode()).hexdigest()
        self._is_logged = False

    @asynccontextmanager
    async def locked(self) -> AsyncIterator[None]:
        """Lock the server's batches for this judging, between reading the list and adding to it."""
        wait_s = _LOCK_POLL_S
        while not self._cache.claim(self._lock):
            await asyncio.sleep(wait_s)
            wait_s = min(2 * wait_s, _LOCK_MAX_POLL_S)
        try:
            yield
        finally:
            self._cache.release(self._lock)

    def batches(self) -> dict[str, StoredBatch]:
        """All batches by token, the oldest first; a row of another form, such as a later version's, is left alone."""
        found = {}
        for token, fact in self._cache.recall_all(self._prefix).items():
            with suppress(TypeError):
                found[token] = StoredBatch(**fact)
        return dict(sorted(found.items(), key=lambda item: item[1].created))

    def put(self, token: str, batch: StoredBatch) -> None:
        """Store a batch, or replace what is stored of it."""
        if not self._cache.remember(self._prefix + token, asdict(batch)) and not self._is_logged:
            self._is_logged = True
            log.warning(
                "The ids of batches cannot be stored: a run that is stopped before its batches are ready will pay for "
                "them again."
            )

    def is_open(self, token: str) -> bool:
        """Whether a batch is still to be collected: False once another process has done so."""
        return self._cache.recall(self._prefix + token) is not None or not self._cache.is_usable

    def delete(self, token: str) -> None:
        """Delete a batch that is collected, or was never created."""
        self._cache.remember(self._prefix + token, None)

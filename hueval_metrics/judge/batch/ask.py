"""Requests through a server's Batch API, at about half the price: submitted, waited for, collected.

A batch outlives the process that created it. Any process that has one of its requests to ask collects it: the same one,
a later one after a kill, or another one that runs at the same time.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from tempfile import TemporaryFile
from typing import IO, Any
from uuid import uuid4

from hueval_metrics.judge.batch.answers import Keep, is_cut, read_answers
from hueval_metrics.judge.batch.api import ENDPOINT, Batch, BatchApi, BatchUnavailableError
from hueval_metrics.judge.batch.store import BatchStore, StoredBatch
from hueval_metrics.judge.cache.replies import ReplyCache
from hueval_metrics.judge.client.chat_api import body_of
from hueval_metrics.judge.ledger import Ledger, Reservation
from hueval_metrics.judge.settings import JudgeSettings
from hueval_metrics.one_line import one_line
from hueval_metrics.records import Usage

MAX_REQUESTS = 50_000  # in a batch, and …
MAX_BYTES = 200 * 10**6  # … in its file: OpenAI's API reference, "Create batch"
RESUBMISSIONS = 2  # of a request that failed or expired; then it is left to the live calls
MISSES = 3  # consecutive looks at a batch that the server does not know, perhaps for a moment; then it is lost
_BYTES_AN_ANSWER = 65_536  # the room for each answer in a file; most have a kilobyte or two
_ROOM = 2**20  # the room for the rest of the file
_CUT_TRIES = 3  # downloads of a file that ends in the middle of a line
_QUEUE_FULL = "token_limit_exceeded"  # OpenAI limits the tokens of all running batches: 90,000 for a new account

_LINE = b'{"custom_id":"%b","method":"POST","url":"%b","body":%b}\n'

log = logging.getLogger(__name__)


@dataclass(frozen=True)
class BatchOutcome:
    """The outcome of each request. Those that are in none of the four are to be asked live.

    Attributes:
        usage: the tokens of the replies that came now, by key, including replies that could not be parsed.
        pending: the ids of batches that are not finished.
        pending_keys: their requests, which are paid for and not to be asked live now.
        unaffordable_keys: requests that could exceed the budget.
        problem: why requests are left to the live calls, in one line that is in the log already; None without one.
    """

    usage: Mapping[str, Usage]
    pending: tuple[str, ...] = ()
    pending_keys: frozenset[str] = frozenset()
    unaffordable_keys: frozenset[str] = frozenset()
    problem: str | None = None


async def ask_in_batches(
    requests: Mapping[str, bytes],
    params: Mapping[str, Any],
    rubric: str,
    settings: JudgeSettings,
    cache: ReplyCache,
    keep: Keep,
    ledger: Ledger,
    until: float,
    report: Callable[[str], object] = str,
) -> BatchOutcome:
    """Ask the judge in batches.

    Args:
        requests: the messages of each request as JSON, by key.
        params: the parameters of all requests, `max_tokens` among them.
        rubric: name and version of the rubric, such as `toyqa/1`.
        settings: where to ask; of several servers, the first one makes the batches.
        cache: stores the ids of batches.
        keep: stores a reply under the key of its request, if it can be parsed. It is also called with the replies to
            requests of an earlier run that were in the same batch.
        ledger: where every request is reserved and settled, at the price of a batch.
        until: when to stop waiting, by `time.monotonic`.
        report: called with how many requests the server reports as completed; with an empty text at the end.

    Returns:
        The outcome of each request. A request whose reply another process has collected meanwhile is in the cache and
        not in the outcome.

    Raises:
        JudgeUnusableError: the judge cannot be used at all.
        asyncio.CancelledError: it was cancelled; batches go on at the server, and the next call collects them.
    """
    async with BatchApi(settings) as server:
        store = BatchStore(cache, server.address, settings.model, rubric)
        return await _Batches(requests, params, rubric, settings, server, store, keep, ledger, report).run(until)


@dataclass
class _Running:
    """A running batch.

    Attributes:
        open: its unanswered requests, and what is reserved for each.
        id: the server's id of it; empty until the server has answered.
        is_sent: whether the server may have created it.
        done: how many of its requests the server has finished.
        misses: how many times in a row the server did not know it.
    """

    open: dict[str, Reservation] = field(default_factory=dict)
    id: str = ""
    is_sent: bool = False
    done: int = 0
    misses: int = 0


@dataclass
class _Batches:
    """One call of `ask_in_batches`.

    Attributes:
        waiting: keys of requests that are in no batch and may be put into one, in order.
        tries: how often each request was resubmitted.
        usage: the tokens of the replies, by key.
        running: the running batches, by token.
        is_short: whether the request after the last batch did not fit the budget.
        problem: why the rest is left to the live calls.
        most: the largest number of requests in a batch.
        one_by_one: whether the server's queue was full once, so that the next batch waits for the last.
    """

    requests: Mapping[str, bytes]
    params: Mapping[str, Any]
    rubric: str
    settings: JudgeSettings
    server: BatchApi
    store: BatchStore
    keep: Keep
    ledger: Ledger
    report: Callable[[str], object]
    waiting: dict[str, None] = field(init=False)
    tries: Counter[str] = field(default_factory=Counter)
    usage: dict[str, Usage] = field(default_factory=dict)
    running: dict[str, _Running] = field(default_factory=dict)
    is_short: bool = False
    problem: str | None = None
    most: int = field(default_factory=lambda: MAX_REQUESTS)
    one_by_one: bool = False

    def __post_init__(self) -> None:
        self.waiting = dict.fromkeys(self.requests)

    async def run(self, until: float) -> BatchOutcome:
        """See `ask_in_batches`."""
        deadline = asyncio.timeout(max(0.0, until - time.monotonic()))
        try:
            async with deadline:
                async with self.store.locked():
                    await self._adopt()
                    await self._submit()
                await self._wait()
        except OSError as error:  # the deadline's TimeoutError, or of a file: those of the network are JudgeErrors
            if not deadline.expired():
                self._leave_to_live_calls(f"writing to the disk failed: {one_line(error.strerror or error)}")
        finally:
            self._leave_running()
        return BatchOutcome(
            usage=self.usage,
            pending=tuple(batch.id for batch in self.running.values() if batch.id),
            pending_keys=frozenset(key for batch in self.running.values() for key in batch.open),
            unaffordable_keys=frozenset(self.waiting if self.is_short and not self.problem else ()),
            problem=self.problem,
        )

    # ---- into batches; the store is locked ----

    async def _adopt(self) -> None:
        """Find the requests that are in a batch already: of an earlier run that was stopped, or of another process."""
        for token, stored in self.store.batches().items():
            if token in self.running or self.waiting.keys().isdisjoint(stored.requests):
                continue
            batch_id = stored.id
            if batch_id is None:
                found = await self.server.find(token)
                if found is None:
                    self.store.delete(token)
                    continue
                batch_id = found.id
                self.store.put(token, replace(stored, id=batch_id))
            self.running[token] = batch = _Running(id=batch_id, is_sent=True)
            # They are on the bill already: no budget can refuse them, but they count against it.
            free = replace(self.settings, budget_usd=None)
            for key, size in stored.requests.items():
                if reservation := self._reserve(size, stored.max_tokens, free):
                    batch.open[key] = reservation
            self._place(stored.requests)
            self._say(f"batch {batch_id} with {len(batch.open):,} requests is resumed")

    async def _submit(self) -> None:
        """Put all waiting requests into batches, as far as the server and the budget allow."""
        while not self.problem and not (self.one_by_one and self.running):
            token, batch = uuid4().hex, _Running()
            self.running[token] = batch
            with TemporaryFile() as file:  # without a name: it disappears with the process, even when that is killed
                await self._fill(batch, file)
                if not batch.open:
                    del self.running[token]
                    return
                self._place(batch.open)
                sizes = {key: reservation.prompt_bytes for key, reservation in batch.open.items()}
                stored = StoredBatch(time.time(), self.params["max_tokens"], sizes)
                try:
                    file_id = await self.server.upload(file)
                    self.store.put(token, stored)
                    batch.is_sent = True
                    made = await self.server.create(file_id, token)
                except BatchUnavailableError as error:
                    self._end(token, was_made=False)
                    self._leave_to_live_calls(str(error))
                    return
            batch.id = made.id
            self.store.put(token, replace(stored, id=made.id))
            more = "; the budget covers no more at a time, the rest follows when this batch is settled" * self.is_short
            self._say(
                f"batch {made.id} of {len(sizes):,} submitted to {self.server.address}; it may take up to 24 h. "
                f"Stop any time, the same command collects it{more}"
            )

    async def _fill(self, batch: _Running, file: IO[bytes]) -> None:
        """Write the requests of one batch into a file, as many as the server allows and the budget covers."""
        size, max_tokens = 0, self.params["max_tokens"]
        self.is_short = False
        for key in self.waiting:
            body = body_of(self.settings.model, self.requests[key], self.params)
            line = _LINE % (key.encode(), ENDPOINT.encode(), body)
            if batch.open and (len(batch.open) >= self.most or size + len(line) > MAX_BYTES):
                return
            reservation = self._reserve(len(body), max_tokens, self.settings)
            if reservation is None:  # it may fit once a batch is settled, which costs less than was reserved
                self.is_short = True
                return
            batch.open[key] = reservation
            size += len(line)
            file.write(line)
            await asyncio.sleep(0)  # a cancellation must not wait for the last line

    def _place(self, keys: Iterable[str]) -> None:
        """Note that requests are in a batch."""
        for key in keys:
            self.waiting.pop(key, None)

    def _reserve(self, size: int, max_tokens: int, settings: JudgeSettings) -> Reservation | None:
        return self.ledger.reserve(settings.model, size, max_tokens, settings, batch=True)

    # ---- out of batches ----

    async def _wait(self) -> None:
        """Look at the batches until none is running."""
        looks = 0
        while self.running:
            for token, batch in list(self.running.items()):
                seen = await self.server.look(batch.id)
                # One that is over may get its files a moment later.
                is_missing = seen is None or (seen.is_over and seen.done and not seen.files)
                batch.misses = batch.misses + 1 if is_missing else 0
                if batch.misses == MISSES or (seen and seen.is_over and not is_missing):
                    await self._finish(token, seen)
                elif seen:
                    batch.done = seen.done
            if self.running:
                total, done = (
                    sum(n) for n in zip(*((len(b.open), b.done) for b in self.running.values()), strict=True)
                )
                self.report(f"batch: {done:,} of {total:,} completed")
                looks += 1
                await asyncio.sleep(self.settings.retry.pause_s(looks))
        self.report("")

    async def _finish(self, token: str, seen: Batch | None) -> None:
        """Collect a finished batch, and resubmit what failed in it."""
        batch = self.running[token]
        with ExitStack() as stack:
            files: list[IO[bytes]] = []
            try:
                for file_id in seen.files if seen else ():
                    files.append(stack.enter_context(TemporaryFile()))
                    await self._download(file_id, files[-1], len(batch.open))
            except BatchUnavailableError as error:
                self._leave_to_live_calls(f"the answers of batch {batch.id} cannot be downloaded: {error}")
            # Within one lock, so that another process that waits for the same batch finds either it or the next one.
            async with self.store.locked():
                if not self.store.is_open(token):
                    await self._leave_to_other(token)
                elif seen is None:
                    self._say(f"{self.server.address} knows no batch {batch.id} any more")
                    self._end(token, was_billed=True)
                elif seen.status == "failed":
                    self._rejected(token, seen)
                else:
                    await self._collect(token, seen, files)
                await self._submit()

    async def _download(self, file_id: str, file: IO[bytes], count: int) -> None:
        for _ in range(_CUT_TRIES):
            there = await self.server.download(file_id, file, count * _BYTES_AN_ANSWER + _ROOM)
            if not there or not is_cut(file):
                return

    async def _collect(self, token: str, seen: Batch, files: Iterable[IO[bytes]]) -> None:
        """Store the replies, and end the batch."""
        batch = self.running[token]
        found = await read_answers(files, batch.open, self.params, self.keep, self.ledger, self.settings)
        self.usage |= found.usage
        is_whole = seen.status == "completed"
        if found.unreadable or found.unknown or (is_whole and batch.open):
            self._say(
                f"batch {seen.id}: {found.unreadable:,} lines of its answers cannot be parsed, {found.unknown:,} are "
                f"of unknown requests, {len(batch.open):,} requests have no answer"
            )
        if seen.status == "cancelled":  # by a person, who will not want it made again
            self._leave_to_live_calls(f"batch {seen.id} was cancelled at {self.server.address}")
        elif found.refused:
            self._leave_to_live_calls(f"batch {seen.id}: the judge does not accept {', '.join(sorted(found.refused))}")
        self._end(token, found.retry, was_billed=is_whole)

    def _rejected(self, token: str, seen: Batch) -> None:
        """The server has refused a batch as a whole; if its queue was full, try a smaller one, or try again later."""
        size = len(self.running[token].open)
        self._end(token, was_made=False)
        if seen.code != _QUEUE_FULL or (size == 1 and not self.running):
            why = seen.message or seen.code or "no reason given"
            self._leave_to_live_calls(f"{self.server.address} refuses batch {seen.id}: {why}")
            return
        self.one_by_one = True
        if not self.running:
            self.most = max(1, size // 2)
        said = seen.message.rstrip(".")
        self._say(
            f"the queue of {self.server.address} is full ({said}); smaller batches are submitted one after the other"
        )

    async def _leave_to_other(self, token: str) -> None:
        """Another process has collected a batch: its replies are in the cache, and it has resubmitted what failed."""
        batch = self.running.pop(token)
        self._release(batch)
        self._free(batch.open)
        await self._adopt()
        self._place(batch.open)

    def _end(self, token: str, retry: Iterable[str] = (), *, was_made: bool = True, was_billed: bool = False) -> None:
        """Forget a batch. Its unanswered requests wait for another one, unless they failed too often."""
        batch = self.running.pop(token)
        self._release(batch, was_billed)
        again = [*retry, *batch.open]
        self.tries.update(again if was_made else ())
        self._free(key for key in again if self.tries[key] <= RESUBMISSIONS)
        self.store.delete(token)

    def _free(self, keys: Iterable[str]) -> None:
        """Let requests wait for another batch, except those of an earlier run."""
        self.waiting |= dict.fromkeys(key for key in keys if key in self.requests)

    def _release(self, batch: _Running, was_billed: bool = False) -> None:
        for reservation in batch.open.values():
            (self.ledger.forfeit if was_billed else self.ledger.release)(reservation)

    def _leave_to_live_calls(self, problem: str) -> None:
        """Submit nothing more; running batches are still waited for."""
        if self.problem is None:
            self.problem = problem
            self._say(f"{problem}. What no batch has answered is asked live")

    def _leave_running(self) -> None:
        """Leave the batches that are not finished to a later run."""
        for token, batch in list(self.running.items()):
            self._release(batch, was_billed=batch.is_sent)
            if not batch.is_sent:
                del self.running[token]
        if self.running:
            names = ", ".join(f"batch {batch.id or '(no id yet)'}" for batch in self.running.values())
            count = sum(len(batch.open) for batch in self.running.values())
            self._say(
                f"{names} not ready, {count:,} requests in all. The server goes on with them, and the same command "
                "collects them later"
            )

    def _say(self, text: str) -> None:
        """Log a line, as a warning: `hueval score` shows nothing below."""
        log.warning("%s: %s.", self.rubric, text)

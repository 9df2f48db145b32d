"""Requests through a server's Batch API, at about half the price: submitted, waited for, collected, mapped back by id.

A batch outlives the process that asked for it. Whoever has one of its requests to ask collects it: this process, a
later one after a kill, or another one that runs beside it.
"""

from __future__ import annotations

import asyncio
import logging
import sqlite3
import sys
import time
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from tempfile import TemporaryFile
from typing import IO, Any
from uuid import uuid4

from hueval_metrics.judge.batch.answers import BREATH, BatchOutcome, Keep, is_cut, read_answers
from hueval_metrics.judge.batch.api import ENDPOINT, Batch, BatchApi, BatchUnavailableError, DiskError, on_disk
from hueval_metrics.judge.batch.store import BatchStore, StoredRequest
from hueval_metrics.judge.client.requests import body_of
from hueval_metrics.judge.ledger import Ledger, Reservation
from hueval_metrics.judge.settings import JudgeSettings
from hueval_metrics.records import Usage
from hueval_metrics.text.one_line import one_line

MAX_REQUESTS = 50_000  # in a batch, and …
MAX_BYTES = 200 * 10**6  # … in its file: OpenAI's API reference, "Create batch"
RESUBMISSIONS = 2  # of a request that failed or expired; then it is left to the live calls
POLL_S = 1.0  # before the second look at a batch; grows by half each time …
MAX_POLL_S = 60.0  # … up to this
MISSES = 3  # looks in a row at a batch that the server does not know, which it may in a bad moment; then it is lost
_BYTES_AN_ANSWER = 65_536  # of room for each in a file of answers; one has a kilobyte or two
_ROOM = 2**20  # beside
_CUT_TRIES = 3  # how often a file is fetched that ends in the middle of a line
_QUEUE_FULL = "token_limit_exceeded"  # OpenAI bounds the tokens of all batches under way: 90,000 for a new account

_LINE = b'{"custom_id":"%b","method":"POST","url":"%b","body":%b}\n'

log = logging.getLogger(__name__)


async def ask_in_batches(
    requests: Mapping[str, bytes],
    params: Mapping[str, Any],
    rubric: str,
    settings: JudgeSettings,
    keep: Keep,
    ledger: Ledger,
    until: float,
) -> BatchOutcome:
    """Ask the judge in batches.

    Args:
        requests: what to ask: by key, the messages as JSON.
        params: the parameters of all requests, `max_tokens` among them.
        rubric: name and version of the rubric, such as `toyqa/1`.
        settings: where to ask; of several servers, the first one makes the batches.
        keep: puts a reply into the cache, by the key of its request, if it can be read. It is also given the replies
            to requests of an earlier run that were in the same batch.
        ledger: where every request is entered, at the price of a batch.
        until: when to stop waiting, by `time.monotonic`.

    Returns:
        What came of them. A request whose reply another process has collected meanwhile is in the cache, and is not
        named here.

    Raises:
        JudgeUnusableError: the judge cannot be used at all.
        asyncio.CancelledError: it was cancelled; batches go on at the server, and the next call collects them.
    """
    server = BatchApi(settings)
    with BatchStore(server.address, settings.model, rubric) as store:
        async with server:
            return await _Batches(dict(requests), params, rubric, settings, server, store, keep, ledger).run(until)


@dataclass
class _Running:
    """A batch under way.

    Attributes:
        open: its requests that are not answered yet, and what is reserved for each.
        id: the server's name of it; empty before it has one.
        is_sent: whether the server may have made it.
        done: how many of its requests the server has dealt with.
        misses: how many times in a row the server did not know it.
    """

    open: dict[str, Reservation]
    id: str = ""
    is_sent: bool = False
    done: int = 0
    misses: int = 0


@dataclass
class _Batches:
    """One call of `ask_in_batches`. Batches go by our own token, which they have before the server names them.

    Attributes:
        waiting: requests that are in no batch, and may be put into one.
        placed: those that are in a batch.
        tries: how often each was submitted again.
        usage: by key, what the replies took.
        running: the batches under way, by token.
        is_short: whether the last request looked at did not fit the budget.
        problem: why the rest is left to the live calls.
        most: how many requests a batch may have.
        one_by_one: whether the server's queue was full once.
    """

    waiting: dict[str, bytes]
    params: Mapping[str, Any]
    rubric: str
    settings: JudgeSettings
    server: BatchApi
    store: BatchStore
    keep: Keep
    ledger: Ledger
    placed: dict[str, bytes] = field(default_factory=dict)
    tries: Counter[str] = field(default_factory=Counter)
    usage: dict[str, Usage] = field(default_factory=dict)
    running: dict[str, _Running] = field(default_factory=dict)
    is_short: bool = False
    problem: str | None = None
    most: int = field(default_factory=lambda: MAX_REQUESTS)
    one_by_one: bool = False

    async def run(self, until: float) -> BatchOutcome:
        """See `ask_in_batches`."""
        deadline = asyncio.timeout(max(0.0, until - time.monotonic()))
        try:
            async with deadline:
                async with self.store.locked():
                    await self._adopt()
                    await self._submit()
                await self._wait()
        except TimeoutError:
            if not deadline.expired():
                raise
        except (DiskError, sqlite3.Error) as error:
            self._leave_to_live_calls(f"writing to the disk failed: {one_line(error)}")
        finally:
            self._let_go()
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
        for stored in self.store.batches():
            requests = self.store.requests(stored.token)
            ours = [request.key for request in requests if request.key in self.waiting]
            if stored.token in self.running or not ours:
                continue
            batch_id = stored.id
            if batch_id is None:
                found = await self.server.find(stored.token, stored.created)
                if found is None:
                    self.store.forget(stored.token)
                    continue
                batch_id = found.id
                self.store.name(stored.token, batch_id)
            self._place(ours)
            # They are on the bill already: no budget can refuse them, but they count against it.
            free = replace(self.settings, budget_usd=None)
            open_ = {request.key: self._reserve(request, free) for request in requests}
            self.running[stored.token] = _Running({k: r for k, r in open_.items() if r}, batch_id, is_sent=True)
            self._say(f"batch {batch_id} with {len(open_):,} requests is resumed")

    async def _submit(self) -> None:
        """Put everything that waits into batches, as far as the server and the budget go."""
        while not self.problem and not (self.one_by_one and self.running):
            with _temporary() as file:
                requests, batch = await self._fill(file)
                if not requests:
                    return
                token = uuid4().hex
                self.running[token] = batch
                self._place(batch.open)
                try:
                    file_id = await self.server.upload(file)
                    self.store.intend(token, requests)
                    batch.is_sent = True
                    made = await self.server.create(file_id, token)
                except BatchUnavailableError as error:
                    self._return(token, was_made=False)
                    self._leave_to_live_calls(str(error))
                    return
            batch.id = made.id
            self.store.name(token, made.id)
            more = "; the budget holds no more at a time, the rest follows when it is settled" * self.is_short
            self._say(
                f"batch {made.id} of {len(requests):,} submitted to {self.server.address}; it may take up to 24 h. "
                f"Stop any time, the same command collects it{more}"
            )

    async def _fill(self, file: IO[bytes]) -> tuple[list[StoredRequest], _Running]:
        """Write the requests of one batch into a file, as many as it may have and the budget covers."""
        requests: list[StoredRequest] = []
        batch, size = _Running({}), 0
        self.is_short = False
        try:
            for key, messages in self.waiting.items():
                body = body_of(self.settings.model, messages, self.params)
                line = _LINE % (key.encode(), ENDPOINT.encode(), body)
                if requests and (len(requests) >= self.most or size + len(line) > MAX_BYTES):
                    break
                stored = StoredRequest(key, len(body), self.params["max_tokens"])
                reservation = self._reserve(stored, self.settings)
                if reservation is None:  # it may fit once a batch is settled, which costs less than was reserved
                    self.is_short = True
                    break
                batch.open[key] = reservation
                requests.append(stored)
                size += len(line)
                with on_disk():
                    file.write(line)
                if len(requests) % BREATH == 0:
                    await asyncio.sleep(0)
        except BaseException:
            self._release(batch)
            raise
        return requests, batch

    def _place(self, keys: Iterable[str]) -> None:
        """Note that requests that waited are in a batch."""
        self.placed.update({key: self.waiting.pop(key) for key in keys})

    def _free(self, keys: Iterable[str]) -> None:
        """Let those of the requests that are ours wait for another batch."""
        self.waiting.update({key: self.placed.pop(key) for key in keys if key in self.placed})

    def _reserve(self, request: StoredRequest, settings: JudgeSettings) -> Reservation | None:
        return self.ledger.reserve(settings.model, request.bytes, request.max_tokens, settings, batch=True)

    # ---- out of batches ----

    async def _wait(self) -> None:
        """Look after the batches until none is under way."""
        from tqdm import tqdm

        hidden = self.settings.quiet or not sys.stderr.isatty()
        total = sum(len(batch.open) for batch in self.running.values())
        pause_s = POLL_S
        with tqdm(total=total, desc=f"{self.rubric} in batches", disable=hidden) as bar:
            while self.running:
                for token, batch in list(self.running.items()):
                    seen = await self.server.look(batch.id)
                    batch.misses = 0 if seen else batch.misses + 1
                    if seen.is_over if seen else batch.misses == MISSES:
                        await self._finish(token, seen)
                    elif seen:
                        batch.done = seen.done
                bar.n = len(self.usage) + sum(batch.done for batch in self.running.values())
                bar.refresh()
                if self.running:
                    await asyncio.sleep(pause_s)
                    pause_s = min(1.5 * pause_s, MAX_POLL_S)

    async def _finish(self, token: str, seen: Batch | None) -> None:
        """Collect a batch that is over, and submit again what failed in it."""
        batch, files = self.running[token], []
        try:
            try:
                for file_id in seen.files if seen else ():
                    files.append(_temporary())
                    await self._download(file_id, files[-1], len(batch.open))
            except BatchUnavailableError as error:
                self._leave_to_live_calls(f"the answers of batch {batch.id} cannot be downloaded: {error}")
            # Within one lock, so that another process that waits for the same batch finds either it or the next one.
            async with self.store.locked():
                if not self.store.holds(token):
                    await self._leave_to_other(token)
                elif seen is None:
                    self._say(f"{self.server.address} knows no batch {batch.id} any more")
                    self._return(token, was_billed=True)
                elif seen.status == "failed":
                    self._rejected(token, seen)
                else:
                    await self._collect(token, seen, files)
                await self._submit()
        finally:
            for file in files:
                file.close()

    async def _download(self, file_id: str, file: IO[bytes], count: int) -> None:
        for _ in range(_CUT_TRIES):
            there = await self.server.download(file_id, file, count * _BYTES_AN_ANSWER + _ROOM)
            if not there or not is_cut(file):
                return

    async def _collect(self, token: str, seen: Batch, files: Iterable[IO[bytes]]) -> None:
        """Keep the replies, and let the requests without one wait again or leave."""
        batch = self.running[token]
        found = await read_answers(files, batch.open, self.params, self.keep, self.ledger, self.settings)
        self.usage |= found.usage
        is_whole = seen.status == "completed"
        if found.unreadable or found.unknown or (is_whole and batch.open):
            self._say(
                f"batch {seen.id}: {found.unreadable:,} lines of its answers cannot be read, {found.unknown:,} are of "
                f"unknown requests, {len(batch.open):,} requests have no answer"
            )
        if seen.status == "cancelled":  # by a person, who will not want it made again
            self._leave_to_live_calls(f"batch {seen.id} was cancelled at {self.server.address}")
        elif found.refused:
            self._leave_to_live_calls(f"batch {seen.id}: the judge does not take {', '.join(sorted(found.refused))}")
        self._return(token, found.retry, was_billed=is_whole)

    def _rejected(self, token: str, seen: Batch) -> None:
        """The server has refused a batch as a whole; when its queue was full, a smaller one may do, or a later one."""
        size = len(self.running[token].open)
        self._return(token, was_made=False)
        if seen.code != _QUEUE_FULL or (size == 1 and not self.running):
            why = seen.message or seen.code or "no reason given"
            self._leave_to_live_calls(f"{self.server.address} refuses batch {seen.id}: {why}")
            return
        self.one_by_one = True
        if not self.running:
            self.most = max(1, size // 2)
        said = seen.message.rstrip(".")
        self._say(f"too much for the queue of {self.server.address} ({said}); smaller batches go one after the other")

    async def _leave_to_other(self, token: str) -> None:
        """Another process has collected a batch: its replies are in the cache, and it has resubmitted what failed."""
        batch = self.running.pop(token)
        self._release(batch)
        self._free(batch.open)
        await self._adopt()
        for key in batch.open:
            self.waiting.pop(key, None)

    def _return(
        self, token: str, retry: Iterable[str] = (), *, was_made: bool = True, was_billed: bool = False
    ) -> None:
        """Be done with a batch: what it did not answer waits for another one, as often as that is worth it."""
        batch = self.running.pop(token)
        self._release(batch, was_billed)
        again = [*retry, *batch.open]
        self.tries.update(again if was_made else ())
        self._free(key for key in again if self.tries[key] <= RESUBMISSIONS)
        self.store.forget(token)

    def _release(self, batch: _Running, was_billed: bool = False) -> None:
        for reservation in batch.open.values():
            (self.ledger.forfeit if was_billed else self.ledger.release)(reservation)

    def _leave_to_live_calls(self, problem: str) -> None:
        """Submit nothing more; what is under way is still waited for."""
        if self.problem is None:
            self.problem = problem
            self._say(f"{problem}. What no batch has answered is asked live")

    def _let_go(self) -> None:
        """Leave the batches that are not ready to a later run."""
        for token, batch in list(self.running.items()):
            if batch.is_sent:
                self._release(batch, was_billed=True)
            else:
                self._release(self.running.pop(token))
        if self.running:
            names = ", ".join(f"batch {batch.id or '(no id yet)'}" for batch in self.running.values())
            count = sum(len(batch.open) for batch in self.running.values())
            self._say(
                f"{names} not ready, {count:,} requests in all. The server goes on with them, and the same command "
                "collects them later"
            )

    def _say(self, text: str) -> None:
        """A line in the log; a warning, as `hueval score` shows nothing less."""
        log.warning("%s: %s.", self.rubric, text)


def _temporary() -> IO[bytes]:
    with on_disk():
        return TemporaryFile()  # without a name: it goes with the process, however that ends

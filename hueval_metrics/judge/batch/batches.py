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
from collections.abc import Iterable, Mapping
from contextlib import closing
from dataclasses import dataclass, replace
from tempfile import TemporaryFile
from typing import IO, TYPE_CHECKING, Any
from uuid import uuid4

from hueval_metrics.judge.batch.answers import BREATH, AnswerReader, Answers, Keep, is_cut
from hueval_metrics.judge.batch.api import ENDPOINT, Batch, BatchApi, DiskError, NoBatchesError, on_disk
from hueval_metrics.judge.batch.spool import BatchRequest, Spool
from hueval_metrics.judge.batch.store import BatchStore, StoredRequest
from hueval_metrics.judge.ledger import Ledger, Reservation
from hueval_metrics.judge.settings import JudgeSettings
from hueval_metrics.records import Usage
from hueval_metrics.text.one_line import one_line

if TYPE_CHECKING:
    from tqdm import tqdm

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

log = logging.getLogger(__name__)


@dataclass(frozen=True)
class BatchOutcome:
    """What came of the requests. Those that none of the four names are to be asked live.

    Attributes:
        usage: by key, what the replies took that came now, those that cannot be read among them.
        pending: the ids of batches that were not ready.
        pending_keys: the requests in them; they are paid for, and not to be asked live now.
        unaffordable_keys: requests that could exceed the budget.
        problem: why requests are left to be asked live, in one line that stands in the log already; None without one.
    """

    usage: Mapping[str, Usage]
    pending: tuple[str, ...] = ()
    pending_keys: frozenset[str] = frozenset()
    unaffordable_keys: frozenset[str] = frozenset()
    problem: str | None = None


async def ask_in_batches(
    requests: Iterable[BatchRequest], rubric: str, settings: JudgeSettings, keep: Keep, ledger: Ledger, until: float
) -> BatchOutcome:
    """Ask the judge in batches.

    Args:
        requests: what to ask, each once; may be a generator.
        rubric: name and version of the rubric, such as `husimpleqa/1`.
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
        asyncio.CancelledError: it was broken off; batches go on at the server, and the next call collects them.
    """
    server = BatchApi(settings)
    with Spool() as spool, BatchStore(server.address, settings.model, rubric) as store:
        async with server:
            batches = _Batches(rubric, settings, server, spool, store, keep, ledger)
            return await batches.run(requests, until)


@dataclass
class _Running:
    """A batch under way.

    Attributes:
        open: its requests that are not answered yet, and what is put aside for each.
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


class _Batches:
    """One call of `ask_in_batches`. Batches go by our own token, which they have before the server names them."""

    def __init__(
        self,
        rubric: str,
        settings: JudgeSettings,
        server: BatchApi,
        spool: Spool,
        store: BatchStore,
        keep: Keep,
        ledger: Ledger,
    ) -> None:
        self._rubric, self._settings, self._server = rubric, settings, server
        self._spool, self._store, self._ledger = spool, store, ledger
        self._reader = AnswerReader(settings, ledger, spool, keep)
        self._running: dict[str, _Running] = {}
        self._is_short = False  # of money: the last request looked at did not fit the budget
        self._problem: str | None = None
        self._most = MAX_REQUESTS
        self._one_by_one = False  # once the server's queue was full
        self._bar: tqdm[Any]

    async def run(self, requests: Iterable[BatchRequest], until: float) -> BatchOutcome:
        """See `ask_in_batches`."""
        deadline = asyncio.timeout(max(0.0, until - time.monotonic()))
        try:
            async with deadline:
                await self._take_in(requests)
                async with self._store.locked():
                    await self._adopt()
                    await self._submit()
                with self._progress() as self._bar:
                    await self._wait()
        except TimeoutError:
            if not deadline.expired():
                raise
        except (DiskError, sqlite3.Error) as error:
            self._leave_to_live_calls(f"the disk does not play along ({one_line(error)})")
        finally:
            self._let_go()
        return BatchOutcome(
            usage=self._reader.usage,
            pending=tuple(batch.id for batch in self._running.values() if batch.id),
            pending_keys=frozenset(key for batch in self._running.values() for key in batch.open),
            unaffordable_keys=frozenset(self._spool.waiting_keys() if self._is_short and not self._problem else ()),
            problem=self._problem,
        )

    async def _take_in(self, requests: Iterable[BatchRequest]) -> None:
        for number, request in enumerate(requests, 1):
            self._spool.add(request)
            if number % BREATH == 0:
                await asyncio.sleep(0)

    # ---- into batches; the store is locked ----

    async def _adopt(self) -> None:
        """Find the requests that are in a batch already: of an earlier run that was stopped, or of another process."""
        for stored in self._store.batches():
            if stored.token in self._running:
                continue
            requests = self._store.requests(stored.token)
            if not self._spool.assign((request.key for request in requests), stored.token):
                continue
            batch_id = stored.id
            if batch_id is None:
                found = await self._server.find(stored.token, stored.created)
                if found is None:
                    self._store.forget(stored.token)
                    self._spool.free(stored.token)
                    continue
                batch_id = found.id
                self._store.name(stored.token, batch_id)
            # They are on the bill already: no budget can refuse them, but they count against it.
            free = replace(self._settings, budget_usd=None)
            open_ = {request.key: self._reserve(request, free) for request in requests}
            self._running[stored.token] = _Running({k: r for k, r in open_.items() if r}, batch_id, is_sent=True)
            self._say(f"batch {batch_id} with {len(open_):,} requests is taken up again")

    async def _submit(self) -> None:
        """Put everything that waits into batches, as far as the server and the budget go."""
        while not self._problem and not (self._one_by_one and self._running):
            with _temporary() as file:
                requests, batch = await self._fill(file)
                if not requests:
                    return
                token = uuid4().hex
                self._running[token] = batch
                self._spool.assign(batch.open, token)
                try:
                    file_id = await self._server.upload(file)
                    self._store.intend(token, requests)
                    batch.is_sent = True
                    made = await self._server.create(file_id, token)
                except NoBatchesError as error:
                    self._discard(token)
                    self._leave_to_live_calls(str(error))
                    return
            batch.id = made.id
            self._store.name(token, made.id)
            more = "; the budget holds no more at a time, the rest follows when it is settled" * self._is_short
            self._say(
                f"batch {made.id} of {len(requests):,} submitted to {self._server.address}; it may take up to 24 h. "
                f"Stop any time, the same command collects it{more}"
            )

    async def _fill(self, file: IO[bytes]) -> tuple[list[StoredRequest], _Running]:
        """Write the requests of one batch into a file, as many as it may have and the budget covers."""
        requests: list[StoredRequest] = []
        batch, size = _Running({}), 0
        self._is_short = False
        try:
            with closing(self._spool.waiting()) as waiting:
                for request in waiting:
                    line = _line(request)
                    if requests and (len(requests) >= self._most or size + len(line) > MAX_BYTES):
                        break
                    stored = StoredRequest(request.key, len(request.body), request.max_tokens)
                    reservation = self._reserve(stored, self._settings)
                    if reservation is None:  # it may fit once a batch is settled, which costs less than was put aside
                        self._is_short = True
                        break
                    batch.open[request.key] = reservation
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

    def _reserve(self, request: StoredRequest, settings: JudgeSettings) -> Reservation | None:
        return self._ledger.reserve(settings.model, request.bytes, request.max_tokens, settings, batch=True)

    # ---- out of batches ----

    async def _wait(self) -> None:
        """Look after the batches until none is under way."""
        pause_s = POLL_S
        while self._running:
            for token, batch in list(self._running.items()):
                seen = await self._server.look(batch.id)
                batch.misses = 0 if seen else batch.misses + 1
                if seen.is_over if seen else batch.misses == MISSES:
                    await self._finish(token, seen)
                elif seen:
                    batch.done = seen.done
            self._bar.n = len(self._reader.usage) + sum(batch.done for batch in self._running.values())
            self._bar.refresh()
            if self._running:
                await asyncio.sleep(pause_s)
                pause_s = min(1.5 * pause_s, MAX_POLL_S)

    async def _finish(self, token: str, seen: Batch | None) -> None:
        """Collect a batch that is over, and submit again what failed in it."""
        batch, files = self._running[token], []
        try:
            try:
                for file_id in seen.files if seen else ():
                    files.append(_temporary())
                    await self._download(file_id, files[-1], len(batch.open))
            except NoBatchesError as error:
                self._leave_to_live_calls(f"the answers of batch {batch.id} cannot be had: {error}")
            # Within one lock, so that another process that waits for the same batch finds either it or the next one.
            async with self._store.locked():
                if not self._store.holds(token):
                    await self._leave_to_other(token)
                elif seen is None:
                    self._say(f"{self._server.address} knows no batch {batch.id} any more")
                    self._return(token, Answers(), was_billed=True)
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
            there = await self._server.download(file_id, file, count * _BYTES_AN_ANSWER + _ROOM)
            if not there or not is_cut(file):
                return

    async def _collect(self, token: str, seen: Batch, files: Iterable[IO[bytes]]) -> None:
        """Keep the replies, and let the requests without one wait again or leave."""
        batch = self._running[token]
        found = await self._reader.read(files, batch.open)
        is_whole = seen.status == "completed"
        if found.unreadable or found.unknown or (is_whole and batch.open):
            self._say(
                f"batch {seen.id}: {found.unreadable:,} lines of its answers cannot be read, {found.unknown:,} are of "
                f"unknown requests, {len(batch.open):,} requests have no answer"
            )
        if seen.status == "cancelled":  # by somebody, who will not want it made again
            self._leave_to_live_calls(f"batch {seen.id} was cancelled at {self._server.address}")
        elif found.refused:
            self._leave_to_live_calls(f"batch {seen.id}: the judge does not take {', '.join(sorted(found.refused))}")
        self._return(token, found, was_billed=is_whole)

    def _rejected(self, token: str, seen: Batch) -> None:
        """The server has refused a batch as a whole; when its queue was full, a smaller one may do, or a later one."""
        size = len(self._running[token].open)
        self._discard(token)
        if seen.code != _QUEUE_FULL or (size == 1 and not self._running):
            why = seen.message or seen.code or "without a word why"
            self._leave_to_live_calls(f"{self._server.address} refuses batch {seen.id}: {why}")
            return
        self._one_by_one = True
        if not self._running:
            self._most = max(1, size // 2)
        said = seen.message.rstrip(".")
        self._say(f"too much for the queue of {self._server.address} ({said}); smaller batches go one after the other")

    async def _leave_to_other(self, token: str) -> None:
        """Another process has collected a batch: its replies are in the cache, and it has resubmitted what failed."""
        batch = self._running.pop(token)
        self._release(batch)
        self._spool.free(token)
        await self._adopt()
        self._spool.drop_waiting(batch.open)

    def _return(self, token: str, found: Answers, *, was_billed: bool) -> None:
        """Be done with a batch: what it did not answer waits for another one, as often as that is worth it."""
        batch = self._running.pop(token)
        self._release(batch, was_billed)
        self._spool.drop(found.leave)
        self._spool.retry([*found.retry, *batch.open], RESUBMISSIONS)
        self._store.forget(token)

    def _discard(self, token: str) -> None:
        """Undo a batch that the server did not make."""
        self._release(self._running.pop(token))
        self._spool.free(token)
        self._store.forget(token)

    def _release(self, batch: _Running, was_billed: bool = False) -> None:
        for reservation in batch.open.values():
            (self._ledger.forfeit if was_billed else self._ledger.release)(reservation)

    def _leave_to_live_calls(self, problem: str) -> None:
        """Submit nothing more; what is under way is still waited for."""
        if self._problem is None:
            self._problem = problem
            self._say(f"{problem}. What no batch has answered is asked live")

    def _let_go(self) -> None:
        """Leave the batches that are not ready to a later run."""
        for token, batch in list(self._running.items()):
            if batch.is_sent:
                self._release(batch, was_billed=True)
            else:
                self._release(self._running.pop(token))
        if self._running:
            names = ", ".join(f"batch {batch.id or '(no id yet)'}" for batch in self._running.values())
            count = sum(len(batch.open) for batch in self._running.values())
            self._say(
                f"{names} not ready, {count:,} requests in all. The server goes on with them, and the same command "
                "collects them later"
            )

    def _say(self, text: str) -> None:
        """A line in the log; a warning, as `hueval score` shows nothing less."""
        log.warning("%s: %s.", self._rubric, text)

    def _progress(self) -> tqdm[Any]:
        from tqdm import tqdm

        hidden = self._settings.quiet or not sys.stderr.isatty()
        total = sum(len(batch.open) for batch in self._running.values())
        return tqdm(total=total, desc=f"{self._rubric} in batches", disable=hidden)


def _line(request: BatchRequest) -> bytes:
    head = b'{"custom_id":"%b","method":"POST","url":"%b","body":' % (request.key.encode(), ENDPOINT.encode())
    return head + request.body + b"}\n"


def _temporary() -> IO[bytes]:
    with on_disk():
        return TemporaryFile()  # without a name: it goes with the process, however that ends

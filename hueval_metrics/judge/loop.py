"""The engine's thread: reads items, asks about those that are not in the cache, emits their verdicts in order."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import Any

from hueval_metrics.judge.batch.ask import ask_in_batches
from hueval_metrics.judge.cache.replies import ReplyCache
from hueval_metrics.judge.client.asking import Asker
from hueval_metrics.judge.client.client import JudgeClient
from hueval_metrics.judge.client.exceptions import JudgeUnusableError, NoReplyError, NotAskedError
from hueval_metrics.judge.client.requests import RequestKeys, parameters
from hueval_metrics.judge.client.servers import START
from hueval_metrics.judge.estimate import Estimate, summary, tokens_in
from hueval_metrics.judge.ledger import ledger
from hueval_metrics.judge.progress import progress
from hueval_metrics.judge.rubric import Rubric, load_rubric, long_reply, rubric_id
from hueval_metrics.judge.settings import JudgeSettings
from hueval_metrics.judge.verdict_queue import Slot, VerdictQueue
from hueval_metrics.records import Usage, Verdict
from hueval_metrics.text.one_line import one_line
from hueval_metrics.text.quick_json import to_json

AHEAD = 2048  # requests made ready before the first is sent, for the estimate; most tasks have fewer
WINDOW = 8192  # items read whose verdicts are not emitted yet: a slow reply delays later verdicts, not the asking
BATCH = 50_000  # requests made ready before a batch is handed in: as many as one may hold
CHUNK = 64  # items read at a time, between which replies are handled
GIVE_UP_AFTER = 20  # items without a reply, one after the other …
PATIENCE_S = 120.0  # … and no reply for this long, unless none ever came
POLL_S = 0.1  # between looks at what another process is asking
ROOM_S = 0.005  # between looks whether there is room for more items
_ERROR_LENGTH = 300

log = logging.getLogger(__name__)

Items = Iterable[tuple[Mapping[str, Any], str]]


@dataclass(slots=True)
class _Job:
    """One request, and the places of all items in the window that it answers; `doc` is that of the first."""

    key: str
    messages: bytes
    doc: Mapping[str, Any]
    slots: list[Slot] = field(default_factory=list)


class SourceError(Exception):
    """The items could not be read; the cause says why."""


class JudgingLoop:
    """One judging: the items read, and their verdicts.

    Args:
        items, rubric, settings, total: see `engine.judge_stream`.
    """

    def __init__(self, items: Items, rubric: str, settings: JudgeSettings, total: int | None) -> None:
        self._source, self._settings, self._total = iter(items), settings, total
        self._id = rubric
        self._rubric: Rubric
        self._keys: RequestKeys
        self._ledger = ledger()
        self._reason = ""  # why asking stopped, once it has
        self._jobs: dict[str, _Job] = {}  # by key, read and not answered
        self._todo: asyncio.Queue[_Job] = asyncio.Queue()
        self._waiting: list[_Job] = []  # asked by another process just now
        self._is_drained = False  # whether the source has given all it has
        self._done = asyncio.Event()  # everything read is answered, and the source drained; or asking has stopped
        self._answered = asyncio.Event()  # the judge has
        self._failures = 0  # in a row
        self._last_reply: float | None = None
        self._seen = self._cached = 0
        self._usage, self._started = Usage(), time.monotonic()
        self._fetched: dict[str, Usage] = {}  # by key, what a batch has just brought into the cache
        self._broken: Exception | None = None  # what ended the reading of items
        self._ahead = BATCH if settings.mode == "batch" else AHEAD
        self._asker: Asker
        self._cache: ReplyCache
        self._client: JudgeClient
        self._bar: Any
        self._queue_out = VerdictQueue()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._main: asyncio.Task[None] | None = None
        self._is_cancelled = False

    # ---- the caller's thread ----

    def verdicts(self) -> Iterator[Verdict]:
        """The verdicts, in order, as they come; raises what the source of the items raised."""
        return self._queue_out.verdicts()

    def cancel(self) -> None:
        """End the engine's thread, unless it has ended."""
        self._is_cancelled = True  # for a thread that has no loop yet
        if self._loop is not None and self._main is not None:
            with suppress(RuntimeError):  # the loop has closed
                self._loop.call_soon_threadsafe(self._main.cancel)

    # ---- the engine's thread ----

    def run(self) -> None:
        """Judge everything; a verdict for every item, unless it is cancelled or the items cannot be read."""
        try:
            with asyncio.Runner(loop_factory=_loop_factory()) as runner:
                runner.run(self._run())
        except SourceError as error:
            self._queue_out.end(error.__cause__)
        except asyncio.CancelledError:
            self._queue_out.end()
        except Exception as error:  # an exception in a filter would lose the whole run
            fault = f"the judge engine failed ({type(error).__name__}: {one_line(error, 100)})"
            self._fill_up(Verdict(rubric=self._id, error=fault))
        else:
            self._queue_out.end()

    def _fill_up(self, fault: Verdict) -> None:
        """Give one and the same verdict to all remaining items."""
        try:
            for _ in self._source:
                self._queue_out.slot()
        except BaseException as error:
            self._queue_out.end(error)
        self._queue_out.fill(fault)
        self._queue_out.emit()
        self._queue_out.end()

    async def _run(self) -> None:
        self._loop, self._main = asyncio.get_running_loop(), asyncio.current_task()
        if self._is_cancelled:
            return
        settings = self._settings
        self._rubric = load_rubric(self._id)
        self._id = rubric_id(self._rubric)
        self._keys = RequestKeys(settings, self._rubric)
        until = time.monotonic() + settings.deadline_s
        with ReplyCache() as self._cache, progress(self._total, self._id, settings, self._ledger) as self._bar:
            async with JudgeClient(settings, self._ledger, self._cache) as self._client:
                self._asker = Asker(self._rubric, settings, self._client, self._cache)
                is_first = True
                while not self._is_drained and not self._reason:
                    await self._look_ahead()
                    if self._jobs and is_first:
                        self._announce()
                        await self._preflight()
                        is_first = False
                    if self._jobs and settings.mode == "batch" and not self._reason:
                        await self._ask_in_batches(until)
                    if self._jobs and not self._reason:
                        await self._ask_live(until)
                if self._broken:
                    raise self._broken
                await self._fail_the_rest()
        self._queue_out.emit()
        if self._usage.calls:
            seconds = time.monotonic() - self._started
            log.info("%s", summary(self._id, settings.model, self._usage, cached=self._cached, seconds=seconds))

    async def _look_ahead(self) -> None:
        """Read items until enough requests wait to be asked; those in the cache are answered at once."""
        while not self._is_drained and self._todo.qsize() < self._ahead:
            if not self._is_full:
                self._read_items(CHUNK)
            elif self._todo.qsize():
                return
            await asyncio.sleep(ROOM_S if self._is_full else 0)  # 0, so that a run from the cache sees Ctrl-C

    def _announce(self) -> None:
        """Log an estimate of the cost, from the items read so far."""
        jobs = self._jobs.values()
        found = Estimate(
            self._id,
            self._settings,
            verdicts=self._seen,
            cached=self._cached,
            calls=len(jobs),
            prompt_tokens=sum(tokens_in(job.messages) for job in jobs),
            reply_tokens=self._rubric.REPLY_TOKENS,
            is_all=self._is_drained,
            total=self._total,
        )
        log.info("%s", found.line(self._ledger.left_usd(self._settings)))

    async def _preflight(self) -> None:
        try:
            await self._client.preflight()
        except JudgeUnusableError as error:
            self._stop(str(error))

    async def _ask_in_batches(self, until: float) -> None:
        """Let the server's Batch API answer what it can; the rest is left to be asked live."""
        params = parameters(self._settings, self._rubric, long_reply(self._rubric))  # half a reply is paid again, live
        requests = {job.key: job.messages for job in self._jobs.values()}
        try:
            found = await ask_in_batches(
                requests, params, self._id, self._settings, self._cache, self._keep, self._ledger, until
            )
        except JudgeUnusableError as error:
            self._stop(str(error))
            return
        self._fetched.update(found.usage)
        pending = f"not asked: {', '.join(found.pending) or 'a batch'} is not ready; the same command collects it"
        budget = f"not asked: {self._ledger.stop_reason(self._settings)}"
        left_out = dict.fromkeys(found.pending_keys, pending) | dict.fromkeys(found.unaffordable_keys, budget)
        while not self._todo.empty():
            job = self._todo.get_nowait()
            if known := self._known(job.key, job.doc):
                self._answer(job, known)
            elif job.key in left_out:
                self._answer(job, self._asker.failure(left_out[job.key]))
        for job in self._jobs.values():
            self._todo.put_nowait(job)

    def _keep(self, key: str, reply: str, usage: Usage) -> bool:
        """Put the reply to a request of a batch into the cache, if it can be read."""
        job = self._jobs.get(key)
        if is_readable := self._asker.is_readable(reply, job.doc if job else None):
            self._cache.put(key, reply, self._settings.model, self._id, usage)
        return is_readable

    async def _ask_live(self, until: float) -> None:
        """Ask until everything read is answered, reading more meanwhile, or until asking stops."""
        self._done.clear()
        settings = self._settings
        at_once = settings.concurrency if settings.is_concurrency_set else START
        tasks = [asyncio.create_task(self._work(place < at_once)) for place in range(settings.concurrency)]
        tasks.append(asyncio.create_task(self._look_at_waiting()))
        if settings.mode != "batch":
            tasks.append(asyncio.create_task(self._feed()))
        try:
            await asyncio.wait_for(self._done.wait(), until - time.monotonic())
        except TimeoutError:
            said = f"; the server last said {self._client.last_limit}" if self._client.last_limit else ""
            self._stop(f"{settings.deadline_s:g} s have passed (HUEVAL_JUDGE_DEADLINE_S){said}")
        else:
            patience = min(until, time.monotonic() + settings.timeout_s)
            while self._client.in_flight and time.monotonic() < patience:  # they may be on the bill
                await asyncio.sleep(ROOM_S)
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)

    async def _feed(self) -> None:
        try:
            while not self._is_drained and not self._reason:
                if self._is_full or self._todo.qsize() >= self._ahead:
                    await asyncio.sleep(ROOM_S)
                else:
                    self._read_items(CHUNK)
                    await asyncio.sleep(0)
        except Exception as error:
            self._broken = error
            self._stop("no more items can be read")

    async def _work(self, at_once: bool) -> None:
        if not at_once:
            await self._answered.wait()  # a judge that has not answered yet is not asked by many
        while not self._reason:
            job = await self._todo.get()
            if not self._cache.claim(job.key):
                self._waiting.append(job)
                continue
            try:
                # Another process may have been faster by a moment.
                if (verdict := self._known(job.key, job.doc)) is None:
                    verdict = await self._asker.ask(job.key, job.messages, job.doc, self._fetched.pop(job.key, Usage()))
                    self._failures, self._last_reply = 0, time.monotonic()
                    self._answered.set()
            except NotAskedError:
                return
            except Exception as error:
                verdict = self._failed(error)
            finally:
                self._cache.release(job.key)
            self._answer(job, verdict)

    async def _look_at_waiting(self) -> None:
        """Try again for what another process was asking; it may have ended without an answer."""
        while True:
            await asyncio.sleep(POLL_S)
            while self._waiting:
                self._todo.put_nowait(self._waiting.pop())

    async def _fail_the_rest(self) -> None:
        """Give a verdict to every item without one, read or still to come."""
        self._todo = asyncio.Queue()
        while True:
            for job in list(self._jobs.values()):
                self._answer(job, self._asker.failure(f"not asked: {self._reason}"))
            self._queue_out.emit()
            if self._is_drained:
                return
            if not self._is_full:
                self._read_items(CHUNK)
            await asyncio.sleep(ROOM_S if self._is_full else 0)

    # ---- items in, verdicts out ----

    @property
    def _is_full(self) -> bool:
        return self._queue_out.size >= max(WINDOW, self._ahead)

    def _read_items(self, count: int) -> None:
        for _ in range(count):
            try:
                doc, response = next(self._source)
            except StopIteration:
                self._is_drained = True
                break
            except BaseException as error:  # SystemExit too, or the caller would wait forever
                raise SourceError from error
            self._seen += 1
            self._place(self._queue_out.slot(), doc, response)
        self._look_whether_done()
        self._queue_out.emit_soon()

    def _place(self, slot: Slot, doc: Mapping[str, Any], response: str) -> None:
        """Answer an item at once where that is possible, or add it to a job."""
        try:
            messages = to_json(self._rubric.render(doc, response))
            key = self._keys.key(messages)
            job = self._jobs.get(key)
            known = None if job else self._known(key, doc)
        except Exception as error:  # a document of another task, read from a file
            text = f"the rubric does not fit the document ({type(error).__name__}: {one_line(error, 60)})"
            slot.verdict = self._asker.failure(text)
            return
        if job:
            job.slots.append(slot)
        elif known:
            slot.verdict = known
            self._cached += 1
            self._bar.done(1)
        else:
            self._jobs[key] = job = _Job(key, messages, doc, [slot])
            if not self._reason:
                self._todo.put_nowait(job)

    def _known(self, key: str, doc: Mapping[str, Any]) -> Verdict | None:
        known = self._asker.known(key, doc)
        if known is not None and (paid := self._fetched.pop(key, None)):
            return replace(known, cached=False, usage=paid)
        return known

    def _answer(self, job: _Job, verdict: Verdict) -> None:
        del self._jobs[job.key]
        if verdict.usage is not None:
            self._usage += verdict.usage
        first, *others = job.slots
        first.verdict = verdict
        for slot in others:  # the call is on the bill once
            slot.verdict = replace(verdict, usage=None, cached=not verdict.is_missing)
        self._bar.done(len(job.slots))
        if verdict.is_missing:
            self._bar.failed()
        self._look_whether_done()
        self._queue_out.emit_soon()

    def _look_whether_done(self) -> None:
        if not self._jobs and (self._is_drained or self._settings.mode == "batch"):
            self._done.set()

    # ---- when asking comes to an end ----

    def _failed(self, error: Exception) -> Verdict:
        """The verdict on a job that failed; stops asking when further jobs would fail too."""
        if isinstance(error, JudgeUnusableError):
            self._stop(str(error))
            return self._asker.failure(str(error))
        if not isinstance(error, NoReplyError):
            return self._asker.failure(f"{type(error).__name__}: {error}")
        self._failures += 1
        silent_s = PATIENCE_S if self._last_reply is None else time.monotonic() - self._last_reply
        if self._failures >= GIVE_UP_AFTER and silent_s >= PATIENCE_S:
            self._stop(f"{self._failures} requests in a row failed, the last one: {error}")
        return self._asker.failure(str(error), error.usage)

    def _stop(self, reason: str) -> None:
        self._reason = self._reason or one_line(reason, _ERROR_LENGTH)
        self._client.stop()
        self._done.set()


def _loop_factory() -> Callable[[], asyncio.AbstractEventLoop] | None:
    """uvloop's, where it is installed (the extra `fast`)."""
    try:
        from uvloop import new_event_loop
    except ImportError:
        return None
    return new_event_loop

"""The engine's thread: reads items, asks for verdicts that are not in the cache, and emits the verdicts in order."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace

from hueval_metrics.judge.batch.ask import ask_in_batches
from hueval_metrics.judge.cache.replies import ReplyCache
from hueval_metrics.judge.client.chat_api import RequestKeys, parameters
from hueval_metrics.judge.client.client import Asker, JudgeClient
from hueval_metrics.judge.client.servers import START
from hueval_metrics.judge.errors import JudgeUnusableError, NoReplyError, NotAskedError
from hueval_metrics.judge.event_loop import loop_factory
from hueval_metrics.judge.ledger import ledger
from hueval_metrics.judge.patience import silence, why_hopeless
from hueval_metrics.judge.progress import Estimate, JudgeProgress, summary
from hueval_metrics.judge.queue import Again, Items, Judged, VerdictQueue
from hueval_metrics.judge.rubric import Rubric, load_rubric, long_reply, reply_tokens, rubric_id
from hueval_metrics.judge.settings import JudgeSettings
from hueval_metrics.judge.state import Counted, Given, UnderWay
from hueval_metrics.judge.tokens import tokens_in, too_long
from hueval_metrics.one_line import one_line
from hueval_metrics.records import Usage, Verdict
from hueval_metrics.text.quick_json import to_json

AHEAD = 2048  # requests prepared before the first is sent, for the estimate; most tasks have fewer
AHEAD_BYTES = 8_000_000  # of all of these: to prepare long ones takes seconds, and memory
WINDOW = 8192  # items read whose verdicts are not taken yet: a slow reply delays later verdicts, not their requests
BATCH = 50_000  # requests prepared before a batch is submitted: the most that one may have
CHUNK, CHUNK_S = 64, 0.01  # items read at a time, and the seconds for that; replies are handled in between
POLL_S = 0.1  # between attempts at a request that another process has claimed
NOTABLE_USD = 1.0  # of one of many tasks a smaller estimate is not logged, if the budget allows it
ROOM_S = 0.005  # between checks whether there is room for more items

log = logging.getLogger(__name__)


class SourceError(Exception):
    """The items cannot be read; the cause says why."""


class JudgingLoop:
    """One judging by one judge.

    Args:
        items, rubric, settings, total, task: see `engine.judge_stream`.
        queue: where the verdicts are emitted.
    """

    def __init__(
        self, items: Items, rubric: str, settings: JudgeSettings, total: int | None, queue: VerdictQueue, task: str = ""
    ) -> None:
        self._given = Given(iter(items), rubric, settings, queue, total, task)
        self._now, self._counted = UnderWay(), Counted()
        self._ahead = BATCH if settings.mode == "batch" else AHEAD
        self._ledger = ledger()
        self._rubric: Rubric
        self._keys: RequestKeys
        self._cache: ReplyCache
        self._client: JudgeClient
        self._asker: Asker
        self._bar: JudgeProgress

    @property
    def in_flight(self) -> int:
        """The number of requests in flight."""
        return self._client.in_flight if hasattr(self, "_client") else 0

    def cancel(self, *, at_once: bool = True) -> None:
        """End the engine's thread, from the caller's, at once or after the requests in flight."""
        self._now.is_cancelled = True  # for a thread that has no loop yet
        if self._now.loop is not None and self._now.main is not None:
            with suppress(RuntimeError):  # the loop is closed
                self._now.loop.call_soon_threadsafe(self._now.main.cancel if at_once else self._end)

    def _end(self) -> None:
        """End after the requests in flight; in the engine's thread, which may start some at any moment before."""
        self._stop("stopped")
        if self._now.main is not None and not self.in_flight:
            self._now.main.cancel()

    def run(self) -> None:
        """Emit a verdict for every item, unless it is cancelled or the items cannot be read; in the engine's thread."""
        try:
            with asyncio.Runner(loop_factory=loop_factory()) as runner:
                runner.run(self._run())
        except SourceError as error:
            self._given.queue.end(error.__cause__)
        except asyncio.CancelledError:
            self._given.queue.end()
        except Exception as error:  # an exception in a filter would lose the whole run
            fault = f"the judge engine failed ({type(error).__name__}: {one_line(error, 100)})"
            self._fill_up(Verdict(rubric=self._given.rubric, error=fault))
        else:
            self._given.queue.end()

    def _fill_up(self, fault: Verdict) -> None:
        """Emit the same verdict for all remaining items."""
        try:
            for _ in self._given.source:
                self._given.queue.add(Judged())
        except BaseException as error:
            self._given.queue.end(error)
        self._given.queue.fill(fault)
        self._given.queue.emit()
        self._given.queue.end()

    async def _run(self) -> None:
        self._now.loop, self._now.main = asyncio.get_running_loop(), asyncio.current_task()
        if self._now.is_cancelled:
            return
        settings = self._given.settings
        self._rubric = load_rubric(self._given.rubric)
        self._given.rubric = rubric_id(self._rubric)
        self._keys = RequestKeys(settings, self._rubric)
        until = time.monotonic() + settings.deadline_s
        with (
            ReplyCache() as self._cache,
            JudgeProgress(self._given.total, self._given.name, settings, self._ledger) as self._bar,
        ):
            async with JudgeClient(settings, self._ledger, self._cache) as self._client:
                self._asker = Asker(self._rubric, settings, self._client, self._cache)
                self._bar.faults = self._client.faults
                is_first = True
                while not self._now.is_drained and not self._now.reason:
                    await self._read(lambda: self._is_full and not self._now.todo.empty())  # look ahead
                    if self._now.jobs and is_first:
                        self._announce()
                        await self._preflight()
                        is_first = False
                    if self._now.jobs and settings.mode == "batch" and not self._now.reason:
                        await self._ask_in_batches(until)
                    if self._now.jobs and not self._now.reason:
                        await self._ask_live(until)
                if self._now.broken:
                    raise self._now.broken
                if not self._now.is_cancelled:
                    await self._fail_the_rest()
        self._given.queue.emit()
        used, cached = self._counted.usage, self._counted.cached
        if used.calls:
            seconds = time.monotonic() - self._counted.started
            log.info("%s", summary(self._given.name, settings.model, used, cached=cached, seconds=seconds))

    def _announce(self) -> None:
        """Log the estimated cost, from the items read so far; of one of many cheap tasks only the cost at the end."""
        jobs = self._now.jobs.values()
        found = Estimate(
            self._given.name,
            self._given.settings,
            verdicts=self._counted.seen,
            cached=self._counted.cached,
            calls=len(jobs),
            prompt_tokens=sum(tokens_in(job.messages) for job in jobs),
            reply_tokens=reply_tokens(self._rubric, [job.messages for job in jobs]),
            is_all=self._now.is_drained,
            total=self._given.total,
        )
        left_usd = self._ledger.left_usd(self._given.settings)
        notable = NOTABLE_USD if left_usd is None else min(NOTABLE_USD, left_usd)
        if not self._given.task or (found.usd is not None and found.usd > notable):
            log.info("%s", found.line(left_usd))

    async def _preflight(self) -> None:
        try:
            await self._client.preflight()
        except JudgeUnusableError as error:
            self._stop(str(error))

    async def _ask_in_batches(self, until: float) -> None:
        """Ask through the server's Batch API; what it does not answer is asked live."""
        # With long replies: one that is cut off would be paid again, live.
        params = parameters(self._given.settings, self._rubric, long_reply(self._rubric))
        requests = {job.key: job.messages for job in self._now.jobs.values()}
        try:
            found = await ask_in_batches(
                requests,
                params,
                self._given.rubric,
                self._given.settings,
                self._cache,
                self._keep,
                self._ledger,
                until,
                self._bar.report,
            )
        except JudgeUnusableError as error:
            self._stop(str(error))
            return
        self._now.fetched.update(found.usage)
        pending = f"not asked: {', '.join(found.pending) or 'a batch'} is not ready; the same command collects it"
        budget = f"not asked: {self._ledger.stop_reason(self._given.settings)}"
        left_out = dict.fromkeys(found.pending_keys, pending) | dict.fromkeys(found.unaffordable_keys, budget)
        while not self._now.todo.empty():
            job = self._now.todo.get_nowait()
            if known := self._known(job):
                self._answer(job, known)
            elif job.key in left_out:
                self._answer(job, self._asker.failure(left_out[job.key]))
        for job in self._now.jobs.values():
            self._now.todo.put_nowait(job)

    def _keep(self, key: str, reply: str, usage: Usage) -> bool:
        """Put the reply to a request of a batch into the cache, if it can be parsed."""
        job = self._now.jobs.get(key)
        if is_readable := self._asker.is_readable(reply, job.doc if job else None):
            self._cache.put(key, reply, self._given.settings.model, self._given.rubric, usage)
        return is_readable

    async def _ask_live(self, until: float) -> None:
        """Ask until all items are read and answered, or until asking stops."""
        self._now.done.clear()
        settings = self._given.settings
        at_once = settings.concurrency if settings.is_concurrency_set else START
        tasks = [asyncio.create_task(self._work(place < at_once)) for place in range(settings.concurrency)]
        tasks.append(asyncio.create_task(asyncio.to_thread(self._asker.warm_up)))  # while the first requests wait
        if settings.mode != "batch":
            tasks += [asyncio.create_task(self._feed()), asyncio.create_task(self._watch())]
        try:
            await asyncio.wait_for(self._now.done.wait(), until - time.monotonic())
        except TimeoutError:
            said = f"; the server last said {self._client.last_limit}" if self._client.last_limit else ""
            self._stop(f"{settings.deadline_s:g} s have passed (HUEVAL_JUDGE_DEADLINE_S){said}")
        else:
            patience = min(until, time.monotonic() + settings.timeout_s)
            while self._client.in_flight and time.monotonic() < patience:  # they may be billed
                await asyncio.sleep(ROOM_S)
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)

    async def _feed(self) -> None:
        try:
            await self._read(lambda: bool(self._now.reason))
        except Exception as error:
            self._now.broken = error
            self._stop("no more items can be read")

    async def _watch(self) -> None:
        self._stop(await silence(self._client, self._given.settings, lambda: bool(self._now.jobs)))

    async def _work(self, at_once: bool) -> None:
        if not at_once:
            await self._now.answered.wait()  # few requests until the judge has answered one
        while not self._now.reason:
            job = await self._now.todo.get()
            if not self._cache.claim(job.key):  # another process is asking, and may end without an answer
                asyncio.get_running_loop().call_later(POLL_S, self._now.todo.put_nowait, job)
                continue
            try:
                # Another process may have stored the reply in the meantime.
                if (verdict := self._known(job)) is None:
                    job.paid = self._now.fetched.pop(job.key, None)
                    verdict = await self._asker.ask(job)
                    self._counted.replied()
                    self._now.answered.set()
            except NotAskedError:
                return
            except Exception as error:
                verdict = self._failed(error)
            finally:
                self._cache.release(job.key)
            self._answer(job, verdict)

    async def _fail_the_rest(self) -> None:
        """Answer all items without a verdict with the reason why asking stopped; cached verdicts are still used."""
        self._now.todo = asyncio.Queue()
        for job in list(self._now.jobs.values()):
            self._answer(job, self._asker.failure(f"not asked: {self._now.reason}"))
        await self._read(lambda: False)

    @property
    def _is_full(self) -> bool:
        ahead = self._ahead
        made, made_bytes = self._counted.made, self._counted.made_bytes
        if self._given.settings.mode != "batch" and made_bytes > AHEAD_BYTES:
            ahead = min(ahead, max(2 * self._given.settings.concurrency, AHEAD_BYTES * made // made_bytes))
        return self._now.todo.qsize() >= ahead or self._given.queue.size >= max(WINDOW, ahead)

    async def _read(self, is_enough: Callable[[], bool]) -> None:
        """Read items while there is room for them, until there are no more or it is enough."""
        while not self._now.is_drained and not is_enough():
            if self._is_full:
                await asyncio.sleep(ROOM_S)
            else:
                self._read_items(CHUNK)
                await asyncio.sleep(0)  # for replies, and for Ctrl-C in a run from the cache

    def _read_items(self, count: int) -> None:
        until = time.monotonic() + CHUNK_S
        for _ in range(count):
            try:
                doc, response = next(self._given.source)
            except StopIteration:
                self._now.is_drained = True
                break
            except BaseException as error:  # also SystemExit, or the caller would wait forever
                raise SourceError from error
            self._counted.seen += 1
            self._place(self._given.queue.add(Judged(doc)), response)
            if self._is_full or time.monotonic() > until:
                break
        self._now.look_whether_done(in_batches=self._given.settings.mode == "batch")
        self._given.queue.emit_soon()

    def _place(self, item: Judged, response: str) -> None:
        """Answer an item at once, let an earlier one with the same request answer it, or let it be asked about."""
        try:
            item.messages = to_json(self._rubric.render(item.doc, response))
            item.key = self._keys.key(item.messages, is_again=isinstance(item.doc, Again))
            first = self._now.jobs.get(item.key)
            known = None if first else self._known(item)
        except Exception as error:  # such as a document of another task
            text = f"the rubric does not fit the document ({type(error).__name__}: {one_line(error, 60)})"
            item.verdict = self._asker.failure(text)
            return
        if first:
            first.same.append(item)
        elif known:
            item.verdict = known
            self._counted.cached += 1
            self._bar.done(is_error=known.is_missing)
        elif fault := too_long(item.messages, self._rubric.MAX_TOKENS, self._given.settings.context):
            item.verdict = self._asker.failure(fault)
            self._counted.seen -= 1  # it is no part of the estimate
            self._bar.done(is_error=True)
        else:
            self._now.jobs[item.key] = item
            self._counted.made += 1
            self._counted.made_bytes += len(item.messages)
            if self._now.reason:
                self._answer(item, self._asker.failure(f"not asked: {self._now.reason}"))
            else:
                self._now.todo.put_nowait(item)
            return
        item.drop_request()

    def _known(self, item: Judged) -> Verdict | None:
        known = self._asker.known(item)
        if known is not None and (paid := self._now.fetched.pop(item.key, None)):
            return replace(known, cached=False, usage=paid)
        return known

    def _answer(self, job: Judged, verdict: Verdict) -> None:
        del self._now.jobs[job.key]
        self._asker.keep_final(job.key, verdict)
        if not verdict.is_missing:  # also where another process has asked
            self._client.answered_at = time.monotonic()
        if verdict.usage is not None and not verdict.cached:
            self._counted.usage += verdict.usage
        for other in job.same:  # the call is billed once
            other.verdict = replace(verdict, usage=None, cached=not verdict.is_missing)
        self._bar.done(1 + len(job.same), is_error=verdict.is_missing)
        job.verdict = verdict
        job.drop_request()
        self._now.look_whether_done(in_batches=self._given.settings.mode == "batch")
        self._given.queue.emit_soon()

    # ---- when asking comes to an end ----

    def _failed(self, error: Exception) -> Verdict:
        """The verdict of a job that failed; asking stops when further jobs would fail too."""
        if isinstance(error, JudgeUnusableError):
            self._stop(str(error))
            return self._asker.failure(str(error))
        if not isinstance(error, NoReplyError):
            return self._asker.failure(f"{type(error).__name__}: {error}")
        self._counted.failures += 1
        if reason := why_hopeless(self._counted.failures, self._counted.last_reply, error, self._client.faults):
            self._stop(reason)
        return self._asker.failure(str(error), error.usage)

    def _stop(self, reason: str) -> None:
        self._now.reason = self._now.reason or reason
        self._client.stop()
        self._now.done.set()

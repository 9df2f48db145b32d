"""One request to the judge: retried where that can help, and asked again until the reply can be parsed."""

from __future__ import annotations

import asyncio
import logging
import time
from collections import Counter, defaultdict
from collections.abc import Mapping, Set
from contextlib import suppress
from dataclasses import replace
from functools import lru_cache
from typing import Any

from hueval_metrics.judge.cache.replies import ReplyCache
from hueval_metrics.judge.client.chat_api import FORMAT, Bodies, is_whole, parameters, reply_limit
from hueval_metrics.judge.client.pacing import retry_after
from hueval_metrics.judge.client.problems import problem
from hueval_metrics.judge.client.servers import Server, Servers, timeout_of
from hueval_metrics.judge.completion import Completion, completion
from hueval_metrics.judge.errors import (
    AttemptError,
    BudgetExceededError,
    ConnectError,
    DeclinedError,
    JudgeError,
    JudgeUnusableError,
    NoReplyError,
    NotAskedError,
    OverloadedError,
    RateLimitError,
    ReadTimeoutError,
    TransientError,
    UnsupportedParameterError,
    kind_of,
)
from hueval_metrics.judge.ledger import Ledger, Reservation
from hueval_metrics.judge.outcomes import is_final
from hueval_metrics.judge.queue import Judged
from hueval_metrics.judge.rubric import Rubric, long_reply, reads_document, rubric_id
from hueval_metrics.judge.settings import JudgeSettings
from hueval_metrics.judge.shutdown import ended, warn_of_end
from hueval_metrics.one_line import one_line
from hueval_metrics.records import NO_USAGE, UNREADABLE, Usage, Verdict
from hueval_metrics.text.quick_json import to_json

POLL_S = 0.05  # interval of the checks whether other calls have freed a part of the budget
READ_TRIES = 3  # requests for a reply that can be parsed
FIRST, FIRST_CUT = 10, 3  # where so many of the first replies are cut off, all later ones may be longer
_BYTES_A_TOKEN = 3  # for pacing, where the order of magnitude is enough
_SMOOTHING = 0.1
_QUOTED = 2000  # characters of an unreadable reply that are sent back to the judge
_ERROR_LENGTH = 300
_SHORT, _REMEMBERED = 200, 1024  # longest reply whose parsed verdict is cached, in characters; size of that cache

Doc = Mapping[str, Any]

log = logging.getLogger(__name__)


class JudgeClient:
    """Asks the judge; used within one event loop and closed by its `async with` block.

    Args:
        settings: the servers, the key and the time-outs.
        ledger: reserves the cost of every call, and refuses one that could exceed the budget.
        cache: where the unsupported parameters of a server are remembered; None for nowhere.

    Attributes:
        last_limit: the message of the last response that limited the rate; empty when there was none.
        in_flight: the number of requests in flight.
        faults: how many attempts ended in which way, such as `HTTP 429`.
        answered_at: when the last reply came, by the monotonic clock; the start before the first one.
        patience_s: the longest time-out of a request so far.
    """

    def __init__(self, settings: JudgeSettings, ledger: Ledger, cache: ReplyCache | None = None) -> None:
        self._settings, self._ledger, self._retry = settings, ledger, settings.retry
        self._servers = Servers(settings, cache)
        self._bodies = Bodies(settings.model)
        self._stopped = asyncio.Event()
        self.last_limit = ""
        self.in_flight = 0
        self.faults: Counter[str] = Counter()
        self.answered_at, self.patience_s = time.monotonic(), settings.timeout_s
        self._reply_tokens = 100.0  # average

    async def __aenter__(self) -> JudgeClient:
        await self._servers.__aenter__()
        return self

    async def __aexit__(self, *error: object) -> None:
        await self._servers.__aexit__(*error)

    def stop(self) -> None:
        """Start no further attempt; requests in flight may still be answered."""
        self._stopped.set()

    async def preflight(self) -> None:
        """Check which servers can be reached, and which models they list; the others count as down.

        Raises:
            JudgeUnusableError: no server can be reached, or the judge has been shut down.
        """
        self._refuse_ended()
        faults: list[str | None] = []
        for tries in range(self._retry.connect_tries):
            if tries:
                await asyncio.sleep(self._retry.backoff_s)
            faults = await asyncio.gather(*(server.look() for server in self._servers.all))
            if None in faults:
                self._refuse_ended()  # again, with the dates that the servers list
                warn_of_end(self._settings)
                return
        raise self._unreachable(self._servers.all[0], str(faults[0]))

    async def ask(self, messages: bytes, params: Mapping[str, Any]) -> Completion:
        """The judge's reply to one request: a text, or none where hidden reasoning took all tokens.

        Args:
            messages: the chat messages, as JSON.
            params: the parameters, read when the request is sent; those that a server does not support are left out.

        Raises:
            NoReplyError: there is none after all attempts that could help.
            NotAskedError: asking has stopped.
            JudgeUnusableError: every request will fail.
        """
        tries, paid = 0, NO_USAGE
        without: dict[Server, set[str]] = defaultdict(set)  # in this request; for good once it has succeeded so
        while True:
            server = self._servers.choose()
            answers = server.answers
            fault: AttemptError
            try:
                found = await self._turn(server, messages, params, without[server])
                paid += found.usage
                if found.is_blank and FORMAT in found.sent and not is_whole(found.content):
                    without[server].add(FORMAT)
                    continue
                if found.content or (found.is_cut and not found.is_blank):
                    for name in without[server]:
                        server.leave_out(name)
                    found.usage = paid
                    return found
                fault = (DeclinedError if found.is_declined else TransientError)(f"the reply is empty ({found.reason})")
                self.faults[kind_of(fault)] += 1
            except UnsupportedParameterError as refused:
                without[server].add(str(refused))
                continue
            except NoReplyError as error:
                raise NoReplyError(str(error), paid + error.usage) from None
            except BudgetExceededError:
                raise
            except JudgeUnusableError as unusable:
                if not self._servers.give_up(server, str(unusable)):
                    raise
                continue
            except RateLimitError as limited:
                if self._stopped.is_set() and not paid.calls:
                    raise NotAskedError from None  # the reason is that of the stop
                # The deadline of the run ends refusals, not their number. But an overloaded server that answers no
                # request in the meantime counts as down.
                is_busy = isinstance(limited, OverloadedError) and server.answers == answers
                if not self._stopped.is_set() and not is_busy:
                    continue
                fault = limited
            except TransientError as error:
                fault = error
                if self._may_be_format(server, error, tries) and FORMAT in server.sent(params, without[server]):
                    without[server].add(FORMAT)
            tries += 1
            if not await self._may_retry(server, fault, tries):
                raise NoReplyError(f"{fault} ({tries} {'try' if tries == 1 else 'tries'})", paid)

    async def _may_retry(self, server: Server, fault: AttemptError, tries: int) -> bool:
        """Wait before the next attempt; returns False when there is none."""
        is_setup, is_new = isinstance(fault, ConnectError), not self._servers.have_answered
        is_wrong = is_new and is_setup and tries >= self._retry.connect_tries and self._servers.are_down
        if is_wrong or (server.is_silent and len(self._servers.all) == 1):
            raise self._unreachable(server, str(fault))
        if tries >= self._retry.attempts(fault, is_first_contact=is_new):
            return False
        if is_setup and not self._servers.are_down:
            return not self._stopped.is_set()  # another server is up
        return await self._pause(self._retry.pause_s(tries))

    def _may_be_format(self, server: Server, fault: TransientError, tries: int) -> bool:
        """Count a failed attempt; returns whether a schema may be the reason: some servers crash on what they lack."""
        server.failed(is_unreachable=isinstance(fault, ConnectError))
        is_broken = not isinstance(fault, (ConnectError, ReadTimeoutError)) and not server.answers
        return is_broken and tries + 1 >= self._retry.connect_tries

    async def _turn(self, server: Server, messages: bytes, params: Mapping[str, Any], without: Set[str]) -> Completion:
        """One attempt, in a slot of the server's concurrency limit."""
        await server.pacer.acquire(len(messages) // _BYTES_A_TOKEN + int(self._reply_tokens))
        try:
            if self._stopped.is_set():
                raise NotAskedError
            sent = server.sent(params, without)  # now: other requests may have shown in the meantime what is refused
            body = self._bodies.body(messages, sent)
            return await self._try(server, body, sent, await self._reserve(len(body), reply_limit(sent)))
        except RateLimitError as limited:
            self.last_limit = str(limited)
            if self._servers.have_answered or not isinstance(limited, OverloadedError):
                server.pacer.limited(limited.headers)
            # The request keeps its slot while it waits, so that no other request starts: this slows the others down.
            await self._pause(self._retry.pause_s(1, retry_after(limited.headers)))
            raise
        finally:
            server.pacer.release()

    async def _reserve(self, prompt_bytes: int, limit: int) -> Reservation:
        """Reserve the cost of one call; waits while other calls may free a part of the budget."""
        settings = self._settings
        while True:
            are_others = self._ledger.outstanding  # read first: another thread may settle its last call at any moment
            reservation = self._ledger.reserve(settings.model, prompt_bytes, limit, settings)
            if reservation is not None:
                return reservation
            if not are_others:
                raise BudgetExceededError(self._ledger.stop_reason(settings))
            if not await self._pause(self._retry.pause_s(1, POLL_S)):
                raise NotAskedError

    async def _try(self, server: Server, body: bytes, sent: Mapping[str, Any], reservation: Reservation) -> Completion:
        started = time.monotonic()
        timeout_s = timeout_of(self._settings, reply_limit(sent))
        self.patience_s = max(self.patience_s, timeout_s)
        self.in_flight += 1
        try:
            status, headers, text = await server.post(body, timeout_s)
            if status == 200:
                server.pacer.answered(headers)
            found = completion(text) if status == 200 else None
            if found is None:
                raise problem(server, self._settings, status, headers, text, sent)
        except BaseException as error:
            if isinstance(error, JudgeError) and not isinstance(error, UnsupportedParameterError):
                self.faults[kind_of(error)] += 1
            is_free = isinstance(error, JudgeError) and not error.maybe_billed
            (self._ledger.release if is_free else self._ledger.forfeit)(reservation)
            raise
        finally:
            self.in_flight -= 1
        server.answered(sent)
        self.answered_at = time.monotonic()
        found.sent, found.usage = sent, self._ledger.settle(reservation, found, self.answered_at - started)
        self._reply_tokens += _SMOOTHING * (found.usage.completion_tokens - self._reply_tokens)
        return found

    def _refuse_ended(self) -> None:
        # The batches of a judge that has been shut down may be ready to be collected.
        if self._settings.mode != "batch" and (why := ended(self._settings)):
            raise JudgeUnusableError(why)

    def _unreachable(self, server: Server, fault: str) -> JudgeUnusableError:
        return JudgeUnusableError(f"{server.address}: {fault}. Is a judge running there? Check HUEVAL_JUDGE_BASE_URL")

    async def _pause(self, seconds: float) -> bool:
        """Wait; returns False when asking has stopped in the meantime."""
        try:
            await asyncio.wait_for(self._stopped.wait(), seconds)
        except TimeoutError:
            return True
        return False


class Asker:
    """Verdicts of one judge by one rubric, from the cache or by requests.

    Args:
        rubric: renders the requests and parses the replies.
        settings: the judge's model and sampling.
        client: sends the requests.
        cache: stores the replies that can be parsed.
    """

    def __init__(self, rubric: Rubric, settings: JudgeSettings, client: JudgeClient, cache: ReplyCache) -> None:
        self._rubric, self._settings, self._client, self._cache = rubric, settings, client, cache
        self._id = rubric_id(rubric)
        self._params = parameters(settings, rubric)
        self._first = self._first_cut = 0  # replies of the first requests, and those that were cut off
        self._long_reply, self._reads_document = long_reply(rubric), reads_document(rubric)
        # Most replies are one of a few short texts, and parsing is pure.
        self._read_short = lru_cache(_REMEMBERED)(self._read_anew)

    def known(self, item: Judged) -> Verdict | None:
        """The verdict in the cached reply to a request, or why the judge gives none; None when neither is known."""
        key = item.key
        if not (record := self._cache.record(key)):
            return None
        reply, error, raw = (record.get(name) for name in ("reply", "error", "raw"))
        if error is not None:
            if self._settings.asks_final or record.get("rubric") != self._id:
                return None
            raw = raw if isinstance(raw, str) else None
            return replace(self.failure(str(error), self._cache.usage(key)), raw=raw, cached=True)
        if not isinstance(reply, str):
            return None
        verdict, schema = self._read(reply, item.doc), record.get("schema") is not False
        if verdict.is_missing:
            return None
        usage, unsaved = self._cache.usage(key), not self._cache.is_saved(key)
        return verdict.at_cost(usage, cached=True, unsaved=unsaved, schema=schema)

    def warm_up(self) -> None:
        """Load what parsing needs, such as words: else the first reply would hold up the others for 0.1 s."""
        if not self._reads_document:
            with suppress(Exception):  # whatever is wrong shows with the first reply
                self._rubric.parse("?")

    def keep_final(self, key: str, verdict: Verdict) -> None:
        """Store that the judge gives no verdict, if asking again would most likely bring none."""
        if not verdict.is_given and is_final(verdict) and not verdict.cached:
            notes = {"error": verdict.error, "raw": verdict.raw}
            self._cache.put(key, "", self._settings.model, self._id, verdict.usage, **notes)

    async def ask(self, item: Judged) -> Verdict:
        """Ask for a verdict, up to `READ_TRIES` times; a reply that can be parsed is on disk when this returns.

        Args:
            item: what is asked, and what that has cost before, for an unreadable reply in a batch.

        Raises:
            NoReplyError, JudgeUnusableError: see `JudgeClient.ask`.
        """
        messages, paid = item.messages, item.paid or NO_USAGE
        asked, params, usage = messages, self._params, paid
        verdict, reply = Verdict(), None
        for _ in range(max(1, READ_TRIES - paid.calls)):
            try:
                reply = await self._client.ask(asked, params)
            except NoReplyError as error:
                usage += error.usage
                if reply is not None and reply.is_cut:
                    break  # the server allows no longer reply
                raise NoReplyError(str(error), usage) from None
            usage += reply.usage
            if asked is messages and params is self._params and self._first < FIRST:
                self._first, self._first_cut = self._first + 1, self._first_cut + reply.is_cut
            verdict = self._verdict(reply, item.doc)
            schema = FORMAT in reply.sent or FORMAT not in params
            if not verdict.is_missing:
                # Under the key of the first request, with which a later run begins.
                notes = {} if schema else {"schema": False}
                self._cache.put(item.key, reply.content, self._settings.model, self._id, usage, **notes)
                return verdict.at_cost(usage, unsaved=not self._cache.is_saved(item.key), schema=schema)
            verdict = replace(verdict, schema=schema)
            self._client.faults["cut reply" if reply.is_cut else UNREADABLE] += 1
            if reply.is_cut:
                asked, params = messages, params | {"max_tokens": max(2 * reply_limit(reply.sent), self._long_reply)}
                if self._first_cut >= FIRST_CUT:  # it reasons before it replies; in place, for requests that wait
                    self._params["max_tokens"] = max(self._params["max_tokens"], self._long_reply)
            else:
                # Without the schema: some servers answer a request for structured output with endless white space.
                asked = self._once_more(messages, verdict)
                params = {name: value for name, value in params.items() if name != FORMAT}
        return replace(verdict, usage=usage)

    def failure(self, text: str, usage: Usage | None = None) -> Verdict:
        """A missing verdict."""
        error = one_line(text, _ERROR_LENGTH)
        return Verdict(judge=self._settings.model, rubric=self._id, error=error, usage=usage)

    def is_readable(self, reply: str, doc: Doc | None) -> bool:
        """Whether a reply can be parsed; assumed where the rubric needs the document and it is None."""
        return (doc is None and self._reads_document) or not self._read(reply, doc or {}).is_missing

    def _verdict(self, reply: Completion, doc: Doc) -> Verdict:
        if reply.is_cut and not is_whole(reply.content):
            # The judge may have rejected a label in the part that was cut off.
            return self._signed(Verdict(error="unreadable: the reply is cut off"), reply.content)
        return self._read(reply.content, doc)

    def _read(self, reply: str, doc: Doc) -> Verdict:
        if self._reads_document:
            return self._signed(self._rubric.parse(reply, doc), reply)
        return self._read_short(reply) if len(reply) <= _SHORT else self._read_anew(reply)

    def _read_anew(self, reply: str) -> Verdict:
        return self._signed(self._rubric.parse(reply), reply)

    def _signed(self, verdict: Verdict, reply: str) -> Verdict:
        return replace(verdict, raw=reply, judge=self._settings.model, rubric=self._id)

    def _once_more(self, messages: bytes, verdict: Verdict) -> bytes:
        """The messages, the unreadable reply, and a request for the form that the rubric expects."""
        correction = getattr(self._rubric, "correction", None)
        again = f"Your last reply could not be read. {correction(verdict) if correction else self._rubric.FORM}"
        # With the reply in between, as many chat templates refuse two user messages in a row.
        more = [{"role": "assistant", "content": (verdict.raw or "")[:_QUOTED]}, {"role": "user", "content": again}]
        return messages[:-1] + b"," + to_json(more)[1:]

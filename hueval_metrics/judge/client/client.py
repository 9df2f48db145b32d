"""One request to the judge: over aiohttp to any OpenAI-compatible server, tried again where that can help.

Three endings: the judge's words; `NoReplyError`, this request failed; `JudgeUnusableError`, no request will.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Mapping
from typing import Any

import aiohttp

from hueval_metrics.judge.cache.replies import ReplyCache
from hueval_metrics.judge.client.exceptions import (
    AttemptError,
    BudgetExceededError,
    ConnectError,
    InvalidResponseError,
    JudgeError,
    JudgeUnusableError,
    NoReplyError,
    NotAskedError,
    OverloadedError,
    RateLimitError,
    ReadTimeoutError,
    TransientError,
    UnsupportedParameterError,
)
from hueval_metrics.judge.client.http import list_models, read_text
from hueval_metrics.judge.client.pacing import retry_after
from hueval_metrics.judge.client.replies import (
    Completion,
    Reply,
    completion,
    failure,
    is_whole,
    no_completion,
    quoted,
    transport_fault,
    used_up,
)
from hueval_metrics.judge.client.requests import FORMAT, body_of
from hueval_metrics.judge.client.servers import Server, Servers
from hueval_metrics.judge.ledger import Ledger, Reservation
from hueval_metrics.judge.retirement import ended, note_listed, warn_of_end
from hueval_metrics.judge.settings import JudgeSettings
from hueval_metrics.records import Usage
from hueval_metrics.text.one_line import one_line

POLL_S = 0.05  # between looks at a budget that other calls hold
_BYTES_A_TOKEN = 3  # for pacing, where only the order of magnitude counts
_SMOOTHING = 0.1
_UNBOUNDED = 16_384  # tokens of a reply that no server lets us bound
_NO_KEY = "it wants a key and none was sent, as OPENAI_API_KEY goes to api.openai.com only"

log = logging.getLogger(__name__)


class JudgeClient:
    """Asks the judge; used within one event loop and closed by its `async with` block.

    Args:
        settings: where to ask, as whom, and how long to wait.
        ledger: where every call is entered, and which refuses one that the budget does not cover.
        cache: where it is kept what a server does not take; None for nowhere.

    Attributes:
        last_limit: what a server last said that wanted to be asked less; empty when none did.
        in_flight: how many requests are on their way just now.
    """

    def __init__(self, settings: JudgeSettings, ledger: Ledger, cache: ReplyCache | None = None) -> None:
        self._settings, self._ledger, self._retry = settings, ledger, settings.retry
        self._servers = Servers(settings, cache)
        self._stopped = asyncio.Event()
        self.last_limit = ""
        self.in_flight = 0
        self._reply_tokens = 100.0  # of a reply, on average

    async def __aenter__(self) -> JudgeClient:
        await self._servers.__aenter__()
        return self

    async def __aexit__(self, *error: object) -> None:
        await self._servers.__aexit__(*error)

    def stop(self) -> None:
        """Try nothing again from now on; requests under way may still be answered."""
        self._stopped.set()

    async def preflight(self) -> None:
        """See which servers can be reached, and what they offer; those that cannot are left out from the start.

        Raises:
            JudgeUnusableError: none can be reached, or the judge has ended.
        """
        self._refuse_ended()
        faults: list[str | None] = []
        for tries in range(self._retry.connect_tries):
            if tries:
                await asyncio.sleep(self._retry.backoff_s)
            faults = await asyncio.gather(*map(self._look, self._servers.all))
            if None in faults:
                for server in self._servers.all:
                    note_listed(server.offers)
                self._refuse_ended()  # again, by what the servers list
                warn_of_end(self._settings)
                return
        raise self._unreachable(self._servers.all[0], str(faults[0]))

    async def ask(self, messages: bytes, params: Mapping[str, Any]) -> Reply:
        """The judge's words.

        Args:
            messages: the chat messages, as JSON.
            params: the parameters; a server is asked without those that it does not take.

        Raises:
            NoReplyError: none came, after several tries where these could help.
            NotAskedError: asking has stopped.
            JudgeUnusableError: none will come to any request.
        """
        tries, paid = 0, Usage()
        while True:
            server = self._servers.choose()
            answers = server.answers
            fault: AttemptError
            try:
                found, usage = await self._turn(server, messages, params)
                paid += usage
                if found.is_blank and FORMAT in server.sent(params):
                    server.leave_out(FORMAT)
                    if not is_whole(found.content):
                        continue
                if found.content or (found.is_cut and not found.is_blank):
                    return Reply(found.content, found.is_cut, paid)
                fault = InvalidResponseError(f"the reply is empty ({found.reason})")
            except UnsupportedParameterError as refused:
                server.leave_out(str(refused))
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
                # Refusals are ended by the run's deadline, not by a count. But a server that says it has too much to
                # do, and answers nobody meanwhile, is as good as down.
                is_busy = isinstance(limited, OverloadedError) and server.answers == answers
                if not self._stopped.is_set() and not is_busy:
                    continue
                fault = limited
            except TransientError as error:
                fault = error
                self._note(server, error, params, tries)
            tries += 1
            if not await self._is_to_go_on(server, fault, tries):
                raise NoReplyError(f"{fault} ({tries} {'try' if tries == 1 else 'tries'})", paid)

    async def _is_to_go_on(self, server: Server, fault: AttemptError, tries: int) -> bool:
        """Wait before the next try; False when there is to be none."""
        is_setup, is_new = isinstance(fault, ConnectError), not self._servers.have_answered
        is_wrong = is_new and is_setup and tries >= self._retry.connect_tries and self._servers.are_down
        if is_wrong or (server.is_silent and len(self._servers.all) == 1):
            raise self._unreachable(server, str(fault))
        if tries >= self._retry.attempts(fault, is_first_contact=is_new):
            return False
        if is_setup and not self._servers.are_down:
            return not self._stopped.is_set()  # another server is up
        return await self._pause(self._retry.pause_s(tries))

    def _note(self, server: Server, fault: TransientError, params: Mapping[str, Any], tries: int) -> None:
        server.failed(is_unreachable=isinstance(fault, ConnectError))
        is_broken = not isinstance(fault, (ConnectError, ReadTimeoutError)) and not server.answers
        if is_broken and tries + 1 >= self._retry.connect_tries and FORMAT in server.sent(params):
            server.leave_out(FORMAT)  # some servers break down over what they do not know

    async def _turn(self, server: Server, messages: bytes, params: Mapping[str, Any]) -> tuple[Completion, Usage]:
        """One try, in its place in the server's window."""
        sent = server.sent(params)
        body = body_of(self._settings.model, messages, sent)
        await server.pacer.acquire(len(body) // _BYTES_A_TOKEN + int(self._reply_tokens))
        try:
            if self._stopped.is_set():
                raise NotAskedError
            reservation = await self._reserve(body, sent)
            return await self._try(server, body, sent, reservation)
        except RateLimitError as limited:
            self.last_limit = str(limited)
            if self._servers.have_answered or not isinstance(limited, OverloadedError):
                server.pacer.limited(limited.headers)
            # It keeps its place while it waits as told, so that no other request takes it: this is the brake.
            await self._pause(self._retry.pause_s(1, retry_after(limited.headers)))
            raise
        finally:
            server.pacer.release()

    async def _reserve(self, body: bytes, sent: Mapping[str, Any]) -> Reservation:
        """The money for one call; waits while others may give some back."""
        length = sent.get("max_tokens") or sent.get("max_completion_tokens") or _UNBOUNDED
        settings = self._settings
        while True:
            are_others = self._ledger.outstanding  # looked at first: another thread may settle its last one any moment
            reservation = self._ledger.reserve(settings.model, len(body), length, settings)
            if reservation is not None:
                return reservation
            if not are_others:
                raise BudgetExceededError(self._ledger.stop_reason(settings))
            if not await self._pause(self._retry.pause_s(1, POLL_S)):
                raise NotAskedError

    async def _try(
        self, server: Server, body: bytes, sent: Mapping[str, Any], reservation: Reservation
    ) -> tuple[Completion, Usage]:
        started = time.monotonic()
        self.in_flight += 1
        try:
            status, headers, text = await self._post(server, body)
            if status == 200:
                server.pacer.answered(headers)
            found = completion(text) if status == 200 else None
            if found is None:
                raise self._problem(server, status, headers, text, sent)
        except BaseException as error:
            is_free = isinstance(error, JudgeError) and not error.maybe_billed
            (self._ledger.release if is_free else self._ledger.forfeit)(reservation)
            raise
        finally:
            self.in_flight -= 1
        server.answered(sent)
        usage = self._ledger.settle(
            reservation,
            found.prompt_tokens,
            found.completion_tokens,
            cached_tokens=found.cached_tokens,
            written_tokens=found.written_tokens,
            reply_bytes=len(found.content),
            seconds=time.monotonic() - started,
        )
        self._reply_tokens += _SMOOTHING * (usage.completion_tokens - self._reply_tokens)
        return found, usage

    async def _post(self, server: Server, body: bytes) -> tuple[int, Mapping[str, str], str]:
        """Status, headers and text of the server's answer."""
        try:
            # A redirect is not followed: it could lead the key to another host.
            async with server.session.post(server.endpoint, data=body, allow_redirects=False) as response:
                server.is_silent = False
                return response.status, response.headers, await read_text(response, self._settings)
        except (aiohttp.InvalidURL, UnicodeError):  # the second from a host name with an empty label, or a long one
            raise JudgeUnusableError(f"{server.address} is no address. Check HUEVAL_JUDGE_BASE_URL") from None
        # aiohttp's exceptions carry the request with its headers, the key among them: none is kept or shown.
        except (aiohttp.ClientError, OSError) as error:
            raise transport_fault(error, self._settings.timeout_s) from None

    def _problem(
        self, server: Server, status: int, headers: Mapping[str, str], text: str, sent: Mapping[str, Any]
    ) -> JudgeError:
        """What an answer without a completion means for the request, or for all."""
        settings, said = self._settings, quoted(status, text)
        if status == 200:
            return no_completion(text, headers.get("Content-Type", ""))
        if is_used_up := used_up(server.address, status, text):
            return is_used_up
        if status == 401 or (status == 403 and not server.answers):
            state = "the key is refused" if settings.secrets else _NO_KEY
            return JudgeUnusableError(f"{server.address}: {state} ({said}). Set HUEVAL_JUDGE_API_KEY")
        if status == 404:
            offers = f" It offers {', '.join(list(server.offers)[:5])}." if server.offers else ""
            return JudgeUnusableError(
                f"{server.address}: no such model or no such address ({said}).{offers} Check HUEVAL_JUDGE_MODEL, now "
                f"{one_line(settings.model, 60)}, and HUEVAL_JUDGE_BASE_URL, which mostly ends in /v1"
            )
        return failure(status, headers, text, sent, server.has_formatted)

    def _refuse_ended(self) -> None:
        if self._settings.mode != "batch" and (why := ended(self._settings)):  # its batches may be there to collect
            raise JudgeUnusableError(why)

    async def _look(self, server: Server) -> str | None:
        """What is wrong with a server; None when it can be reached."""
        try:
            server.offers = await list_models(server.session, server.base_url, self._settings)
        except TransientError as fault:
            if isinstance(fault, ConnectError):
                server.failed(is_unreachable=True)
                return str(fault)
            server.is_silent = True  # it may be busy: a request will tell
            log.warning(
                "%s: it accepts connections but has not answered yet; waiting for the first request.", server.address
            )
        server.is_up()
        return None

    def _unreachable(self, server: Server, fault: str) -> JudgeUnusableError:
        return JudgeUnusableError(f"{server.address}: {fault}. Is a judge running there? Check HUEVAL_JUDGE_BASE_URL")

    async def _pause(self, seconds: float) -> bool:
        """Wait; False when asking has stopped meanwhile."""
        try:
            await asyncio.wait_for(self._stopped.wait(), seconds)
        except TimeoutError:
            return True
        return False

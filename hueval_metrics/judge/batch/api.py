"""A server's Batch API, through the openai SDK: upload, create, retrieve, find, download. Knows nothing of judging.

Transient errors are retried without end; the caller cancels when it has waited long enough.
"""

from __future__ import annotations

import asyncio
import json
import logging
import os
import ssl
from collections.abc import Awaitable, Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import IO, Any, Final, TypeVar
from urllib.parse import parse_qsl, urlsplit

from hueval_metrics.judge.client.chat_api import connect_fault, failure, quoted, used_up
from hueval_metrics.judge.client.pacing import retry_after
from hueval_metrics.judge.client.servers import headers_of, proxy_of, redact
from hueval_metrics.judge.errors import (
    ConnectError,
    JudgeError,
    JudgeUnusableError,
    RateLimitError,
    ReadTimeoutError,
    TransientError,
)
from hueval_metrics.judge.settings import JudgeSettings, shown
from hueval_metrics.one_line import one_line

WARN_AFTER = 8  # attempts at one step: about a minute
ENDPOINT: Final = "/v1/chat/completions"
_OVER = frozenset({"completed", "failed", "expired", "cancelled"})  # OpenAI's API reference, "The batch object"
_ABSENT = frozenset({404, 405, 501})
_PASSING = (TransientError, RateLimitError)
_TOKEN = "hueval"  # the key of our token in a batch's metadata
_UPLOAD_BYTES_PER_S = 50_000  # the slowest upload that is waited for
_RAW = "x-stainless-raw-response"  # the SDK reads this header of its own request
_PAGE = 100  # batches on one page of the list, OpenAI's maximum
_MAX_PAGES = 100  # of a list that begins with the newest

log = logging.getLogger(__name__)
_Found = TypeVar("_Found")


class BatchUnavailableError(JudgeError):
    """The server does not accept a batch, or does not return its answers; the text is the reason in one line."""


class RedirectError(BatchUnavailableError):
    """The server redirects, which is not followed."""


class NotFoundError(BatchUnavailableError):
    """The address does not exist."""


@dataclass(frozen=True, slots=True)
class Batch:
    """A batch, as the server describes it.

    Attributes:
        id: the server's id of it.
        status: such as `in_progress`.
        token: our own name of it; empty when it is not ours, or the server stores no metadata.
        done: how many of its requests are answered or have failed.
        files: ids of the files of its answers and errors, where there are any.
        code, message: the first error of a batch that was refused as a whole; empty without one.
    """

    id: str
    status: str
    token: str = ""
    done: int = 0
    files: tuple[str, ...] = ()
    code: str = ""
    message: str = ""

    @property
    def is_over(self) -> bool:
        """Whether the status is final."""
        return self.status in _OVER


def batch_of(data: object) -> Batch | None:
    """Parse a server's description of a batch; None when it is none.

    >>> batch_of({"id": "batch_1", "status": "completed", "output_file_id": "file-1"}).files
    ('file-1',)
    """
    data = _object(data)
    batch_id, status = data.get("id"), data.get("status")
    if not (isinstance(status, str) and isinstance(batch_id, str) and batch_id and batch_id.isprintable()):
        return None
    counts, errors = _object(data.get("request_counts")), _object(data.get("errors")).get("data")
    error = _object(errors[0]) if isinstance(errors, list) and errors else {}
    return Batch(
        id=batch_id,
        status=status,
        token=str(_object(data.get("metadata")).get(_TOKEN) or ""),
        done=sum(n for n in (counts.get("completed"), counts.get("failed")) if isinstance(n, int)),
        files=tuple(file for name in ("output_file_id", "error_file_id") if isinstance(file := data.get(name), str)),
        code=str(error.get("code") or ""),
        message=one_line(error.get("message") or ""),
    )


def _object(value: object) -> Mapping[str, Any]:
    return value if isinstance(value, dict) else {}


class BatchApi:
    """A client of the first of the servers, for one event loop; closed by its `async with` block.

    Every method raises `JudgeUnusableError` when the server cannot be used at all: a wrong address or key, no money.
    """

    def __init__(self, settings: JudgeSettings) -> None:
        self._settings = settings
        self._base = settings.base_urls[0]
        self.address = shown(self._base)
        self._has_answered = False

    async def __aenter__(self) -> BatchApi:
        from openai import AsyncOpenAI, DefaultAsyncHttpxClient  # the extra `batch`; a second to import

        own = headers_of(self._settings)

        async def only_own_headers(request: Any) -> None:
            """Replace the SDK's headers, some of which come from the environment: secrets go to the set server only."""
            for name in list(request.headers):
                if name.startswith(("authorization", "openai-", "x-stainless-")) and name != _RAW:
                    del request.headers[name]
            request.headers.update(own)

        self._client = AsyncOpenAI(
            api_key="-",
            base_url=self.address,
            default_query=dict(parse_qsl(urlsplit(self._base).query)),
            max_retries=0,  # `_insist` retries, for longer
            timeout=self._settings.timeout_s,
            http_client=DefaultAsyncHttpxClient(
                follow_redirects=False,  # a redirect could send the key to another host
                trust_env=False,
                proxy=proxy_of(self._base),
                verify=ssl.create_default_context(),
                event_hooks={"request": [only_own_headers]},
            ),
        )
        return self

    async def __aexit__(self, *_: object) -> None:
        await self._client.close()

    async def upload(self, file: IO[bytes]) -> str:
        """Upload the requests of a batch; returns the server's id of the file.

        Args:
            file: JSON lines, in a file of the operating system.

        Raises:
            BatchUnavailableError: the server does not accept it.
            OSError: writing the file to the disk failed.
        """
        file.flush()
        seconds = self._settings.timeout_s + os.fstat(file.fileno()).st_size / _UPLOAD_BYTES_PER_S
        files = self._client.files.with_raw_response

        async def send() -> str:
            file.seek(0)
            part = ("requests.jsonl", file, "application/jsonl")
            file_id = self._json(await files.create(file=part, purpose="batch", timeout=seconds)).get("id")
            if not isinstance(file_id, str):
                raise BatchUnavailableError(f"{self.address} accepts no files for batches: its answer has no file id")
            return file_id

        return await self._insist(send, "upload")

    async def create(self, file_id: str, token: str) -> Batch:
        """Create a batch of an uploaded file, once, even if the server's answer is lost.

        Args:
            file_id: from `upload`.
            token: our own name for the batch.

        Raises:
            BatchUnavailableError: the server does not create it.
        """
        is_retry = False

        async def send() -> Batch:
            nonlocal is_retry
            if is_retry and (made := await self.find(token)):
                return made
            is_retry = True
            answer = await self._client.batches.with_raw_response.create(
                input_file_id=file_id, endpoint=ENDPOINT, completion_window="24h", metadata={_TOKEN: token}
            )
            batch = batch_of(self._json(answer))
            if batch is None:
                raise BatchUnavailableError(f"{self.address} creates no batches: its answer has no batch id")
            return batch

        return await self._insist(send, "create")

    async def look(self, batch_id: str) -> Batch | None:
        """Retrieve a batch; None when the server does not know it (any more)."""

        async def ask() -> Batch:
            batch = batch_of(self._json(await self._client.batches.with_raw_response.retrieve(batch_id)))
            if batch is None:
                raise TransientError("its answer describes no batch")
            return batch

        try:
            # Within a day there may be maintenance, or a log-in page of the network.
            return await self._insist(ask, "look", retried=(*_PASSING, RedirectError))
        except BatchUnavailableError:
            return None

    async def find(self, token: str) -> Batch | None:
        """Search the server's list for the batch of a token; None when it is not there, or there is no list."""
        after: dict[str, Any] = {}

        async def ask() -> Mapping[str, Any]:
            return self._json(await self._client.batches.with_raw_response.list(limit=_PAGE, **after))

        for _ in range(_MAX_PAGES):
            try:
                data = await self._insist(ask, "list")
            except BatchUnavailableError:
                return None
            rows = data.get("data")
            batches = [batch for row in rows if (batch := batch_of(row))] if isinstance(rows, list) else []
            if found := next((batch for batch in batches if batch.token == token), None):
                return found
            if not batches or data.get("has_more") is not True:
                return None
            after["after"] = batches[-1].id
        return None

    async def download(self, file_id: str, into: IO[bytes], cap: int) -> bool:
        """Download a file, from the start again after each broken connection.

        Args:
            file_id: its id.
            into: an empty file, to write it to.
            cap: the largest size in bytes.

        Returns:
            False when the server has no such file (any more).

        Raises:
            BatchUnavailableError: the server does not send it, or it is larger than the cap.
            OSError: it cannot be written.
        """

        async def receive() -> None:
            into.seek(0)
            into.truncate()
            async with self._client.files.with_streaming_response.content(file_id) as response:
                async for chunk in response.iter_bytes():
                    into.write(chunk)
                    if into.tell() > cap:
                        raise BatchUnavailableError(f"{self.address}: the file is larger than {cap // 2**20:,} MiB")
            into.flush()

        try:
            await self._insist(receive, "download")
        except NotFoundError:
            return False
        return True

    def _json(self, answer: Any) -> Mapping[str, Any]:
        text = redact(answer.text, self._settings)
        with suppress(ValueError, RecursionError):
            data = json.loads(text)
            if isinstance(data, dict):
                return data
        raise ConnectError(f'it sends no JSON object ("{one_line(text, 60)}")')

    async def _insist(
        self,
        step: Callable[[], Awaitable[_Found]],
        name: str,
        retried: tuple[type[JudgeError], ...] = _PASSING,
    ) -> _Found:
        """Repeat a step until it succeeds or fails with an error that is not transient."""
        retry, tries = self._settings.retry, 0
        while True:
            try:
                found = await self._try(step)
            except retried as fault:
                tries += 1
                if isinstance(fault, ConnectError) and not self._has_answered and tries >= retry.connect_tries:
                    advice = "Is a judge running there? Check HUEVAL_JUDGE_BASE_URL"
                    raise JudgeUnusableError(f"{self.address}: {fault}. {advice}") from None
                if tries == WARN_AFTER:
                    log.warning("%s: %s (batches: %s); it is retried until it works.", self.address, fault, name)
                wait_s = retry_after(fault.headers) if isinstance(fault, RateLimitError) else None
                await asyncio.sleep(retry.pause_s(tries, wait_s))
            else:
                self._has_answered = True
                return found

    async def _try(self, step: Callable[[], Awaitable[_Found]]) -> _Found:
        """One attempt. The SDK's exceptions contain the request with its headers, so none is chained or shown."""
        import openai

        try:
            return await step()
        except openai.APIStatusError as error:
            text = redact(error.response.text, self._settings)
            raise self._failure(error.status_code, error.response.headers, text) from None
        except openai.APIConnectionError as error:
            raise self._fault(error) from None
        except Exception as error:
            if not type(error).__module__.startswith("httpx"):  # or httpx2: the SDK's, by its version
                raise
            raise TransientError("the connection broke off") from None  # in the middle of a download

    def _fault(self, error: BaseException) -> TransientError:
        causes = [error]
        while cause := causes[-1].__cause__ or causes[-1].__context__:
            causes.append(cause)
        kinds = {type(cause).__name__ for cause in causes}
        if "ConnectTimeout" in kinds:
            return ConnectError("no connection in time")
        if "APITimeoutError" in kinds:
            return ReadTimeoutError(f"no answer within {self._settings.timeout_s:g} s (HUEVAL_JUDGE_TIMEOUT_S)")
        if "ConnectError" in kinds and isinstance(causes[-1], OSError):
            proxy = urlsplit(proxy_of(self._base) or "")
            return ConnectError(connect_fault(causes[-1], urlsplit(self._base).hostname or "", proxy.netloc))
        return TransientError("the connection broke off")

    def _failure(self, status: int, headers: Mapping[str, str], text: str) -> JudgeError:
        said = quoted(status, text)
        if status in (401, 403):
            return JudgeUnusableError(f"{self.address}: the key is refused ({said}). Set HUEVAL_JUDGE_API_KEY")
        if is_used_up := used_up(self.address, status, text):
            return is_used_up
        if status in _ABSENT:
            return NotFoundError(f"{self.address} has no Batch API ({said})")
        if 300 <= status < 400:
            return RedirectError(f"{self.address}: HTTP {status}, it redirects, which is not followed")
        problem = failure(status, headers, text, {})
        return problem if isinstance(problem, _PASSING) else BatchUnavailableError(f"{self.address}: {said}")

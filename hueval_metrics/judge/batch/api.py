"""A server's Batch API, by the openai SDK: upload, create, look, find, download. Nothing here knows of judging.

What may pass is tried again for as long as the caller waits; a deadline is the caller's, who cancels.
"""

from __future__ import annotations

import asyncio
import json
import logging
import os
import ssl
import time
from collections.abc import Awaitable, Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import IO, Any, Final, TypeVar
from urllib.parse import parse_qsl, urlsplit

from hueval_metrics.judge.client.exceptions import (
    ConnectError,
    JudgeError,
    JudgeUnusableError,
    NetworkError,
    ProtocolError,
    RateLimitError,
    ReadTimeoutError,
    TransientError,
)
from hueval_metrics.judge.client.http import headers_of, proxy_of, redact
from hueval_metrics.judge.client.pacing import retry_after
from hueval_metrics.judge.client.replies import connect_fault, failure, quoted, used_up
from hueval_metrics.judge.settings import JudgeSettings, shown
from hueval_metrics.text.one_line import one_line

WARN_AFTER = 8  # attempts at one step: about a minute
ENDPOINT: Final = "/v1/chat/completions"
_OVER = frozenset({"completed", "failed", "expired", "cancelled"})  # OpenAI's API reference, "The batch object"
_ABSENT = frozenset({404, 405, 501})
_PASSING = (TransientError, RateLimitError)
_TOKEN = "hueval"  # our name in a batch's metadata
_UPLOAD_BYTES_PER_S = 50_000  # a slower line than this is no line
_RAW = "x-stainless-raw-response"  # by which the SDK knows what its caller wants back
_PAGE = 100  # batches in one answer to a search, the most that OpenAI gives
_MAX_PAGES = 100
_SKEW_S = 86_400.0  # by which the server's clock and ours may differ

log = logging.getLogger(__name__)
_Found = TypeVar("_Found")


class BatchUnavailableError(JudgeError):
    """The server takes no batch of ours, or does not give its answers; the text says why in one line."""


class RedirectError(BatchUnavailableError):
    """It redirects, which is not followed."""


class NotFoundError(BatchUnavailableError):
    """There is nothing under this address."""


class DiskError(Exception):
    """What a batch needs cannot be written down; the text says why."""


@dataclass(frozen=True, slots=True)
class Batch:
    """A batch, as the server describes it.

    Attributes:
        id: the server's name of it.
        status: such as `in_progress`.
        token: our own name of it; empty when it is none of ours, or the server keeps no metadata.
        created: when it was created, in seconds since 1970 by the server's clock; None where it does not say.
        done: how many of its requests are answered or have failed.
        files: ids of the files with its answers and errors, where there are any.
        code, message: the first error of a batch that was refused as a whole; empty without one.
    """

    id: str
    status: str
    token: str = ""
    created: float | None = None
    done: int = 0
    files: tuple[str, ...] = ()
    code: str = ""
    message: str = ""

    @property
    def is_over(self) -> bool:
        """Whether nothing more will come."""
        return self.status in _OVER


def batch_of(data: object) -> Batch | None:
    """The batch in a server's answer; None when it describes none.

    >>> batch_of({"id": "batch_1", "status": "completed", "output_file_id": "file-1"}).files
    ('file-1',)
    """
    data = _object(data)
    batch_id, status, created = data.get("id"), data.get("status"), data.get("created_at")
    if not (isinstance(status, str) and isinstance(batch_id, str) and batch_id and batch_id.isprintable()):
        return None
    counts, errors = _object(data.get("request_counts")), _object(data.get("errors")).get("data")
    error = _object(errors[0]) if isinstance(errors, list) and errors else {}
    return Batch(
        id=batch_id,
        status=status,
        token=str(_object(data.get("metadata")).get(_TOKEN) or ""),
        created=float(created) if isinstance(created, (int, float)) and abs(created) < 1e12 else None,
        done=sum(n for n in (counts.get("completed"), counts.get("failed")) if isinstance(n, int)),
        files=tuple(file for name in ("output_file_id", "error_file_id") if isinstance(file := data.get(name), str)),
        code=str(error.get("code") or ""),
        message=one_line(error.get("message") or ""),
    )


def _object(value: object) -> Mapping[str, Any]:
    return value if isinstance(value, dict) else {}


@contextmanager
def on_disk() -> Iterator[None]:
    """Tell the disk's errors from those of the network, which may pass.

    Raises:
        DiskError: a file could not be made or written.
    """
    try:
        yield
    except OSError as error:
        raise DiskError(error.strerror or str(error)) from None


class BatchApi:
    """Speaks with the first of the servers; used within one event loop and closed by its `async with` block.

    Every method raises `JudgeUnusableError` when nothing will ever come of it: a wrong address, key, or no money.
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
            """Without those that the SDK adds of itself, from the environment too: the key goes where we send it."""
            for name in list(request.headers):
                if name.startswith(("authorization", "openai-", "x-stainless-")) and name != _RAW:
                    del request.headers[name]
            request.headers.update(own)

        self._client = AsyncOpenAI(
            api_key="-",
            base_url=self.address,
            default_query=dict(parse_qsl(urlsplit(self._base).query)),
            max_retries=0,  # `_insist` has a longer breath
            timeout=self._settings.timeout_s,
            http_client=DefaultAsyncHttpxClient(
                follow_redirects=False,  # it could lead the key to another host
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
        """Send the requests of a batch.

        Args:
            file: JSON lines, in a file of the operating system.

        Returns:
            The id that the server gives the file.

        Raises:
            BatchUnavailableError: it does not take it.
            DiskError: the file is not all there.
        """
        with on_disk():
            file.flush()
        seconds = self._settings.timeout_s + os.fstat(file.fileno()).st_size / _UPLOAD_BYTES_PER_S

        async def send() -> str:
            file.seek(0)
            part = ("requests.jsonl", file, "application/jsonl")
            files = self._client.files.with_raw_response
            data = self._json((await files.create(file=part, purpose="batch", timeout=seconds)).text)
            if not isinstance(data.get("id"), str):
                raise BatchUnavailableError(f"{self.address} takes no files for batches: its answer names none")
            return str(data["id"])

        return await self._insist(send, "upload")

    async def create(self, file_id: str, token: str) -> Batch:
        """Have a batch made of an uploaded file, once, even if the server's answer gets lost.

        Args:
            file_id: from `upload`.
            token: our own name for the batch.

        Raises:
            BatchUnavailableError: it is not made.
        """
        started, tries = time.time(), 0

        async def send() -> Batch:
            nonlocal tries
            tries += 1
            if tries > 1 and (made := await self.find(token, started)):
                return made
            answer = await self._client.batches.with_raw_response.create(
                input_file_id=file_id, endpoint=ENDPOINT, completion_window="24h", metadata={_TOKEN: token}
            )
            batch = batch_of(self._json(answer.text))
            if batch is None:
                raise BatchUnavailableError(f"{self.address} makes no batches: its answer names none")
            return batch

        return await self._insist(send, "create")

    async def look(self, batch_id: str) -> Batch | None:
        """How a batch stands; None when the server does not know it (any more)."""

        async def ask() -> Batch:
            answer = await self._client.batches.with_raw_response.retrieve(batch_id)
            batch = batch_of(self._json(answer.text))
            if batch is None:
                raise NetworkError("its answer describes no batch")
            return batch

        try:
            # A day is long: maintenance, a log-in page of the network.
            return await self._insist(ask, "look", retried=(*_PASSING, RedirectError))
        except BatchUnavailableError:
            return None

    async def find(self, token: str, since: float) -> Batch | None:
        """The batch of our name; None when there is none, or the server lists none.

        Args:
            token: our own name of it.
            since: when it was asked for, in seconds since 1970: older ones are not gone through.
        """
        query: dict[str, Any] = {"limit": _PAGE}

        async def ask() -> Mapping[str, Any]:  # not `batches.list`, whose pages hold a server to OpenAI's form
            return self._json(await self._client.get("/batches", cast_to=str, options={"params": query}))

        for _ in range(_MAX_PAGES):
            try:
                data = await self._insist(ask, "list")
            except BatchUnavailableError:
                return None
            rows = data.get("data")
            batches = [batch for row in rows if (batch := batch_of(row))] if isinstance(rows, list) else []
            if found := next((batch for batch in batches if batch.token == token), None):
                return found
            if not batches or data.get("has_more") is not True or batches[-1].id == query.get("after"):
                return None
            if (batches[-1].created or since) < since - _SKEW_S:  # the newest come first
                return None
            query["after"] = batches[-1].id
        return None

    async def download(self, file_id: str, into: IO[bytes], cap: int) -> bool:
        """Fetch a file; one that breaks off is fetched again from the start.

        Args:
            file_id: its id.
            into: where to write it; empty, in a file of the operating system.
            cap: bytes that it never has.

        Returns:
            False when the server has no such file (any more).

        Raises:
            BatchUnavailableError: the server does not give it, or it is larger than the cap.
            DiskError: it cannot be written.
        """

        async def receive() -> None:
            with on_disk():
                into.seek(0)
                into.truncate()
            async with self._client.files.with_streaming_response.content(file_id) as response:
                size = 0
                async for chunk in response.iter_bytes():
                    size += len(chunk)
                    if size > cap:
                        raise BatchUnavailableError(f"{self.address}: the file is larger than {cap // 2**20:,} MiB")
                    with on_disk():
                        into.write(chunk)
            with on_disk():
                into.flush()

        try:
            await self._insist(receive, "download")
        except NotFoundError:
            return False
        return True

    def _json(self, text: str) -> Mapping[str, Any]:
        text = redact(text, self._settings)
        try:
            data = json.loads(text)
        except (ValueError, RecursionError):
            data = None
        if not isinstance(data, dict):
            raise ProtocolError(f'it sends no JSON object ("{one_line(text, 60)}")')
        return data

    async def _insist(
        self,
        step: Callable[[], Awaitable[_Found]],
        name: str,
        retried: tuple[type[JudgeError], ...] = _PASSING,
    ) -> _Found:
        """Take a step again until nothing stands in its way that may pass."""
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
            except NotFoundError as error:
                if name not in ("upload", "create"):
                    raise
                raise BatchUnavailableError(f"{self.address} has no Batch API ({error})") from None
            else:
                self._has_answered = True
                return found

    async def _try(self, step: Callable[[], Awaitable[_Found]]) -> _Found:
        """One attempt; the SDK's exceptions carry the request with its headers, so none is kept or shown."""
        import openai

        try:
            return await step()
        except openai.APIStatusError as error:
            text = redact(error.response.text, self._settings)
            raise self._failure(error.status_code, error.response.headers, text) from None
        except openai.APIConnectionError as error:
            raise self._fault(error) from None
        except Exception as error:
            if type(error).__module__.partition(".")[0] not in ("httpx", "httpx2"):  # which the SDK brings along
                raise
            raise NetworkError("the connection broke off") from None  # in the middle of a download

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
        return NetworkError("the connection broke off")

    def _failure(self, status: int, headers: Mapping[str, str], text: str) -> JudgeError:
        said = quoted(status, text)
        if status in (401, 403):
            return JudgeUnusableError(f"{self.address}: the key is refused ({said}). Set HUEVAL_JUDGE_API_KEY")
        if is_used_up := used_up(self.address, status, text):
            return is_used_up
        if status in _ABSENT:
            return NotFoundError(said)
        if 300 <= status < 400:
            return RedirectError(f"{self.address}: HTTP {status}, it redirects, which is not followed")
        problem = failure(status, headers, text, {})
        if isinstance(problem, _PASSING):
            return problem
        return BatchUnavailableError(f"{self.address}: {said}")

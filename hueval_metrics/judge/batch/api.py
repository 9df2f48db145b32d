"""The conversation with a server's Batch API: upload, create, look, find, download. Nothing here knows of judging.

What may pass is tried again for as long as the caller waits; a deadline is the caller's, who cancels.
"""

from __future__ import annotations

import asyncio
import json
import logging
import os
import time
from collections.abc import Awaitable, Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from typing import IO, Any, TypeVar

import aiohttp

from hueval_metrics.judge.client.exceptions import (
    ConnectError,
    JudgeUnusableError,
    ProtocolError,
    RateLimitError,
    ReplyTooLargeError,
    TransientError,
)
from hueval_metrics.judge.client.http import CONNECT_S, open_session, read_text
from hueval_metrics.judge.client.pacing import retry_after
from hueval_metrics.judge.client.replies import failure, message_of, transport_fault
from hueval_metrics.judge.settings import JudgeSettings, at_path, shown
from hueval_metrics.text.one_line import one_line

WARN_AFTER = 8  # tries of one step: about a minute
ENDPOINT = "/v1/chat/completions"
_OVER = frozenset({"completed", "failed", "expired", "cancelled"})  # OpenAI's API reference, "The batch object"
_ABSENT = frozenset({404, 405, 501})
_TOKEN = "hueval"  # our name in a batch's metadata
_UPLOAD_BYTES_PER_S = 50_000  # a slower line than this is no line
_PAGE = 100  # batches in one answer to a search, the most that OpenAI gives
_MAX_PAGES = 100
_SKEW_S = 86_400.0  # by which the server's clock and ours may differ

log = logging.getLogger(__name__)
_Found = TypeVar("_Found")


class NoBatchesError(Exception):
    """The server takes no batch of ours, or does not give its answers; the text says why in one line."""


class _RedirectError(NoBatchesError):
    """It redirects, which is not followed."""


class DiskError(Exception):
    """What a batch needs cannot be written down; the text says why."""


class _AbsentError(Exception):
    """There is nothing under this address."""


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
    if not isinstance(data, dict) or not isinstance(data.get("status"), str):
        return None
    batch_id = data.get("id")
    if not isinstance(batch_id, str) or not batch_id or not batch_id.isprintable():
        return None
    counts, errors = _object(data.get("request_counts")), _object(data.get("errors")).get("data")
    error = _object(errors[0]) if isinstance(errors, list) and errors else {}
    created = data.get("created_at")
    return Batch(
        id=batch_id,
        status=data["status"],
        token=str(_object(data.get("metadata")).get(_TOKEN) or ""),
        created=float(created) if isinstance(created, (int, float)) and abs(created) < 1e12 else None,
        done=sum(n for n in (counts.get("completed"), counts.get("failed")) if isinstance(n, int)),
        files=tuple(file for name in ("output_file_id", "error_file_id") if isinstance(file := data.get(name), str)),
        code=str(error.get("code") or ""),
        message=one_line(error.get("message") or ""),
    )


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
        self._session = open_session(self._settings, self._base)
        return self

    async def __aexit__(self, *_: object) -> None:
        await self._session.close()

    async def upload(self, file: IO[bytes]) -> str:
        """Send the requests of a batch.

        Args:
            file: JSON lines, in a file of the operating system.

        Returns:
            The id that the server gives the file.

        Raises:
            NoBatchesError: it does not take it.
            DiskError: the file is not all there.
        """
        with on_disk():
            file.flush()
        size = os.fstat(file.fileno()).st_size

        async def send() -> str:
            form = aiohttp.FormData({"purpose": "batch"})
            handle = os.fdopen(os.dup(file.fileno()), "rb")  # aiohttp closes what it has sent
            handle.seek(0)
            form.add_field("file", handle, filename="requests.jsonl", content_type="application/jsonl")
            body = form()
            kind = body.headers["Content-Type"]  # with the boundary; the session's own says JSON
            seconds = self._settings.timeout_s + size / _UPLOAD_BYTES_PER_S
            try:
                data = await self._try("POST", "/files", _json, seconds, data=body, headers={"Content-Type": kind})
            finally:
                handle.close()
            if not isinstance(data.get("id"), str):
                raise NoBatchesError(f"{self.address} takes no files for batches: its answer names none")
            return str(data["id"])

        return await self._insist_on_batches(send, "upload")

    async def create(self, file_id: str, token: str) -> Batch:
        """Have a batch made of an uploaded file, once, even if the server's answer gets lost.

        Args:
            file_id: from `upload`.
            token: our own name for the batch.

        Raises:
            NoBatchesError: it is not made.
        """
        order = {"input_file_id": file_id, "endpoint": ENDPOINT, "completion_window": "24h"}
        body = json.dumps(order | {"metadata": {_TOKEN: token}}).encode()
        started, tries = time.time(), 0

        async def send() -> Batch:
            nonlocal tries
            tries += 1
            if tries > 1 and (made := await self.find(token, started)):
                return made
            batch = batch_of(await self._try("POST", "/batches", _json, data=body))
            if batch is None:
                raise NoBatchesError(f"{self.address} makes no batches: its answer names none")
            return batch

        return await self._insist_on_batches(send, "create")

    async def look(self, batch_id: str) -> Batch | None:
        """How a batch stands; None when the server does not know it (any more)."""

        async def ask() -> Batch:
            try:
                batch = batch_of(await self._try("GET", f"/batches/{batch_id}", _json))
            except _RedirectError as error:  # a day is long: maintenance, a log-in page of the network
                raise TransientError(str(error)) from None
            if batch is None:
                raise TransientError("its answer describes no batch")
            return batch

        try:
            return await self._insist(ask, "look")
        except (_AbsentError, NoBatchesError):
            return None

    async def find(self, token: str, since: float) -> Batch | None:
        """The batch of our name; None when there is none, or the server lists none.

        Args:
            token: our own name of it.
            since: when it was asked for, in seconds since 1970: older ones are not gone through.
        """
        after = ""
        for _ in range(_MAX_PAGES):
            params = {"limit": str(_PAGE)} | ({"after": after} if after else {})
            try:
                data = await self._insist(partial(self._try, "GET", "/batches", _json, params=params), "list")
            except (_AbsentError, NoBatchesError):
                return None
            rows = data.get("data")
            batches = [batch for row in rows if (batch := batch_of(row))] if isinstance(rows, list) else []
            for batch in batches:
                if batch.token == token:
                    return batch
            if not batches or data.get("has_more") is not True or batches[-1].id == after:
                return None
            if (batches[-1].created or since) < since - _SKEW_S:  # the newest come first
                return None
            after = batches[-1].id
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
            NoBatchesError: the server does not give it, or it is larger than the cap.
            DiskError: it cannot be written.
        """

        async def receive(response: aiohttp.ClientResponse, _: JudgeSettings) -> None:
            size = 0
            with on_disk():
                into.seek(0)
                into.truncate()
            async for chunk in response.content.iter_any():
                size += len(chunk)
                if size > cap:
                    raise ReplyTooLargeError(f"the file is larger than {cap // 2**20:,} MiB")
                with on_disk():
                    into.write(chunk)
            with on_disk():
                into.flush()

        try:
            await self._insist(lambda: self._try("GET", f"/files/{file_id}/content", receive, None), "download")
        except _AbsentError:
            return False
        return True

    async def _insist_on_batches(self, step: Callable[[], Awaitable[_Found]], name: str) -> _Found:
        try:
            return await self._insist(step, name)
        except _AbsentError as error:
            raise NoBatchesError(f"{self.address} has no Batch API ({error})") from None

    async def _insist(self, step: Callable[[], Awaitable[_Found]], name: str) -> _Found:
        """Take a step again until nothing stands in its way that may pass."""
        tries = 0
        while True:
            try:
                return await step()
            except (TransientError, RateLimitError) as fault:
                tries += 1
                retry = self._settings.retry
                if isinstance(fault, ConnectError) and not self._has_answered and tries >= retry.connect_tries:
                    advice = "Is a judge running there? Check HUEVAL_JUDGE_BASE_URL"
                    raise JudgeUnusableError(f"{self.address}: {fault}. {advice}") from None
                if tries == WARN_AFTER:
                    log.warning("%s: %s (batches: %s); it is tried on and on.", self.address, fault, name)
                wait_s = retry_after(fault.headers) if isinstance(fault, RateLimitError) else None
                await asyncio.sleep(retry.pause_s(tries, wait_s))

    async def _try(
        self,
        method: str,
        path: str,
        receive: Callable[[aiohttp.ClientResponse, JudgeSettings], Awaitable[_Found]],
        seconds: float | None = 0.0,
        **more: Any,
    ) -> _Found:
        """One request.

        Args:
            method, path: what to ask.
            receive: reads an answer of status 200.
            seconds: how long it may take; 0 for the settings' time-out, None for as long as something comes.
            more: what aiohttp is given.
        """
        timeout_s = self._settings.timeout_s
        seconds = timeout_s if seconds == 0 else seconds
        timeout = aiohttp.ClientTimeout(total=seconds, sock_read=timeout_s, sock_connect=min(CONNECT_S, timeout_s))
        url = at_path(self._base, path)
        try:
            # A redirect is not followed: it could lead the key to another host.
            async with self._session.request(method, url, allow_redirects=False, timeout=timeout, **more) as response:
                if response.status in (200, 201):
                    found = await receive(response, self._settings)
                    self._has_answered = True
                    return found
                status, headers = response.status, response.headers
                text = await read_text(response, self._settings)
        except ReplyTooLargeError as error:
            raise NoBatchesError(f"{self.address}: {error}") from None
        except aiohttp.InvalidURL:
            raise JudgeUnusableError(f"{self.address} is no address. Check HUEVAL_JUDGE_BASE_URL") from None
        # aiohttp's exceptions carry the request with its headers, the key among them: none is kept or shown.
        except (aiohttp.ClientError, OSError) as error:
            raise transport_fault(error, timeout_s) from None
        raise self._failure(status, headers, text)

    def _failure(self, status: int, headers: Mapping[str, str], text: str) -> Exception:
        said = f'HTTP {status}: "{message_of(text) or one_line(text, 60)}"'
        if status in (401, 403):
            return JudgeUnusableError(f"{self.address}: the key is refused ({said}). Set HUEVAL_JUDGE_API_KEY")
        if status == 402 or (status == 429 and "insufficient_quota" in text):
            return JudgeUnusableError(f"{self.address}: the account is used up ({said}). Top it up, or use another key")
        if status in _ABSENT:
            return _AbsentError(said)
        if 300 <= status < 400:
            return _RedirectError(f"{self.address}: HTTP {status}, it redirects, which is not followed")
        problem = failure(status, headers, text, {})
        return (
            problem
            if isinstance(problem, (TransientError, RateLimitError))
            else NoBatchesError(f"{self.address}: {said}")
        )


async def _json(response: aiohttp.ClientResponse, settings: JudgeSettings) -> Mapping[str, Any]:
    text = await read_text(response, settings)
    try:
        data = json.loads(text)
    except (ValueError, RecursionError):
        data = None
    if not isinstance(data, dict):
        raise ProtocolError(f'it sends no JSON object ("{one_line(text, 60)}")')
    return data


def _object(value: object) -> Mapping[str, Any]:
    return value if isinstance(value, dict) else {}

"""The client of a leaderboard's API (`/api/v1/`): sends files, and waits for what the site reports on them.

The token goes to the named site alone: over https (or to this machine), through no redirect, and into no message.
"""

from __future__ import annotations

import asyncio
import ipaddress
import json
import os
import random
import re
import uuid
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any, TypeVar
from urllib.parse import quote, urlsplit

import aiohttp
from pydantic import BaseModel, ValidationError

from hueval_metrics.errors import HuevalError, InputError
from hueval_metrics.judge.client.pacing import retry_after
from hueval_metrics.judge.client.servers import proxy_of
from hueval_metrics.one_line import one_line, printable
from hueval_metrics.progress import Progress
from hueval_metrics.text.write_json import json_text
from hueval_metrics.version import __version__

TOKEN = "HUEVAL_SITE_TOKEN"
TRIES = 5  # of one request
FIRST_WAIT_S, LONGEST_WAIT_S = 1.0, 60.0  # between them; doubled each time
CONNECT_S, ANSWER_S = 10.0, 180.0  # the check of a large file takes a while
SIZE_CAP = 8 * 2**20  # bytes of an answer
POLL_S, LONGEST_POLL_S = 1.0, 15.0
_Model = TypeVar("_Model", bound=BaseModel)
_TRANSIENT = frozenset({429, 500, 502, 503, 504})  # a try again is safe: an upload has its key
_TOKEN = re.compile(r"[!-~]{1,200}")


class SiteError(HuevalError):
    """A site did not do what it was asked for."""


class Used(BaseModel):
    """How much of a limit is used."""

    used: int
    most: int


class Allowance(BaseModel):
    """What a team may still submit for a task."""

    task: str
    closed: str = ""
    left: int
    uploads_left: int
    next: datetime | None = None
    used: Mapping[str, Used]


class SubmittedFault(BaseModel):
    """Something wrong with a file, reported with its place."""

    text: str


class Submission(BaseModel):
    """What a site says of a submission."""

    id: uuid.UUID
    task: str
    state: str
    state_text: str
    reason: str = ""
    is_final: bool
    n_faults: int = 0
    faults: tuple[SubmittedFault, ...] = ()
    told_text: str = ""
    url: str


class Submitted(BaseModel):
    """What became of a file: one submission a task."""

    submissions: tuple[Submission, ...]


@dataclass(frozen=True)
class _Upload:
    """A file to send; the key is the same for each try, so that the site takes it once."""

    path: Path
    task: str
    card: Mapping[str, Any]
    key: str = field(default_factory=lambda: str(uuid.uuid4()))


def site_address(text: str) -> str:
    """The address of a site as a user names it, without a slash at the end.

    Raises:
        InputError: it is none, or the token would be sent unencrypted.

    >>> site_address("https://board.example.org/")
    'https://board.example.org'
    """
    shown = f"--site {one_line(text)}"
    try:
        parts = urlsplit(text)
        host, port = parts.hostname, parts.port
    except ValueError:
        host = None
    if not host or parts.scheme not in ("http", "https") or parts.path.strip("/") or parts.query or parts.fragment:
        raise InputError(f"{shown}: expected https://HOST[:PORT] without a path")
    if parts.username is not None or parts.password is not None:
        raise InputError(f"{shown.partition('//')[0]}//…: has a user name. Name the host alone; the token is {TOKEN}")
    if parts.scheme == "http" and not _is_loopback(host):
        raise InputError(f"{shown}: the token would be sent unencrypted. Name an https:// address")
    bracketed = f"[{host}]" if ":" in host else host
    return f"{parts.scheme}://{bracketed}{'' if port is None else f':{port}'}"


def token_of_environment() -> str:
    """The token of the environment.

    Raises:
        InputError: there is none, or it cannot be one.
    """
    text = os.environ.get(TOKEN, "").strip()
    if not text:
        raise InputError(f"{TOKEN} is not set. Make a token on your account page of the site, and export it")
    if not _TOKEN.fullmatch(text):
        raise InputError(f"{TOKEN} is not a token: it has blanks or other characters. Copy it again")
    return text


class SiteClient:
    """Requests to one site; to be used as an asynchronous context manager.

    Args:
        address: of `site_address`.
        token: of `token_of_environment`.
    """

    def __init__(self, address: str, token: str) -> None:
        self.address = address
        self._token = token

    async def __aenter__(self) -> SiteClient:
        self._session = aiohttp.ClientSession(
            cookie_jar=aiohttp.DummyCookieJar(),
            timeout=aiohttp.ClientTimeout(total=None, sock_connect=CONNECT_S, sock_read=ANSWER_S),
            headers={
                "Authorization": f"Bearer {self._token}",
                "Accept-Language": "en",
                "User-Agent": f"hueval/{__version__}",
            },
            proxy=proxy_of(self.address),
        )
        return self

    async def __aexit__(self, *_: object) -> None:
        await self._session.close()

    async def check_token(self) -> None:
        """Ask for something that only a member of a team can read, before anything is uploaded.

        Raises:
            SiteError: the token is not accepted, or the site does not answer.
        """
        await self._asked("submissions?limit=1")

    async def allowance(self, task: str) -> Allowance:
        """What one may still submit for a task.

        Raises:
            SiteError: there is no such task, the token is not accepted, or the site does not answer.
        """
        return self._read(Allowance, await self._asked(f"tasks/{quote(task, safe='')}/allowance"))

    async def submit(self, path: Path, task: str, card: Mapping[str, Any]) -> tuple[Submission, ...]:
        """Send a file. It is submitted once, however often the request has to be sent.

        Args:
            path: the file.
            task: may be empty where the file's name has it, or the members of an archive do.
            card: the model card; the site checks it.

        Raises:
            SiteError: the site refuses the file, or does not answer.
            InputError: the file cannot be read.
        """
        return self._read(Submitted, await self._asked("submissions", _Upload(path, task, card))).submissions

    async def finished(self, submission: Submission) -> Submission:
        """Wait until a submission is scored, or cannot be.

        Raises:
            SiteError: the site does not answer any more.
        """
        wait_s = POLL_S
        waiting = f"Waiting for the result of {one_line(submission.task, 80)}"
        with Progress(waiting, note=lambda: one_line(submission.state_text, 80)):
            while not submission.is_final:
                await asyncio.sleep(wait_s)
                wait_s = min(wait_s * 1.5, LONGEST_POLL_S)
                submission = self._read(Submission, await self._asked(f"submissions/{submission.id}"))
        return submission

    async def _asked(self, place: str, upload: _Upload | None = None) -> object:
        """The JSON of an answer; what may pass by itself is tried again."""
        wait_s, why = FIRST_WAIT_S, ""
        name = f"Sending {printable(upload.path.name)}" if upload else "Asking the site"
        with Progress(name, note=lambda: why):
            for tries_left in reversed(range(TRIES)):
                try:
                    status, headers, body = await self._once(place, upload)
                except (aiohttp.ClientError, TimeoutError) as error:
                    fault = self._transport_fault(error)
                else:
                    if status < 300:
                        return self._json(body)
                    fault = SiteError(f"{self.address}: {_message(status, body)}")
                    if status not in _TRANSIENT:
                        raise fault
                    wait_s = max(wait_s, retry_after(headers) or 0.0)
                if not tries_left or wait_s > LONGEST_WAIT_S:
                    raise fault
                why = f"trying again after: {fault}"
                await asyncio.sleep(wait_s * random.uniform(1.0, 1.2))
                wait_s = min(2 * wait_s, LONGEST_WAIT_S)
        raise AssertionError("unreachable")

    async def _once(self, place: str, upload: _Upload | None) -> tuple[int, Mapping[str, str], bytes]:
        if upload is None:
            return await self._response("GET", place)
        try:
            file = os.fdopen(os.open(upload.path, os.O_RDONLY), "rb")  # aiohttp would send the name of any other file
        except OSError as error:
            raise InputError(f"{one_line(upload.path)}: {error.strerror}. Name a file that can be read") from None
        with file:
            form = aiohttp.FormData()
            if upload.task:
                form.add_field("task", upload.task)
            form.add_field("card", json_text(upload.card, default=str))
            form.add_field("file", file, filename=printable(upload.path.name), content_type="application/octet-stream")
            return await self._response("POST", place, data=form, headers={"Idempotency-Key": upload.key})

    async def _response(self, method: str, place: str, **options: Any) -> tuple[int, Mapping[str, str], bytes]:
        # A redirect would take the token to wherever it leads.
        address = f"{self.address}/api/v1/{place}"
        async with self._session.request(method, address, allow_redirects=False, **options) as response:
            return response.status, response.headers, await _body(response)

    def _transport_fault(self, error: Exception) -> SiteError:
        if isinstance(error, TimeoutError):
            return SiteError(f"{self.address}: timed out. Try again later")
        if isinstance(error, aiohttp.ClientConnectorCertificateError | aiohttp.ClientSSLError):
            return SiteError(f"{self.address}: its TLS certificate is not valid. Check the address")
        if isinstance(error, aiohttp.ClientConnectorError):
            return SiteError(f"{self.address}: no connection ({one_line(error.os_error, 80)}). Check the address")
        kind = one_line(str(error) or type(error).__name__, 80)
        return SiteError(f"{self.address}: the connection broke ({kind}). Try again later")

    def _json(self, body: bytes) -> object:
        try:
            found: object = json.loads(body)
        except (ValueError, RecursionError):
            raise self._no_leaderboard() from None
        return found

    def _read(self, kind: type[_Model], content: object) -> _Model:
        try:
            return kind.model_validate(content)
        except ValidationError:
            raise self._no_leaderboard() from None

    def _no_leaderboard(self) -> SiteError:
        return SiteError(f"{self.address}: does not answer as a leaderboard of hueval. Check --site")


async def _body(response: aiohttp.ClientResponse) -> bytes:
    body = bytearray()
    async for chunk in response.content.iter_any():
        body += chunk
        if len(body) > SIZE_CAP:
            raise aiohttp.ClientPayloadError(f"the answer is larger than {SIZE_CAP // 2**20} MiB")
    return bytes(body)


def _message(status: int, body: bytes) -> str:
    if 300 <= status < 400:
        return "answers with a redirect, which the token does not follow. Name the address that it leads to"
    try:
        return one_line(json.loads(body)["error"]["message"], 500)
    except (ValueError, KeyError, TypeError, RecursionError):
        return f"answers with HTTP status {status}. Check --site, or try again later"


def _is_loopback(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"

"""The judge's servers: sessions and requests, unsupported parameters, and which server is up.

No text that leaves this module contains a key.
"""

from __future__ import annotations

import asyncio
import json
import logging
import re
import time
from collections.abc import Mapping, Sequence, Set
from datetime import UTC, date, datetime, timedelta
from functools import cache, lru_cache
from threading import Thread
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit
from urllib.request import getproxies, proxy_bypass

import aiohttp

from hueval_metrics.judge.client.chat_api import FORMAT, transport_fault
from hueval_metrics.judge.client.pacing import Pacer, RateCaps
from hueval_metrics.judge.errors import (
    ConnectError,
    JudgeUnusableError,
    ReadTimeoutError,
    ReplyTooLargeError,
    TransientError,
)
from hueval_metrics.judge.settings import JudgeSettings, at_path, shown
from hueval_metrics.judge.shutdown import end_in, note_listed
from hueval_metrics.one_line import one_line

if TYPE_CHECKING:
    from hueval_metrics.judge.cache.replies import ReplyCache

START = 8  # concurrent requests to a server at first, where the user has not set the concurrency
CONNECT_S = 10.0
LIST_S = 10.0  # time-out of `/models`
SIZE_CAP = 4 * 2**20  # bytes of a response; a verdict takes about 1,000
ID_LENGTH = 200  # characters of a model id that are kept; a local server may name a model by its path
USUAL_TOKENS, MORE_TOKENS = 128, 1280  # the time-out is for a usual reply; so many tokens more add another one
PROBE_S = 10.0  # how long other requests avoid a server while one request tests whether it is up again
FAULTS = 10  # failures in a row of any kind after which a server counts as down while others are up
REMEMBERED = timedelta(days=7)  # of unsupported parameters: servers are updated
_SECRET_LENGTH = 8  # a shorter key is no secret ("EMPTY" for vLLM), and may be part of a verdict
_LENGTHS = ("max_tokens", "max_completion_tokens")  # the same limit; newer models support the second name alone
_LOOPBACK = re.compile(r"localhost|127\..*|::1|0\.0\.0\.0")

Offers = Mapping[str, date | None]

log = logging.getLogger(__name__)


# ---- sessions and responses ----


def timeout_of(settings: JudgeSettings, tokens: int) -> float:
    """The time-out in seconds of a request for a reply of so many tokens at most."""
    return settings.timeout_s * (1 + max(0, tokens - USUAL_TOKENS) / MORE_TOKENS)


@lru_cache(64)
def _client_timeout(seconds: float) -> aiohttp.ClientTimeout:
    return aiohttp.ClientTimeout(total=seconds, sock_connect=min(CONNECT_S, seconds))


def open_session(settings: JudgeSettings, base_url: str) -> aiohttp.ClientSession:
    """A connection pool for one server, with the key in its headers; the caller closes it.

    Certificates are always verified. The usual proxy variables apply, except to a server on this machine.
    """
    return aiohttp.ClientSession(
        connector=aiohttp.TCPConnector(limit=settings.concurrency),
        cookie_jar=aiohttp.DummyCookieJar(),
        timeout=_client_timeout(settings.timeout_s),
        headers={"Content-Type": "application/json"} | headers_of(settings),
        # Not `trust_env`: it also reads ~/.netrc, whose logins conflict with our key, and it does so for each request,
        # in another thread.
        proxy=proxy_of(base_url),
    )


def headers_of(settings: JudgeSettings) -> dict[str, str]:
    """The headers of every request, with the key."""
    headers = {"User-Agent": "hueval"}
    if settings.api_key is not None:
        headers["Authorization"] = f"Bearer {settings.api_key.get_secret_value()}"
    return headers | {name: value.get_secret_value() for name, value in settings.headers}


def proxy_of(base_url: str) -> str | None:
    """The proxy that the environment sets for a server; None for none, and for a server on this machine."""
    url = urlsplit(base_url)
    host = url.hostname or ""
    if _LOOPBACK.fullmatch(host) or proxy_bypass(host):
        return None
    proxy = getproxies().get(url.scheme)
    return f"http://{proxy}" if proxy and "://" not in proxy else proxy


async def read_text(response: aiohttp.ClientResponse, settings: JudgeSettings) -> str:
    """The body of a response, redacted.

    Raises:
        ReplyTooLargeError: it is larger than `SIZE_CAP`.
    """
    # A compressed body may be a thousand times as long as its Content-Length.
    if (response.content_length or SIZE_CAP + 1) <= SIZE_CAP and "Content-Encoding" not in response.headers:
        return redact((await response.read()).decode("utf-8", "replace"), settings)
    body = bytearray()
    async for chunk in response.content.iter_any():
        body += chunk
        if len(body) > SIZE_CAP:
            raise ReplyTooLargeError(f"the reply is larger than {SIZE_CAP // 2**20} MiB")
    return redact(body.decode("utf-8", "replace"), settings)


def redact(text: str, settings: JudgeSettings) -> str:
    """The text without the keys, which a server may echo, literally or JSON-escaped."""
    for secret in settings.secrets:
        if len(secret) >= _SECRET_LENGTH:
            text = text.replace(secret, "[key]")
            if "\\u" in text or "\\/" in text:
                text = _in_json(secret).sub("[key]", text)
    return text


@cache
def _in_json(secret: str) -> re.Pattern[str]:
    r"""A pattern of a secret whose characters may be escaped: `/` as `\/`, any letter as `\u0073`."""
    return re.compile("".join(rf"(?:\\?{re.escape(c)}|\\u(?i:{ord(c):04x}))" for c in secret))


async def list_models(session: aiohttp.ClientSession, base_url: str, settings: JudgeSettings) -> Offers:
    """The models that a server lists (`/models`), by id, with their shutdown dates; empty when it lists none.

    Only a real request shows whether the key and the model are valid: restricted keys may not list models, and proxies
    offer more than they list.

    Raises:
        TransientError: there is no connection, or no response in time.
    """
    timeout = min(LIST_S, settings.timeout_s)
    try:
        async with session.get(
            at_path(base_url, "/models"), allow_redirects=False, timeout=aiohttp.ClientTimeout(total=timeout)
        ) as response:
            data = json.loads(await read_text(response, settings))
            return {one_line(model["id"], ID_LENGTH): end_in(model) for model in data["data"]}
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError, ReplyTooLargeError):
        return {}
    except (aiohttp.ClientError, OSError) as error:
        fault = transport_fault(error, timeout)
        if isinstance(fault, (ConnectError, ReadTimeoutError)):
            raise fault from None
        return {}


def looked_up(settings: JudgeSettings) -> dict[str, Offers | str]:
    """What the servers list, by address, or why one cannot be reached; to be called outside any event loop.

    All are asked at the same time.
    """

    async def look(base_url: str) -> Offers | str:
        async with open_session(settings, base_url) as session:
            try:
                return await list_models(session, base_url, settings)
            except TransientError as fault:
                return str(fault)

    async def look_at_all() -> None:
        found.extend(await asyncio.gather(*map(look, settings.base_urls)))

    found: list[Offers | str] = []
    thread = Thread(target=lambda: asyncio.run(look_at_all()), name="hueval-preflight")  # a notebook has a loop running
    thread.start()
    thread.join()
    return dict(zip(settings.base_urls, found, strict=True))


def unreachable(settings: JudgeSettings) -> dict[str, str]:
    """The servers that cannot be reached, by address, and why; to be called outside any event loop.

    The shutdown dates that the others list are remembered (`shutdown.end_of`).
    """
    found: dict[str, Offers | str] = {}
    for part in settings.by_server:
        found |= looked_up(part)
    for offers in found.values():
        note_listed(offers if not isinstance(offers, str) else {})
    return {base_url: fault for base_url, fault in found.items() if isinstance(fault, str)}


# ---- the servers of one judging ----


class Server:
    """One server, used within one event loop.

    Args:
        base_url: base address of its API.
        settings: the settings of the judging.
        caps: the user's rate limits, shared by all servers.

    Attributes:
        refused: the parameters that it does not support.
        answers: how many completions it has sent.
        faults: how many attempts have failed since the last one.
        down_until: until when no request is sent to it, by the monotonic clock.
        offers: the models that it lists, with their shutdown dates; empty when it lists none.
        is_silent: whether it accepts connections but has not answered anything.
        has_formatted: whether it has answered a request with `response_format`.
    """

    def __init__(self, base_url: str, settings: JudgeSettings, caps: RateCaps) -> None:
        self.base_url, self.address = base_url, shown(base_url)
        start = settings.concurrency if settings.is_concurrency_set else min(START, settings.concurrency)
        self.pacer = Pacer(settings.concurrency, start, caps, settings.retry, clock=time.monotonic)
        self.session = open_session(settings, base_url)
        self.refused: frozenset[str] = frozenset()
        self.answers = self.faults = 0
        self.down_until = 0.0
        self.offers: Offers = {}
        self.is_silent = self.has_formatted = self._is_probed = False
        self._downs = 0  # in a row
        self._settings, self._endpoint = settings, at_path(base_url, "/chat/completions")

    async def post(self, body: bytes, timeout_s: float) -> tuple[int, Mapping[str, str], str]:
        """Send a request, with a time-out; returns the status, the headers and the text of the response.

        Raises:
            JudgeUnusableError: the address is invalid.
            ReplyTooLargeError: see `read_text`.
            TransientError: there is no response.
        """
        try:
            # Redirects are not followed: they could send the key to another host.
            async with self.session.post(
                self._endpoint, data=body, allow_redirects=False, timeout=_client_timeout(timeout_s)
            ) as response:
                self.is_silent = False
                return response.status, response.headers, await read_text(response, self._settings)
        except (aiohttp.InvalidURL, UnicodeError):  # UnicodeError: a host name with an empty or long label
            raise JudgeUnusableError(f"{self.address} is no address. Check HUEVAL_JUDGE_BASE_URL") from None
        # aiohttp's exceptions contain the request with its headers and the key: none is kept or shown.
        except (aiohttp.ClientError, OSError) as error:
            raise transport_fault(error, timeout_s) from None

    async def look(self) -> str | None:
        """Read the list of models; returns why the server cannot be reached, or None."""
        try:
            self.offers = await list_models(self.session, self.base_url, self._settings)
            note_listed(self.offers)
        except ConnectError as fault:
            self.failed(is_unreachable=True)
            return str(fault)
        except TransientError:
            self.is_silent = True  # it may be busy: the first request will show it
            log.warning(
                "%s: it accepts connections but has not answered yet; waiting for the first request.", self.address
            )
        self.is_up()
        return None

    def sent(self, params: Mapping[str, Any], without: Set[str] = frozenset()) -> dict[str, Any]:
        """The parameters that this server supports, less those that one request is sent without."""
        if not (refused := self.refused | without):
            return dict(params)
        sent = {name: value for name, value in params.items() if name not in refused}
        old, new = _LENGTHS
        if old in params and old not in sent and new not in refused:
            sent[new] = params[old]
        return sent

    def leave_out(self, name: str) -> None:
        """Send requests without a parameter from now on."""
        if name not in self.refused:  # another request may have found it out before
            self.refused |= {name}
            log.info("The judge %s does not take %s; it is asked without.", one_line(self._settings.model, 60), name)

    def answered(self, sent: Mapping[str, Any]) -> None:
        """Count a completion for a request with these parameters."""
        self.answers += 1
        self.has_formatted |= FORMAT in sent
        self.is_up()

    def is_up(self) -> None:
        """Count the server as up."""
        self.faults = self._downs = 0
        self.down_until, self._is_probed = 0.0, False

    def probe(self) -> None:
        """Let one request test whether the server is up again; the others avoid it for `PROBE_S`."""
        self.down_until, self._is_probed = time.monotonic() + PROBE_S, True

    def failed(self, *, is_unreachable: bool) -> None:
        """Count a failed attempt."""
        self.faults += 1
        now = time.monotonic()
        # Requests that were in flight when the server went down do not count again.
        is_news = self._is_probed or now >= self.down_until
        if is_news and (is_unreachable or self.faults >= FAULTS):
            retry = self._settings.retry  # down for twice as long as a request waits before its next attempt
            down_s = min(retry.max_wait_s, 2 * retry.backoff_s * 2**self._downs)
            self.down_until, self._is_probed = now + down_s, False
            self._downs = min(self._downs + 1, 16)


class Servers:
    """All servers of one judging, which share the load. Closed by its `async with` block.

    Args:
        settings: the settings of the judging.
        cache: where unsupported parameters are remembered; None for nowhere.

    Attributes:
        all: the servers that may be asked.
    """

    def __init__(self, settings: JudgeSettings, cache: ReplyCache | None = None) -> None:
        self._settings, self._cache = settings, cache
        self.all: Sequence[Server] = ()
        self._opened: Sequence[Server] = ()

    async def __aenter__(self) -> Servers:
        caps = RateCaps(self._settings.rpm, self._settings.tpm)
        self._opened = [Server(base_url, self._settings, caps) for base_url in self._settings.base_urls]
        self.all = self._opened
        for server in self.all:
            server.refused = self._recall(server)
        return self

    async def __aexit__(self, *_: object) -> None:
        for server in self._opened:
            if server.answers:  # a server without answers may have refused parameters for another reason
                self._remember(server)
            await server.session.close()

    @property
    def have_answered(self) -> bool:
        """Whether any server has sent a completion."""
        return any(server.answers for server in self.all)

    @property
    def are_down(self) -> bool:
        """Whether no server is up."""
        now = time.monotonic()
        return all(server.down_until > now for server in self.all)

    def choose(self) -> Server:
        """The server for the next request: the one with most free slots of those that are up, else the next one up."""
        if len(self.all) == 1:
            return self.all[0]
        now = time.monotonic()
        up = [server for server in self.all if server.down_until <= now]
        if not up:
            return min(self.all, key=lambda server: server.down_until)
        chosen = max(up, key=lambda server: server.pacer.free)
        if chosen.down_until:
            chosen.probe()
        return chosen

    def give_up(self, server: Server, why: str) -> bool:
        """Remove a server that refuses the key or the model; returns False when it is the last one."""
        others = [other for other in self.all if other is not server]
        if not others:
            return False
        if len(others) < len(self.all):  # another request may have removed it before
            self.all = others
            log.warning("%s. Judging continues without it.", why)
        return True

    def _name(self, server: Server) -> str:
        return f"refused {server.address} {self._settings.model}"

    def _recall(self, server: Server) -> frozenset[str]:
        known: Any = self._cache.recall(self._name(server)) if self._cache else None
        try:
            is_fresh = datetime.now(UTC) - datetime.fromisoformat(known["at"]) < REMEMBERED
            return frozenset(map(str, known["parameters"])) if is_fresh else frozenset()
        except (TypeError, KeyError, ValueError):
            return frozenset()

    def _remember(self, server: Server) -> None:
        if self._cache and server.refused != self._recall(server):
            now = datetime.now(UTC).isoformat(timespec="seconds")
            self._cache.remember(self._name(server), {"parameters": sorted(server.refused), "at": now})

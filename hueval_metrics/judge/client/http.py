"""What every conversation with a judge's server needs: a session, and no key in any text."""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import Mapping
from datetime import date
from functools import cache
from threading import Thread
from urllib.parse import urlsplit
from urllib.request import getproxies, proxy_bypass

import aiohttp

from hueval_metrics.judge.client.exceptions import ConnectError, ReadTimeoutError, ReplyTooLargeError, TransientError
from hueval_metrics.judge.client.replies import transport_fault
from hueval_metrics.judge.retirement import end_in, note_listed
from hueval_metrics.judge.settings import JudgeSettings, at_path
from hueval_metrics.text.one_line import one_line

CONNECT_S = 10.0
LIST_S = 10.0  # how long a server may take to list its models
SIZE_CAP = 4 * 2**20  # of a reply; a verdict has a kilobyte
_SECRET_LENGTH = 8  # a shorter key is no secret ("EMPTY" for vLLM), and its letters may stand in a verdict
Offers = Mapping[str, date | None]
_LOOPBACK = re.compile(r"localhost|127\..*|::1|0\.0\.0\.0")


def open_session(settings: JudgeSettings, base_url: str) -> aiohttp.ClientSession:
    """A pool of connections to one server, with the key in its headers; to be closed by the caller.

    Certificates are always verified. The usual proxy variables hold, except for a server on this very machine, which
    no proxy could reach.
    """
    return aiohttp.ClientSession(
        connector=aiohttp.TCPConnector(limit=settings.concurrency),
        cookie_jar=aiohttp.DummyCookieJar(),
        timeout=aiohttp.ClientTimeout(total=settings.timeout_s, sock_connect=min(CONNECT_S, settings.timeout_s)),
        headers={"Content-Type": "application/json"} | headers_of(settings),
        # Not `trust_env`: it also reads ~/.netrc, whose logins cannot go beside our key, and all of that anew for each
        # request, in another thread.
        proxy=proxy_of(base_url),
    )


def headers_of(settings: JudgeSettings) -> dict[str, str]:
    """The headers of every request, the key among them."""
    headers = {"User-Agent": "hueval"}
    if settings.api_key is not None:
        headers["Authorization"] = f"Bearer {settings.api_key.get_secret_value()}"
    return headers | {name: value.get_secret_value() for name, value in settings.headers}


def proxy_of(base_url: str) -> str | None:
    """The proxy that the usual variables name for a server; None for none, and for a server on this machine."""
    url = urlsplit(base_url)
    host = url.hostname or ""
    if _LOOPBACK.fullmatch(host) or proxy_bypass(host):
        return None
    proxy = getproxies().get(url.scheme)
    return f"http://{proxy}" if proxy and "://" not in proxy else proxy


async def read_text(response: aiohttp.ClientResponse, settings: JudgeSettings) -> str:
    """The body of a response, without the key, should the server echo it.

    Raises:
        ReplyTooLargeError: it is larger than `SIZE_CAP`.
    """
    # A packed body may be a thousand times as long as it says.
    if (response.content_length or SIZE_CAP + 1) <= SIZE_CAP and "Content-Encoding" not in response.headers:
        return redact((await response.read()).decode("utf-8", "replace"), settings)
    body = bytearray()
    async for chunk in response.content.iter_any():
        body += chunk
        if len(body) > SIZE_CAP:
            raise ReplyTooLargeError(f"the reply is larger than {SIZE_CAP // 2**20} MiB")
    return redact(body.decode("utf-8", "replace"), settings)


async def list_models(session: aiohttp.ClientSession, base_url: str, settings: JudgeSettings) -> Offers:
    """The models that a server offers (`/models`), by id, and when each ends; empty when it does not say.

    Only a real request can tell whether the key is good and the model is there: restricted keys may not list models,
    and proxies offer more than they list.

    Raises:
        TransientError: it cannot be reached, or says nothing at all.
    """
    timeout = min(LIST_S, settings.timeout_s)
    try:
        async with session.get(
            at_path(base_url, "/models"), allow_redirects=False, timeout=aiohttp.ClientTimeout(total=timeout)
        ) as response:
            data = json.loads(await read_text(response, settings))
            return {one_line(model["id"], 60): end_in(model) for model in data["data"]}
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError, ReplyTooLargeError):
        return {}
    except (aiohttp.ClientError, OSError) as error:
        fault = transport_fault(error, timeout)
        if isinstance(fault, (ConnectError, ReadTimeoutError)):
            raise fault from None
        return {}


def unreachable(settings: JudgeSettings) -> dict[str, str]:
    """The servers that cannot be reached just now, by address, and why; for a check from outside any event loop.

    What the others list of the end of their models is known from then on (`retirement.end_of`).
    """
    found: dict[str, str] = {}

    async def look() -> None:
        for base_url in settings.base_urls:
            async with open_session(settings, base_url) as session:
                try:
                    note_listed(await list_models(session, base_url, settings))
                except TransientError as fault:
                    found[base_url] = str(fault)

    thread = Thread(target=lambda: asyncio.run(look()), name="hueval-preflight")  # a notebook has a loop running
    thread.start()
    thread.join()
    return found


def redact(text: str, settings: JudgeSettings) -> str:
    """The text without the keys, which a server may echo, as they are or in the spellings that JSON has for them."""
    for secret in settings.secrets:
        if len(secret) >= _SECRET_LENGTH:
            text = text.replace(secret, "[key]")
            if "\\u" in text or "\\/" in text:
                text = _in_json(secret).sub("[key]", text)
    return text


@cache
def _in_json(secret: str) -> re.Pattern[str]:
    r"""A pattern that finds a secret whose letters may be escaped: `/` as `\/`, any letter as `\u0073`."""
    return re.compile("".join(rf"(?:\\?{re.escape(c)}|\\u(?i:{ord(c):04x}))" for c in secret))

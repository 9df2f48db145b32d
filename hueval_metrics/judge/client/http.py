"""What every conversation with a judge's server needs: a session, what an error in it means, and no key in any text."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from functools import cache
from typing import Any
from urllib.parse import urlsplit
from urllib.request import getproxies, proxy_bypass

import aiohttp

from hueval_metrics.judge.settings import JudgeSettings
from hueval_metrics.text.one_line import one_line

CONNECT_S = 10.0
SIZE_CAP = 4 * 2**20  # of a reply; a verdict has a kilobyte
_SHOWN = 200  # characters of a server's message
_SECRET_LENGTH = 8  # a shorter key is no secret ("EMPTY" for vLLM), and its letters may stand in a verdict
_LOOPBACK = re.compile(r"localhost|127\..*|::1|0\.0\.0\.0")


class TooLargeError(Exception):
    """A reply is larger than any verdict; the text says how large one may be."""


def open_session(settings: JudgeSettings, base_url: str) -> aiohttp.ClientSession:
    """A pool of connections to one server, with the key in its headers; to be closed by the caller.

    Certificates are always verified. The usual proxy variables hold, except for a server on this very machine, which
    no proxy could reach.
    """
    headers = {"Content-Type": "application/json", "User-Agent": "hueval"}
    if settings.api_key is not None:
        headers["Authorization"] = f"Bearer {settings.api_key.get_secret_value()}"
    headers |= {name: value.get_secret_value() for name, value in settings.headers}
    return aiohttp.ClientSession(
        connector=aiohttp.TCPConnector(limit=settings.concurrency),
        cookie_jar=aiohttp.DummyCookieJar(),
        timeout=aiohttp.ClientTimeout(total=settings.timeout_s, sock_connect=min(CONNECT_S, settings.timeout_s)),
        headers=headers,
        # Not `trust_env`: it also reads ~/.netrc, whose logins cannot go beside our key, and all of that anew for each
        # request, in another thread.
        proxy=_proxy(base_url),
    )


def _proxy(base_url: str) -> str | None:
    url = urlsplit(base_url)
    host = url.hostname or ""
    if _LOOPBACK.fullmatch(host) or proxy_bypass(host):
        return None
    proxy = getproxies().get(url.scheme)
    return f"http://{proxy}" if proxy and "://" not in proxy else proxy


async def read_text(response: aiohttp.ClientResponse, settings: JudgeSettings, cap: int | None = None) -> str:
    """The body of a response, without the key, should the server echo it.

    Raises:
        TooLargeError: it is larger than `cap` bytes; `SIZE_CAP` without one.
    """
    cap = cap or SIZE_CAP
    # A packed body may be a thousand times as long as it says.
    if (response.content_length or cap + 1) <= cap and "Content-Encoding" not in response.headers:
        return redact((await response.read()).decode("utf-8", "replace"), settings)
    body = bytearray()
    async for chunk in response.content.iter_any():
        body += chunk
        if len(body) > cap:
            raise TooLargeError(f"larger than {cap // 2**20} MiB")
    return redact(body.decode("utf-8", "replace"), settings)


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


def error_of(text: str) -> Mapping[str, Any]:
    """The error object in a server's answer; empty when there is none."""
    try:
        data = json.loads(text)
    except (ValueError, RecursionError):
        return {}
    error = data.get("error", data) if isinstance(data, dict) else {}
    return error if isinstance(error, dict) else {"message": error}


def message_of(text: str) -> str:
    """The message in a server's error, in one line; OpenAI, vLLM, FastAPI and Azure each have their form."""
    error = error_of(text)
    return one_line(error.get("message") or error.get("detail") or "", _SHOWN)

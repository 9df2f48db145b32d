"""The chat completions API: the body of a request, the cache key of a request, and what a response means."""

from __future__ import annotations

import hashlib
import json
import re
import ssl
from collections.abc import Mapping
from socket import gaierror
from typing import Any

import aiohttp

from hueval_metrics.judge.completion import FILTERED
from hueval_metrics.judge.errors import (
    AttemptError,
    ConnectError,
    JudgeUnusableError,
    NoReplyError,
    OverloadedError,
    RateLimitError,
    ReadTimeoutError,
    ServerError,
    TransientError,
    UnsupportedParameterError,
)
from hueval_metrics.judge.rubric import LONG_REPLY, Rubric
from hueval_metrics.judge.settings import JudgeSettings
from hueval_metrics.one_line import one_line
from hueval_metrics.text.quick_json import to_json

FORMAT = "response_format"
_OVERLOADED = frozenset({503, 529})
_GATEWAY = frozenset({408, 502, 504})  # a proxy may have passed the request on
_CONFLICT = frozenset({409, 425})
_UNBOUNDED = 16_384  # tokens of a reply where the server supports no limit
_SHOWN = 200  # characters of a server's message
_REFUSES = re.compile(
    r"unsupported|not support|unrecogni[sz]ed|unknown|unexpected|not permitted|not allowed|only the default|"
    r"strictly positive|unavailable",
    re.IGNORECASE,
)
_ABOUT_FORMAT = re.compile(r"response_format|json_schema|structured|guided|grammar", re.IGNORECASE)
_TOO_LONG = re.compile(r"context|too (?:long|large|many)|maximum|exceed", re.IGNORECASE)
_PARTS = ("json_schema", "schema", "guided")  # other names of `response_format` in `param`
_REFUSABLE = ("max_completion_tokens", "max_tokens", "temperature", "seed")


# ---- requests, the same in a live call and in a batch ----


def parameters(settings: JudgeSettings, rubric: Rubric, max_tokens: int | None = None) -> dict[str, Any]:
    """The parameters of a request without its messages; one that a server does not support is left out later.

    Args:
        settings: with the judge's seed and temperature.
        rubric: with the reply's length and schema.
        max_tokens: the longest reply; None for that of the rubric.

    Returns:
        `temperature`, `seed`, `max_tokens`, and `response_format` where the rubric has a schema.
    """
    params = {"temperature": settings.temperature, "seed": settings.seed, "max_tokens": max_tokens or rubric.MAX_TOKENS}
    if rubric.SCHEMA is None:
        return params
    schema = {"name": rubric.NAME, "strict": True, "schema": rubric.SCHEMA}
    return params | {FORMAT: {"type": "json_schema", "json_schema": schema}}


def body_of(model: str, messages: bytes, sent: Mapping[str, Any]) -> bytes:
    """The body of a request.

    Args:
        model: the judge's model id.
        messages: the chat messages as JSON, from `to_json`; serialized once, for the cache key and the body.
        sent: the parameters that the server supports.

    >>> body_of("m", b"[]", {"seed": 0})
    b'{"model":"m","seed":0,"messages":[]}'
    """
    return Bodies(model).body(messages, sent)


class Bodies:
    """The bodies of requests to one model. The parameters are mostly those of the last request: serialized once."""

    def __init__(self, model: str) -> None:
        self._model, self._head = model, b""
        self._sent: Mapping[str, Any] | None = None

    def body(self, messages: bytes, sent: Mapping[str, Any]) -> bytes:
        """See `body_of`."""
        if sent != self._sent:
            self._sent, self._head = dict(sent), to_json({"model": self._model, **sent})[:-1]
        return b'%b,"messages":%b}' % (self._head, messages)


def reply_limit(sent: Mapping[str, Any]) -> int:
    """The most tokens of the reply to a request with these parameters."""
    return int(sent.get("max_tokens") or sent.get("max_completion_tokens") or _UNBOUNDED)


class RequestKeys:
    """Cache keys of requests: equal for the same request under the same rubric, at any server.

    Args:
        settings: with the judge's model, seed and temperature.
        rubric: only its name counts: its prompt is part of the messages, and a cached reply is parsed again by each
            version.
    """

    def __init__(self, settings: JudgeSettings, rubric: Rubric) -> None:
        # The reply's length is not part of the key: a reply that is cut off is asked for again. LONG_REPLY and "/1"
        # keep the keys of older caches valid.
        asked = parameters(settings, rubric, LONG_REPLY)
        params = {"model": settings.model, "parameters": asked, "rubric": f"{rubric.NAME}/1"}
        self._head = hashlib.sha256(json.dumps(params, sort_keys=True, separators=(",", ":")).encode())

    def key(self, messages: bytes, *, is_again: bool = False) -> str:
        """The SHA-256, in hexadecimal, of the model, the parameters and the messages (JSON), and of whether the same is
        asked a second time.
        """
        request = self._head.copy()
        request.update(messages)
        if is_again:
            request.update(b"/again")
        return request.hexdigest()


# ---- responses with status 200 ----


def is_whole(content: str) -> bool:
    """Whether a reply is one JSON object, so that nothing but white space was cut off after it."""
    try:
        return isinstance(json.loads(content), dict)
    except (ValueError, RecursionError):
        return False


def no_completion(text: str, kind: str) -> TransientError:
    """What a response with status 200 but without a completion means.

    Args:
        text: its body.
        kind: its content type.
    """
    if said := message_of(text):  # some proxies send their errors with status 200
        return TransientError(f'no completion: "{said}"')
    what = "a web page" if "html" in kind.casefold() or "<html" in text[:1000].casefold() else "no completion"
    is_billed = '"usage"' in text  # the server counted tokens
    return (TransientError if is_billed else ConnectError)(f'it sends {what} ("{one_line(text, 60)}")')


# ---- responses with another status ----


def error_of(text: str) -> Mapping[str, Any]:
    """The error object in a body; empty when there is none."""
    try:
        data = json.loads(text)
    except (ValueError, RecursionError):
        return {}
    error = data.get("error", data) if isinstance(data, dict) else {}
    return error if isinstance(error, dict) else {"message": error}


def message_of(text: str) -> str:
    """The error message in a body, as one line; OpenAI, vLLM, FastAPI and Azure have different forms."""
    error = error_of(text)
    return one_line(error.get("message") or error.get("detail") or "", _SHOWN)


def quoted(status: int, text: str) -> str:
    """An HTTP status and the server's message, to be shown to a user."""
    return f'HTTP {status}: "{message_of(text) or one_line(text, 60)}"'


def used_up(address: str, status: int, text: str) -> JudgeUnusableError | None:
    """The error of an account without money; None for any other response."""
    if status == 402 or (status == 429 and "insufficient_quota" in text):
        said = quoted(status, text)
        return JudgeUnusableError(f"{address}: the account is used up ({said}). Top it up, or use another key")
    return None


def failure(
    status: int, headers: Mapping[str, str], text: str, sent: Mapping[str, Any], has_formatted: bool = True
) -> AttemptError | NoReplyError:
    """What an HTTP status other than 200 means for one request; the caller handles 401, 403 and 404.

    Args:
        status: the status.
        headers: the headers of the response.
        text: its body.
        sent: the parameters of the request.
        has_formatted: whether the server has answered a request with `response_format` before.
    """
    said = quoted(status, text)
    if status == 429:
        return RateLimitError(said, headers)
    if status in _OVERLOADED:
        return OverloadedError(said, headers)
    if status in _GATEWAY:
        return TransientError(said)
    if status in _CONFLICT or status >= 500:
        return ServerError(said)
    if 300 <= status < 400:
        return ConnectError(f"HTTP {status}, it redirects, which is not followed")
    if status in (400, 422) and (name := _refused(text, sent, has_formatted)):
        return UnsupportedParameterError(name)  # a guess: it holds where the request succeeds without
    return NoReplyError(f"refused: {said}")


def _refused(text: str, sent: Mapping[str, Any], has_formatted: bool) -> str | None:
    """The parameter that an error names as unsupported; None when it is about something else, such as the length."""
    error, message = error_of(text), message_of(text)
    about = str(error.get("param") or "")
    if str(error.get("code")) == FILTERED or (about and not any(name in about for name in (*sent, *_PARTS))):
        return None  # it is about the messages
    # Some servers only say that the request is invalid: `response_format` is the likeliest reason until it has worked.
    if FORMAT in sent and (
        _ABOUT_FORMAT.search(f"{error.get('param') or ''} {message}")
        or not (has_formatted or _TOO_LONG.search(message) or _named(error, message, sent))
    ):
        return FORMAT
    is_refusal = str(error.get("code")).startswith("unsupported") or _REFUSES.search(message)
    return _named(error, message, sent) if is_refusal else None


def _named(error: Mapping[str, Any], message: str, sent: Mapping[str, Any]) -> str | None:
    named = f"{error.get('param') or ''} {message}"
    return next((name for name in _REFUSABLE if name in sent and name in named), None)


# ---- no response ----


def transport_fault(error: Exception, timeout_s: float) -> TransientError:
    """What an exception of aiohttp means; its text is not shown, as it may contain the key.

    Args:
        error: the exception.
        timeout_s: the time-out, for the message.
    """
    match error:
        case aiohttp.ConnectionTimeoutError():
            return ConnectError("no connection in time")
        case TimeoutError():
            return ReadTimeoutError(f"no answer within {timeout_s:g} s (HUEVAL_JUDGE_TIMEOUT_S)")
        case aiohttp.ClientConnectorCertificateError():
            return ConnectError(f"TLS: {one_line(error.certificate_error, 100)}")
        case aiohttp.ClientConnectorError():
            is_proxy = isinstance(error, aiohttp.ClientProxyConnectionError)
            proxy = f"{error.host}:{error.port}" if is_proxy else ""
            return ConnectError(connect_fault(error.os_error, error.host, proxy))
        case aiohttp.ClientHttpProxyError():
            return ConnectError(f"the proxy refuses (HTTP {error.status})")
        case aiohttp.ClientResponseError():
            return ConnectError("what answers there does not speak HTTP")
    return TransientError("the connection broke off")


def connect_fault(cause: OSError, host: str, proxy: str = "") -> str:
    """Why there is no connection, in a few words.

    Args:
        cause: the error of the operating system.
        host: the host of the connection, which may be the proxy's.
        proxy: host and port of the proxy; empty without one.
    """
    if isinstance(cause, gaierror):
        return f"unknown host {one_line(host, 80)}"
    if isinstance(cause, ConnectionRefusedError):
        return f"connection refused{f' by the proxy {proxy}' if proxy else ''}"
    if isinstance(cause, ssl.SSLError):
        return f"TLS: {one_line(cause.reason or cause, 100)}"
    return one_line(f"no connection: {cause.strerror or cause}", 120)

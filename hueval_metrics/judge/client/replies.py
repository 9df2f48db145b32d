"""What comes back from a judge's server: a completion, a passing fault, a refusal, or the end of all asking."""

from __future__ import annotations

import json
import re
import ssl
from collections.abc import Mapping
from dataclasses import dataclass
from socket import gaierror
from typing import Any

import aiohttp

from hueval_metrics.judge.client.exceptions import (
    AttemptError,
    ConnectError,
    GatewayError,
    InvalidResponseError,
    JudgeUnusableError,
    NetworkError,
    NoReplyError,
    OverloadedError,
    ProtocolError,
    RateLimitError,
    ReadTimeoutError,
    ServerError,
    TransientError,
    UnsupportedParameterError,
)
from hueval_metrics.judge.client.requests import FORMAT
from hueval_metrics.records import Usage
from hueval_metrics.text.one_line import one_line
from hueval_metrics.text.quick_json import from_json

_PASSING = frozenset({409, 425})
_OVERLOADED = frozenset({503, 529})
_GATEWAY = frozenset({408, 502, 504})
_SHOWN = 200  # characters of a server's message
_REFUSES = re.compile(
    r"unsupported|not support|unrecogni[sz]ed|unknown|unexpected|not permitted|not allowed|only the default|"
    r"strictly positive|unavailable",
    re.IGNORECASE,
)
_ABOUT_FORMAT = re.compile(r"response_format|json_schema|structured|guided|grammar", re.IGNORECASE)
_TOO_LONG = re.compile(r"context|too (?:long|large|many)|maximum|exceed", re.IGNORECASE)
_REFUSABLE = ("max_completion_tokens", "max_tokens", "temperature", "seed")


@dataclass(frozen=True, slots=True)
class Reply:
    """A judge's words.

    Attributes:
        content: what it said; empty where all that it was allowed went into hidden reasoning.
        is_cut: whether it was cut off at the greatest length.
        usage: what all tries took that were paid for.
    """

    content: str
    is_cut: bool
    usage: Usage


@dataclass(frozen=True, slots=True)
class Completion:
    """One completion in a server's answer.

    Attributes:
        content: the words; empty when there are none.
        reason: why it ended there, or why there are no words.
        prompt_tokens, completion_tokens: as the server counted them; None where it did not.
        cached_tokens: how many of the prompt's the provider had in its own cache, and bills less for.
        written_tokens: how many of the prompt's it wrote into that cache, and may bill more for.
        is_cut: whether it was cut off at the greatest length.
        is_blank: whether it ran on with blanks to the greatest length, as some models do that are held to a form.
    """

    content: str
    reason: str
    prompt_tokens: int | None
    completion_tokens: int | None
    cached_tokens: int
    written_tokens: int
    is_cut: bool
    is_blank: bool


def completion(text: str) -> Completion | None:
    """The completion in the body of an answer with status 200; None when it holds none."""
    try:
        data = from_json(text)
        choice = data["choices"][0]
        message = choice["message"]
        content = message.get("content")
        reason = choice.get("finish_reason")
    except (ValueError, KeyError, IndexError, TypeError, AttributeError, RecursionError):
        return None
    if isinstance(content, list):  # content in parts, as the API allows for
        content = "".join(str(part.get("text") or "") for part in content if isinstance(part, dict))
    content = content if isinstance(content, str) else ""
    words = content.strip()
    is_cut = reason == "length"
    is_blank = is_cut and len(words) < len(content) / 2
    if not words:
        content, reason = "", one_line(message.get("refusal") or f"finish_reason {reason}", 100)
    return Completion(content, str(reason), *_counts(data.get("usage")), is_cut, is_blank)


def quoted(status: int, text: str) -> str:
    """An HTTP status and what the server said with it, for a message."""
    return f'HTTP {status}: "{message_of(text) or one_line(text, 60)}"'


def failure(
    status: int, headers: Mapping[str, str], text: str, sent: Mapping[str, Any], has_formatted: bool = True
) -> AttemptError | NoReplyError:
    """What an HTTP status other than 200 means for one request.

    Args:
        status: the status.
        headers: the answer's headers.
        text: its body.
        sent: the parameters of the request.
        has_formatted: whether the server has answered a request for structured output.

    Returns:
        What 401, 403 and 404 mean depends on what came before, and is not for this function to say.
    """
    said = quoted(status, text)
    if status == 429:
        return RateLimitError(said, headers)
    if status in _OVERLOADED:
        return OverloadedError(said, headers)
    if status in _GATEWAY:
        return GatewayError(said)
    if status in _PASSING or status >= 500:
        return ServerError(said)
    if 300 <= status < 400:
        return ProtocolError(f"HTTP {status}, it redirects, which is not followed")
    if status in (400, 422) and (name := _refused(text, sent, has_formatted)):
        return UnsupportedParameterError(name)
    return NoReplyError(f"refused: {said}")


def used_up(address: str, status: int, text: str) -> JudgeUnusableError | None:
    """That an answer says that there is no money left; None when it says something else."""
    if status == 402 or (status == 429 and "insufficient_quota" in text):
        said = quoted(status, text)
        return JudgeUnusableError(f"{address}: the account is used up ({said}). Top it up, or use another key")
    return None


def is_whole(content: str) -> bool:
    """Whether a reply is one JSON object: what was cut off after it can then be nothing but blanks."""
    try:
        return isinstance(json.loads(content), dict)
    except (ValueError, RecursionError):
        return False


def no_completion(text: str, kind: str) -> TransientError:
    """What an answer with status 200 means that holds no completion.

    Args:
        text: its body.
        kind: its content type.
    """
    if said := message_of(text):  # some proxies send their errors with status 200
        return InvalidResponseError(f'no completion: "{said}"')
    what = "a web page" if "html" in kind.casefold() or "<html" in text[:1000].casefold() else "no completion"
    is_billed = '"usage"' in text  # it counts tokens, whatever became of the words
    return (InvalidResponseError if is_billed else ProtocolError)(f'it sends {what} ("{one_line(text, 60)}")')


def transport_fault(error: Exception, timeout_s: float) -> TransientError:
    """What an exception of aiohttp means; its own text is never shown, as it may hold the key.

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
            return ProtocolError("what answers there does not speak HTTP")
    return NetworkError("the connection broke off")


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


def connect_fault(cause: OSError, host: str, proxy: str = "") -> str:
    """Why there is no connection, in a few words.

    Args:
        cause: the error of the operating system.
        host: where the connection goes, which may be the proxy's.
        proxy: host and port of the proxy; empty without one.
    """
    if isinstance(cause, gaierror):
        return f"unknown host {one_line(host, 80)}"
    if isinstance(cause, ConnectionRefusedError):
        return f"connection refused{f' by the proxy {proxy}' if proxy else ''}"
    if isinstance(cause, ssl.SSLError):
        return f"TLS: {one_line(cause.reason or cause, 100)}"
    return one_line(f"no connection: {cause.strerror or cause}", 120)


def _counts(usage: Any) -> tuple[int | None, int | None, int, int]:
    """The tokens of prompt and completion, and those of the prompt that cost less, and more."""
    prompt, received, total = (_count(usage, name) for name in ("prompt_tokens", "completion_tokens", "total_tokens"))
    if prompt is not None and received is not None and total is not None:
        received = max(received, total - prompt)  # some count hidden reasoning in the total alone
    details = usage.get("prompt_tokens_details") if isinstance(usage, dict) else None
    return prompt, received, _count(details, "cached_tokens") or 0, _count(details, "cache_write_tokens") or 0


def _count(usage: Any, name: str) -> int | None:
    value = usage.get(name) if isinstance(usage, dict) else None
    return value if isinstance(value, int) and 0 <= value < 10**9 and not isinstance(value, bool) else None


def _refused(text: str, sent: Mapping[str, Any], has_formatted: bool) -> str | None:
    """The parameter that a refusal names; None when it is about something else, such as the length."""
    error, message = error_of(text), message_of(text)
    # Some servers only say that the request is wrong: structured output is the likeliest reason, until it has worked.
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

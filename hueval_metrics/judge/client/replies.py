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

from hueval_metrics.judge.client.http import error_of, message_of
from hueval_metrics.judge.client.requests import FORMAT
from hueval_metrics.records import Usage
from hueval_metrics.text.one_line import one_line
from hueval_metrics.text.quick_json import from_json

_PASSING = frozenset({408, 409, 425})
_OVERLOADED = frozenset({503, 529})
_UPSTREAM = frozenset({408, 502, 504})  # what stands between may have passed the request on
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


class NoReplyError(Exception):
    """The judge gave no reply to one request; the text says why in one line, without the key.

    Args:
        text: why.
        usage: what it cost all the same.
    """

    def __init__(self, text: str, usage: Usage | None = None) -> None:
        super().__init__(text)
        self.usage = usage or Usage()


class NotAskedError(Exception):
    """Asking stopped before this request was sent, or while it waited after a refusal."""


class JudgeFatalError(Exception):
    """The judge cannot be used at all: wrong address, key or model, or no money. The text says what to set."""


class BudgetError(JudgeFatalError):
    """No further call fits into the budget."""


class PassingError(Exception):
    """A try came to nothing, which may pass.

    Args:
        text: what happened.
        is_setup: whether it would be the address that is wrong, had nothing answered so far.
        is_slow: whether it took the whole time-out.
        is_sent: whether the request may have reached the judge, and be on the bill.
    """

    def __init__(self, text: str, *, is_setup: bool = False, is_slow: bool = False, is_sent: bool = True) -> None:
        super().__init__(text)
        self.is_setup, self.is_slow, self.is_sent = is_setup, is_slow, is_sent


class LimitedError(Exception):
    """The server wants to be asked less.

    Args:
        text: what it said.
        headers: its headers, which may say how much less.
        is_overload: whether it is the server that has too much to do, rather than this client that asks too much.
    """

    def __init__(self, text: str, headers: Mapping[str, str], *, is_overload: bool = False) -> None:
        super().__init__(text)
        self.headers, self.is_overload = headers, is_overload


class RefusedError(Exception):
    """The server does not take one of the parameters; its name is the text."""


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


def failure(
    status: int, headers: Mapping[str, str], text: str, sent: Mapping[str, Any], has_formatted: bool = True
) -> Exception:
    """What an HTTP status other than 200 means for one request.

    Args:
        status: the status.
        headers: the answer's headers.
        text: its body.
        sent: the parameters of the request.
        has_formatted: whether the server has answered a request for structured output.

    Returns:
        A `LimitedError`, `PassingError`, `RefusedError` or `NoReplyError`. What 401, 403 and 404 mean depends on what
        came before, and is not for this function to say.
    """
    said = f'HTTP {status}: "{message_of(text) or one_line(text, 60)}"'
    if status == 429 or status in _OVERLOADED:
        return LimitedError(said, headers, is_overload=status != 429)
    if status in _PASSING or status >= 500:
        return PassingError(said, is_sent=status in _UPSTREAM)
    if 300 <= status < 400:
        return PassingError(f"HTTP {status}, it redirects, which is not followed", is_setup=True, is_sent=False)
    if status in (400, 422) and (name := _refused(text, sent, has_formatted)):
        return RefusedError(name)
    return NoReplyError(f"refused: {said}")


def is_whole(content: str) -> bool:
    """Whether a reply is one JSON object: what was cut off after it can then be nothing but blanks."""
    try:
        return isinstance(json.loads(content), dict)
    except (ValueError, RecursionError):
        return False


def no_completion(text: str, kind: str) -> PassingError:
    """What an answer with status 200 means that holds no completion.

    Args:
        text: its body.
        kind: its content type.
    """
    if said := message_of(text):  # some proxies send their errors with status 200
        return PassingError(f'no completion: "{said}"')
    what = "a web page" if "html" in kind.casefold() or "<html" in text[:1000].casefold() else "no completion"
    is_billed = '"usage"' in text  # it counts tokens, whatever became of the words
    return PassingError(f'it sends {what} ("{one_line(text, 60)}")', is_setup=True, is_sent=is_billed)


def transport_fault(error: Exception, timeout_s: float) -> PassingError:
    """What an exception of aiohttp means; its own text is never shown, as it may hold the key.

    Args:
        error: the exception.
        timeout_s: the time-out, for the message.
    """

    def setup(text: str) -> PassingError:
        return PassingError(text, is_setup=True, is_sent=False)

    if isinstance(error, aiohttp.ConnectionTimeoutError):
        return setup("no connection in time")
    if isinstance(error, TimeoutError):
        return PassingError(f"no answer within {timeout_s:g} s (HUEVAL_JUDGE_TIMEOUT_S)", is_slow=True)
    if isinstance(error, aiohttp.ClientConnectorCertificateError):
        return setup(f"TLS: {one_line(error.certificate_error, 100)}")
    if isinstance(error, aiohttp.ClientConnectorError):
        return setup(_connect_fault(error))
    if isinstance(error, aiohttp.ClientHttpProxyError):
        return setup(f"the proxy refuses (HTTP {error.status})")
    if isinstance(error, aiohttp.ClientResponseError):
        return setup("what answers there does not speak HTTP")
    return PassingError("the connection broke off")


def _connect_fault(error: aiohttp.ClientConnectorError) -> str:
    """Why there is no connection, in a few words."""
    cause = error.os_error
    if isinstance(cause, gaierror):
        return f"unknown host {one_line(error.host, 80)}"  # which may be the proxy's
    if isinstance(cause, ConnectionRefusedError):
        is_proxy = isinstance(error, aiohttp.ClientProxyConnectionError)
        return f"connection refused{f' by the proxy {error.host}:{error.port}' if is_proxy else ''}"
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
    # Some servers only say that the request is wrong: the wish for a form is the likeliest reason, until it has worked.
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

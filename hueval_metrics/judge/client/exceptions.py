"""What can go wrong between us and a judge's server.

::

    JudgeError
    ├── JudgeUnusableError              no request will come to anything; the text says what to set
    │   └── BudgetExceededError
    ├── NotAskedError                   asking stopped before the request was sent
    ├── NoReplyError                    one request failed, for good
    │   └── ReplyTooLargeError
    └── AttemptError                    one attempt failed
        ├── UnsupportedParameterError   ask again without it
        ├── RateLimitError              429: ask again, slower
        │   └── OverloadedError         503, 529
        └── TransientError              ask again, it may pass
            ├── ConnectError            no connection
            │   └── ProtocolError       what answers there is no chat API
            ├── ReadTimeoutError
            ├── NetworkError            the connection broke off
            ├── ServerError             5xx
            │   └── GatewayError        408, 502, 504: the request may have been passed on
            └── InvalidResponseError    status 200 without a completion

Every text is one line and holds no key.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

from hueval_metrics.records import Usage


class JudgeError(Exception):
    """The base of all.

    Attributes:
        maybe_billed: whether the request may have reached the judge, and be on the bill.
    """

    maybe_billed: ClassVar[bool] = False


class JudgeUnusableError(JudgeError):
    """The judge cannot be used at all: wrong address, key or model, or no money. The text says what to set."""


class BudgetExceededError(JudgeUnusableError):
    """No further call fits into the budget."""


class NotAskedError(JudgeError):
    """Asking stopped before this request was sent, or while it waited after a refusal."""


class NoReplyError(JudgeError):
    """The judge gave no reply to one request.

    Args:
        text: why.
        usage: what it cost all the same.
    """

    def __init__(self, text: str, usage: Usage | None = None) -> None:
        super().__init__(text)
        self.usage = usage or Usage()


class ReplyTooLargeError(NoReplyError):
    """The reply is larger than any verdict."""

    maybe_billed = True


class AttemptError(JudgeError):
    """One attempt failed; the next one may not."""


class UnsupportedParameterError(AttemptError):
    """The server does not take one of the parameters; its name is the text."""


class RateLimitError(AttemptError):
    """The server wants to be asked less.

    Args:
        text: what it said.
        headers: its headers, which may say how much less.
    """

    def __init__(self, text: str, headers: Mapping[str, str]) -> None:
        super().__init__(text)
        self.headers = headers


class OverloadedError(RateLimitError):
    """The server has too much to do, whoever asks."""


class TransientError(AttemptError):
    """An attempt failed, which may pass."""

    maybe_billed = True


class ConnectError(TransientError):
    """No connection. While nothing has answered yet, the address is more likely wrong than the moment."""

    maybe_billed = False


class ProtocolError(ConnectError):
    """What answers there is no chat API: a web page, a redirect."""


class ReadTimeoutError(TransientError):
    """No answer within the time-out."""


class NetworkError(TransientError):
    """The connection broke off."""


class ServerError(TransientError):
    """The server failed, without an answer to bill."""

    maybe_billed = False


class GatewayError(ServerError):
    """A proxy failed, after it may have passed the request on."""

    maybe_billed = True


class InvalidResponseError(TransientError):
    """The answer holds no completion."""

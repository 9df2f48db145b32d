"""The errors between us and a judge's server, and when a failed attempt is repeated.

::

    JudgeError
    ├── JudgeUnusableError              every request will fail; the text says what to set
    │   └── BudgetExceededError
    ├── NotAskedError                   asking stopped before the request was sent
    ├── NoReplyError                    one request failed for good
    │   └── ReplyTooLargeError
    └── AttemptError                    one attempt failed
        ├── UnsupportedParameterError   repeat without the parameter
        ├── RateLimitError              429: repeat later
        │   └── OverloadedError         503, 529
        └── TransientError              repeat: a lost connection, 408, 502, 504, or status 200 without a completion
            ├── DeclinedError           a reply without an answer: a refusal, a tool call, reasoning alone
            ├── ConnectError            no connection, or no chat API at the address
            ├── ReadTimeoutError
            └── ServerError             other 5xx, 409, 425

Every text is one line without keys.
"""

from __future__ import annotations

import random
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

from hueval_metrics.records import Usage


class JudgeError(Exception):
    """The base class.

    Attributes:
        maybe_billed: whether the judge may have received the request and billed it.
    """

    maybe_billed: ClassVar[bool] = False


class JudgeUnusableError(JudgeError):
    """The judge cannot be used: wrong address, key or model, or no money left. The text says what to set."""


class BudgetExceededError(JudgeUnusableError):
    """A further call could exceed the budget."""


class NotAskedError(JudgeError):
    """Asking stopped before this request was sent, or while it waited after a refusal."""


class NoReplyError(JudgeError):
    """One request got no reply.

    Args:
        text: why.
        usage: what the request cost all the same.
    """

    def __init__(self, text: str, usage: Usage | None = None) -> None:
        super().__init__(text)
        self.usage = usage or Usage()


class ReplyTooLargeError(NoReplyError):
    """The body of the response exceeds the size limit."""

    maybe_billed = True


class AttemptError(JudgeError):
    """One attempt failed; the next one may succeed."""


class UnsupportedParameterError(AttemptError):
    """The server does not support a parameter; the text is the parameter's name."""


class RateLimitError(AttemptError):
    """The server limits the rate.

    Args:
        text: the server's message.
        headers: the headers of the response, which may say when to try again.
    """

    def __init__(self, text: str, headers: Mapping[str, str]) -> None:
        super().__init__(text)
        self.headers = headers


class OverloadedError(RateLimitError):
    """The server has too many requests, from all its clients together."""


class TransientError(AttemptError):
    """An attempt failed for a reason that may pass."""

    maybe_billed = True
    kind: ClassVar[str] = ""


class ConnectError(TransientError):
    """No connection, or no chat API behind it. Before the first answer, the address is probably wrong."""

    maybe_billed = False
    kind = "no connection"


class DeclinedError(TransientError):
    """The reply has no text where the next one most likely has none either."""

    kind = "refusal"


class ReadTimeoutError(TransientError):
    """No response within the time-out."""

    kind = "time-out"


class ServerError(TransientError):
    """The server failed, and bills nothing."""

    maybe_billed = False


def kind_of(error: JudgeError) -> str:
    """A word or two for what happened to an attempt, to be counted.

    >>> kind_of(RateLimitError('HTTP 429: "slow down"', {})), kind_of(ReadTimeoutError("no answer within 60 s"))
    ('HTTP 429', 'time-out')
    """
    if isinstance(error, TransientError) and error.kind:
        return error.kind
    status = re.search(r"HTTP \d+", str(error))
    return status[0] if status else "lost reply"


@dataclass(frozen=True)
class RetryPolicy:
    """How often and after which pauses an attempt is repeated.

    Attributes:
        tries: attempts at one request.
        first_tries: attempts before the server has answered anything: a judge that is broken from the start is
            reported within seconds.
        connect_tries: attempts where there is no connection, or no response within the time-out.
        declined_tries: attempts where the reply is a refusal.
        backoff_s: pause before the second attempt; doubled for each further one.
        max_wait_s: the longest pause, whatever a server asks for.
    """

    tries: int = 5
    first_tries: int = 3
    connect_tries: int = 2
    declined_tries: int = 2
    backoff_s: float = 0.5
    max_wait_s: float = 60.0

    def attempts(self, fault: AttemptError, *, is_first_contact: bool) -> int:
        """How many attempts a request gets that fails in this way."""
        if isinstance(fault, DeclinedError):
            return self.declined_tries
        if not is_first_contact:
            return self.tries
        return self.connect_tries if isinstance(fault, ReadTimeoutError) else self.first_tries

    def pause_s(self, tries: int, asked_s: float | None = None) -> float:
        """The seconds to wait before the next attempt, with jitter, so that retries do not arrive together.

        Args:
            tries: attempts so far, from 1.
            asked_s: the pause that the server asked for; None for none.
        """
        wait_s = self.backoff_s * 2 ** min(tries - 1, 10) if asked_s is None else asked_s
        return min(wait_s * random.uniform(1.0, 1.5), self.max_wait_s)


RETRY = RetryPolicy()

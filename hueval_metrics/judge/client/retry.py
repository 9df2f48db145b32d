"""When a failed attempt is repeated: a value of the settings, read by everything that talks to a server."""

from __future__ import annotations

import random
from dataclasses import dataclass

from hueval_metrics.judge.client.exceptions import AttemptError, ReadTimeoutError


@dataclass(frozen=True)
class RetryPolicy:
    """How often and after which pauses to try again.

    Attributes:
        tries: attempts at one request.
        first_tries: the same while the server has answered nothing yet: a judge that is broken from the start is to be
            reported within seconds.
        connect_tries: the same where there is no connection, or nothing within the time-out.
        backoff_s: the pause before the second attempt; doubled for each further one.
        max_wait_s: the longest pause, whatever a server asks for.
    """

    tries: int = 5
    first_tries: int = 3
    connect_tries: int = 2
    backoff_s: float = 0.5
    max_wait_s: float = 60.0

    def attempts(self, fault: AttemptError, *, is_first_contact: bool) -> int:
        """How many attempts a request gets that meets this fault."""
        if not is_first_contact:
            return self.tries
        return self.connect_tries if isinstance(fault, ReadTimeoutError) else self.first_tries

    def pause_s(self, tries: int, asked_s: float | None = None) -> float:
        """The seconds to wait after so many attempts, with jitter, so that retries do not arrive together.

        Args:
            tries: attempts so far, from 1.
            asked_s: what the server asked for; None for nothing.
        """
        wait_s = self.backoff_s * 2 ** min(tries - 1, 10) if asked_s is None else asked_s
        return min(wait_s * random.uniform(1.0, 1.5), self.max_wait_s)


RETRY = RetryPolicy()

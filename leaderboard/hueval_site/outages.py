"""What is answered and logged while the database is away or a disk is full: a status that says so, and few lines."""

from __future__ import annotations

import errno
import logging
import sys
import time
from collections.abc import Collection
from threading import Lock

from django.db import InterfaceError, OperationalError
from django.http import HttpRequest, HttpResponse
from django.views import defaults

from hueval_metrics.api.boards import one_line

RETRY_AFTER_S = 10
UNAVAILABLE, FULL = 503, 507
SELDOM_S = 60.0  # between two log lines of one kind


def is_full(error: BaseException | None) -> bool:
    """Whether there was no space on a disk, or none of one's quota."""
    return isinstance(error, OSError) and error.errno in (errno.ENOSPC, errno.EDQUOT)


def server_error(request: HttpRequest) -> HttpResponse:
    """Django's `handler500`: 503 while the database is away, 507 while a disk is full, else 500."""
    error = sys.exc_info()[1]
    response: HttpResponse = defaults.server_error(request)
    if isinstance(error, OperationalError | InterfaceError):
        response.status_code = UNAVAILABLE
        response.headers["Retry-After"] = str(RETRY_AFTER_S)
    elif is_full(error):
        response.status_code = FULL
    return response


class Seldom(logging.Filter):
    """Lets a line a minute pass for each of some statuses of HTTP, without its traceback, and counts the others.

    An outage or a scanner of ports would else fill the log: each request is an error of its own.

    Args:
        statuses: of answers whose lines are seldom; all other lines pass.
    """

    def __init__(self, statuses: Collection[int]) -> None:
        super().__init__()
        self._statuses = frozenset(statuses)
        self._last: dict[int, tuple[float, int]] = {}  # status → when a line passed, how many did not since
        self._lock = Lock()

    def filter(self, record: logging.LogRecord) -> bool:
        """Whether the line passes."""
        status = getattr(record, "status_code", None)
        if status not in self._statuses:
            return True
        now = time.monotonic()
        with self._lock:
            passed, n_others = self._last.get(status, (-SELDOM_S, 0))
            is_due = now - passed >= SELDOM_S
            self._last[status] = (now, 0) if is_due else (passed, n_others + 1)
        why = f" ({type(record.exc_info[1]).__name__})" if record.exc_info and record.exc_info[1] else ""
        others = f"; {n_others} more since the last such line" if n_others else ""
        record.msg, record.args = f"%s{why}{others}", (one_line(record.getMessage(), 200),)
        record.exc_info = record.exc_text = None
        return is_due

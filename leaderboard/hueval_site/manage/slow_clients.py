"""gunicorn's worker with threads, which does not let slow clients keep the threads.

A thread reads a request to its end, so that a few clients that send a byte now and then could occupy all. Here a
client that stops sending is cut off, and so is one whose upload is slower on average than a poor mobile connection.
"""

from __future__ import annotations

import struct
import time
from collections.abc import Callable
from socket import SO_RCVTIMEO, SOL_SOCKET
from typing import Any

from gunicorn.workers.gthread import ThreadWorker

SILENT_S = 20  # between two packets
GRACE_S = 30.0  # before the speed counts
BYTES_PER_S = 10_000.0


class Worker(ThreadWorker):
    """Cuts off clients that send too slowly."""

    def enqueue_req(self, conn: Any) -> None:
        """Hand a connection to a thread; the kernel ends a wait for its data, whatever Python's own timeout is."""
        conn.sock.setsockopt(SOL_SOCKET, SO_RCVTIMEO, struct.pack("ll", SILENT_S, 0))
        super().enqueue_req(conn)

    def handle(self, conn: Any) -> Any:
        """Answer one request, which has to come in time."""
        conn.init = lambda: _init(conn)
        return super().handle(conn)


def _init(conn: Any) -> None:
    type(conn).init(conn)
    unreader = conn.parser.unreader
    unreader.chunk = _in_time(type(unreader).chunk.__get__(unreader))


def _in_time(chunk: Callable[..., bytes]) -> Callable[..., bytes]:
    """A function that reads the next piece, and raises TimeoutError where they come too slowly."""
    started, n_bytes = time.monotonic(), 0

    def read(*size_hint: int | None) -> bytes:
        nonlocal n_bytes
        found = chunk(*size_hint)
        n_bytes += len(found)
        elapsed = time.monotonic() - started
        if elapsed > GRACE_S and n_bytes < BYTES_PER_S * elapsed:
            raise TimeoutError("the request came too slowly")
        return found

    return read

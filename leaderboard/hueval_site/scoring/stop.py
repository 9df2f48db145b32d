"""How a worker is stopped: what it scores is put back into the queue at once, and nothing new is begun."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from threading import Event
from types import FrameType


class StoppedError(BaseException):
    """The worker was told to stop while it scored; no `except Exception` holds it up."""


class Stop:
    """The wish to stop, of the signals SIGINT and SIGTERM."""

    def __init__(self) -> None:
        self._event = Event()
        self._is_interruptible = False

    @property
    def is_set(self) -> bool:
        """Whether the worker was told to stop."""
        return self._event.is_set()

    def wait(self, seconds: float) -> None:
        """Wait, but no longer than until the worker is told to stop."""
        self._event.wait(seconds)

    def handle(self, number: int = 0, frame: FrameType | None = None) -> None:
        """Take a signal.

        Raises:
            StoppedError: inside `interruptible`.
        """
        self._event.set()
        if self._is_interruptible:
            self._is_interruptible = False
            raise StoppedError

    @contextmanager
    def interruptible(self) -> Iterator[None]:
        """Inside, a signal raises `StoppedError`: only where nothing is written."""
        self._is_interruptible = True
        try:
            if self.is_set:
                raise StoppedError
            yield
        finally:
            self._is_interruptible = False


STOP = Stop()  # of this process

"""Stop signals: SIGTERM ends a command as Ctrl-C does, and neither falls between two steps that belong together."""

from __future__ import annotations

import signal
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import current_thread, main_thread
from types import FrameType
from typing import NoReturn

from hueval_metrics.exit_status import INTERRUPTED, TERMINATED

REPEAT_S = 0.5


class Terminated(KeyboardInterrupt):
    """SIGTERM came. A KeyboardInterrupt, so that all that cleans up after Ctrl-C cleans up after it too."""


def status_of(stop: KeyboardInterrupt) -> int:
    """The exit status of a command that was stopped."""
    return TERMINATED if isinstance(stop, Terminated) else INTERRUPTED


@contextmanager
def sigterm_as_ctrl_c() -> Iterator[None]:
    """While inside, SIGTERM raises `Terminated` in the main thread; a handler that somebody else has set stays."""
    if current_thread() is not main_thread() or signal.getsignal(signal.SIGTERM) is not signal.SIG_DFL:
        yield
        return
    signal.signal(signal.SIGTERM, _terminate)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, signal.SIG_DFL)


def _terminate(number: int, frame: FrameType | None) -> NoReturn:
    # A scheduler and a launcher often send it both: the second must not stop the cleaning up.
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    raise Terminated


@contextmanager
def signals_held() -> Iterator[None]:
    """While inside, Ctrl-C and SIGTERM wait; they take effect at the end. For steps of milliseconds."""
    if current_thread() is not main_thread():  # the only one that they stop
        yield
        return
    waiting: list[int] = []
    numbers = (signal.SIGINT, signal.SIGTERM)
    handlers = {number: signal.getsignal(number) for number in numbers}
    for number in numbers:
        if callable(handlers[number]):
            signal.signal(number, lambda number, frame: waiting.append(number))
    try:
        yield
    finally:
        for number in numbers:
            if callable(handlers[number]):
                signal.signal(number, handlers[number])
        if waiting:
            signal.raise_signal(waiting[0])


@contextmanager
def further_signals(stop: Callable[[], object]) -> Iterator[None]:
    """While inside, which follows a first signal, Ctrl-C and SIGTERM call a function instead of raising.

    Those of the first half second count as the first: a scheduler, a launcher and a terminal often send several.
    """
    if current_thread() is not main_thread():
        yield
        return
    since = time.monotonic()

    def stop_later(number: int, frame: FrameType | None) -> None:
        if time.monotonic() - since > REPEAT_S:
            stop()

    before = {number: signal.signal(number, stop_later) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, signal.SIG_DFL if handler is None else handler)

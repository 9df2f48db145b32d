"""What a user sees while a command works: lines on the terminal, each whole, and each warning once.

While a command captures what libraries print (`harness.output.log_file`), `sys.stderr` is a log file: what is for the
user goes to `stream()`.
"""

from __future__ import annotations

import logging
import shutil
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from threading import RLock
from typing import TextIO

from hueval_metrics.one_line import printable

OURS = ("hf_datasets", "hueval_metrics", "lm_eval_tasks")  # the loggers of this project
_INFORMING = ("harness", "judge", "traces")  # what is kept of a stopped run; what judging will take, and what it took

_lock = RLock()
_redirected: list[TextIO] = []
_last_line = time.monotonic()


def stream() -> TextIO:
    """Where lines for the user go: standard error, also while that is captured."""
    return _redirected[-1] if _redirected else sys.stderr


def terminal_width() -> int:
    """The columns of the terminal; 100 where there is none."""
    return shutil.get_terminal_size((100, 24)).columns


@contextmanager
def shown_on(terminal: TextIO) -> Iterator[None]:
    """While inside, lines for the user go to another stream than `sys.stderr`."""
    _redirected.append(terminal)
    try:
        yield
    finally:
        _redirected.pop()


def say(text: str) -> None:
    """Print a line for the user, above a progress bar that is shown."""
    global _last_line
    with _lock:
        if tqdm := sys.modules.get("tqdm"):  # only who has loaded it has drawn a bar
            with tqdm.tqdm.external_write_mode(file=stream()):
                print(text, file=stream(), flush=True)
        else:
            print(text, file=stream(), flush=True)
        _last_line = time.monotonic()


def silent_for() -> float:
    """The seconds since the last line."""
    return time.monotonic() - _last_line


@contextmanager
def logging_shown() -> Iterator[None]:
    """While inside, our own warnings, and some information, are lines for the user; each text once."""
    if any(isinstance(handler, TerminalHandler) for handler in logging.getLogger(OURS[0]).handlers):
        yield  # a command that calls another
        return
    handler = TerminalHandler()
    before = {}
    for name in OURS:
        logger = logging.getLogger(name)
        before[logger] = (logger.handlers, logger.propagate, logger.level)
        logger.handlers, logger.propagate = [handler], False
    for part in _INFORMING:
        logger = logging.getLogger(f"hueval_metrics.{part}")
        before[logger] = (logger.handlers, logger.propagate, logger.level)
        logger.setLevel(logging.INFO)
    try:
        yield
    finally:
        for logger, (handlers, propagate, level) in before.items():
            logger.handlers, logger.propagate = handlers, propagate
            logger.setLevel(level)


class TerminalHandler(logging.Handler):
    """Shows a record as a line of this command, and no text twice.

    Records contain names out of files that anyone may have written.
    """

    def __init__(self) -> None:
        super().__init__()
        self._said: set[str] = set()

    def emit(self, record: logging.LogRecord) -> None:
        """Print the record."""
        text = f"hueval: {printable(record.getMessage())}"
        if text not in self._said:
            self._said.add(text)
            say(text)

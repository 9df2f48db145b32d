"""The log of a run: what lm-eval and the libraries below it print, and the programs that they start, in one file.

Descriptors 1 and 2 are pointed at the file, for git, vLLM's engine and C code write there, and so are `sys.stdout` and
`sys.stderr`. A pipe would show the same, but a library that fills it while it holds Python's lock would never go on.
"""

from __future__ import annotations

import contextlib
import io
import logging
import os
import re
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from threading import Event, Thread
from typing import Any, TextIO

from hueval_metrics import terminal
from hueval_metrics.errors import InputError
from hueval_metrics.harness.replaced import replaced
from hueval_metrics.one_line import one_line, printable

_FORMAT = "%(asctime)s %(levelname)-8s %(name)s:%(lineno)d %(message)s"
_BAR_S = 60  # between two states of a library's progress bar in the log
# What lm-eval warns of in every run of ours, and our own lines and notes say better.
_EXPECTED = (
    *("Custom kwargs can be passed", "--limit SHOULD ONLY", "specified through cli", "Using defaults."),
    *("Could not save", "Overwriting default num_fewshot"),
)
_KIND = 80  # letters of a warning that distinguish it from another
_ASKED_FOR = "print_writeout"  # lm-eval's function of --write_out


def open_log(file: Path) -> TextIO:
    """The log of a run, in a folder that is made for it.

    Raises:
        InputError: nothing can be written there, so that the run's results could not be either.
    """
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        lines = io.BufferedWriter(_Unfailing(file, "a"))
        return io.TextIOWrapper(lines, encoding="utf-8", errors="backslashreplace", line_buffering=True)
    except OSError as error:
        raise InputError(
            f"{file.parent}: results cannot be written there ({one_line(error.strerror)}). "
            "Name another folder: --output_path DIR"
        ) from None


class _Unfailing(io.FileIO):
    """Drops what a full disk or a terminal that is gone does not take: the run is worth more than its log."""

    def write(self, data: Any) -> int:
        try:
            return super().write(data)
        except OSError:
            return len(data)


@contextlib.contextmanager
def captured(log: TextIO, *, verbose: bool = False) -> Iterator[None]:
    """While inside, what is printed goes to the log; lines for the user, and warnings of lm-eval's models, are shown.

    Args:
        log: the open file of the log.
        verbose: show all that goes to the log as well.
    """
    with contextlib.ExitStack() as stack:
        screen = stack.enter_context(_screen(terminal.stream()))
        stack.enter_context(terminal.shown_on(screen))
        if verbose:
            stack.enter_context(_followed(Path(log.name), screen))
        stack.enter_context(_rare_bars())
        stack.enter_context(_logged(log, verbose))
        for number, name in ((1, "stdout"), (2, "stderr")):
            stream = getattr(sys, name)
            stream.flush()
            stack.callback(_restore, os.dup(number), number, stream)
            os.dup2(log.fileno(), number)
            proxy = _Proxy(log, stream)
            stack.callback(proxy.give_back)
            stack.enter_context(replaced(sys, name, proxy))
        yield


def _is_of_process(stream: Any) -> bool:
    """Whether a stream writes to descriptor 1 or 2; one of a notebook or of a test does not."""
    try:
        return stream.fileno() in (1, 2)
    except (OSError, ValueError, AttributeError):
        return False


def _restore(copy: int, number: int, stream: TextIO) -> None:
    with contextlib.suppress(OSError):  # what was printed around the log, to a full disk
        stream.flush()
    os.dup2(copy, number)
    os.close(copy)


class _Proxy:
    """Replaces `sys.stdout` or `sys.stderr`. Libraries keep it in their loggers, so it must not end with the run."""

    def __init__(self, log: TextIO, stream: TextIO) -> None:
        self._target, self._stream = log, stream

    def __getattr__(self, name: str) -> Any:
        return getattr(self._target, name)

    def write(self, text: str) -> int:
        return self._target.write(text)

    def flush(self) -> None:
        self._target.flush()

    def give_back(self) -> None:
        """Write to the stream itself from now on."""
        self._target = self._stream


@contextlib.contextmanager
def _screen(stream: TextIO) -> Iterator[TextIO]:
    """A stream that still reaches the terminal when the descriptor of this one is pointed elsewhere."""
    if not _is_of_process(stream):
        yield stream
        return
    lines = io.BufferedWriter(_Unfailing(os.dup(stream.fileno()), "w"))
    with io.TextIOWrapper(lines, encoding=stream.encoding, errors="backslashreplace", line_buffering=True) as copy:
        yield copy


@contextlib.contextmanager
def _logged(log: TextIO, verbose: bool) -> Iterator[None]:
    """While inside, log records go to the file: ours too, and lm-eval's instead of to the terminal."""
    handler = logging.StreamHandler(log)
    handler.setFormatter(logging.Formatter(_FORMAT))
    lm_eval = logging.getLogger("lm_eval")
    before = {logger: logger.handlers for logger in [lm_eval, *map(logging.getLogger, terminal.OURS)]}
    propagate, level = lm_eval.propagate, lm_eval.level
    for logger, handlers in before.items():  # whoever sees the whole log sees our lines in it
        logger.handlers = [handler, *([] if verbose else handlers if logger is not lm_eval else [_LmEvalWarnings()])]
    lm_eval.propagate = False
    lm_eval.setLevel(min(level or logging.INFO, logging.INFO))
    try:
        yield
    finally:
        for logger, handlers in before.items():
            logger.handlers = handlers
        lm_eval.propagate = propagate
        lm_eval.setLevel(level)


class _LmEvalWarnings(logging.Handler):
    """Shows the warnings of lm-eval that say something about the scores, each once; the rest is in the log."""

    def __init__(self) -> None:
        super().__init__()
        self._said: set[str] = set()

    def emit(self, record: logging.LogRecord) -> None:
        """Show the record, unless the same has been said, other numbers aside."""
        text = record.getMessage()
        kind = re.sub(r"\d+", "", text)[:_KIND]
        if record.funcName == _ASKED_FOR:
            terminal.say("\n".join(map(printable, text.split("\n"))))
        elif record.levelno >= logging.WARNING and kind not in self._said:
            self._said.add(kind)
            if not any(expected in text for expected in _EXPECTED):
                terminal.say(f"hueval: lm-eval: {one_line(text, 300)}")


@contextlib.contextmanager
def _rare_bars() -> Iterator[None]:
    """While inside, the bars of libraries draw once in a while: a file keeps each state."""
    from tqdm import std

    original: Callable[..., None] = std.tqdm.__init__

    def rare(bar: Any, *args: Any, **settings: Any) -> None:
        if not hasattr(bar, "is_ours"):
            settings |= {"mininterval": _BAR_S, "maxinterval": _BAR_S}
        original(bar, *args, **settings)

    with replaced(std.tqdm, "__init__", rare):
        yield


@contextlib.contextmanager
def _followed(file: Path, screen: TextIO) -> Iterator[None]:
    """While inside, and at the end, what the file gets is shown."""
    from tqdm import tqdm

    ended = Event()

    def follow() -> None:
        with file.open(encoding="utf-8", errors="backslashreplace") as lines:
            is_last = False
            while not is_last:
                is_last = ended.wait(0.1)
                if text := lines.read():
                    with tqdm.external_write_mode(file=screen):
                        screen.write(text)
                        screen.flush()

    reader = Thread(target=follow, daemon=True)
    reader.start()
    try:
        yield
    finally:
        ended.set()
        reader.join()


def time_of_day() -> str:
    """The time for the name of a file, as lm-eval writes it in those of its results."""
    return time.strftime("%Y-%m-%dT%H-%M-%S")

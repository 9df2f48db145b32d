"""Processes of `hueval site up`: started, started again when they end, and ended with it, whatever ends it."""

from __future__ import annotations

import logging
import os
import signal
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from multiprocessing import get_context
from multiprocessing.process import BaseProcess
from threading import Event, Thread

POLL_S = 0.2
LIVED_S = 60.0  # a process that lived this long is started again at once
FIRST_WAIT_S, LONGEST_WAIT_S = 1.0, 30.0
STOP_S = 25.0  # what a process has to finish its requests; then it is killed

log = logging.getLogger(__name__)


@dataclass
class _Child:
    """A process and when it may be started (again).

    Attributes:
        call: what it runs.
        process: None while it waits to be started.
        started, due: on the monotonic clock.
        wait_s: before the next start, if it ends soon.
    """

    call: Callable[[], object]
    process: BaseProcess | None = None
    started: float = 0.0
    due: float = 0.0
    wait_s: float = FIRST_WAIT_S


def supervise(calls: Mapping[str, Callable[[], object]], stop: Event) -> None:
    """Run functions in processes of their own until `stop` is set.

    The processes are forked, so that they share the memory of what has been imported and start at once. One that ends
    is started again, after a wait that doubles while it keeps ending soon.

    Args:
        calls: name → function; each installs its own handlers of SIGINT and SIGTERM.
        stop: set by a handler of signals.
    """
    children = {name: _Child(call) for name, call in calls.items()}
    try:
        while not stop.is_set():
            for name, child in children.items():
                _tend(name, child)
            stop.wait(POLL_S)
    finally:
        _end([child.process for child in children.values() if child.process is not None])


def _tend(name: str, child: _Child) -> None:
    now = time.monotonic()
    if child.process is not None:
        if child.process.is_alive():
            return
        if now - child.started > LIVED_S:
            child.wait_s = FIRST_WAIT_S
        log.warning("%s ended (%s); started again in %.0f s", name, child.process.exitcode, child.wait_s)
        child.process, child.due = None, now + child.wait_s
        child.wait_s = min(2 * child.wait_s, LONGEST_WAIT_S)
    if now >= child.due:
        child.process = get_context("fork").Process(target=_run, args=(child.call, os.getpid()), name=name)
        child.process.start()
        child.started = now


def _run(call: Callable[[], object], parent: int) -> None:
    os.setsid()  # Ctrl-C in a terminal reaches the parent alone, which ends its children in order
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, signal.SIG_DFL)
    Thread(target=_end_with, args=(parent,), daemon=True).start()
    call()


def _end_with(parent: int) -> None:
    """End this process when its parent has been killed: nobody else would."""
    while os.getppid() == parent:
        time.sleep(POLL_S)
    os.kill(os.getpid(), signal.SIGTERM)


def _end(processes: list[BaseProcess]) -> None:
    for process in processes:
        process.terminate()
    deadline = time.monotonic() + STOP_S
    for process in processes:
        process.join(max(0.0, deadline - time.monotonic()))
        if process.is_alive() and process.pid is not None:
            os.killpg(process.pid, signal.SIGKILL)
            process.join()

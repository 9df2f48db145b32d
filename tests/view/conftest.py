"""A running `hueval view`, and files as a run writes them."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from hueval_metrics.loader import documents
from hueval_metrics.registry import task_spec
from tests.harness.runs import TIMEOUT_S, on_the_sample, start  # noqa: F401  a fixture

RULE, JUDGED, CHOICES = "openhueval_huproverbrea_2cq", "openhueval_husimpleqa", "hulu_husst"
NAME = "live_0123456789ab_rank0.jsonl"


def header(pid: int | None = None, label: str = "org/model", host: str | None = None, **totals: int) -> dict[str, Any]:
    """The first line of a live file."""
    tasks = {task: {"n": n, "opens": False} for task, n in totals.items()}
    return {"label": label, "host": host or os.uname().nodename, "pid": pid or os.getpid(), "time": 1e9, "tasks": tasks}


def answers(task: str, *, n: int, wrong: Collection[int] = ()) -> list[dict[str, Any]]:
    """The lines of the first answers of a task, a second between two."""
    spec = task_spec(task)
    rows = []
    for number, doc in enumerate(documents(task)[0][:n]):
        reply = "nem tudom" if number in wrong else spec.target(doc)
        rows.append({"task": task, "doc_id": number, "time": 1e9 + number + 1, "doc": dict(doc), "resps": [reply]})
    return rows


def text(*rows: Any) -> str:
    """Rows as JSON Lines."""
    return "".join(json.dumps(row) + "\n" for row in rows)


def wait_for(condition: Callable[[], Any], process: subprocess.Popen[str]) -> Any:
    """Poll until something holds while a process runs; returns what the condition did."""
    end = time.monotonic() + TIMEOUT_S
    while not (found := condition()):
        if process.poll() is not None or time.monotonic() > end:
            pytest.fail(f"ended or hung: {process.communicate(timeout=5)[1][-2000:]}")
        time.sleep(0.05)
    return found


def ended(process: subprocess.Popen[str], number: int = signal.SIGINT) -> tuple[int, str]:
    """End a process; its status, and what it said on stderr."""
    process.send_signal(number)
    _, err = process.communicate(timeout=TIMEOUT_S)
    return process.returncode, err


@contextmanager
def views() -> Iterator[Callable[..., tuple[str, subprocess.Popen[str]]]]:
    """A function that starts `hueval view --port 0`; returns the page's address and the process."""
    processes: list[subprocess.Popen[str]] = []

    def begin(folder: Path, *options: object) -> tuple[str, subprocess.Popen[str]]:
        process = start([sys.executable, "-m", "hueval_metrics", "view", folder, "--port", 0, *options])
        processes.append(process)
        while line := process.stdout.readline():
            if line.startswith("http://"):
                return line.strip(), process
        pytest.fail(f"no address: {process.communicate()[1]}")

    yield begin
    for process in processes:
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)
            process.communicate()


@pytest.fixture
def view() -> Iterator[Callable[..., tuple[str, subprocess.Popen[str]]]]:
    """See `views`."""
    with views() as begin:
        yield begin

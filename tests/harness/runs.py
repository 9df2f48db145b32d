"""Run the `hueval` command, in this process or in one of its own, and read what it wrote."""

from __future__ import annotations

import contextlib
import io
import json
import logging
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TextIO
from unittest.mock import patch

import pytest

from tests.preloaded import popen

RULE_TASKS = ("openhueval_huproverbrea_2cq", "openhueval_humatchingfib", "openhueval_hustandardfib")
JUDGED_TASKS = ("openhueval_huproverbrea_oe", "openhueval_husimpleqa", "openhueval_huwildbench")
ALL_TASKS = (*RULE_TASKS, *JUDGED_TASKS)
OUR_LOGGERS = ("hf_datasets", "hueval_metrics", "lm_eval_tasks")
TIMEOUT_S = 240  # of one command; the longest takes some 20 s, but a busy machine is slow


@dataclass(frozen=True)
class Outcome:
    """What a command left behind: exit status, standard output, standard error."""

    status: int
    out: str
    err: str

    @property
    def complaints(self) -> list[str]:
        """The lines on standard error that are ours."""
        return [line for line in self.err.splitlines() if line.startswith("hueval: ")]


def hueval_in_process(*arguments: object) -> int:
    """The exit status of the `hueval` command, run here: fast, and seen by coverage."""
    from hueval_metrics.cli import main

    _log_to(sys.stderr)
    try:
        return main([str(argument) for argument in arguments])
    except SystemExit as stop:
        if isinstance(stop.code, str):
            print(stop.code, file=sys.stderr)  # as the interpreter does
            return 1
        return stop.code or 0
    finally:
        _log_to(sys.__stderr__)
        for name in OUR_LOGGERS:  # the command takes them for its process; other tests want them as they were
            logging.getLogger(name).handlers, logging.getLogger(name).propagate = [], True


def hueval_here(*arguments: object, cwd: Path | None = None, **environment: str) -> Outcome:
    """Run the `hueval` command in this process, where a process of its own is not what is tested."""
    out, err = io.StringIO(), io.StringIO()
    with (
        contextlib.chdir(cwd or Path.cwd()),
        patch.dict(os.environ, environment),
        contextlib.redirect_stdout(out),
        contextlib.redirect_stderr(err),
    ):
        status = hueval_in_process(*arguments)
    return Outcome(status, out.getvalue(), err.getvalue())


def _log_to(stream: TextIO | None) -> None:
    """Point lm-eval's log to a stream: its handler is made once, for one that pytest may have closed since."""
    for handler in logging.getLogger("lm_eval").handlers:
        if type(handler) is logging.StreamHandler:  # not pytest's own
            handler.setStream(stream)


def start(command: Sequence[object], cwd: Path | None = None, **environment: str) -> subprocess.Popen[str]:
    """A process in a group of its own, so that it can be ended with all its children."""
    return popen(
        [str(part) for part in command],
        cwd=cwd,
        env=os.environ | {"PYTHONUNBUFFERED": "1"} | environment,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        encoding="utf-8",
        start_new_session=True,
    )


def finish(process: subprocess.Popen[str], timeout: float = TIMEOUT_S) -> Outcome:
    """Wait for a process; if it takes too long, end its group and raise."""
    try:
        out, err = process.communicate(timeout=timeout)
    except BaseException:
        os.killpg(process.pid, signal.SIGKILL)
        process.communicate()
        raise
    return Outcome(process.returncode, out, err)


def run(*command: object, cwd: Path | None = None, **environment: str) -> Outcome:
    """Run a command to its end."""
    return finish(start(command, cwd, **environment))


def hueval(*arguments: object, cwd: Path | None = None, **environment: str) -> Outcome:
    """Run the `hueval` command in a process of its own."""
    return run(sys.executable, "-m", "hueval_metrics", *arguments, cwd=cwd, **environment)


def results(folder: Path) -> dict[str, Any]:
    """The one results file that lm-eval wrote below a folder."""
    (file,) = folder.rglob("results_*.json")
    return json.loads(file.read_text(encoding="utf-8"))


def metrics(folder: Path) -> dict[str, dict[str, float | None]]:
    """Task → metric → value of the one run below a folder."""
    return {
        task: {
            key.split(",")[0]: value for key, value in row.items() if key.endswith(",response") and "_stderr" not in key
        }
        for task, row in results(folder)["results"].items()
        if task in ALL_TASKS
    }


def samples(folder: Path, task: str) -> list[dict[str, Any]]:
    """The logged samples of a task of the one run below a folder, in order of the documents."""
    (file,) = folder.rglob(f"samples_{task}_*.jsonl")
    rows = [json.loads(line) for line in file.read_text(encoding="utf-8").split("\n") if line]
    return sorted(rows, key=lambda row: row["doc_id"])


@pytest.fixture(autouse=True)
def on_the_sample(clean_environment: None, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """The packaged sample, and neither network nor the developer's own Hub cache."""
    monkeypatch.setenv("HUEVAL_SAMPLE", "1")
    monkeypatch.setenv("HUEVAL_JUDGE", "lexical")  # offline and deterministic
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_OFFLINE", True)  # read from the environment at import
    monkeypatch.setenv("HF_HOME", str(tmp_path / "huggingface"))
    monkeypatch.setenv("OMP_NUM_THREADS", "1")  # several tests run at once, and a tiny model gains nothing from more
    monkeypatch.chdir(tmp_path)  # lm-eval writes beside the working folder when it is not told where


@pytest.fixture
def cli(capsys: pytest.CaptureFixture[str]) -> Iterator[Callable[..., Outcome]]:
    """A function that runs the `hueval` command in this process."""

    def call(*arguments: object) -> Outcome:
        status = hueval_in_process(*arguments)
        captured = capsys.readouterr()
        return Outcome(status, captured.out, captured.err)

    yield call

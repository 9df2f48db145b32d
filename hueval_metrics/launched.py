"""What a call of lm-eval does other than asked, said as its first task is loaded: plain `lm_eval` runs no code of ours
before, and hands a task neither its settings nor its model.
"""

from __future__ import annotations

import contextlib
import logging
import os
import re
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from hueval_metrics.registry import TaskSpec

_SHOTS = "shots"  # key of metadata: how many examples a task asks its questions with by itself
_PROCESSES = re.compile(r"--num[_-]processes[=\0](\d+)")
_SHARING = ("vllm", "sglang")  # they divide a model among the processes, not the questions

log = logging.getLogger(__name__)
_said: set[str] = set()


def shots_fault(num_fewshot: int | None, spec: TaskSpec) -> str | None:
    """Why a task cannot take `--num_fewshot`, and what to do; None where it can.

    Without a split of its own lm-eval would draw examples from the test split: the question and its answer among them.
    """
    if not num_fewshot or spec.has_examples:
        return None
    if _SHOTS in (spec.config.get("metadata") or {}):
        fix = f"Use --metadata '{{\"{_SHOTS}\": {num_fewshot}}}' instead"
        return f"{spec.name} writes its examples into the question. {fix}"
    return (
        f"{spec.name} has no examples but its test questions, whose answers the prompt would show. "
        "Leave --num_fewshot out"
    )


def warn_of_call(spec: TaskSpec) -> None:
    """Warn, once a process, of shots that a task does not get, and of processes that do not share the work."""
    call = _arguments()
    shots = call.get("num_fewshot")
    if isinstance(shots, int) and (fault := shots_fault(shots, spec)):
        _warn("shots", f"--num_fewshot {shots} has no effect: {fault}.")
    size, model = os.environ.get("WORLD_SIZE", ""), call.get("lm")
    started = int(size) if size.isdecimal() else 1
    is_alone = getattr(model, "world_size", 1) == 1 and str(getattr(model, "device", None)) in ("cpu", "None")
    if started > 1 and model is not None and is_alone and not str(call.get("model")).startswith(_SHARING):
        if os.environ.get("RANK", "0") == "0":
            _warn("processes", f"{started} processes were started, and each does all of the work. Start one.")
    elif started == 1 and (asked := _asked_of_accelerate()) > 1:
        _warn(
            "processes", f"accelerate has started one process of {asked}, as it does on the CPU: it does all the work."
        )


def _arguments() -> Mapping[str, Any]:
    """The arguments of `lm_eval.simple_evaluate`, and `lm`, its model, in which this is called; empty outside of it."""
    frame = sys._getframe()
    while frame.f_back is not None:
        frame = frame.f_back
        if frame.f_code.co_name == "simple_evaluate" and frame.f_globals.get("__name__") == "lm_eval.evaluator":
            return frame.f_locals
    return {}


def _asked_of_accelerate() -> int:
    """`--num_processes` of `accelerate launch` where it has started this process by itself, else 1 (Linux only)."""
    if "ACCELERATE_USE_CPU" in os.environ:
        with contextlib.suppress(OSError):
            found = _PROCESSES.search(Path(f"/proc/{os.getppid()}/cmdline").read_text(errors="replace"))
            return int(found[1]) if found else 1
    return 1


def _warn(kind: str, text: str) -> None:
    if kind not in _said:
        _said.add(kind)
        log.warning("%s", text)

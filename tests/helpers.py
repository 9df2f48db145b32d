"""What tests of several rooms share: literal cases, and the folder `shared` next to the checkout."""

from __future__ import annotations

import json
import os
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from hueval_metrics.runs.run import Run, TaskResult

CASES = Path(__file__).parent / "cases"
SHARED = Path(__file__).parents[2] / "shared"


def load_cases(name: str) -> list[dict[str, Any]]:
    """The literal cases of `tests/cases/NAME.json`, each with its reason under "why"."""
    cases: list[dict[str, Any]] = json.loads((CASES / f"{name}.json").read_text(encoding="utf-8"))
    return cases


def why(case: dict[str, Any]) -> str:
    """A case's reason, as the name of its test."""
    return str(case["why"])


def shared(*parts: str) -> Path:
    """A file or folder in `shared`; without it the test is skipped with the reason, but fails in CI."""
    path = SHARED.joinpath(*parts)
    if not path.exists():
        message = f"needs {'/'.join(('shared', *parts))} next to the checkout"
        if os.environ.get("CI"):
            pytest.fail(f"CI is set; {message}")
        pytest.skip(message)
    return path


def json_lines(path: Path) -> list[dict[str, Any]]:
    """The rows of a JSON Lines file; only a line feed ends a line, as in the published files."""
    return [json.loads(line) for line in path.read_text(encoding="utf-8").split("\n") if line.strip()]


def run_of(label: str, path: Path = Path("results.json"), scores=None, intervals=None, n=None, **columns) -> Run:
    """A run from columns by task: `scores={task: {metric: value}}`, `missing={task: 3}`; sample and limit are all's."""
    given = {"scores": scores or {}, "intervals": intervals or {}, "n": n or {}, **columns}
    whole = {name: given.pop(name) for name in ("sample", "limit") if name in given}
    tasks = dict.fromkeys(task for column in given.values() for task in column) or dict.fromkeys(["toy"] * bool(whole))
    return Run(
        label,
        path,
        {
            task: TaskResult(**whole, **{name: column[task] for name, column in given.items() if task in column})
            for task in tasks
        },
    )


def column(run: Run, name: str) -> dict:
    """Task → one field of its result."""
    return {task: getattr(result, name) for task, result in run.tasks.items()}


def changed(run: Run, **fields) -> Run:
    """A run with other fields in the result of each task."""
    return replace(run, tasks={task: replace(result, **fields) for task, result in run.tasks.items()})

"""Rows as they stand in traces.jsonl, for tests of what is computed from them."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from hueval_metrics.traces import numbers

TASK = "toybench_letters"  # declared by no family: a group by itself


def row(number: int, **other: Any) -> dict[str, Any]:
    """The row of one reply: right, of 100 tokens, its question a cluster of its own."""
    given: dict[str, Any] = {"run": "m", "task": TASK, "key": [f"q{number}"], "cluster": f"q{number}"}
    given |= {"verdict": None, "share": 1.0, "weight": 1.0, "truncated": False, "blocks": [[0, 9]]}
    return given | {"tokens": 100, "tokens_ref": 120, "free": {}, "life": None} | other


def declare_pool(monkeypatch: pytest.MonkeyPatch) -> tuple[str, str]:
    """Declare two tasks of the group `pool`, in its parts `easy` and `hard`; the names of the tasks."""
    parts = {"toybench_easy": "easy", "toybench_hard": "hard"}
    traces = dict.fromkeys(parts, SimpleNamespace(pool="pool"))
    monkeypatch.setattr(numbers, "known_tasks", lambda: dict.fromkeys(parts, SimpleNamespace(traces=traces)))
    monkeypatch.setattr(numbers, "declared", lambda task: SimpleNamespace(part=parts[task]))
    return "toybench_easy", "toybench_hard"

"""Runs with verdicts."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest


@pytest.fixture
def run_folder(tmp_path: Path) -> Callable[..., Path]:
    """Writes a folder as `hueval score` leaves it."""

    def write(name: str, rows: list[dict[str, Any]]) -> Path:
        folder = tmp_path / "runs" / name
        folder.mkdir(parents=True)
        tasks = dict.fromkeys(row["task"] for row in rows)
        results = {task: {"judge_coverage": 100.0, "n": len(rows), "signature": f"task:{task}"} for task in tasks}
        (folder / "results.json").write_text(json.dumps(results), encoding="utf-8")
        lines = [json.dumps(row, ensure_ascii=True) + "\n" for row in rows]
        (folder / "items.jsonl").write_text("".join(lines), encoding="utf-8")
        return folder

    return write

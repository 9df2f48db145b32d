"""Made-up runs in the form that `hueval run` leaves, and JSON Lines."""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

from hueval_metrics.scoring.judged import JudgePlan
from hueval_metrics.scoring.write import score_into

DATE = "2026-01-01T00-00-00.000000"
JUDGE = "gpt-4o-2024-11-20"
Task = tuple[str, Iterable[Mapping[str, Any]], Mapping[str, Any]]  # name, samples, metadata


def write_rows(path: Path, rows: Iterable[Mapping[str, Any]]) -> int:
    """Write JSON Lines; returns how many."""
    with path.open("w", encoding="utf-8") as file:
        return sum(file.write(json.dumps(row, ensure_ascii=False) + "\n") > 0 for row in rows)


def sample(doc: Mapping[str, Any], response: str, verdict: Mapping[str, Any] | None, trace: str = "") -> dict[str, Any]:
    """The row of a reply, as lm-eval logs it."""
    filtered = {"response": response, "truncated": False, "verdict": verdict}
    return {"doc": doc, "resps": [[trace + response]], "filtered_resps": [json.dumps(filtered)]}


def write_run(folder: Path, model: str, tasks: Iterable[Task], **results: Any) -> Path:
    """Write samples of each task and the results beside them; returns the folder."""
    folder.mkdir(parents=True, exist_ok=True)
    record: dict[str, Any] = {
        "config": {"model_args": {"pretrained": model}},
        "configs": {},
        "n-samples": {},
        **results,
    }
    for task, rows, metadata in tasks:
        count = write_rows(folder / f"samples_{task}_{DATE}.jsonl", rows)
        record["configs"][task] = {"metadata": metadata, "generation_kwargs": {}}
        record["n-samples"][task] = {"original": count, "effective": count}
    (folder / f"results_{DATE}.json").write_text(json.dumps(record), encoding="utf-8")
    return folder


def scored(output: Path, samples: Path) -> Path:
    """Score a run with the verdicts that it has; returns the folder of the scores."""
    score_into(output, [samples], None, {}, JudgePlan(asks=False))
    return output


def print_runs(doc: str | None, make_runs: Callable[[Path, int], list[Path]], models: int) -> None:
    """The command of a module that makes runs: their folders are printed."""
    parser = argparse.ArgumentParser(description=doc)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--models", type=int, default=models)
    args = parser.parse_args()
    print(*make_runs(args.folder, args.models), sep="\n")

"""All predictions of a family's rule-scored tasks on the real data in one `hueval score`: time and peak memory.

Aim: under 3 s and 300 MiB for each family, without torch or lm-eval's task index. For comparison: an interpreter that
imports `datasets`, as every lm-eval run does.
"""

from __future__ import annotations

import json
import sys
import tempfile
from pathlib import Path

from measure import HUEVAL, SHARED, measure, report, report_processes, shared, skipped

from hueval_metrics.declare import Family
from hueval_metrics.errors import HuevalError
from hueval_metrics.loader import documents
from hueval_metrics.registry import families, task_spec

ROUNDS = 5


def predictions(folder: Path, family: Family) -> tuple[Path, int]:
    """A file with a right reply to every document of every rule task that generates and whose files are there."""
    path, count, absent = folder / "predictions.jsonl", 0, []
    with path.open("w", encoding="utf-8") as file:
        for task in family.tasks:
            spec = task_spec(task)
            if spec.rubric is not None or not spec.generates:
                continue
            try:
                docs, _ = documents(task, data_dir=str(SHARED / "data"))
            except HuevalError:
                absent.append(task)
                continue
            for doc in docs:
                row = {"task": task, **{name: doc[name] for name in spec.declared.key}}
                file.write(json.dumps(row | {"prediction": f"Íme: {spec.target(doc)}"}) + "\n")
                count += 1
    if absent:
        which = absent[0] if len(absent) == 1 else f"{len(absent)} tasks of {family.title}"
        skipped(which, "the files are not in shared/data")
    return path, count


def main() -> None:
    """Measure each family by the tasks whose files are there."""
    shared("data")
    for family in families().values():
        _measure(family)


def _measure(family: Family) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path, count = predictions(Path(folder), family)
        if not count:  # all tasks of the family are judged
            return
        commands = {
            f"{family.title}, {count} predictions": [
                *(HUEVAL, "score", str(path), "--data-dir", str(SHARED / "data"), "--output", folder)
            ],
            "import datasets": [sys.executable, "-c", "import datasets"],
        }
        found = measure(commands, ROUNDS, {})
    ours, yardstick = found
    report_processes(found, {ours: 3})
    report("peak", found[ours]["peak_mib"], "MiB", at_most=300)
    report("to import datasets", found[ours]["wall_s"] / found[yardstick]["wall_s"], "x")


if __name__ == "__main__":
    main()

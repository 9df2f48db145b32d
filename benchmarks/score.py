"""All predictions of a family's rule-scored tasks on the real data in one `hueval score`: time and peak memory.

Aim: under 3 s and 300 MiB for each family, without torch or lm-eval's task index. For comparison: an interpreter that
imports `datasets`, as every lm-eval run does.
"""

from __future__ import annotations

import json
import sys
import tempfile
from pathlib import Path

from measure import SHARED, measure

from hueval_metrics.declare import Family
from hueval_metrics.loader import documents
from hueval_metrics.registry import families, task_spec

ROUNDS = 5


def predictions(folder: Path, family: Family) -> tuple[Path, int]:
    """A file with a right reply to every document of every rule task that generates."""
    path, count = folder / "predictions.jsonl", 0
    with path.open("w", encoding="utf-8") as file:
        for task in family.tasks:
            spec = task_spec(task)
            if spec.rubric is not None or not spec.generates:
                continue
            docs, _ = documents(task, data_dir=str(SHARED / "data"))
            for doc in docs:
                row = {"task": task, **{name: doc[name] for name in spec.declared.key}}
                file.write(json.dumps(row | {"prediction": f"Íme: {spec.target(doc)}"}) + "\n")
                count += 1
    return path, count


def main() -> None:
    """Measure and print."""
    if not (SHARED / "data").is_dir():
        print("score: skipped, the real data are not beside this checkout")
        return
    for family in families().values():
        _measure(family)


def _measure(family: Family) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path, count = predictions(Path(folder), family)
        hueval = str(Path(sys.executable).parent / "hueval")
        commands = {
            "hueval score": [hueval, "score", str(path), "--data-dir", str(SHARED / "data"), "--output", folder],
            "import datasets": [sys.executable, "-c", "import datasets"],
        }
        found = measure(commands, ROUNDS, {})
    print(f"score, {family.title}, {count} predictions, median of {ROUNDS} runs in turns")
    for name, numbers in found.items():
        print(f"  {name:15} {numbers['wall_s']:6.2f} s   peak {numbers['peak_mib']:5.0f} MiB")
    ratio = found["hueval score"]["wall_s"] / found["import datasets"]["wall_s"]
    print(f"  ratio           {ratio:6.2f}     (aim: under 3 s and 300 MiB)")


if __name__ == "__main__":
    main()

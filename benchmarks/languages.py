"""The family of nine languages at the printed sizes: scoring, loading, and the start of a run of another family.

Aims: `hueval score` on 2,147 judged predictions with their verdicts in each of two settings 5 s and 200 MiB; the 18
tasks load in 2 s; `hueval ls` and a run of another family start as fast as without the family.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

from many_languages import FAMILY, SETTINGS, write_data, write_samples
from measure import HUEVAL, measure, report, report_processes

ROUNDS = 3
LOAD = f"""
from hueval_metrics.loader import documents
from hueval_metrics.registry import families
print(sum(len(documents(task)[0]) for task in families()["{FAMILY}"].tasks))
"""
# The same with the folder of the family out of sight.
HIDDEN = """
import sys
from pathlib import Path
from hueval_metrics import registry
def others():
    for folder in sorted(registry.TASKS_DIR.iterdir()):
        if folder.name != sys.argv[1] and (folder / "family.py").is_file():
            yield str(folder), lambda folder=folder: registry._load_file(folder / "family.py")
registry._candidates = others
del sys.argv[1]
from hueval_metrics.cli import main
raise SystemExit(main(sys.argv[1:]))
"""


def main() -> None:
    """Measure and print."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        data = write_data(folder)
        samples = [write_samples(folder / f"samples-{n}", data, 0, setting) for n, setting in enumerate(SETTINGS)]
        score = {
            f"score, setting {n}": [HUEVAL, "score", str(path), "--output", str(folder / f"out-{n}")]
            for n, path in enumerate(samples, 1)
        }
        scored = measure(score, ROUNDS, {})
        report_processes(scored)
        report("both settings", sum(one["wall_s"] for one in scored.values()), "s", at_most=5)
        report("peak", max(one["peak_mib"] for one in scored.values()), "MiB", at_most=200)
        load = {"18 tasks load": [sys.executable, "-c", LOAD]}
        report_processes(measure(load, ROUNDS, {"HUEVAL_DATA_DIR": str(data)}), {"18 tasks load": 2})
    run = ["run", "--model", "dummy", "--tasks", "openhueval_humatchingfib", "--limit", "1"]
    starts = {
        "hueval run": [HUEVAL, *run],
        "without the family": [sys.executable, "-c", HIDDEN, FAMILY, *run],
        "hueval ls": [HUEVAL, "ls", "tasks"],
    }
    found = measure(starts, ROUNDS, {"HUEVAL_SAMPLE": "1", "HF_HUB_OFFLINE": "1"})
    report_processes(found)
    ratio = found["hueval run"]["wall_s"] / found["without the family"]["wall_s"]
    report("to a run without the family", ratio, "x", at_most=1.1)


if __name__ == "__main__":
    main()

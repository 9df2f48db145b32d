"""The family of nine languages at the printed sizes: scoring, loading, and the start of a run of another family.

Aims: `hueval score` on 2,147 judged predictions with their verdicts in each of two settings 5 s and 200 MiB; the 18
tasks load in 2 s; `hueval ls` and a run of another family start as fast as without the family.
"""

from __future__ import annotations

import os
import sys
import tempfile
from pathlib import Path

from many_languages import FAMILY, SETTINGS, write_data, write_samples
from measure import measure

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
    hueval = str(Path(sys.executable).parent / "hueval")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        data = write_data(folder)
        samples = [write_samples(folder / f"samples-{n}", data, 0, setting) for n, setting in enumerate(SETTINGS)]
        score = {
            f"score, setting {n}": [hueval, "score", str(path), "--output", str(folder / f"out-{n}")]
            for n, path in enumerate(samples, 1)
        }
        _print(measure(score, ROUNDS, {}), "aim: 5 s and 200 MiB for both settings")
        _print(
            measure({"18 tasks load": [sys.executable, "-c", LOAD]}, ROUNDS, {"HUEVAL_DATA_DIR": str(data)}), "aim: 2 s"
        )
    run = ["run", "--model", "dummy", "--tasks", "openhueval_humatchingfib", "--limit", "1"]
    starts = {
        "hueval run": [hueval, *run],
        "without the family": [sys.executable, "-c", HIDDEN, FAMILY, *run],
        "hueval ls": [hueval, "ls", "tasks"],
    }
    found = measure(starts, ROUNDS, {"HUEVAL_SAMPLE": "1", "HF_HUB_OFFLINE": "1"})
    _print(found, "")
    print(f"  ratio  {found['hueval run']['wall_s'] / found['without the family']['wall_s']:5.2f}   (aim: 1.00)")


def _print(found: dict[str, dict[str, float]], aim: str) -> None:
    for name, numbers in found.items():
        print(f"  {name:20} {numbers['wall_s']:6.2f} s   peak {numbers['peak_mib']:5.0f} MiB   {aim}")


if __name__ == "__main__":
    print(f"languages, medians of {ROUNDS} runs in turns, load {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores")
    main()

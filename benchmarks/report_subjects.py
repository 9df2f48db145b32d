"""`hueval report` on ten models with 26,698 questions in 66 subjects each, and the page in a browser.

The data are synthetic (tests/families/hkmmlu/full_size.py), the replies those of a baseline of rising skill, three of
them with a reasoning trace. Aims: 40 s and 1.5 GB to write it, 3 MB a model; in headless Chromium 2 s until it is
parsed and painted. Making the runs takes some minutes.

    python benchmarks/report_subjects.py [--runs FOLDER]    (a folder with a folder for each run; else it makes them)
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path

from measure import HUEVAL, QUICK, ROOT, options
from report import measure_page

MODELS = 2 if QUICK else 10
THINKING = 3  # of them, the last ones
_AIMS = "models of 66 subjects", 40, 1500, 2


def main() -> None:
    """Measure and print."""
    parser = options(__doc__)
    parser.add_argument("--runs", type=Path, help="a folder that has a folder for each run")
    given = parser.parse_args().runs
    if given:
        measure_page(sorted(given.iterdir()), *_AIMS)
        return
    with tempfile.TemporaryDirectory() as folder:
        measure_page(_runs(Path(folder)), *_AIMS)


def _runs(folder: Path) -> list[Path]:
    """Scored runs of ten models."""
    env = {**os.environ, "HUEVAL_DATA_DIR": str(folder / "data"), "HUEVAL_OFFLINE": "1", "PYTHONPATH": str(ROOT)}
    maker = "import sys, pathlib, tests.families.hkmmlu.full_size as data; data.write(pathlib.Path(sys.argv[1]))"
    subprocess.run([sys.executable, "-c", maker, str(folder / "data")], check=True, env=env)
    found = []
    for number in range(MODELS):
        thinks = ",think=3" * (number >= MODELS - THINKING)
        settings = f"policy=mixed,skill={0.3 + 0.05 * number:.2f},seed={number}{thinks}"
        live, scored = folder / "live" / str(number), folder / "scored" / f"model-{number}"
        command = ["run", "--model", "hueval-baseline", "--model_args", settings, "--tasks", "hkmmlu"]
        _quietly([HUEVAL, *command, "--output_path", str(live)], env)
        for results in live.rglob("results_*.json"):  # baselines are left out of figures and comparisons
            text = results.read_text(encoding="utf-8")
            results.write_text(text.replace("hueval-baseline-mixed", f"model-{number}"), encoding="utf-8")
        _quietly([HUEVAL, "score", str(live), "--output", str(scored)], env)
        found.append(scored)
    return found


def _quietly(command: list[str], env: dict[str, str]) -> None:
    subprocess.run(command, check=True, env=env, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


if __name__ == "__main__":
    main()

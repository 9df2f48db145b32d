"""Takes the picture of the report page that README.md shows: `python docs/screenshots.py [FOLDER]`.

The models in it are baselines of a known quality under made-up names, on the benchmark where HUEVAL_DATA_DIR is set and
on the packaged sample where it is not. A FOLDER with results is taken instead of new runs.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path

from playwright.sync_api import sync_playwright

PICTURE = Path(__file__).parent / "images" / "page.png"
SIZE = {"width": 1280, "height": 860}
MODELS = {"model-a": 0.72, "model-b": 0.66, "model-c": 0.48, "model-d": 0.3}
CHROMIUM = "/usr/bin/chromium"


def runs(folder: Path) -> None:
    """Run the models on the rule-scored tasks."""
    arguments = [
        f"policy=mixed,skill={skill},seed={seed},model={name}" for seed, (name, skill) in enumerate(MODELS.items())
    ]
    sample = {} if "HUEVAL_DATA_DIR" in os.environ else {"HUEVAL_SAMPLE": "1"}
    for given in [*arguments, "policy=random"]:
        command = ["run", "--model", "hueval-baseline", "--model_args", given, "--tasks", "hueval-rule"]
        _hueval(*command, "--output_path", str(folder), **sample)


def _hueval(*arguments: str, **variables: str) -> None:
    command = [sys.executable, "-m", "hueval_metrics", *arguments]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL, env=os.environ | variables)


def picture(page: Path) -> None:
    """Take the first screen of a page."""
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        tab = browser.new_page(viewport=SIZE, color_scheme="light")
        tab.goto(page.as_uri())
        tab.wait_for_load_state()
        tab.screenshot(path=PICTURE)
        browser.close()


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as temporary:
        results = Path(sys.argv[1] if sys.argv[1:] else temporary)
        if not sys.argv[1:]:
            runs(results)
        report = Path(temporary) / "report.html"
        _hueval("report", str(results), "--output", str(report))
        picture(report)
    print(f"Wrote {PICTURE.name}, {PICTURE.stat().st_size / 1000:.0f} kB")

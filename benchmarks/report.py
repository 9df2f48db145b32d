"""`hueval report` on ten models, six tasks and 4,003 questions each (many_models.py), and the page in a browser.

Aims: 20 s and 1 GB to write it, under 3 MB a model; in headless Chromium 1.5 s until it is parsed and painted.

    python benchmarks/report.py [--runs FOLDER]    (a folder that many_models.py made; else it makes one)
"""

from __future__ import annotations

import argparse
import shutil
import sys
import tempfile
from pathlib import Path

from many_models import make_runs
from measure import measure

ROUNDS = 3
PROGRAMS = ("chromium", "chromium-browser", "google-chrome")
BROWSER_ARGS = ["--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-sync"]
# In milliseconds since the navigation began.
TIMES = """() => ({
  parsed: performance.getEntriesByType("navigation")[0].domContentLoadedEventEnd,
  painted: performance.getEntriesByName("first-contentful-paint")[0]?.startTime,
})"""


def opening(page: Path) -> dict[str, list[float]]:
    """Seconds until the page was parsed and painted, and until its items could be filtered, of each round."""
    from playwright.sync_api import sync_playwright

    program = next(filter(None, map(shutil.which, PROGRAMS)), None)
    times: dict[str, list[float]] = {"parsed": [], "painted": [], "filtered": []}
    with sync_playwright() as playwright:
        for _ in range(ROUNDS):
            browser = playwright.chromium.launch(executable_path=program, args=BROWSER_ARGS)
            tab = browser.new_page()
            tab.goto(page.as_uri(), wait_until="domcontentloaded")
            tab.wait_for_selector("#list > li")
            for name, value in tab.evaluate(TIMES).items():
                times[name].append(value / 1000)
            # What a choice in a filter costs: the handler is called at once, and lays out the new list.
            times["filtered"].append(
                tab.evaluate("""async () => {
                    const start = performance.now();
                    const select = document.querySelector("[name=outcome]");
                    const before = document.querySelector("#found").textContent;
                    select.value = "differ";
                    select.dispatchEvent(new Event("input", { bubbles: true }));
                    while (document.querySelector("#found").textContent === before)
                      await new Promise((resolve) => setTimeout(resolve));
                    document.body.offsetHeight;
                    return (performance.now() - start) / 1000;
                }""")
            )
            browser.close()
    return times


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=Path, help="a folder that many_models.py made")
    given = parser.parse_args().runs
    with tempfile.TemporaryDirectory() as folder:
        runs = sorted((given / "runs").iterdir()) if given else make_runs(Path(folder))
        page = Path(folder) / "report.html"
        hueval = str(Path(sys.executable).parent / "hueval")
        command = [hueval, "report", *map(str, runs), "--output", str(page)]
        numbers = measure({"report": command}, ROUNDS, {})["report"]
        megabytes = page.stat().st_size / 1e6
        print(f"report, {len(runs)} models, median of {ROUNDS} runs")
        print(f"  written   {numbers['wall_s']:6.2f} s   peak {numbers['peak_mib']:5.0f} MiB   (aim: 20 s, 1 GB)")
        print(f"  size      {megabytes:6.2f} MB, {megabytes / len(runs):.2f} MB a model   (aim: under 3 MB)")
        for name, values in opening(page).items():
            aim = "   (aim: 1.5 s)" if name != "filtered" else ""
            print(f"  {name:9} {sorted(values)[ROUNDS // 2]:6.2f} s in headless Chromium{aim}")


if __name__ == "__main__":
    main()

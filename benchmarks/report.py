"""`hueval report` on many models, and the page in a browser.

Ten models, six tasks and 4,003 questions each (many_models.py), and twelve models, 18 tasks in nine languages, twice
2,147 questions each (many_languages.py). Aims: 20 s, of the latter 30 s, and 1 GB to write it, under 3 MB a model; in
headless Chromium 1.5 s until it is parsed and painted.

    python benchmarks/report.py [--runs FOLDER]    (a folder that one of these made; else it makes both)
"""

from __future__ import annotations

import argparse
import shutil
import sys
import tempfile
from pathlib import Path

import many_languages
import many_models
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
            # What a choice in a filter costs: the handler is called at once, and lays out the new list. Where it leaves
            # as many items as before, nothing tells when it is done, and 9 s are shown.
            times["filtered"].append(
                tab.evaluate("""async () => {
                    const start = performance.now();
                    const select = document.querySelector("[name=outcome]");
                    const before = document.querySelector("#found").textContent;
                    select.value = "differ";
                    select.dispatchEvent(new Event("input", { bubbles: true }));
                    while (document.querySelector("#found").textContent === before && performance.now() < start + 9000)
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
    if given:
        measure_page(sorted((given / "runs").iterdir()), "runs", "20 s, 30 s in nine languages, 1 GB", "1.5 s")
        return
    for make, what, aim in ((many_models.make_runs, "models", "20 s"), (many_languages.make_runs, "runs", "30 s")):
        with tempfile.TemporaryDirectory() as folder:
            measure_page(make(Path(folder)), what, f"{aim}, 1 GB", "1.5 s")


def measure_page(runs: list[Path], what: str, aim: str, aim_opening: str) -> None:
    """Write the page of some runs and open it, and print what both cost beside the aims."""
    with tempfile.TemporaryDirectory() as folder:
        page = Path(folder) / "report.html"
        hueval = str(Path(sys.executable).parent / "hueval")
        command = [hueval, "report", *map(str, runs), "--output", str(page)]
        numbers = measure({"report": command}, ROUNDS, {})["report"]
        megabytes = page.stat().st_size / 1e6
        print(f"report, {len(runs)} {what}, median of {ROUNDS} runs")
        print(f"  written   {numbers['wall_s']:6.2f} s   peak {numbers['peak_mib']:5.0f} MiB   (aim: {aim})")
        print(f"  size      {megabytes:6.2f} MB, {megabytes / len(runs):.2f} MB each   (aim: under 3 MB a model)")
        for name, values in opening(page).items():
            told = f"   (aim: {aim_opening})" if name != "filtered" else ""
            print(f"  {name:9} {sorted(values)[ROUNDS // 2]:6.2f} s in headless Chromium{told}")


if __name__ == "__main__":
    main()

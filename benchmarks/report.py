"""`hueval report` on many models, and the page in a browser.

Ten models, six tasks and 4,003 questions each (many_models.py), and twelve models, 18 tasks in nine languages, twice
2,147 questions each (many_languages.py). Aims: 20 s, of the latter 30 s, and 1 GB to write it, under 3 MB a model; in
headless Chromium 1.5 s until it is parsed and painted.

    python benchmarks/report.py [--runs FOLDER]    (a folder that one of these made; else it makes both)
"""

from __future__ import annotations

import shutil
import tempfile
from importlib.util import find_spec
from pathlib import Path

import many_languages
import many_models
from measure import HUEVAL, QUICK, measure, options, report, report_processes, skipped

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

    times: dict[str, list[float]] = {"parsed": [], "painted": [], "filtered": []}
    with sync_playwright() as playwright:
        for _ in range(1 if QUICK else ROUNDS):
            browser = playwright.chromium.launch(executable_path=_browser(), args=BROWSER_ARGS)
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


def _browser() -> str | None:
    return next(filter(None, map(shutil.which, PROGRAMS)), None)


def measure_page(runs: list[Path], what: str, seconds: float, mib: float, opened_s: float) -> None:
    """Write the page of some runs and open it, and report what both cost beside the aims."""
    with tempfile.TemporaryDirectory() as folder:
        page = Path(folder) / "report.html"
        name = f"{len(runs)} {what}, written"
        found = measure({name: [HUEVAL, "report", *map(str, runs), "--output", str(page)]}, ROUNDS, {})
        report_processes(found, {name: seconds})
        report("peak", found[name]["peak_mib"], "MiB", at_most=mib)
        report("size of each", page.stat().st_size / 1e6 / len(runs), "MB", at_most=3)
        if find_spec("playwright") is None or _browser() is None:
            skipped("the page in a browser", "needs playwright and Chromium")
            return
        for name, values in opening(page).items():
            aim = None if name == "filtered" else opened_s
            report(f"{name} in headless Chromium", sorted(values)[len(values) // 2], "s", at_most=aim)


def main() -> None:
    """Measure and print."""
    parser = options(__doc__)
    parser.add_argument("--runs", type=Path, help="a folder that many_models.py made")
    given = parser.parse_args().runs
    if given:
        measure_page(sorted((given / "runs").iterdir()), "runs", 30, 1000, 1.5)
        return
    for make, what, aim in ((many_models.make_runs, "models", 20), (many_languages.make_runs, "runs", 30)):
        with tempfile.TemporaryDirectory() as folder:
            measure_page(make(Path(folder), *[2] * QUICK), what, aim, 1000, 1.5)


if __name__ == "__main__":
    main()

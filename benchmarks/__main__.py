"""Run the benchmarks one after another, each in a process of its own, and print one table of their numbers.

    python -m benchmarks [--quick] [NAME …]

A benchmark that fails does not stop the others, but the exit status is 1. A number beyond its limit is marked: whether
it is the code or a busy machine, a person decides. The simulations of coverage (`coverage.py`) take hours and are run
by themselves.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

from benchmarks.measure import NUMBERS, ROOT

NAMES = (
    "score",
    "flags",
    "compare",
    "calibrate",
    "report",
    "start_up",
    "languages",
    "many_subjects",
    "score_subjects",
    "report_subjects",
    "translations",
    "log_likelihood",
    "data_convert",
    "judge_speed",
    "judge_faults",
    "judge_million",
    "traces",
    "trace_judging",
    "site_attack",
    "site_load",
)
TITLES = ("benchmark", "measured", "number", "limit", "seconds")
Row = Sequence[str]


def run(name: str, arguments: Sequence[str]) -> tuple[bool, list[Row]]:
    """Run one benchmark; whether it ended well, and its lines of the table."""
    print(f"\n{name}", flush=True)
    with tempfile.TemporaryDirectory() as folder:
        numbers = Path(folder) / "numbers.jsonl"
        numbers.touch()
        # The commands that a benchmark starts run elsewhere, and are to be those of this checkout.
        paths = os.pathsep.join(filter(None, (str(ROOT), os.environ.get("PYTHONPATH"))))
        env = os.environ | {NUMBERS: str(numbers), "PYTHONPATH": paths}
        start = time.monotonic()
        script = Path(__file__).with_name(f"{name}.py")
        status = subprocess.run([sys.executable, str(script), *arguments], env=env).returncode
        seconds = f"{time.monotonic() - start:.0f}"
        found = [json.loads(line) for line in numbers.read_text(encoding="utf-8").splitlines()]
    rows: list[Row] = [
        (name, one["what"], one["number"], one["limit"] + " MISSED" * (not one["is_kept"]), seconds) for one in found
    ]
    if status:
        rows.append((name, "all" if not rows else "the rest", f"FAILED, exit status {status}", "", seconds))
    return status == 0, rows or [(name, "", "no numbers", "", seconds)]


def table(rows: Sequence[Row]) -> str:
    """The numbers in columns; a benchmark's name and time are in its first line only."""
    lines = [TITLES]
    for place, row in enumerate(rows):
        is_first = place == 0 or rows[place - 1][0] != row[0]
        lines.append(tuple(row) if is_first else ("", *row[1:4], ""))
    widths = [max(len(line[column]) for line in lines) for column in range(len(TITLES))]
    return "\n".join(
        "  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)).rstrip() for line in lines
    )


def main() -> int:
    """Run, print the table, and say which failed."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"of {', '.join(NAMES)} (default: all)")
    parser.add_argument("--quick", action="store_true", help="each command once and with little data")
    args = parser.parse_args()
    if unknown := sorted(name for name in args.names if not Path(__file__).with_name(f"{name}.py").is_file()):
        parser.error(f"no such benchmark: {', '.join(unknown)}")
    rows: list[Row] = []
    failed = []
    for name in args.names or NAMES:
        is_well, some = run(name, ["--quick"] * args.quick)
        rows += some
        failed += [name] * (not is_well)
    print(f"\n{table(rows)}\n\nfailed: {', '.join(failed) or 'none'}")
    return int(bool(failed))


if __name__ == "__main__":
    raise SystemExit(main())

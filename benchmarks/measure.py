"""What the benchmarks share: options, measured processes, and numbers that are printed and handed to `make bench`.

Processes run in turns, so that a noisy machine is noisy for all.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import textwrap
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from statistics import median
from typing import NoReturn

# Runs a command in a child of its own, since peak memory is only known of all children together.
_PROBE = """
import json, resource, subprocess, sys, time
start = time.perf_counter()
done = subprocess.run(sys.argv[1:], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
wall = time.perf_counter() - start
used = resource.getrusage(resource.RUSAGE_CHILDREN)
numbers = {"wall_s": wall, "cpu_s": used.ru_utime + used.ru_stime, "peak_mib": used.ru_maxrss / 1024}
print(json.dumps({"rc": done.returncode, **numbers, "stderr": done.stderr[-2000:]}))
"""

ROOT = Path(__file__).parents[1]
SHARED = ROOT.parent / "shared"
HUEVAL = str(Path(sys.executable).parent / "hueval")
QUICK = "--quick" in sys.argv[1:]  # each command once and with little data: whether it works, not how fast
NUMBERS = "BENCH_NUMBERS"  # the file that takes the numbers, where `make bench` runs the script


def options(doc: str) -> argparse.ArgumentParser:
    """A parser with the option that all benchmarks have."""
    parser = argparse.ArgumentParser(description=doc, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="each command once and with little data")
    return parser


def report(
    what: str,
    value: float,
    unit: str = "",
    *,
    at_most: float | None = None,
    at_least: float | None = None,
    also: str = "",
) -> None:
    """Print a number with its limit, and hand it to the table of `make bench`.

    Args:
        what: what is measured or compared.
        value: the number.
        unit: of the number.
        at_most: the limit, where it is an upper one.
        at_least: the limit, where it is a lower one.
        also: further numbers, which the table does not have.
    """
    limit, is_kept = "", True
    if at_most is not None:
        limit, is_kept = f"≤ {at_most:g} {unit}".rstrip(), value <= at_most
    if at_least is not None:
        limit, is_kept = f"≥ {at_least:g} {unit}".rstrip(), value >= at_least
    number = f"{value:,.0f} {unit}" if abs(value) >= 100 else f"{value:.2f} {unit}"
    also = "   ".join(filter(None, (also, limit and f"(aim: {limit})")))
    print(f"  {what:38} {number:>12}   {also}".rstrip(), flush=True)
    _record({"what": what, "number": number.rstrip(), "limit": limit, "is_kept": is_kept})


def report_processes(
    found: Mapping[str, Mapping[str, float]], at_most: Mapping[str, float] | None = None, key: str = "wall_s"
) -> None:
    """Report the time of each command that `measure` ran, with its peak of memory beside it."""
    for name, numbers in found.items():
        also = f"peak {numbers['peak_mib']:5.0f} MiB"
        report(name, numbers[key], "s CPU" if key == "cpu_s" else "s", at_most=(at_most or {}).get(name), also=also)


def skipped(what: str, reason: str) -> None:
    """Say in one line that something is left out, and hand it to the table of `make bench`."""
    reason = textwrap.shorten(reason, 70, placeholder=" …")
    print(f"  {what}: skipped, {reason}", flush=True)
    _record({"what": what, "number": f"skipped: {reason}", "limit": "", "is_kept": True})


def skip(reason: str) -> NoReturn:
    """End the script, since what it needs is absent."""
    skipped("all", reason)
    raise SystemExit(0)


def shared(name: str) -> Path:
    """A folder or file beside the checkout; ends the script where it is absent."""
    if not (SHARED / name).exists():
        skip(f"shared/{name} is not beside this checkout")
    return SHARED / name


def measure(commands: Mapping[str, Sequence[str]], rounds: int, env: Mapping[str, str]) -> dict[str, dict[str, float]]:
    """Median wall and CPU seconds and greatest peak memory in MiB of each command, over rounds taken in turns."""
    runs: dict[str, list[dict[str, float]]] = {name: [] for name in commands}
    with tempfile.TemporaryDirectory() as folder:
        for _ in range(1 if QUICK else rounds):
            for name, command in commands.items():
                probe = [sys.executable, "-c", _PROBE, *command]
                output = subprocess.run(probe, capture_output=True, text=True, cwd=folder, env={**os.environ, **env})
                run = json.loads(output.stdout)
                if run["rc"]:
                    raise SystemExit(f"{name} failed:\n{run['stderr']}")
                runs[name].append(run)
            time.sleep(0.1)
    return {
        name: {
            **{key: median(r[key] for r in some) for key in ("wall_s", "cpu_s")},
            "peak_mib": max(r["peak_mib"] for r in some),
        }
        for name, some in runs.items()
    }


def _record(row: Mapping[str, object]) -> None:
    if path := os.environ.get(NUMBERS):
        with Path(path).open("a", encoding="utf-8") as file:
            file.write(json.dumps(row, ensure_ascii=False) + "\n")

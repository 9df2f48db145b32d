"""Wall and CPU time and peak memory of whole processes, run in turns so that a noisy machine is noisy for all."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from statistics import median

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

SHARED = Path(__file__).parents[2] / "shared"


def measure(commands: Mapping[str, Sequence[str]], rounds: int, env: Mapping[str, str]) -> dict[str, dict[str, float]]:
    """Median wall and CPU seconds and greatest peak memory in MiB of each command, over rounds taken in turns."""
    runs: dict[str, list[dict[str, float]]] = {name: [] for name in commands}
    with tempfile.TemporaryDirectory() as folder:
        for _ in range(rounds):
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

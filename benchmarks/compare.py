"""`hueval compare` over six tasks and ten models of 4,003 questions: wall time and peak memory of the whole process.

Aim: at most 10 s.

    python benchmarks/compare.py [FOLDER]    # made by many_models.py; made anew without one
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

from many_models import make_runs
from measure import measure

ROUNDS = 3


def main() -> None:
    """Measure and print."""
    with tempfile.TemporaryDirectory() as scratch:
        if sys.argv[1:]:
            runs = sorted(path.resolve() for path in (Path(sys.argv[1]) / "runs").iterdir())
        else:
            runs = make_runs(Path(scratch))
        compare = [str(Path(sys.executable).parent / "hueval"), "compare", *map(str, runs)]
        commands = {
            "each against the first": compare,
            "every two": [*compare, "--all-pairs"],
            "every metric": [*compare, "--all"],
        }
        found = measure(commands, ROUNDS, {})
    print(f"compare, {len(runs)} models, median of {ROUNDS} runs in turns (aim for the first: 10 s)")
    for name, numbers in found.items():
        print(f"  {name:23} {numbers['wall_s']:6.2f} s   peak {numbers['peak_mib']:5.0f} MiB")


if __name__ == "__main__":
    main()

"""`hueval compare` over six tasks and ten models of 4,003 questions: wall time and peak memory of the whole process.

Aim: at most 10 s.

    python benchmarks/compare.py [FOLDER]    # made by many_models.py; made anew without one
"""

from __future__ import annotations

import tempfile
from pathlib import Path

from many_models import make_runs
from measure import HUEVAL, QUICK, measure, options, report_processes

ROUNDS = 3


def main() -> None:
    """Measure and print."""
    parser = options(__doc__)
    parser.add_argument("folder", nargs="?", type=Path)
    given = parser.parse_args().folder
    with tempfile.TemporaryDirectory() as scratch:
        if given:
            runs = sorted(path.resolve() for path in (given / "runs").iterdir())
        else:
            runs = make_runs(Path(scratch), 2 if QUICK else 10)
        compare = [HUEVAL, "compare", *map(str, runs)]
        first = f"{len(runs)} models, each against the first"
        commands = {first: compare, "every two": [*compare, "--all-pairs"], "every metric": [*compare, "--all"]}
        report_processes(measure(commands, ROUNDS, {}), {first: 10})


if __name__ == "__main__":
    main()

"""Write the golden files anew: `python -m tests.golden.update [--printed] [STAGE…]`, then `git diff --word-diff`."""

from __future__ import annotations

import argparse
import tempfile
from pathlib import Path

from tests.golden.produce import GOLDEN, PRINTED, STAGES
from tests.helpers import SHARED


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--printed", action="store_true", help="only the printed text, which may change with wording")
    parser.add_argument(
        "stages", nargs="*", choices=[*STAGES, []], metavar="STAGE", help=f"of {', '.join(STAGES)} (default: all)"
    )
    args = parser.parse_args()
    for stage in args.stages or STAGES:
        if stage == "real" and not SHARED.exists():
            print(f"real: left as it is, needs {SHARED}")
            continue
        with tempfile.TemporaryDirectory() as folder:
            made = dict(STAGES[stage](Path(folder).resolve()))
        for root in ([] if args.printed else [stage]) + [PRINTED + stage]:
            for path in (GOLDEN / root).rglob("*"):
                if path.is_file() and str(path.relative_to(GOLDEN)) not in made:
                    path.unlink()
        for name, text in made.items():
            if name.startswith(PRINTED) or not args.printed:
                (GOLDEN / name).parent.mkdir(parents=True, exist_ok=True)
                (GOLDEN / name).write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()

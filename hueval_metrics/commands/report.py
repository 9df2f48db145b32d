"""`hueval report`: one HTML page to send round."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import Any


def add(commands: Any) -> None:
    """Add the command to those of `hueval`."""
    report = commands.add_parser(
        "report",
        help="one HTML page to send round",
        description="A results file that cannot be read is named on stderr and on the page, which has the others.",
    )
    report.add_argument("paths", nargs="+", type=Path, metavar="RESULTS", help="result files or folders")
    report.add_argument("--output", type=Path, default=Path("report.html"), metavar="FILE", help="default: report.html")
    report.add_argument("--figures", type=Path, metavar="DIR", help="write the figures as SVG, PNG and CSV, too")
    report.add_argument("--lang", choices=("en", "hu"), default="en", help="in which the page opens (default: en)")
    report.set_defaults(call=_report)


def _report(args: argparse.Namespace) -> int:
    from hueval_metrics.reports.page.build import write_report
    from hueval_metrics.runs.load import load_runs

    faults: list[str] = []
    runs = load_runs(args.paths, faults.append)
    for fault in faults:
        print(f"hueval: {fault}", file=sys.stderr)
    write_report(runs, args.output, language=args.lang, figures_dir=args.figures, faults=faults)
    print(f"Wrote {args.output}")
    return 0

"""`hueval report`: one HTML page to send round."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any


def add(commands: Any) -> None:
    """Add the command to those of `hueval`."""
    report = commands.add_parser("report", help="one HTML page to send round")
    report.add_argument("paths", nargs="+", type=Path, metavar="RESULTS", help="result files or folders")
    report.add_argument("--output", type=Path, default=Path("report.html"), metavar="FILE", help="default: report.html")
    report.set_defaults(call=_report)


def _report(args: argparse.Namespace) -> int:
    from hueval_metrics.reports.html import write_report
    from hueval_metrics.runs.load import load_runs

    write_report(load_runs(args.paths), args.output)
    print(f"Wrote {args.output}")
    return 0

"""`hueval report`: one HTML page to send round."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from hueval_metrics.commands.parser import ERRATA
from hueval_metrics.words.texts import ENGLISH, LANGUAGES


def add(commands: Any) -> None:
    """Add the command to those of `hueval`."""
    report = commands.add_parser(
        "report",
        help="one HTML page to send round",
        description=(
            "A results file that cannot be read is named on stderr and on the page, which has the others. "
            "Paths that hold an analysis of hueval traces add a section on reasoning, and its marks to the traces."
        ),
    )
    report.add_argument(
        "paths", nargs="+", type=Path, metavar="RESULTS", help="result files or folders; analyses of traces"
    )
    report.add_argument("--output", type=Path, default=Path("report.html"), metavar="FILE", help="default: report.html")
    report.add_argument("--figures", type=Path, metavar="DIR", help="write the figures as SVG, PNG and CSV, too")
    report.add_argument("--lang", choices=LANGUAGES, default=ENGLISH, help="in which the page opens (default: en)")
    report.add_argument(
        "--tokenizer",
        metavar="NAME",
        help="count lengths in figures in tokens: a folder with a tokenizer.json, or a model of the Hub",
    )
    report.add_argument("--errata", type=Path, metavar="FILE", help=ERRATA)
    report.set_defaults(call=_report)


def _report(args: argparse.Namespace) -> int:
    from hueval_metrics.api.report import report

    print(f"Wrote {report(args.paths, args.output, args.lang, args.figures, args.tokenizer, args.errata)}")
    if args.errata is not None:
        print(f"Wrote {args.errata}")
    return 0

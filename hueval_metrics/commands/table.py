"""`hueval table`: the headline scores, every metric, or a view of a family's own."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import Any


def add(commands: Any) -> None:
    """Add the command to those of `hueval`."""
    table = commands.add_parser(
        "table",
        help="the headline scores of one or many runs",
        description="A results file that cannot be read is named on stderr; the table has the others.",
    )
    table.add_argument("paths", nargs="+", type=Path, metavar="RESULTS", help="result files or folders")
    table.add_argument("--format", choices=("terminal", "markdown", "csv", "latex"), default="terminal")
    table.add_argument("--all", action="store_true", help="every metric, with its interval, a table for each task")
    table.add_argument(
        "--by", choices=("prompt",), help="a row for each prompt (--metadata prompt), not the mean over them"
    )
    table.add_argument(
        "--published", action="store_true", help="the scores that the benchmarks' papers print, below those of the runs"
    )
    table.add_argument("--view", metavar="NAME", help="a table that a benchmark family declares, by its name")
    table.add_argument("--family", metavar="NAME", help="only this benchmark family: all tables that it declares")
    table.add_argument("--metric", metavar="NAME", help="what these tables show: a metric or a summary of the family")
    table.set_defaults(call=_table)


def _table(args: argparse.Namespace) -> int:
    from hueval_metrics.api.results import load

    results = load(*args.paths, by_prompt=args.by == "prompt" or args.view is not None)
    table = results.table(
        args.format,
        every_metric=args.all,
        published=args.published,
        view=args.view,
        family=args.family,
        metric=args.metric,
        color=sys.stdout.isatty(),
    )
    print(table, end="")
    return 0

"""`hueval table`: the headline scores, every metric, or a view of a family's own."""

from __future__ import annotations

import argparse
import shutil
import sys
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Any

from hueval_metrics.records import InputError


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
    table.set_defaults(call=_table)


def _table(args: argparse.Namespace) -> int:
    from hueval_metrics.runs.load import load_runs

    if args.published and (args.all or args.view is not None):
        raise InputError("--published: published scores stand in the overview only. Leave out --all and --view")
    faults: list[str] = []
    runs = load_runs(args.paths, faults.append, by_prompt=args.by == "prompt" or args.view is not None)
    for fault in faults:
        print(f"hueval: {fault}", file=sys.stderr)
    if args.view is not None:
        if args.all:
            raise InputError("--all and --view: choose one of them")
        from hueval_metrics.reports.tables import render_view

        width = shutil.get_terminal_size((100, 24)).columns
        print(render_view(args.view, runs, args.format, width=width, color=sys.stdout.isatty()), end="")
        return 0
    print_tables(runs, args.format, every_metric=args.all, with_published=args.published)
    return 0


def print_tables(runs: Sequence, fmt: str, *, every_metric: bool, with_published: bool = False) -> None:
    """Print the tables of runs as wide as the terminal, in colour where it has any."""
    from hueval_metrics.reports.tables import render, render_metrics

    width = shutil.get_terminal_size((100, 24)).columns
    draw = render_metrics if every_metric else partial(render, with_published=with_published)
    print(draw(runs, fmt, width=width, color=sys.stdout.isatty()), end="")

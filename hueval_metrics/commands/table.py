"""`hueval table`: the headline scores, every metric, a view of a family's own, and analyses of traces."""

from __future__ import annotations

import argparse
import logging
import sys
from pathlib import Path
from typing import Any

from hueval_metrics.errors import InputError
from hueval_metrics.terminal import terminal_width

log = logging.getLogger(__name__)


def add(commands: Any) -> None:
    """Add the command to those of `hueval`."""
    table = commands.add_parser(
        "table",
        help="the headline scores of one or many runs",
        description="A results file that cannot be read is named on stderr; the table has the others. Where a folder "
        "holds an analysis of `hueval traces`, its tables follow.",
    )
    table.add_argument(
        "paths", nargs="+", type=Path, metavar="RESULTS", help="result files or folders, of `hueval traces` too"
    )
    table.add_argument("--format", choices=("terminal", "markdown", "csv", "latex"), default="terminal")
    table.add_argument("--all", action="store_true", help="every metric, with its interval, a table for each task")
    table.add_argument(
        "--by",
        choices=("prompt", "repeat"),
        help="a row for each prompt (--metadata prompt) or repeat (hueval run --repeats), not the mean over them",
    )
    table.add_argument(
        "--published", action="store_true", help="the scores that the benchmarks' papers print, below those of the runs"
    )
    table.add_argument("--view", metavar="NAME", help="a table that a benchmark family declares, by its name")
    table.add_argument("--family", metavar="NAME", help="only this benchmark family: all tables that it declares")
    table.add_argument(
        "--metric",
        metavar="NAME",
        help="what these tables show: a metric or a summary of the family; *_asked or *_extracted of any",
    )
    table.add_argument(
        "--human", type=Path, metavar="FILE", help="people's scores, for a table that sets them beside those of models"
    )
    table.add_argument("--strict", action="store_true", help="end with exit status 1 if any score has a flag (!)")
    table.set_defaults(call=_table)


def _over(by: str | None) -> tuple[str, ...]:
    """The facets over which rows are means."""
    from hueval_metrics.runs.facets import FACETS, REPEAT

    return {None: FACETS, "prompt": (REPEAT,)}.get(by, ())


def _table(args: argparse.Namespace) -> int:
    from hueval_metrics.api.results import load
    from hueval_metrics.reports.analyses import split, tables_of

    paths, analyses = split(args.paths)
    of_results = {name: getattr(args, name) for name in ("view", "family", "metric", "human")}
    asked = [name for name, value in of_results.items() if value is not None]
    if asked and not paths:
        first = analyses[0]
        raise InputError(f"--{asked[0]}: it is for results. {first.files[0]} is {first.reader.TITLE}: leave it out")
    if args.strict and not paths:
        raise InputError("--strict: it is for results, whose scores have flags. Leave it out")
    told, faults, is_flagged = [], list[str](), False
    if paths:
        over = _over(args.by) if args.view is None else ()
        results = load(*paths, over=over)
        style = {"every_metric": args.all, "published": args.published, "color": sys.stdout.isatty()}
        told.append(results.table(args.format, **style, **of_results))
        is_flagged = args.strict and bool(results.flags)
    for one in analyses if not asked else ():
        told += tables_of(one, faults.append, args.format, width=terminal_width(), color=sys.stdout.isatty())
    if not told:
        raise InputError(faults[0])
    for fault in faults:
        log.warning("%s", fault)
    print("\n".join(told), end="")
    return int(is_flagged)

"""`hueval validate-judge …`: let humans check a judge's verdicts."""

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
    parser = commands.add_parser("validate-judge", help="let humans check a judge's verdicts, and say how far it holds")
    actions = parser.add_subparsers(metavar="ACTION", required=True)
    export = actions.add_parser("export", help="draw verdicts into a sheet that does not show what the judge said")
    export.add_argument("paths", nargs="+", type=Path, metavar="RUN", help="result files or folders")
    export.add_argument("--output", type=Path, required=True, metavar="FILE", help="the sheet, .xlsx or .csv")
    export.add_argument("--n", type=int, default=200, metavar="N", help="verdicts to draw (default: 200)")
    export.add_argument("--seed", type=int, default=0, metavar="S", help="another seed is another sample (default: 0)")
    export.set_defaults(call=_export)
    imports = actions.add_parser("import", help="read the ratings back: where judge and human agree, and where not")
    imports.add_argument("sheets", nargs="+", type=Path, metavar="SHEET", help="filled in, one of each rater")
    imports.add_argument("--key", type=Path, metavar="FILE", help="default: the one beside the sheets")
    imports.add_argument("--format", choices=("text", "json", "markdown"), default="text")
    imports.add_argument("--show", type=int, default=10, metavar="N", help="items on which they part (default: 10)")
    imports.set_defaults(call=_import)


def _export(args: argparse.Namespace) -> int:
    from hueval_metrics.judges.people.export import export_sheet
    from hueval_metrics.judges.people.key import key_path
    from hueval_metrics.judges.report.people import export_lines

    sample, left_out = export_sheet(args.paths, args.output, args.n, args.seed)
    print("\n".join(export_lines(sample, args.n, left_out)))
    print(f"\nWrote {args.output} and {key_path(args.output)}. Send round the sheet, keep the key: it has the answers")
    return 0


def _import(args: argparse.Namespace) -> int:
    from hueval_metrics.judges.people.human_check import check_judges
    from hueval_metrics.judges.people.key import find_key, read_key
    from hueval_metrics.judges.people.ratings import read_raters
    from hueval_metrics.judges.report.people import as_json, as_markdown, as_text

    sample = read_key(args.key or find_key(args.sheets))
    raters, problems = read_raters(args.sheets, sample.items)
    for problem in problems:
        log.warning("%s.", problem)
    if not raters:
        raise InputError("no rating to report. Fill in the column rating, and name the sheets with their key")
    checks, show = check_judges(sample, raters), max(0, args.show)
    if args.format == "json":
        print(as_json(checks, problems), end="")
    elif args.format == "markdown":
        print(as_markdown(checks, show), end="")
    else:
        width = terminal_width()
        print(as_text(checks, show, width=width, color=sys.stdout.isatty()), end="")
    return 0

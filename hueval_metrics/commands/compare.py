"""`hueval compare`: which of several runs is ahead, by how much, and whether chance explains it."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hueval_metrics.commands.parser import ERRATA, filled, names
from hueval_metrics.comparison.check import KINDS
from hueval_metrics.comparison.options import CompareOptions
from hueval_metrics.errors import InputError

if TYPE_CHECKING:
    from hueval_metrics.api.results import Results


def add(commands: Any) -> None:
    """Add the command to those of `hueval`."""
    compare = commands.add_parser(
        "compare",
        help="compare runs over the same items: who is ahead, by how much, with p and interval",
        description="Exit status: 0; 1 where something that should be compared cannot be, which is said.",
    )
    compare.add_argument(
        "paths", nargs="+", type=Path, metavar="RUN", help="what `hueval score` or lm-eval has written, of each model"
    )
    compare.add_argument(
        "--metric",
        action="append",
        dest="metrics",
        metavar="M",
        help="this metric instead of the headline; may be repeated",
    )
    compare.add_argument("--all", action="store_true", help="every metric")
    compare.add_argument(
        "--dimensions",
        action=argparse.BooleanOptionalAction,
        default=CompareOptions.dimensions,
        help="within each stratum of the items, too, such as a domain",
    )
    compare.add_argument("--all-pairs", action="store_true", help="every two runs, not only each against the first")
    compare.add_argument(
        "--despite",
        type=names,
        metavar="KIND[,KIND…]",
        help=f"compare runs that differ in {', '.join(KINDS)}",
    )
    compare.add_argument(
        "--margin", type=float, metavar="POINTS", help="say which run is shown to be not worse by more than that"
    )
    compare.add_argument(
        "--models", type=Path, metavar="FILE", help="a YAML file of model cards: reasoning, open, size, series"
    )
    compare.add_argument(
        "--against",
        action="append",
        metavar="RANKS",
        help="the order in another benchmark: a CSV file of model,score or model,rank; or a published one by its name",
    )
    compare.add_argument(
        "--published", action="store_true", help="show the scores that the paper printed among the ranks"
    )
    compare.add_argument(
        "--repeats", action="store_true", help="the runs are of one model: their mean (see hueval run --repeats)"
    )
    compare.add_argument(
        "--by-variant",
        metavar="KEY",
        help="what another value of this key of --metadata changes, such as question_lang: each model's runs of both",
    )
    compare.add_argument("--errata", type=Path, metavar="FILE", help=ERRATA)
    compare.add_argument("--format", choices=("text", "markdown", "json", "csv"), default="text")
    compare.set_defaults(call=_compare)


def _compare(args: argparse.Namespace) -> int:
    from hueval_metrics.api.compare import compare_results, repeats
    from hueval_metrics.api.results import load
    from hueval_metrics.comparison.measures import ALL

    if args.repeats and (args.metrics or args.format == "json"):
        raise InputError("--repeats: its table has every metric, as text, markdown or csv. Leave --metric and json out")
    if args.all and args.metrics:
        raise InputError("--all and --metric: choose one of them")
    if args.errata is not None and (args.repeats or args.by_variant):
        raise InputError("--errata: it needs models that are compared. Leave --repeats and --by-variant out")
    options = filled(CompareOptions, args, metrics=(ALL,) if args.all else args.metrics)
    results, color = load(*args.paths), sys.stdout.isatty()
    if args.repeats:
        fmt = {"text": "terminal"}.get(args.format, args.format)
        print(repeats(results, despite=options.despite).table(fmt, every_metric=True, color=color), end="")
        return int(bool(results.faults))
    if args.by_variant is not None:
        return _by_variant(args, results, options, color)
    comparison = compare_results(results, options, args.errata)
    print(comparison.text(args.format, color=color), end="")
    if args.format == "csv":  # which has no place for it
        from hueval_metrics.reports.comparison import remarks

        for line in remarks(comparison):
            print(f"hueval: {line}", file=sys.stderr)
    if args.errata is not None:
        print(f"hueval: Wrote {args.errata}", file=sys.stderr)
    return int(bool(results.faults) or comparison.has_faults)


def _by_variant(args: argparse.Namespace, results: Results, options: CompareOptions, color: bool) -> int:
    from hueval_metrics.comparison.variants import variant_effects
    from hueval_metrics.reports.variants import render_effects
    from hueval_metrics.terminal import terminal_width

    if args.all or len(options.metrics) > 1:
        raise InputError("--by-variant: it takes one --metric, such as f_score")
    found = variant_effects(results.runs, args.by_variant, next(iter(options.metrics), None))
    print(render_effects(found, args.format, width=terminal_width(), color=color), end="")
    return int(bool(results.faults))

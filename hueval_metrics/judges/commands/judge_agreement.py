"""`hueval judge-agreement`: compare judges over the same responses."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import Any

from hueval_metrics.terminal import terminal_width


def add(commands: Any) -> None:
    """Add the command to those of `hueval`."""
    agreement = commands.add_parser("judge-agreement", help="compare judges over the same responses")
    agreement.add_argument(
        "paths", nargs="+", type=Path, metavar="SCORED", help="what `hueval score` wrote, of each judge"
    )
    agreement.add_argument("--show", type=int, default=5, metavar="N", help="responses on which they part (default: 5)")
    agreement.add_argument("--any-rubric", action="store_true", help="compare verdicts of different rubrics, too")
    agreement.add_argument("--json", action="store_true", help="print JSON, with everything")
    agreement.set_defaults(call=_judge_agreement)


def _judge_agreement(args: argparse.Namespace) -> int:
    from hueval_metrics.judges.people.judge_agreement import compare
    from hueval_metrics.judges.people.judge_ratings import load_ratings
    from hueval_metrics.judges.report.judge_agreement import as_json, as_text

    ratings = load_ratings(args.paths)
    tasks = [compare(task, found, any_rubric=args.any_rubric) for task, found in ratings.items()]
    show = max(0, args.show)
    width = terminal_width()
    print(as_json(tasks, show) if args.json else as_text(tasks, show, width=width, color=sys.stdout.isatty()), end="")
    return 0

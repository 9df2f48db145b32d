"""`hueval cache …`: the judge's replies on disk."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any


def add(commands: Any) -> None:
    """Add the command to those of `hueval`."""
    parser = commands.add_parser("cache", help="the judge's replies on disk: show what is there, delete old ones")
    actions = parser.add_subparsers(dest="action", metavar="ACTION", required=True)
    stats = actions.add_parser("stats", help="how many replies of which judges, and the tokens that they took")
    stats.add_argument("--json", action="store_true", help="print JSON")
    prune = actions.add_parser("prune", help="delete the replies that meet every condition given")
    prune.add_argument("--older-than", type=float, metavar="DAYS", help="replies that came before that")
    prune.add_argument("--model", metavar="M", help="replies of this judge")
    prune.add_argument(
        "--rubric", metavar="R", help="replies under this rubric: NAME/VERSION, or NAME for all versions"
    )
    prune.add_argument("--dry-run", action="store_true", help="only say how many there are")
    for action in (stats, prune):
        action.add_argument("--dir", type=Path, help="folder of replies.sqlite (default: judge in the library's cache)")
        action.set_defaults(call=_cache)


def _cache(args: argparse.Namespace) -> int:
    from hueval_metrics.judge.cache.admin import prune, show_stats

    if args.action == "stats":
        return show_stats(args.dir, as_json=args.json)
    conditions = {"older_than_days": args.older_than, "model": args.model, "rubric": args.rubric}
    return prune(args.dir, **conditions, dry_run=args.dry_run)

"""`hueval cache …`: the judge's replies on disk."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any


def add(commands: Any) -> None:
    """Add the command to those of `hueval`."""
    parser = commands.add_parser("cache", help="the judge's replies on disk: look at them, carry them, thin them out")
    actions = parser.add_subparsers(dest="action", metavar="ACTION", required=True)
    stats = actions.add_parser("stats", help="how many replies of which judges, and the tokens that they took")
    stats.add_argument("--json", action="store_true", help="print JSON")
    prune = actions.add_parser("prune", help="delete the replies that meet every condition given")
    prune.add_argument("--older-than", type=float, metavar="DAYS", help="replies that came before that")
    prune.add_argument("--model", metavar="M", help="replies of this judge")
    prune.add_argument("--rubric", metavar="R", help="replies under this rubric, such as husimpleqa/1 or husimpleqa")
    prune.add_argument("--dry-run", action="store_true", help="only say how many there are")
    export = actions.add_parser("export", help="write all replies as lines of JSON")
    export.add_argument("file", type=Path, metavar="FILE", help="a new file, or - for the standard output")
    imports = actions.add_parser("import", help="add the replies of an export that are missing here")
    imports.add_argument("file", type=Path, metavar="FILE", help="an export, or - for the standard input")
    verify = actions.add_parser("verify", help="check the file and every reply in it")
    for action in (stats, prune, export, imports, verify):
        action.add_argument("--dir", type=Path, help="folder of replies.sqlite (default: judge in the library's cache)")
        action.set_defaults(call=_cache)


def _cache(args: argparse.Namespace) -> int:
    from hueval_metrics.judge.cache.admin import prune, show_stats, verify
    from hueval_metrics.judge.cache.transfer import export_replies, import_replies

    if args.action == "stats":
        return show_stats(args.dir, as_json=args.json)
    if args.action == "prune":
        conditions = {"older_than_days": args.older_than, "model": args.model, "rubric": args.rubric}
        return prune(args.dir, **conditions, dry_run=args.dry_run)
    if args.action == "export":
        return export_replies(args.file, args.dir)
    return import_replies(args.file, args.dir) if args.action == "import" else verify(args.dir)

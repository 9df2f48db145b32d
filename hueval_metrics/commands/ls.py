"""`hueval ls`: the tasks, by family; the lists of lm-eval, by what they list."""

from __future__ import annotations

import sys
from collections.abc import Sequence

from hueval_metrics.commands.parser import Parser
from hueval_metrics.registry import families
from hueval_metrics.terminal import terminal_width

_LISTS = ("tasks", "groups", "subtasks", "tags")


def list_tasks(arguments: Sequence[str]) -> int:
    """List tasks.

    Args:
        arguments: those of `hueval ls`.

    Returns:
        The exit status.
    """
    args = ls_parser().parse_args(arguments)
    if args.what not in _LISTS and not args.all and not args.include_path:
        from hueval_metrics.reports.task_list import render_task_list

        width = terminal_width()
        print(render_task_list(args.what, width=width, color=sys.stdout.isatty()), end="")
        return 0
    from hueval_metrics.harness.tasks import HuevalTaskManager

    manager = HuevalTaskManager([], args.include_path, everything=args.all)
    hidden = {kind: False for kind in ("groups", "subtasks", "tags") if args.what not in (None, "tasks", kind)}
    print(manager.list_all_tasks(**{f"list_{kind}": shown for kind, shown in hidden.items()}))
    return 0


def ls_parser() -> Parser:
    """The parser of the command."""
    parser = Parser(
        prog="hueval ls",
        description="List what can be run: every task with its items, metrics, scoring and languages.",
        epilog="With another word, or with --all or --include_path, lm-eval's own list: names and files.",
    )
    parser.add_argument(
        "what",
        nargs="?",
        choices=(*families(), *_LISTS),
        help="every task of a benchmark; or lm-eval's list of tasks, groups, subtasks or tags",
    )
    parser.add_argument("--all", action="store_true", help="also the 14,000 tasks that lm-eval ships (some seconds)")
    parser.add_argument("--include_path", metavar="DIR", help="also the tasks of a folder of your own")
    return parser

"""`hueval validate`: check that tasks can be found, as lm-eval does, with globs."""

from __future__ import annotations

from collections.abc import Sequence

from hueval_metrics.commands.parser import Parser
from hueval_metrics.exit_status import DONE, USER_ERROR


def validate(arguments: Sequence[str]) -> int:
    """Check that tasks can be found.

    Args:
        arguments: those of `hueval validate`.

    Returns:
        The exit status.
    """
    args = validate_parser().parse_args(arguments)
    from hueval_metrics.harness.tasks import HuevalTaskManager

    asked = [name.strip() for name in args.tasks.split(",") if name.strip()]
    manager = HuevalTaskManager([name for name in asked if not name.endswith(".yaml")], args.include_path)
    found = {name: manager.match_tasks([name]) for name in asked}
    print(f"Validating tasks: {[match for name in asked for match in found[name] or [name]]}")
    if missing := [name for name in asked if not found[name]]:
        print(f"Tasks not found: {', '.join(missing)}")
        return USER_ERROR
    print("All tasks found and valid")
    return DONE


def validate_parser() -> Parser:
    """The parser of the command."""
    parser = Parser(prog="hueval validate", description="Check that tasks, groups, tags and globs exist.")
    parser.add_argument("--tasks", "-t", required=True, metavar="TASK1,TASK2", help="names, with commas between")
    parser.add_argument("--include_path", metavar="DIR", help="also the tasks of a folder of your own")
    return parser

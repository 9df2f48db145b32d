"""`hueval completion`: names of commands, options, tasks and presets by the Tab key, with argcomplete."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from typing import Any

from hueval_metrics.errors import InputError

SHELLS = ("bash", "zsh", "fish")
_HOW = """\
To have it in every new shell:

  bash   hueval completion bash >> ~/.bashrc
  zsh    hueval completion zsh >> ~/.zshrc       (below the line that runs compinit)
  fish   hueval completion fish > ~/.config/fish/completions/hueval.fish
"""


def add(commands: Any) -> None:
    """Add the command to those of `hueval`."""
    completion = commands.add_parser(
        "completion",
        help="a script for bash, zsh or fish that completes commands, options, tasks and presets",
        description="Print a script by which the shell completes what is typed after `hueval`.",
        epilog=_HOW,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    completion.add_argument("shell", choices=SHELLS)
    completion.set_defaults(call=_print)


def _print(args: argparse.Namespace) -> int:
    try:
        import argcomplete
    except ImportError:
        raise InputError("completion needs a package. Install it: pip install argcomplete") from None
    print(argcomplete.shellcode(["hueval"], shell=args.shell))
    return 0


def complete(parser: argparse.ArgumentParser) -> None:
    """Answer the shell that asks for completions, and end.

    Args:
        parser: with the options of every command.
    """
    import argcomplete

    for action in _actions(parser):
        if action.dest in _COMPLETERS and not action.choices:
            action.completer = _COMPLETERS[action.dest]  # type: ignore[attr-defined]
    argcomplete.autocomplete(parser, always_complete_options="long")


def _actions(parser: argparse.ArgumentParser) -> list[argparse.Action]:
    found = []
    for action in parser._actions:
        found.append(action)
        if isinstance(action, argparse._SubParsersAction):
            found += [below for choice in action.choices.values() for below in _actions(choice)]
    return found


def _task_names(prefix: str, **_: Any) -> Sequence[str]:
    """Tasks, groups and tags; after a comma the next of several."""
    from hueval_metrics.registry import known_tasks
    from hueval_metrics.reports.task_list import named_groups

    before = prefix[: prefix.rfind(",") + 1]
    return [f"{before}{name}" for name in (*known_tasks(), *named_groups())]


def _presets(**_: Any) -> Sequence[str]:
    from argcomplete.completers import FilesCompleter

    from hueval_metrics.harness.presets import presets

    return [*presets(), *FilesCompleter(("yaml", "yml"))("")]


def _models(**_: Any) -> Sequence[str]:
    return ("hf", "vllm", "local-chat-completions", "openai-chat-completions", "hueval-baseline")


_COMPLETERS = {"tasks": _task_names, "task": _task_names, "config": _presets, "model": _models}

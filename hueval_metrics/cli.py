"""The `hueval` command: each sub-command is a few lines that call a function elsewhere."""

from __future__ import annotations

import argparse
import errno
import inspect
import os
import sys
from collections.abc import Callable, Sequence
from difflib import get_close_matches
from importlib import import_module
from typing import TYPE_CHECKING, Any

from hueval_metrics import terminal
from hueval_metrics.commands import cache, compare, completion, data, export, report, score, submit, table, view
from hueval_metrics.commands.parser import Parser
from hueval_metrics.environment import warn_of_unknown_variables
from hueval_metrics.errors import HuevalError, InputError, OptionError
from hueval_metrics.exit_status import CLOSED_PIPE, DONE, MEANINGS, USER_ERROR
from hueval_metrics.one_line import one_line
from hueval_metrics.signals import sigterm_as_ctrl_c, status_of
from hueval_metrics.version import __version__
from hueval_metrics.words.texts import printed

if TYPE_CHECKING:
    from hueval_metrics.declare import Family

HARNESS_COMMANDS = {
    "run": "evaluate a model",
    "ls": "list the tasks",
    "validate": "check the names of tasks, groups, tags and globs",
}
# Commands of distributions that are not there: what to do for them.
NOT_INSTALLED = {
    "site": "the leaderboard is not installed. Run in a clone of hueval: pip install . ./leaderboard",
}
_FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
_WELCOME = """\
hueval {version}: evaluate language models on Hungarian.

The five commands to begin with:
  hueval ls                what can be evaluated: tasks, metrics, who scores
  hueval run               evaluate a model
  hueval score             score answers that were generated elsewhere
  hueval table RESULTS     the scores of many runs side by side
  hueval report RESULTS    the same as one HTML page, with every item

Try it now, without a model, a key or a network:
  HUEVAL_SAMPLE=1 hueval run --model hueval-baseline
  hueval table results

Evaluate a model of the Hugging Face Hub:
  hueval run --model hf --model_args pretrained=ORG/MODEL

Is everything installed?  hueval doctor      All commands:  hueval --help
Completion of names by Tab:  hueval completion --help
"""


def main(argv: Sequence[str] | None = None) -> int:
    """Run one sub-command.

    Args:
        argv: the arguments; None for those of the process.

    Returns:
        The exit status, one of `exit_status.MEANINGS`, or lm-eval's own.
    """
    arguments = list(sys.argv[1:] if argv is None else argv)
    if "_ARGCOMPLETE" in os.environ:
        from hueval_metrics.commands.completion import complete

        complete(_whole_parser()[0])
    with terminal.logging_shown(), sigterm_as_ctrl_c():
        warn_of_unknown_variables()
        try:
            try:
                printed()  # a language that there is not is refused before any work
                return _call(arguments)
            finally:
                sys.stdout.flush()  # or a closed pipe or a full disk shows only after this function
        except HuevalError as error:
            message = error.on_command_line if isinstance(error, OptionError) else error
            print(f"hueval: {message}", file=sys.stderr)
            return USER_ERROR
        except BrokenPipeError:  # `hueval table … | head`
            _discard_output()
            return CLOSED_PIPE
        except OSError as error:  # any look at a path may raise one
            if error.filename is not None:
                place = one_line(os.fsdecode(error.filename), 80)
                print(f"hueval: {place}: {error.strerror}. Name another path", file=sys.stderr)
            elif error.errno in _FULL:  # standard output, or a file that is open
                print(f"hueval: what this command writes: {error.strerror}. Free some space", file=sys.stderr)
                _discard_output()
            else:
                raise
            return USER_ERROR
        except RuntimeError as error:
            if not str(error).startswith("Symlink loop"):  # as pathlib names what is an OSError from Python 3.13 on
                raise
            print(f"hueval: {one_line(error, 120)}. Name another path", file=sys.stderr)
            return USER_ERROR
        except KeyboardInterrupt as stop:
            print(f"\nhueval: stopped. {' '.join(map(str, stop.args))}".rstrip(), file=sys.stderr)
            return status_of(stop)


def _call(arguments: Sequence[str]) -> int:
    if not arguments:
        print(_WELCOME.format(version=__version__), end="")
        return DONE
    if arguments[0] in HARNESS_COMMANDS:
        return _harness_command(arguments[0])[0](arguments[1:])
    parser, commands = _parser()
    if arguments[0] not in commands.choices:  # features and families are looked up only here: it takes a while
        _add_features(commands)
    if arguments[0] not in commands.choices:
        from hueval_metrics.registry import families

        for name, family in families().items():
            if family.commands and name == arguments[0]:
                return _call_family(family, arguments[1:])
            if family.commands:
                commands.add_parser(name, help=f"commands of {family.title}")
        if not arguments[0].startswith("-") and arguments[0] not in commands.choices:
            if arguments[0] in NOT_INSTALLED:
                raise InputError(NOT_INSTALLED[arguments[0]])
            near = get_close_matches(arguments[0], commands.choices, n=1)
            parser.error(f'no command "{arguments[0]}"{f". Did you mean {near[0]}?" if near else ""}')
    args = parser.parse_args(arguments)
    status: int = args.call(args)
    return status


def _harness_command(name: str) -> tuple[Callable[[Sequence[str]], int], Callable[[], Parser]]:
    """A command whose options are lm-eval's, and its parser."""
    from hueval_metrics.commands import ls, run, validate

    calls = {
        "run": (run.run, run.run_parser),
        "ls": (ls.list_tasks, ls.ls_parser),
        "validate": (validate.validate, validate.validate_parser),
    }
    return calls[name]


def _call_family(family: Family, arguments: Sequence[str]) -> int:
    from hueval_metrics.registry import resolve

    parser = Parser(prog=f"hueval {family.name}", description=f"Commands of {family.title}.")
    commands = parser.add_subparsers(dest="command", metavar="COMMAND", required=True)
    calls = {name: resolve(path) for name, path in family.commands.items()}
    for name, call in calls.items():
        commands.add_parser(name, help=_summary(call))
    command = parser.parse_args(arguments[:1]).command
    return int(calls[command](arguments[1:]))


def _summary(call: object) -> str:
    """The first line of a docstring as the help of a command."""
    line = (inspect.getdoc(call) or "").partition("\n")[0].removesuffix(".")
    return (line[:1].lower() + line[1:]).replace("%", "%%")


def _discard_output() -> None:
    """Send to nowhere what is still buffered: Python flushes it as it exits, and would complain."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    for stream in (sys.stdout, sys.stderr):
        os.dup2(nowhere, stream.fileno())


def _parser() -> tuple[Parser, Any]:
    """The parser, and its sub-commands: all but those of features and families."""
    meanings = "\n".join(f"  {status:<4} {meaning}" for status, meaning in MEANINGS.items())
    parser = Parser(
        prog="hueval",
        description="Evaluate language models on Hungarian.",
        epilog=f"exit status:\n{meanings}",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--version", action="version", version=f"hueval {__version__}")
    commands = parser.add_subparsers(metavar="COMMAND", required=True)
    for name, text in HARNESS_COMMANDS.items():
        commands.add_parser(name, help=text)
    for command in (score, table, compare, report, view, export, submit, data, cache, completion):
        command.add(commands)
    doctor = commands.add_parser("doctor", help="what is installed, which data can be reached, what to do")
    doctor.set_defaults(call=_doctor)
    return parser, commands


def _add_features(commands: Any) -> None:
    """Add the commands of features; one that cannot be imported, or whose name is taken, is left out with a warning."""
    from hueval_metrics.features import features, warn

    for feature in features():
        for name, module in feature.commands.items():
            try:
                if name in commands.choices:
                    raise InputError(f'there is another command "{name}"')
                import_module(module).add(commands)
            except Exception as error:  # whatever its modules raise, the other commands go on
                warn(feature.where, error)


def _whole_parser() -> tuple[Parser, Any]:
    """The parser with the options of every command, for completion, and its sub-commands."""
    parser, commands = _parser()
    _add_features(commands)
    for name in HARNESS_COMMANDS:
        commands.choices[name] = _harness_command(name)[1]()
    return parser, commands


def _doctor(args: argparse.Namespace) -> int:
    from hueval_metrics.doctor import diagnose

    return diagnose()

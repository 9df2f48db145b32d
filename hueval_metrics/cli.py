"""The `hueval` command: each sub-command is a few lines that call a function elsewhere."""

from __future__ import annotations

import argparse
import errno
import inspect
import logging
import os
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from hueval_metrics import __version__
from hueval_metrics.commands import (
    cache,
    calibrate,
    compare,
    data,
    export,
    judge_agreement,
    judge_bench,
    report,
    score,
    table,
    validate_judge,
    view,
)
from hueval_metrics.commands.parser import Parser
from hueval_metrics.environment import warn_of_unknown_variables
from hueval_metrics.exit_status import CLOSED_PIPE, MEANINGS, USER_ERROR
from hueval_metrics.records import HuevalError
from hueval_metrics.signals import sigterm_as_ctrl_c, status_of
from hueval_metrics.text.one_line import one_line, printable

if TYPE_CHECKING:
    from hueval_metrics.declare import Family

HARNESS_COMMANDS = {
    "run": "evaluate a model: lm-eval's options, our tasks preset, answers kept in case of a stop",
    "ls": "list tasks, groups and tags",
    "validate": "check that tasks load",
}


def main(argv: Sequence[str] | None = None) -> int:
    """Run one sub-command.

    Args:
        argv: the arguments; None for those of the process.

    Returns:
        The exit status, one of `exit_status.MEANINGS`, or lm-eval's own.
    """
    arguments = list(sys.argv[1:] if argv is None else argv)
    _log_to_stderr()
    warn_of_unknown_variables()
    with sigterm_as_ctrl_c():
        try:
            status = _call(arguments)
            sys.stdout.flush()  # or a closed pipe shows only after this function
            return status
        except HuevalError as error:
            print(f"hueval: {error}", file=sys.stderr)
            return USER_ERROR
        except BrokenPipeError:  # `hueval table … | head`
            _discard_output()
            return CLOSED_PIPE
        except OSError as error:
            if error.errno != errno.ENAMETOOLONG:  # which any look at a path may say
                raise
            print(f"hueval: {one_line(error.filename, 80)}: {error.strerror}. Name another path", file=sys.stderr)
            return USER_ERROR
        except KeyboardInterrupt as stop:
            print("\nhueval: stopped.", file=sys.stderr)
            return status_of(stop)


def _call(arguments: Sequence[str]) -> int:
    if arguments and arguments[0] in HARNESS_COMMANDS:
        from hueval_metrics.harness.run import run_harness

        return run_harness(arguments)
    parser, commands = _parser()
    if arguments and arguments[0] not in commands.choices:  # families are looked up only here: it takes a while
        from hueval_metrics.registry import families

        for name, family in families().items():
            if family.commands and name == arguments[0]:
                return _call_family(family, arguments[1:])
            if family.commands:
                commands.add_parser(name, help=f"commands of {family.title}")
    args = parser.parse_args(arguments)
    status: int = args.call(args)
    return status


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


def _log_to_stderr() -> None:
    """Our own warnings as lines of this command; other libraries keep their own ways."""
    handler = logging.StreamHandler()
    handler.setFormatter(_Line())
    for package in ("hf_datasets", "hueval_metrics", "lm_eval_tasks"):
        logger = logging.getLogger(package)
        logger.handlers, logger.propagate = [handler], False
    for part in ("harness", "judge"):  # what is kept of a stopped run; what a judging will take, and what it took
        logging.getLogger(f"hueval_metrics.{part}").setLevel(logging.INFO)


class _Line(logging.Formatter):
    """A record as a line of this command; names out of files that anyone may have written stand in it."""

    def formatMessage(self, record: logging.LogRecord) -> str:  # noqa: N802  logging's name
        return f"hueval: {printable(record.message)}"


def _parser() -> tuple[Parser, Any]:
    """The parser, and its sub-commands."""
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
    for command in (
        *(score, table, compare, report, view, export),
        *(judge_agreement, validate_judge, calibrate, judge_bench, data, cache),
    ):
        command.add(commands)
    doctor = commands.add_parser("doctor", help="what is installed, which data can be reached, what to do")
    doctor.set_defaults(call=_doctor)
    return parser, commands


def _doctor(args: argparse.Namespace) -> int:
    from hueval_metrics.doctor import diagnose

    return diagnose()

"""The argument parser of `hueval`, and of the commands that families add to it."""

from __future__ import annotations

import argparse
import sys
from dataclasses import fields
from difflib import get_close_matches
from pathlib import Path
from typing import Any, NoReturn, TypeVar

from hueval_metrics.one_line import printable

T = TypeVar("T")

ERRATA = "write items whose key may be wrong, by votes of six models or more of three series, as .csv or .xlsx"


def filled(options: type[T], args: argparse.Namespace, **more: Any) -> T:
    """A record of options, filled from the arguments of the same names; what is None or absent there has its default.

    Args:
        options: a dataclass.
        args: the arguments.
        more: fields that no argument has as it is.

    Raises:
        InputError: the record does not take a value.
    """
    given = {one.name: getattr(args, one.name, None) for one in fields(options)} | more  # type: ignore[arg-type]
    return options(**{name: value for name, value in given.items() if value is not None})


def names(text: str) -> tuple[str, ...]:
    """The names in a text with commas between them."""
    return tuple(part.strip() for part in text.split(","))


def _path(text: str) -> Path:
    if not text:  # as of a variable that a script has not set; `Path` takes it for the current folder
        raise argparse.ArgumentTypeError("empty. Name a file or folder")
    return Path(text)


class Parser(argparse.ArgumentParser):
    """Takes no empty path, and prints nothing that a terminal acts on: arguments may be names of somebody's files."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.register("type", Path, _path)

    def parse_known_args(self, args: Any = None, namespace: Any = None) -> tuple[Any, list[str]]:
        """Parse, and end in one line where there is an option that is not known, with the nearest that is."""
        found, rest = super().parse_known_args(args, namespace)
        if rest:
            options = [option for action in self._actions for option in action.option_strings]
            near = get_close_matches(rest[0].partition("=")[0], options, n=1)
            self.error(f"unknown argument {rest[0]}{f'. Did you mean {near[0]}?' if near else ''}")
        return found, rest

    def _check_value(self, action: argparse.Action, value: Any) -> None:
        """argparse's check of a word of a list, with the nearest word in the message."""
        try:
            super()._check_value(action, value)
        except argparse.ArgumentError as error:
            words = {str(choice).casefold(): str(choice) for choice in action.choices or ()}
            given = str(value).casefold()
            near = get_close_matches(given, words, n=1) or [word for word in words if given.startswith(word)]
            if near:
                error.message += f". Did you mean {words[near[0]]}?"
            raise

    def _print_message(self, message: str, file: Any = None) -> None:
        """argparse's own swallows the error of a full disk where output is not buffered."""
        print(message, end="", file=file or sys.stderr)

    def error(self, message: str) -> NoReturn:
        """Print the message in one line, and exit with status 2."""
        line = printable(message).rstrip(".")
        self.exit(2, f"hueval: {line}{'' if line.endswith('?') else '.'} See: {self.prog} --help\n")

"""The argument parser of `hueval`, and of the commands that families add to it."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any, NoReturn

from hueval_metrics.text.one_line import printable


def _path(text: str) -> Path:
    if not text:  # as of a variable that a script has not set; `Path` takes it for the current folder
        raise argparse.ArgumentTypeError("empty. Name a file or folder")
    return Path(text)


class Parser(argparse.ArgumentParser):
    """Takes no empty path, and prints nothing that a terminal acts on: arguments may be names of somebody's files."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.register("type", Path, _path)

    def error(self, message: str) -> NoReturn:
        """Print usage and message, and exit with status 2."""
        super().error(printable(message))

"""The argument parser of `hueval`, and of the commands that families add to it."""

from __future__ import annotations

import argparse
from typing import NoReturn

from hueval_metrics.text.one_line import printable


class Parser(argparse.ArgumentParser):
    """Prints nothing that a terminal acts on: an argument of a shell script may be the name of somebody's file."""

    def error(self, message: str) -> NoReturn:
        """Print usage and message, and exit with status 2."""
        super().error(printable(message))

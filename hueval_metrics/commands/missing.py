"""The options and the exit status of commands whose verdicts may be missing."""

from __future__ import annotations

import argparse
from collections.abc import Iterable
from typing import TYPE_CHECKING

from hueval_metrics.exit_status import DONE, INCOMPLETE

if TYPE_CHECKING:
    from hueval_metrics.runs.run import Run


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add `--allow-missing` and `--ask-final`."""
    parser.add_argument(
        "--allow-missing",
        type=_share,
        default=0.0,
        metavar="SHARE",
        help="exit status 0 where at most this share (0 to 1) of the verdicts of each task is missing (default: 0)",
    )
    parser.add_argument(
        "--ask-final",
        action="store_true",
        help="ask the judge again where it has refused, or its replies could not be read, as is known from earlier",
    )


def of_tasks(runs: Iterable[Run]) -> list[tuple[int, int]]:
    """The number of missing verdicts that were asked of a judge, and of items, for each task of some runs."""
    return [(result.n_without_verdict, result.n) for run in runs for result in run.tasks.values()]


def status(missing: Iterable[tuple[int, int]], allowed: float) -> int:
    """The exit status with so many missing of so many, where a share of 0 to 1 is allowed."""
    return DONE if all(lacking <= allowed * n for lacking, n in missing) else INCOMPLETE


def _share(text: str) -> float:
    try:
        share = float(text)
    except ValueError:
        share = -1.0
    if not 0 <= share <= 1:
        raise argparse.ArgumentTypeError(f"{text!r} is not usable, expected a share from 0 to 1, such as 0.05")
    return share

"""The progress bar of a judging: done, rate, time left, errors and dollars, on a terminal only."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from hueval_metrics.judge.estimate import counted
from hueval_metrics.judge.ledger import Ledger
from hueval_metrics.judge.settings import JudgeSettings

SMOOTHING = 0.1  # of the rate; retries come in bursts


@contextmanager
def progress(total: int | None, name: str, settings: JudgeSettings, ledger: Ledger) -> Iterator[Progress]:
    """Show how far a judging is; nothing when it is to be quiet or stderr is no terminal.

    Args:
        total: how many verdicts there will be; None when unknown.
        name: what is judged, such as the rubric's name.
        settings: with `quiet` and the budget.
        ledger: where the spent dollars stand.
    """
    if settings.quiet or not sys.stderr.isatty():
        yield Progress()
        return
    bar = Progress(_bar(total, name, settings, ledger))
    try:
        yield bar
    finally:
        bar.close()


def _bar(total: int | None, name: str, settings: JudgeSettings, ledger: Ledger) -> Any:
    from tqdm import tqdm

    class Bar(tqdm):
        """A bar whose postfix is made when it is drawn, ten times a second, not when it is counted."""

        errors = 0

        @property
        def format_dict(self) -> dict[str, Any]:
            limit = "" if settings.budget_usd is None else f" of ${settings.budget_usd:.2f}"
            spent = f", ${ledger.spent_usd:.2f}{limit}" if ledger.spent_usd or limit else ""
            return {**super().format_dict, "postfix": f"{counted(self.errors, 'error')}{spent}"}

    return Bar(total=total, desc=name, unit=" verdicts", smoothing=SMOOTHING, dynamic_ncols=True, file=sys.stderr)


class Progress:
    """What the engine counts; without a bar it shows nothing.

    Args:
        bar: a tqdm bar with a number of `errors`; None for none.
    """

    def __init__(self, bar: Any = None) -> None:
        self._bar = bar

    def done(self, count: int = 1) -> None:
        """So many more verdicts are there, failed ones among them."""
        if self._bar is not None:
            self._bar.update(count)

    def failed(self) -> None:
        """One of the verdicts is an error."""
        if self._bar is not None:
            self._bar.errors += 1

    def close(self) -> None:
        """Draw the bar a last time."""
        if self._bar is not None:
            self._bar.close()

"""The progress of a stage of a command: a bar on a terminal; elsewhere, as in a CI log, a line now and then."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from threading import Event, Thread
from typing import Any

from hueval_metrics import terminal

SMOOTHING = 0.1  # of the bar's rate; answers come in bursts
EVERY_S = 5.0  # between two lines, where there is no terminal
LATER_S = 30.0  # the same after the first minutes: a night of lines every five seconds is no help
_FIRST_S = 120.0
_SHORT_S = 3.0  # a stage that ends within it is not worth a line, however long nothing was said before
_WIDE = 110  # columns that a bar with everything needs

_stages: list[Progress] = []  # the stages that are open; only the innermost is shown


class Progress:
    """What is done of a stage. Closed by its `with` block.

    Nothing is printed of a stage that ends within seconds where there is no terminal.

    Args:
        name: what is done, such as "Generating".
        total: the number of things to do; None when unknown.
        unit: what is counted; empty for a stage of which only the time is shown.
        note: what follows the numbers, asked for whenever they are drawn.
        is_shown: False to show nothing; nor is anything shown where HUEVAL_QUIET is 1.
    """

    def __init__(
        self,
        name: str,
        total: int | None = None,
        unit: str = "",
        *,
        note: Callable[[], str] = str,
        is_shown: bool = True,
    ) -> None:
        is_shown = is_shown and os.environ.get("HUEVAL_QUIET") != "1"
        self._name, self._total, self._unit, self._note = name, total, unit, note
        self._count, self._start, self._has_spoken = 0, time.monotonic(), False
        self._share, self._words = 0.0, ""  # of what is in progress
        self._bar = self._drawn() if is_shown and terminal.stream().isatty() else None
        self._ended = Event()
        self._beat = Thread(target=self._tick, daemon=True) if is_shown else None

    def __enter__(self) -> Progress:
        _stages.append(self)
        if self._beat is not None:
            self._beat.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._ended.set()
        if self._beat is not None:
            self._beat.join()  # or its last line may come when the stream is closed
        _stages.remove(self)
        if self._bar is not None:
            self._bar.close()
        elif self._has_spoken and self._unit:
            terminal.say(self._line())

    def rename(self, name: str) -> None:
        """Go on to another stage without a count."""
        self._name, self._start = name, time.monotonic()
        if self._bar is not None:
            self._bar.set_description_str(name, refresh=False)
            self._bar.reset()

    def done(self, count: int = 1) -> None:
        """Count what is done."""
        self._count += count
        self._share, self._words = 0.0, ""
        if self._bar is not None:
            self._bar.update(count)

    def under_way(self, share: float, words: str) -> None:
        """Say how much of the things being done now is done, until the next are counted.

        Args:
            share: in things, such as 2.5 where each of five is half done; the estimate counts it.
            words: the same for a person.
        """
        self._share, self._words = share, words

    def fill(self) -> None:
        """Count what is left of the total: all is done, whether or not each thing was counted."""
        self.done((self._total or 0) - self._count)

    def _tick(self) -> None:
        while not self._ended.wait(1):
            if _stages[-1:] != [self]:
                continue
            age = time.monotonic() - self._start
            if self._bar is not None:
                self._bar.refresh()
            elif age >= _SHORT_S and terminal.silent_for() >= (EVERY_S if age < _FIRST_S else LATER_S):
                self._has_spoken = True
                terminal.say(self._line())

    def _line(self) -> str:
        seconds = time.monotonic() - self._start
        parts = [duration(seconds)]
        if self._unit:
            of = "" if self._total is None else f" of {self._total:,}"
            parts.insert(0, f"{self._count:,}{of} {self._unit}")
            done = self._count + self._share
            if self._total and 0 < done < self._total:
                parts.append(f"about {duration(seconds / done * (self._total - done))} left")
        return f"{self._name}: {', '.join([*parts, *filter(None, [self._words, self._note()])])}"

    def _drawn(self) -> Any:
        from tqdm import tqdm

        stage = self

        class Bar(tqdm):
            """A bar whose postfix is computed when it is drawn, ten times a second, not for each count."""

            is_ours = True

            @property
            def format_dict(self) -> dict[str, Any]:
                return {
                    **super().format_dict,
                    "postfix": ", ".join(filter(None, [stage._words, stage._note()])) or None,
                }

        settings: dict[str, Any] = {"unit": f" {self._unit}", "smoothing": SMOOTHING}
        if not self._unit:
            settings = {"bar_format": "{desc} … {elapsed}", "leave": False}
        elif self._total is not None and os.get_terminal_size(terminal.stream().fileno()).columns < _WIDE:
            # tqdm cuts what is too long at its end, where errors and dollars would be: no rate, and the bar last.
            settings |= {"bar_format": "{desc}: {n_fmt}/{total_fmt} [{elapsed}<{remaining}{postfix}] {bar}"}
        return Bar(total=self._total, desc=self._name, dynamic_ncols=True, file=terminal.stream(), **settings)


def advance(count: int = 1) -> None:
    """Count in the innermost stage, for callers that do not hold it."""
    if _stages:
        _stages[-1].done(count)


def under_way(share: float, words: str) -> None:
    """`Progress.under_way` of the innermost stage, for callers that do not hold it."""
    if _stages:
        _stages[-1].under_way(share, words)


def duration(seconds: float) -> str:
    """A duration for a message.

    >>> duration(65.4), duration(754), duration(7500)
    ('65 s', '13 min', '2 h 5 min')
    """
    if seconds < 120:
        return f"{seconds:.0f} s"
    hours, minutes = divmod(round(seconds / 60), 60)
    return f"{hours} h {minutes} min" if hours else f"{minutes} min"

"""How long responses are, with and without their reasoning, and how many were cut off."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from hueval_metrics.reports import columns
from hueval_metrics.reports.figures import names
from hueval_metrics.reports.figures.canvas import Panel, bar_panels, panel_grid, top_of
from hueval_metrics.reports.figures.figure import Figure
from hueval_metrics.reports.figures.gather import FigureData, TaskNumbers
from hueval_metrics.reports.figures.points import columns_of, point
from hueval_metrics.reports.figures.theme import Theme
from hueval_metrics.runs.run import Run

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure as Drawing

_COLUMNS, _APART = 3, 0.24  # panels side by side; inches between them, or their last and first numbers would touch
_SHARES = (5, 25, 50, 75, 95)  # percentiles


def length_figures(data: FigureData, runs: Sequence[Run]) -> Iterator[Figure]:
    """The lengths of responses in characters, and the share of truncated ones, a panel a task."""
    tasks = columns.tasks(runs)
    shown = names.short_names([run.label for run in runs])
    lengths = {task: [_lengths(data.of(place, task)) for place in range(len(runs))] for task in tasks}
    known = {task: row for task, row in lengths.items() if any(row)}
    if known:
        rows = [
            {"task": task, "model": run.label, "n": one.n}
            | {f"p{share}": number for share, number in zip(_SHARES, one.response, strict=True)}
            | {"median_with_reasoning": one.whole}
            for task, row in known.items()
            for run, one in zip(runs, row, strict=True)
            if one
        ]
        yield Figure("response-length", "lengths", rows, partial(_boxes, known, shown))
    truncated = {task: [point(run, task, "truncated_rate") for run in runs] for task in tasks}
    top = top_of(one for row in truncated.values() for one in row)
    panels = [Panel(names.task_name(task), row, top) for task, row in truncated.items() if any(row)]
    if panels:
        rows = [
            {"task": task, "model": run.label, **columns_of(one)}
            for task, row in truncated.items()
            for run, one in zip(runs, row, strict=True)
            if one
        ]
        yield Figure("truncated-responses", "truncation", rows, partial(bar_panels, panels, shown, columns=_COLUMNS))


def _lengths(numbers: TaskNumbers) -> Lengths | None:
    if not numbers.response_length:
        return None
    shares = np.percentile(np.frombuffer(numbers.response_length, np.uintc), _SHARES)
    whole = float(np.median(np.frombuffer(numbers.whole_length, np.uintc)))
    return Lengths(len(numbers.response_length), tuple(map(float, shares)), whole)


def _boxes(known: Mapping[str, Sequence[Lengths | None]], shown: Sequence[str], theme: Theme) -> Drawing:
    """A box a model: the middle half thick, 5 to 95 % thin, a dot for the median, a diamond for it with reasoning."""
    drawing, places = panel_grid([names.task_name(task) for task in known], shown, theme, _COLUMNS, _APART)
    for made, row in zip(places, known.values(), strict=True):
        rows = [place for place, one in enumerate(row) if one]
        lengths = [one for one in row if one]
        _log_axis(made, lengths, theme)
        for low, high, thick in ((0, 4, 1.2), (1, 3, 5.0)):  # places in _SHARES
            starts, ends = ([_shown(one.response[end]) for one in lengths] for end in (low, high))
            made.hlines(rows, starts, ends, color=theme.fill, linewidth=thick)
        apart = [
            (_shown(one.whole), place) for place, one in zip(rows, lengths, strict=True) if one.whole != one.median
        ]
        marks: dict[str, Any] = {"linestyle": "", "markersize": 4, "clip_on": False, "zorder": 3}
        made.plot([x for x, _ in apart], [y for _, y in apart], marker="D", color=theme.wrong, **marks)
        medians = [_shown(one.median) for one in lengths]
        made.plot(medians, rows, marker="o", color=theme.ink, markeredgecolor=theme.paper, **marks)
    return drawing


def _shown(length: float) -> float:
    """A length on a logarithmic axis, which has no 0."""
    return max(1.0, length)


def _log_axis(made: Axes, lengths: Sequence[Lengths], theme: Theme) -> None:
    """Powers of ten that hold all that is shown."""
    first = math.floor(math.log10(min(_shown(min(one.response[0], one.whole)) for one in lengths)))
    last = math.ceil(math.log10(max(_shown(max(one.response[-1], one.whole)) for one in lengths)))
    ticks = [10**power for power in range(first, max(last, first + 1) + 1)]
    made.set(xscale="log", xlim=(ticks[0], ticks[-1]))
    made.minorticks_off()
    made.set_xticks(ticks, [f"{tick // 1000}k" if tick >= 1000 else str(tick) for tick in ticks])
    made.grid(axis="x", color=theme.line, linewidth=0.6)


@dataclass(frozen=True)
class Lengths:
    """Lengths in characters.

    Attributes:
        n: how many responses.
        response: the percentiles `_SHARES` of the responses without reasoning.
        whole: the median of the responses as they came.
    """

    n: int
    response: tuple[float, ...]
    whole: float

    @property
    def median(self) -> float:
        """Of the responses without reasoning."""
        return self.response[_SHARES.index(50)]

"""Short questions: how many answers are right (CO), not attempted (NA) and wrong (IN); SimpleQA, Wei et al. 2024."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

from hueval_metrics.reports.columns import tasks
from hueval_metrics.reports.figures import names
from hueval_metrics.reports.figures.canvas import MARGIN, WIDTH, axes, end_number, name_room, sheet
from hueval_metrics.reports.figures.figure import Figure
from hueval_metrics.reports.figures.points import columns_of, point
from hueval_metrics.reports.figures.theme import Theme
from hueval_metrics.runs.run import Run

if TYPE_CHECKING:
    from matplotlib.figure import Figure as Drawing

_METRICS = {"CO": "correct", "NA": "not_attempted", "IN": "incorrect"}
_HATCHES = ("", "////", "\\\\")
_ROW, _HEAD, _FOOT, _NUMBER, _SWATCH = 0.22, 0.28, 0.26, 0.54, 0.14  # inches


def outcomes_figures(runs: Sequence[Run]) -> Iterator[Figure]:
    """The shares of each model's answers, stacked, for each task of which a run has all three."""
    shown = names.short_names([run.label for run in runs])
    for task in tasks(runs):
        points = [{code: point(run, task, metric) for code, metric in _METRICS.items()} for run in runs]
        scored = [place for place, row in enumerate(points) if all(row.values())]
        if not scored:
            continue
        shares = {code: [one.value for place in scored if (one := points[place][code])] for code in _METRICS}
        rows = [
            {"model": runs[place].label, "outcome": code} | columns_of(one)
            for place in scored
            for code, one in points[place].items()
        ]
        draw = partial(_stacks, shares, [shown[place] for place in scored])
        yield Figure(f"outcomes-{names.slug(task)}", "outcomes", rows, draw, {"task": names.task_name(task)})


def _stacks(shares: Mapping[str, Sequence[float]], shown: Sequence[str], theme: Theme) -> Drawing:
    """A bar a model; its numbers stand beside it, in columns whose heads say which part of the bar is which."""
    from matplotlib.patches import Rectangle

    room, high = name_room(shown), _ROW * len(shown)
    wide = WIDTH - 2 * MARGIN - room - _NUMBER * len(shares)
    drawing = sheet(MARGIN + _HEAD + high + _FOOT, theme)
    made = axes(drawing, theme, MARGIN + room, MARGIN + _HEAD, wide, high)
    made.set(xlim=(0, 100), ylim=(len(shown) - 0.5, -0.5), xticks=range(0, 101, 25))
    made.set_yticks(range(len(shown)), shown, color=theme.ink)
    colors = (theme.fill, theme.neither, theme.wrong)
    ends = [0.0] * len(shown)
    for column, (code, values) in enumerate(shares.items()):
        look: dict[str, Any] = {
            "facecolor": colors[column],
            "hatch": _HATCHES[column],
            "edgecolor": theme.paper,
            "linewidth": 0.8,
        }
        made.barh(range(len(shown)), values, left=ends, height=0.72, **look)
        ends = [end + value for end, value in zip(ends, values, strict=True)]
        right, foot = MARGIN + room + wide + _NUMBER * (column + 1), high + _FOOT + 0.06
        swatch = (right - 0.44, foot)
        drawing.add_artist(Rectangle(swatch, _SWATCH, _SWATCH, transform=drawing.dpi_scale_trans, **look))
        end_number(made, -0.5 - (0.06 + _SWATCH / 2) / _ROW, code, theme, _NUMBER * (column + 1), "bold")
        for row, value in enumerate(values):
            end_number(made, row, f"{value:.1f}", theme, _NUMBER * (column + 1))
    return drawing

"""What the figures share in drawing: an empty sheet, axes placed in inches, panels of bars with their intervals."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from hueval_metrics.reports.figures.names import width
from hueval_metrics.reports.figures.points import Point
from hueval_metrics.reports.figures.theme import SMALL, Theme

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure as Drawing

WIDTH = 8.0  # inches; 768 CSS pixels
MARGIN = 0.08
ROW = 0.2  # of one model
_CHARACTER = 0.073  # inches that a small letter takes
_NUMBER = 0.46  # room for the number at the end of a bar
_TITLE, _GAP, _TICKS = 0.26, 0.2, 0.24
_ABREAST = 3  # panels of models side by side


@dataclass(frozen=True)
class Panel:
    """One block of bars.

    Attributes:
        title: what stands above it.
        points: one a model; None where it has no score.
        top: where the axis ends; it begins at 0.
        form: how the number at the end of a bar is written, for `format`.
    """

    title: str
    points: Sequence[Point | None]
    top: float
    form: str = ".1f"


def round_up(value: float) -> float:
    """The end of an axis that holds a value, such that half of it is a round number too.

    >>> round_up(3.4), round_up(0.02), round_up(0)
    (4.0, 0.02, 1.0)
    """
    if value <= 0:
        return 1.0
    power = 10.0 ** math.floor(math.log10(value))
    return next(step * power for step in (1, 2, 4, 6, 8, 10) if value <= step * power * (1 + 1e-9))


def top_of(points: Iterable[Point | None]) -> float:
    """The end of an axis that holds points in percent and their intervals."""
    return round_up(max((one.high or one.value for one in points if one), default=100.0))


def sheet(height: float, theme: Theme, sheet_width: float = WIDTH) -> Drawing:
    """An empty drawing; sizes in inches."""
    from matplotlib.figure import Figure as Drawing

    return Drawing(figsize=(sheet_width, height), facecolor=theme.paper)


def axes(drawing: Drawing, theme: Theme, left: float, top: float, wide: float, high: float) -> Axes:
    """Axes without a frame; place and size in inches, from the left and the upper edge."""
    whole_width, whole_height = drawing.get_size_inches()
    made = drawing.add_axes(
        (left / whole_width, 1 - (top + high) / whole_height, wide / whole_width, high / whole_height),
        facecolor="none",
    )
    for side in made.spines.values():
        side.set_visible(False)
    made.tick_params(length=0, pad=3, colors=theme.soft, labelsize=SMALL)
    made.set_axisbelow(True)
    return made


def name_room(names: Sequence[str]) -> float:
    """The inches that the longest name takes."""
    return _CHARACTER * max(map(width, names), default=0) + MARGIN


def legend(drawing: Drawing, styles: Mapping[str, Mapping[str, Any]], theme: Theme, columns: int, place: Any) -> None:
    """Names beside their lines, in the margin of the drawing; `place` as matplotlib's `loc`."""
    from matplotlib.lines import Line2D

    # matplotlib leaves out a name that begins with an underscore; a hair space before it is not seen.
    names = ["\u200a" + name if name.startswith("_") else name for name in styles]
    drawing.legend(
        [Line2D([], [], **style) for style in styles.values()],
        names,
        loc=place,
        ncols=columns,
        frameon=False,
        labelcolor=theme.ink,
        fontsize=SMALL,
        handlelength=2.6,
        borderaxespad=0.6,
    )


def whiskers(
    made: Axes, points: Sequence[Point | None], theme: Theme, *, upright_at: Sequence[float] | None = None
) -> None:
    """The intervals of points, all in one line with gaps: lying in rows 0, 1, 2, …, or upright at these places."""
    along, across = [], []
    for place, one in zip(range(len(points)) if upright_at is None else upright_at, points, strict=True):
        if one is not None and one.low is not None and one.high is not None:
            along += [one.low, one.high, math.nan]
            across += [place, place, math.nan]
    x, y = (along, across) if upright_at is None else (across, along)
    made.plot(x, y, color=theme.ink, linewidth=1.1, solid_capstyle="butt", zorder=3)


def model_panels(shown: Sequence[str], high: float, theme: Theme, head: float = 0) -> tuple[Drawing, list[Axes]]:
    """A sheet with a panel for each model, three side by side, their names above them.

    Args:
        shown: the models' names, at least one.
        high: inches of a panel.
        theme: the colours.
        head: inches left free at the upper edge.
    """
    abreast = min(len(shown), _ABREAST)
    lines = math.ceil(len(shown) / abreast)
    line = _TITLE + high + _TICKS + _GAP
    wide = (WIDTH - MARGIN) / max(2, abreast)
    drawing = sheet(MARGIN + head + lines * line - _GAP, theme, MARGIN + wide * abreast)
    made = []
    for place, name in enumerate(shown):
        down, across = divmod(place, abreast)
        left, top = MARGIN + _TICKS + across * wide, MARGIN + head + _TITLE + down * line
        made.append(axes(drawing, theme, left, top, wide - _TICKS - 2 * MARGIN, high))
        title(made[-1], name, theme)
    return drawing, made


def end_number(made: Axes, row: float, text: str, theme: Theme, room: float, weight: str = "normal") -> None:
    """What stands at the end of a row, outside the axes; its right edge is `room` inches from theirs."""
    made.annotate(
        text,
        (1, row),
        (72 * room, 0),  # points
        xycoords=made.get_yaxis_transform(),
        textcoords="offset points",
        annotation_clip=False,
        ha="right",
        va="center_baseline",
        fontsize=SMALL,
        fontweight=weight,
        color=theme.ink,
    )


def title(made: Axes, text: str, theme: Theme) -> None:
    """What stands above a panel, at its left edge."""
    made.set_title(text, loc="left", fontsize=SMALL + 1, fontweight="bold", color=theme.ink, pad=4)


def panel_grid(
    titles: Sequence[str], shown: Sequence[str], theme: Theme, columns: int, end: float = 0
) -> tuple[Drawing, list[Axes]]:
    """A sheet of panels with a row a model; the models' names stand at the left of each line of panels.

    Args:
        titles: of the panels, at least one.
        shown: the models' names, at least one.
        theme: the colours.
        columns: panels side by side, at most.
        end: inches left free at the right of each panel.
    """
    columns = min(columns, len(titles))
    room, high = name_room(shown), ROW * len(shown)
    line, wide = _TITLE + high + _TICKS + _GAP, (WIDTH - 2 * MARGIN - room) / columns
    drawing = sheet(2 * MARGIN + math.ceil(len(titles) / columns) * line - _GAP, theme)
    made = []
    for place, text in enumerate(titles):
        down, across = divmod(place, columns)
        left, top = MARGIN + room + across * wide, MARGIN + _TITLE + down * line
        one = axes(drawing, theme, left, top, wide - end - 2 * MARGIN, high)
        one.set_ylim(len(shown) - 0.5, -0.5)
        if across:
            one.set_yticks([])
        else:
            one.set_yticks(range(len(shown)), shown, color=theme.ink)
        title(one, text, theme)
        made.append(one)
    return drawing, made


def bar_panels(panels: Sequence[Panel], shown: Sequence[str], theme: Theme, *, columns: int = 4) -> Drawing:
    """Bars with intervals and numbers; the arguments are those of `panel_grid`, panels with a point a model."""
    drawing, made = panel_grid([panel.title for panel in panels], shown, theme, columns, _NUMBER)
    for one, panel in zip(made, panels, strict=True):
        if any(panel.points):
            _bars(one, panel, theme)
        else:
            one.set_visible(False)
    return drawing


def _bars(made: Axes, panel: Panel, theme: Theme) -> None:
    ticks = [0, panel.top / 2, panel.top]
    made.set_xlim(0, panel.top)
    made.set_xticks(ticks, [f"{tick:g}" for tick in ticks])
    made.grid(axis="x", color=theme.line, linewidth=0.6)
    made.barh(range(len(panel.points)), [one.value if one else 0 for one in panel.points], 0.62, color=theme.fill)
    whiskers(made, panel.points, theme)
    for row, one in enumerate(panel.points):
        end_number(made, row, format(one.value, panel.form) if one else "–", theme, _NUMBER)

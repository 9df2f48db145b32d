"""Dots with intervals, with a row for each model and a panel for each metric: who leads, and how sure that is."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from hueval_metrics.reports.figures.charts.scale import span, ticks
from hueval_metrics.reports.figures.layout import MARGIN, ROW, TICKS, intervals, name_room, number_labels
from hueval_metrics.reports.figures.names import Name
from hueval_metrics.reports.figures.points import Point, as_text
from hueval_metrics.reports.figures.sheet import NUMBER, WIDE, Sheet
from hueval_metrics.reports.figures.theme import Theme, reference_style

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_NUMBER = 0.42  # inches; room for the number right of a panel
_LINE, _GAP = 0.165, 0.14  # inches; of a line of a heading or of a baseline's name, between lines of panels
_LEAST, _LEAST_NARROW, _MOST = 1.3, 1.05, 4.0  # inches of a panel
_WITH_NUMBERS = 1.3  # inches of a panel that has room for numbers
_ABREAST = 5  # panels side by side, at most
_BOLD = 1.15  # how much wider a bold heading is
_DOT = 5.0  # points


@dataclass(frozen=True)
class DotPanel:
    """A panel of dots.

    Attributes:
        group, heading: the two lines of its heading; the first may be empty.
        points: one for each model; None where it has no score, at least one is there.
        references: baseline → its score.
        better: which end of the scale is the better one; None where neither is.
        bounds: of the scale.
        form: format of the numbers.
        unmarked: the reference that is no run, whose line says all that there is; empty without one.
    """

    group: str
    heading: str
    points: Sequence[Point | None]
    references: Mapping[str, Point]
    better: Literal["higher", "lower"] | None
    bounds: tuple[float, float]
    form: str = ".1f"
    unmarked: str = ""

    @property
    def best(self) -> float | None:
        """The best score, where there are two to compare."""
        known = [one.value for one in self.points if one]
        if self.better is None or len(known) < 2:
            return None
        return max(known) if self.better == "higher" else min(known)

    @property
    def title(self) -> str:
        """The heading in one line."""
        return f"{self.group} {self.heading}".strip()


def dots(panels: Sequence[DotPanel], models: Sequence[Name], theme: Theme, wide: float) -> Sheet:
    """Draw the panels.

    The interval of the best model is a band through all rows. A baseline is a thin line with its name at its upper end;
    one that is far from all models is named at the edge, with an arrow.
    """
    names = [name.at(wide) for name in models]
    left = MARGIN + name_room(names) + MARGIN
    room = wide - left - MARGIN
    headings = max(name_room([panel.group for panel in panels]), _BOLD * name_room([panel.heading for panel in panels]))
    least = max(_LEAST if wide >= WIDE else _LEAST_NARROW, headings + MARGIN)
    columns = max(1, min(_ABREAST, len(panels), int(room / least + 1e-6)))
    columns = math.ceil(len(panels) / math.ceil(len(panels) / columns))  # lines of equal length
    own = min(_MOST, room / columns)
    lines = [panels[start : start + columns] for start in range(0, len(panels), columns)]
    rows = ROW * len(models)
    heads = [_head(line) for line in lines]
    sheet = Sheet.of(wide, 2 * MARGIN + sum(heads) + len(lines) * (rows + TICKS + _GAP) - _GAP, theme)
    top = MARGIN
    for line, head in zip(lines, heads, strict=True):
        for row, name in enumerate(names):
            sheet.text(left - MARGIN, top + head + ROW * (row + 0.5), name, ha="right")
        for place, panel in enumerate(line):
            _panel(sheet, panel, models, (left + place * own, top, own - 2 * MARGIN), head)
        top += head + rows + TICKS + _GAP
    return sheet


def _head(panels: Sequence[DotPanel]) -> float:
    """Inches above the rows of a line of panels: two lines of headings, and the names of baselines."""
    return _LINE * (2 + max(len(panel.references) for panel in panels)) + MARGIN


def _panel(sheet: Sheet, panel: DotPanel, models: Sequence[Name], at: tuple[float, float, float], head: float) -> None:
    left, top, wide = at
    theme, has_numbers = sheet.theme, wide + 2 * MARGIN >= _WITH_NUMBERS
    axes = sheet.axes(left, top + head, wide - _NUMBER * has_numbers, ROW * len(models))
    sheet.text(left, top + 0.5 * _LINE, panel.group, color=theme.soft)
    arrow = " ↓" if panel.better == "lower" else ""
    sheet.text(left, top + 1.5 * _LINE, panel.heading + arrow, fontweight="bold")
    low, high = span([one for one in panel.points if one], list(panel.references.values()), panel.bounds)
    axes.set(xlim=(low, high), ylim=(len(models) - 0.5, -0.5), yticks=[])
    axes.grid(axis="x", color=theme.line, linewidth=0.6)
    number_labels(sheet, axes, ticks(low, high))
    _references(sheet, axes, panel, (left, top + head, wide))
    leader = next((one for one in panel.points if one and one.value == panel.best), None)
    if leader and leader.low is not None and leader.high is not None:
        axes.axvspan(leader.low, leader.high, facecolor=theme.line, alpha=0.55, linewidth=0, zorder=0)
    intervals(axes, range(len(models)), panel.points, theme)
    dot: dict[str, Any] = {"linestyle": "", "marker": "o", "clip_on": False, "zorder": 4}
    values = [one.value if one else math.nan for one in panel.points]
    axes.plot(values, range(len(models)), color=theme.fill, markersize=_DOT, markeredgecolor=theme.paper, **dot)
    for row, (name, one) in enumerate(zip(models, panel.points, strict=True)):
        if has_numbers:
            text = format(one.value, panel.form) if one else "–"
            weight = "bold" if one and one.value == panel.best else "normal"
            middle = top + head + ROW * (row + 0.5)
            sheet.text(left + wide, middle, text, ha="right", fontweight=weight, gid=NUMBER)
        if one:
            box = (low, high), (row - 0.5, row + 0.5)
            sheet.mark(axes, *box, name.whole, panel.title, as_text(one, panel.form))


def _references(sheet: Sheet, axes: Axes, panel: DotPanel, at: tuple[float, float, float]) -> None:
    """The lines of the baselines, and above the rows their names, each in a line of its own.

    A name is right of the upper end of its line, or left of it where the panel ends. The order keeps the lines away
    from the names: first the names at the left of their lines, rightmost line first, then the others, leftmost first.
    """
    left, top, wide = at
    low, high = axes.get_xlim()
    inches = axes.get_position().width * sheet.drawing.get_size_inches()[0] / (high - low)
    places = {name: left + (min(max(one.value, low), high) - low) * inches for name, one in panel.references.items()}
    turned = {name for name, x in places.items() if x + MARGIN + name_room([name]) > left + wide}
    order = sorted(places, key=lambda name: (name not in turned, -places[name] if name in turned else places[name]))
    style: dict[str, Any] = {"color": sheet.theme.soft}
    for up, name in enumerate(reversed(order)):
        one, above = panel.references[name], _LINE * (up + 0.5) + MARGIN / 2
        sign, align = (-1, "right") if name in turned else (1, "left")
        if low <= one.value <= high:
            sheet.text(places[name] + sign * MARGIN / 2, top - above, name, ha=align, **style)
            tall = 1 + (above + _LINE / 2) / (ROW * len(panel.points))
            line = reference_style(list(panel.references).index(name), sheet.theme)
            axes.axvline(one.value, 0, tall, clip_on=False, zorder=1, **line)
        elif one.value < low:
            sheet.text(left, top - above, f"‹ {name}", **style)
        else:
            sheet.text(left + wide, top - above, f"{name} ›", ha="right", **style)
        rows = above / ROW + 0.5
        if name != panel.unmarked:
            sheet.mark(axes, (low, high), (-rows - 0.4, -rows + 0.4), name, panel.title, as_text(one, panel.form))

"""Numbers as shaded cells: a row for each model, a column for each part of a benchmark, panels side by side."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from hueval_metrics.reports.figures.layout import MARGIN, name_room
from hueval_metrics.reports.figures.names import Name
from hueval_metrics.reports.figures.points import Point, as_text
from hueval_metrics.reports.figures.sheet import NUMBER, Sheet
from hueval_metrics.reports.figures.theme import SMALL, Theme

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_ROW, _LINE, _BETWEEN = 0.235, 0.17, 0.16  # inches; of a row, of a line of a heading, between panels
_MOST = 0.62  # inches of a column
_APART = 0.3  # of a column, before the columns that are set apart
_FAINT, _FULL = 0.04, 0.55  # opacity of the weakest and the strongest shade: ink stays readable on either background
_BLANK = "–"


class HeatCell(NamedTuple):
    """A cell: how strong its shade is, from -1 to 1, below 0 in another colour; its text in a wide and in a narrow
    drawing, and the text that its mark shows.
    """

    shade: float
    wide: str
    narrow: str
    text: str


@dataclass(frozen=True)
class HeatPanel:
    """A panel of cells.

    Attributes:
        title: its heading.
        columns: the short heading of each column, and its whole name, shown with the values.
        cells: for each model one for each column; None where there is no number.
        n_apart: how many of the last columns are set apart, as averages are.
    """

    title: str
    columns: Sequence[tuple[str, str]]
    cells: Sequence[Sequence[HeatCell | None]]
    n_apart: int = 0

    @property
    def lefts(self) -> list[float]:
        """The left edge of each column, in columns, and the right edge of the last."""
        first = len(self.columns) - self.n_apart
        gap = _APART if 0 < first < len(self.columns) else 0.0
        return [place + gap * (place >= first) for place in range(len(self.columns))] + [len(self.columns) + gap]


def score_cell(one: Point | None, bounds: tuple[float, float]) -> HeatCell | None:
    """The cell of a score, as strong as it is far up its scale.

    >>> score_cell(Point(85.25, 80.0, 90.0, 120), (0, 100))
    HeatCell(shade=0.8525, wide='85.2', narrow='85', text='85.2 [80.0, 90.0], n = 120')
    >>> score_cell(Point(0.062), (0, 1)).narrow
    '.06'
    """
    if one is None:
        return None
    low, high = bounds
    is_fraction = high <= 1
    wide = format(one.value, ".2f" if is_fraction else ".1f")
    narrow = wide.lstrip("0") if is_fraction else format(one.value, ".0f")
    return HeatCell((one.value - low) / (high - low), wide, narrow, as_text(one, ".3f" if is_fraction else ".1f"))


def heatmap(panels: Sequence[HeatPanel], models: Sequence[Name], theme: Theme, wide: float) -> Sheet:
    """Draw the panels, side by side if their wide texts have room so, else one below the other.

    Every cell has its number, so that nothing depends on the shade alone.

    Args:
        panels: at least one.
        models: of the rows.
        theme: the colours.
        wide: inches of the drawing.
    """
    shown = [name.at(wide) for name in models]
    left = MARGIN + name_room(shown) + MARGIN
    room = wide - left - MARGIN
    cells = [cell for panel in panels for row in panel.cells for cell in row if cell]
    needed = name_room([cell.wide for cell in cells])
    gaps = _BETWEEN * (len(panels) - 1)
    is_beside = room - gaps >= needed * sum(panel.lefts[-1] for panel in panels)
    across = sum(panel.lefts[-1] for panel in panels) if is_beside else max(panel.lefts[-1] for panel in panels)
    own = min(_MOST, (room - gaps * is_beside) / across)
    headings = [heading for panel in panels for heading, _ in panel.columns]
    is_upright = name_room(headings) - MARGIN / 2 > own
    head = _LINE + (name_room(headings) if is_upright else 1.2 * _LINE)
    high, n_down = head + _ROW * len(models), 1 if is_beside else len(panels)
    sheet = Sheet.of(wide, 2 * MARGIN + n_down * high + (n_down - 1) * _BETWEEN, theme)
    x, y = left, MARGIN
    for place, panel in enumerate(panels):
        if not is_beside or not place:
            for row, name in enumerate(shown):
                sheet.text(left - MARGIN, y + head + _ROW * (row + 0.5), name, ha="right")
        _panel(sheet, panel, models, (x, y, own), (head, is_upright), own >= needed)
        x, y = (x + own * panel.lefts[-1] + _BETWEEN, y) if is_beside else (x, y + high + _BETWEEN)
    return sheet


def _panel(
    sheet: Sheet,
    panel: HeatPanel,
    models: Sequence[Name],
    at: tuple[float, float, float],
    heading: tuple[float, bool],
    is_wide: bool,
) -> None:
    """Draw a panel.

    Args:
        sheet: the drawing.
        panel: the panel.
        models: of the rows.
        at: its left and its upper edge, and the width of a column, in inches.
        heading: inches of the headings, and whether those of the columns are vertical.
        is_wide: whether the wide texts have room.
    """
    (left, top, own), (head, is_upright), theme, lefts = at, heading, sheet.theme, panel.lefts
    axes = sheet.axes(left, top + head, own * lefts[-1], _ROW * len(models))
    axes.set(xlim=(0, lefts[-1]), ylim=(len(models), 0), xticks=[], yticks=[])
    sheet.text(left, top + _LINE / 2, panel.title, fontsize=SMALL + 1, fontweight="bold")
    for edge, (name, _) in zip(lefts, panel.columns, strict=False):
        middle, foot = left + own * (edge + 0.5), top + head - MARGIN / 2
        style = {"va": "bottom", "rotation": 90} if is_upright else {"va": "bottom"}
        sheet.text(middle, foot, name, ha="center", color=theme.soft, **style)
    for row, (model, cells) in enumerate(zip(models, panel.cells, strict=True)):
        for edge, (_, name), cell in zip(lefts, panel.columns, cells, strict=False):
            x, y = left + own * (edge + 0.5), top + head + _ROW * (row + 0.5)
            if cell is None:
                sheet.text(x, y, _BLANK, ha="center", color=theme.soft)
                continue
            sheet.text(x, y, cell.wide if is_wide else cell.narrow, ha="center", zorder=5, gid=NUMBER)
            shaded(axes, cell, (edge, row), theme)
            sheet.mark(axes, (edge, edge + 1), (row, row + 1), model.whole, f"{panel.title}, {name}", cell.text)


def shaded(axes: Axes, cell: HeatCell, corner: tuple[float, float], theme: Theme) -> None:
    """Shade the cell with this upper left corner in axes whose unit is a cell."""
    from matplotlib.patches import Rectangle

    strength = _FAINT + (_FULL - _FAINT) * min(1.0, abs(cell.shade))
    color = theme.fill if cell.shade >= 0 else theme.colors[1]
    # Not add_patch, which takes ten times as long for the limits that are set already.
    axes.add_artist(Rectangle(corner, 1, 1, facecolor=color, alpha=strength, linewidth=0, clip_on=False))

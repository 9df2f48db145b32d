"""Numbers as shaded cells for many parts of a benchmark: a row for each part, a column for each model."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from hueval_metrics.reports.figures.charts.heatmap import HeatCell, shaded
from hueval_metrics.reports.figures.layout import MARGIN, name_room
from hueval_metrics.reports.figures.names import Name
from hueval_metrics.reports.figures.sheet import NUMBER, Sheet
from hueval_metrics.reports.figures.theme import Theme

_ROW, _GAP = 0.2, 0.14  # inches; of a row, before a group and between blocks of columns
_MOST, _LEAST = 0.6, 0.2  # inches of a column


@dataclass(frozen=True)
class RowGroup:
    """Rows that belong together.

    Attributes:
        title: of the group.
        whole: for each model the number of the whole group; None where there is none.
        rows: their names.
        cells: for each row a cell for each model; None where there is no number.
    """

    title: str
    whole: Sequence[HeatCell | None]
    rows: Sequence[Name]
    cells: Sequence[Sequence[HeatCell | None]]


def tall_map(groups: Sequence[RowGroup], models: Sequence[Name], theme: Theme, wide: float) -> Sheet:
    """Draw the groups below one another; models that have no room side by side go into another block below.

    Every cell has its number, so that nothing depends on the shade alone.

    Args:
        groups: at least one.
        models: of the columns, at least one.
        theme: the colours.
        wide: inches of the drawing.
    """
    left = 2 * MARGIN + name_room([row.at(wide) for group in groups for row in group.rows])
    room = wide - left - MARGIN
    most = max(1, int(room / _LEAST))
    blocks = [range(start, min(start + most, len(models))) for start in range(0, len(models), most)]
    own = min(_MOST, room / len(blocks[0]))
    head = name_room([name.at(wide) for name in models])
    rows = sum(_ROW * (1 + len(group.rows)) + _GAP for group in groups)
    sheet = Sheet.of(wide, MARGIN + len(blocks) * (head + rows + _GAP), theme)
    top = MARGIN
    for block in blocks:
        _block(sheet, groups, [models[place] for place in block], block, (left, top + head, own))
        top += head + rows + _GAP
    return sheet


def _block(
    sheet: Sheet,
    groups: Sequence[RowGroup],
    models: Sequence[Name],
    places: range,
    at: tuple[float, float, float],
) -> None:
    """Draw some columns; `at` has the left and the upper edge of the cells, and the width of a column, in inches."""
    (left, top, own), theme = at, sheet.theme
    wide, _ = sheet.drawing.get_size_inches()
    for column, model in enumerate(models):
        x = left + own * (column + 0.5)
        sheet.text(x, top - MARGIN / 2, model.at(wide), ha="center", va="bottom", rotation=90, color=theme.soft)
    for group in groups:
        lines = [(Name(group.title, group.title, group.title), group.whole), *zip(group.rows, group.cells, strict=True)]
        axes = sheet.axes(left, top, own * len(models), _ROW * len(lines))
        axes.set(xlim=(0, len(models)), ylim=(len(lines), 0), xticks=[], yticks=[])
        for down, (name, cells) in enumerate(lines):
            weight, middle = "normal" if down else "bold", top + _ROW * (down + 0.5)
            sheet.text(left - MARGIN, middle, name.at(wide), ha="right", fontweight=weight)
            for column, (model, cell) in enumerate(zip(models, (cells[place] for place in places), strict=True)):
                x = left + own * (column + 0.5)
                if cell is None:
                    sheet.text(x, middle, "–", ha="center", color=theme.soft)
                    continue
                shaded(axes, cell, (column, down), theme)
                sheet.text(x, middle, cell.narrow, ha="center", fontweight=weight, zorder=5, gid=NUMBER)
                what = f"{group.title}, {name.whole}" if down else group.title
                sheet.mark(axes, (column, column + 1), (down, down + 1), model.whole, what, cell.text)
        top += _ROW * len(lines) + _GAP

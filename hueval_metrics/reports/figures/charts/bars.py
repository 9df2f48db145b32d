"""Horizontal bars with intervals and numbers, with a row for each model."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from hueval_metrics.reports.figures.layout import LEGEND, intervals, legend, legend_lines, number_labels, row_grid
from hueval_metrics.reports.figures.names import Name
from hueval_metrics.reports.figures.points import Point, as_text
from hueval_metrics.reports.figures.sheet import NUMBER, Sheet
from hueval_metrics.reports.figures.theme import SMALL, Theme, reference_style

_NUMBER = 0.46  # inches; room for the number right of a bar
_THICK = 0.62  # of a row


@dataclass(frozen=True)
class BarPanel:
    """A panel of horizontal bars.

    Attributes:
        title: its heading.
        points: one for each model; None where it has no score.
        top: the end of the axis, which begins at 0.
        form: format of the numbers right of the bars.
        references: baseline → its score, drawn as a line through all rows.
    """

    title: str
    points: Sequence[Point | None]
    top: float
    form: str = ".1f"
    references: Mapping[str, Point] = field(default_factory=dict)


def bars(panels: Sequence[BarPanel], models: Sequence[Name], theme: Theme, wide: float, *, columns: int = 4) -> Sheet:
    """Draw the panels, with the names of the baselines above them."""
    baselines = list(dict.fromkeys(name for panel in panels for name in panel.references))
    styles = {name: reference_style(place, theme) for place, name in enumerate(baselines)}
    head = LEGEND * len(legend_lines(baselines, wide))
    titles, shown = [panel.title for panel in panels], [name.at(wide) for name in models]
    sheet, grid = row_grid(titles, shown, theme, wide, columns, _NUMBER, head)
    legend(sheet, styles, 0)
    for axes, panel in zip(grid, panels, strict=True):
        if not any(panel.points):
            axes.set_visible(False)
            continue
        rows = range(len(models))
        axes.set_xlim(0, panel.top)
        number_labels(sheet, axes, [0, panel.top / 2, panel.top])
        axes.barh(rows, [one.value if one else 0 for one in panel.points], _THICK, color=theme.fill)
        intervals(axes, rows, panel.points, theme)
        for baseline, reference in panel.references.items():
            axes.axvline(reference.value, clip_on=False, zorder=2, **styles[baseline])
        for row, (name, one) in enumerate(zip(models, panel.points, strict=True)):
            text = format(one.value, panel.form) if one else "–"
            style: dict[str, Any] = {"ha": "right", "va": "center_baseline", "fontsize": SMALL, "color": theme.ink}
            at_the_end: dict[str, Any] = {"xycoords": axes.get_yaxis_transform(), "textcoords": "offset points"}
            axes.annotate(text, (1, row), (72 * _NUMBER, 0), annotation_clip=False, gid=NUMBER, **at_the_end, **style)
            if one:
                value = as_text(one, panel.form)
                sheet.mark(axes, (0, panel.top), (row - 0.5, row + 0.5), name.whole, panel.title, value)
    return sheet

"""Vertical bars with their percentages, with a panel for each model, all on one scale."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from hueval_metrics.reports.figures.layout import MARGIN, name_room, note, panel_grid
from hueval_metrics.reports.figures.names import Name
from hueval_metrics.reports.figures.sheet import WIDE, Sheet
from hueval_metrics.reports.figures.theme import SMALL, Theme

_LEAST_SHOWN = 0.5  # percent; less would be 0 above a bar that is there
_ABREAST, _HIGH, _LEAST = 3, 1.2, 1.6  # panels side by side; inches of a panel


@dataclass(frozen=True)
class HistogramPanel:
    """A panel for one model: the percentage of each bar, a number in its upper left corner, and n."""

    model: Name
    percentages: Sequence[float]
    note: str
    n: int


def histograms(panels: Sequence[HistogramPanel], labels: Sequence[str], theme: Theme, wide: float) -> Sheet:
    """Draw the panels."""
    titles = [panel.model.at(wide) for panel in panels]
    sheet, grid = panel_grid(titles, _HIGH, theme, wide, _ABREAST, least=_LEAST)
    small = "<1" if wide >= WIDE else ""  # wider than a bar of a narrow drawing
    top = 1.35 * max(max(panel.percentages) for panel in panels)
    for axes, panel in zip(grid, panels, strict=True):
        axes.set(ylim=(0, top), yticks=[])
        pitch = axes.get_position().width * sheet.drawing.get_size_inches()[0] / len(labels)
        every = math.ceil((name_room(labels) - MARGIN) / pitch)  # labels that would meet are left out
        axes.set_xticks(range(0, len(labels), every), labels[::every])
        drawn = axes.bar(range(len(labels)), panel.percentages, 0.72, color=theme.fill)
        shown = [f"{value:.0f}" if value >= _LEAST_SHOWN else small * (value > 0) for value in panel.percentages]
        axes.bar_label(drawn, shown, fontsize=SMALL, color=theme.soft, padding=1)
        axes.axhline(0, color=theme.line, linewidth=0.7)
        note(axes, panel.note, theme)
        for place, (label, value) in enumerate(zip(labels, panel.percentages, strict=True)):
            text = f"{value:.1f} %, n = {panel.n}"
            sheet.mark(axes, (place - 0.5, place + 0.5), (0, top), panel.model.whole, label, text)
    return sheet

"""Outlines of models over at least three spokes."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from hueval_metrics.reports.figures.layout import LEGEND, MARGIN, legend, legend_lines
from hueval_metrics.reports.figures.names import Name
from hueval_metrics.reports.figures.points import Point
from hueval_metrics.reports.figures.sheet import Sheet
from hueval_metrics.reports.figures.theme import SMALL, Theme, line_style

_RADIUS, _EDGE = 1.6, 0.35  # inches; at most, and of the room for the headings
_MOST = 5.0  # inches of the drawing
_RING = 20  # points of the score between two rings
_NEAR = 6.0  # points around a corner in which its value is shown


def radar(
    headings: Sequence[str], outlines: Mapping[int, tuple[Name, Sequence[Point | None]]], theme: Theme, wide: float
) -> Sheet:
    """Draw the outlines; the rings fit the highest score.

    Args:
        headings: of the spokes, clockwise from the top.
        outlines: index of the model in the report → its name, and a point in percent for each spoke.
        theme: the colours.
        wide: inches of the drawing, at most.
    """
    highest = max(one.value for _, points in outlines.values() for one in points if one)
    end = min(100, _RING * max(1, math.ceil(highest / _RING)))
    looks = {name.at(wide): line_style(place, theme) for place, (name, _) in outlines.items()}
    wide = min(wide, _MOST)
    radius = min(_RADIUS, wide / 2 - _EDGE - MARGIN)
    side = 2 * (radius + _EDGE)
    high = side + LEGEND * len(legend_lines(list(looks), wide)) + MARGIN
    sheet = Sheet.of(wide, high, theme)
    at = ((wide - 2 * radius) / 2 / wide, 1 - (2 * radius + _EDGE) / high, 2 * radius / wide, 2 * radius / high)
    axes: Any = sheet.drawing.add_axes(at, projection="polar", facecolor="none")
    axes.set_theta_zero_location("N")
    axes.set_theta_direction("clockwise")
    axes.set_rlim(0, end)
    turns = [2 * math.pi * spoke / len(headings) for spoke in range(len(headings))]
    axes.set_thetagrids(np.degrees(turns), headings, color=theme.ink, fontweight="bold", fontsize=SMALL)
    between = 180 / len(headings)  # degrees; half way to the second spoke, where no outline has its corner
    axes.set_rgrids(range(_RING, end + 1, _RING), angle=between, color=theme.soft, fontsize=SMALL)
    axes.grid(color=theme.line, linewidth=0.7)
    axes.spines["polar"].set_visible(False)
    for place, (name, points) in outlines.items():
        values = [math.nan if one is None else max(0.0, one.value) for one in points]
        axes.plot([*turns, turns[0]], [*values, values[0]], clip_on=False, **line_style(place, theme))
        for turn, heading, one in zip(turns, headings, points, strict=True):
            if one:
                sheet.mark_point(axes, (turn, max(0.0, one.value)), _NEAR, name.whole, heading, one)
    legend(sheet, looks, side)
    return sheet

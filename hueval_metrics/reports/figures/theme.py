"""How the figures look: light and dark colours, and marks that do not need colour.

The colours of models are Okabe & Ito's (2008, Color Universal Design), those that are too pale for the paper replaced.
Each stands out from its paper by 3:1 or more (WCAG 2.2, 1.4.11), and from the others under the three kinds of colour
blindness (Machado et al. 2009). Markers and dashes differ too, so that no figure is told by colour alone.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

MARKERS = ("o", "s", "^", "D", "v", "P", "X", "p", "<", ">")
DASHES: tuple[Any, ...] = ("-", (0, (5, 1.5)), (0, (1, 1)), (0, (5, 1.5, 1, 1.5)))
SIZE, SMALL = 9.0, 8.25  # points; a point is 4/3 CSS pixels, so nothing is smaller than 11 of them


def line_style(place: int, theme: Theme) -> dict[str, Any]:
    """How a model's line looks, for `Axes.plot`; the models of a report keep theirs in every figure.

    Args:
        place: the model's place among all of the report.
        theme: the colours.
    """
    return {
        "color": theme.colors[place % len(theme.colors)],
        "marker": MARKERS[place % len(MARKERS)],
        "linestyle": DASHES[place // len(theme.colors) % len(DASHES)],
        "linewidth": 1.5,
        "markersize": 4.5,
    }


@dataclass(frozen=True)
class Theme:
    """The colours of one background, as `#rrggbb`.

    Attributes:
        name: `light` or `dark`.
        paper: the background, as the page's.
        ink: text.
        soft: text that stands back, axes, intervals.
        line: grids.
        fill: bars.
        colors: of models; a seventh model has the first one again, with other dashes and another marker.
    """

    name: str
    paper: str
    ink: str
    soft: str
    line: str
    fill: str
    colors: tuple[str, ...]


LIGHT = Theme(
    name="light",
    paper="#ffffff",
    ink="#1c1e21",
    soft="#565c64",
    line="#d5d9de",
    fill="#0072b2",
    colors=("#0072b2", "#d55e00", "#009e73", "#7800d8", "#1c1e21", "#cc79a7"),
)
DARK = Theme(
    name="dark",
    paper="#15171a",
    ink="#e8eaed",
    soft="#a7adb5",
    line="#3a3f46",
    fill="#56b4e9",
    colors=("#56b4e9", "#e69f00", "#009e73", "#8458f0", "#f0e442", "#cc79a7"),
)

"""The colours, markers and dashes of the figures, for a light and a dark background.

The colours of models are Okabe & Ito's (2008, Color Universal Design); those with too little contrast are replaced.
Each has a contrast of at least 3:1 with the background (WCAG 2.2, 1.4.11) and differs from the others under the three
kinds of colour blindness (Machado et al. 2009). Markers and dashes differ too, so no figure depends on colour alone.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

MARKERS = ("o", "s", "^", "D", "v", "P", "X", "p", "<", ">")
DASHES: tuple[Any, ...] = ("-", (0, (5, 1.5)), (0, (1, 1)), (0, (5, 1.5, 1, 1.5)))
_REFERENCES: tuple[Any, ...] = ((0, (4, 1.5)), (0, (1, 1.5)), (0, (4, 1.5, 1, 1.5)), (0, (9, 2)))
SIZE, SMALL = 9.0, 8.25  # points of 4/3 CSS pixels: no text is smaller than 11 pixels


def line_style(place: int, theme: Theme) -> dict[str, Any]:
    """The style of a model's line, for `Axes.plot`; a model has the same one in every figure of a report.

    Args:
        place: index of the model in the report.
        theme: the colours.
    """
    return {
        "color": theme.colors[place % len(theme.colors)],
        "marker": MARKERS[place % len(MARKERS)],
        "linestyle": DASHES[place // len(theme.colors) % len(DASHES)],
        "linewidth": 1.5,
        "markersize": 4.5,
    }


def reference_style(place: int, theme: Theme) -> dict[str, Any]:
    """The style of a baseline's reference line; `place` is its index among the baselines."""
    return {"color": theme.soft, "linestyle": _REFERENCES[place % len(_REFERENCES)], "linewidth": 1.1}


@dataclass(frozen=True)
class Theme:
    """The colours of one background, as `#rrggbb`.

    Attributes:
        name: `light` or `dark`.
        paper: the background, the same as the page's.
        ink: text and intervals.
        soft: labels of axes.
        line: grids.
        fill: bars.
        colors: of models; the seventh model has the first colour again, with other dashes and another marker.
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
# Stands for the colours of whichever background the page has: no drawing holds these, `VARIABLES` replaces them.
PAGE = Theme(
    name="page",
    paper="#f00001",
    ink="#f00002",
    soft="#f00003",
    line="#f00004",
    fill="#f00005",
    colors=tuple(f"#f0000{place}" for place in "6789ab"),
)
# Colour of `PAGE` → variable of the page's style sheet.
VARIABLES = {getattr(PAGE, name): f"--{name}" for name in ("paper", "ink", "soft", "line", "fill")}
VARIABLES |= {color: f"--model-{place}" for place, color in enumerate(PAGE.colors)}

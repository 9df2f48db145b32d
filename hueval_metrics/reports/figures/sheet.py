"""A figure being drawn: its size, its colours, and the marks whose values the page shows on hover and focus."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

from hueval_metrics.reports.figures.points import Point, as_text
from hueval_metrics.reports.figures.theme import SMALL, Theme

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure as Drawing

WIDE, NARROW = 7.9, 3.54  # inches of 96 CSS pixels: a drawing for a screen and one for a phone
NUMBER = "number"  # group of a text that is a number: the page writes it as its language does
_POINTS = 72  # an inch


class Mark(NamedTuple):
    """A part of a drawing that shows a value.

    Attributes:
        left, top, wide, high: its box, in points from the upper left corner.
        model: the model's whole name.
        what: the metric, the stratum or whatever the value is of.
        value: the value with its interval and n.
    """

    left: float
    top: float
    wide: float
    high: float
    model: str
    what: str
    value: str


@dataclass(frozen=True)
class Sheet:
    """A drawing, its colours and its marks; sizes in inches."""

    drawing: Drawing
    theme: Theme
    marks: list[Mark] = field(default_factory=list)

    @classmethod
    def of(cls, wide: float, high: float, theme: Theme) -> Sheet:
        """An empty one."""
        from matplotlib.figure import Figure as Drawing

        return cls(Drawing(figsize=(wide, high), facecolor=theme.paper), theme)

    def axes(self, left: float, top: float, wide: float, high: float) -> Axes:
        """Axes without a frame; inches from the left and the upper edge."""
        whole_width, whole_height = self.drawing.get_size_inches()
        at = (left / whole_width, 1 - (top + high) / whole_height, wide / whole_width, high / whole_height)
        axes = self.drawing.add_axes(at, facecolor="none")
        axes.spines[:].set_visible(False)
        axes.tick_params(bottom=False, left=False, pad=3, colors=self.theme.soft, labelsize=SMALL)
        axes.set_axisbelow(True)
        return axes

    def text(self, left: float, top: float, text: str, **style: Any) -> None:
        """A text with its middle at this height; inches from the left and the upper edge."""
        wide, high = self.drawing.get_size_inches()
        usual: dict[str, Any] = {"fontsize": SMALL, "color": self.theme.ink, "ha": "left", "va": "center_baseline"}
        self.drawing.text(left / wide, 1 - top / high, text, **(usual | style))

    def mark(
        self, axes: Axes, across: tuple[float, float], down: tuple[float, float], model: str, what: str, value: str
    ) -> None:
        """Mark a box of axes, whose limits are final, in their own units."""
        corners = axes.transData.transform([(across[0], down[0]), (across[1], down[1])])
        (left, right), (low, high) = (sorted(one) for one in (corners.T * _POINTS / self.drawing.dpi).tolist())
        top = self.drawing.get_size_inches()[1] * _POINTS - high
        self.marks.append(Mark(left, top, right - left, high - low, model, what, value))

    def mark_point(
        self, axes: Axes, at: tuple[float, float], radius: float, model: str, what: str, one: Point, form: str = ".1f"
    ) -> None:
        """Mark a dot; the radius in points."""
        x, y = (axes.transData.transform(at) * _POINTS / self.drawing.dpi).tolist()
        top = self.drawing.get_size_inches()[1] * _POINTS - y
        box = (x - radius, top - radius, 2 * radius, 2 * radius)
        self.marks.append(Mark(*box, model, what, as_text(one, form)))

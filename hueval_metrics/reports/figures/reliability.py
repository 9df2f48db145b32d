"""How well stated confidences fit: a reliability diagram (Guo et al. 2017) of tasks with a calibration error."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from hueval_metrics.metrics.basic import PERCENT
from hueval_metrics.metrics.calibration import BINS, bin_of, settled
from hueval_metrics.reports.figures import names
from hueval_metrics.reports.figures.canvas import model_panels, whiskers
from hueval_metrics.reports.figures.figure import Figure
from hueval_metrics.reports.figures.gather import FigureData, calibration_error
from hueval_metrics.reports.figures.points import Point, columns_of, estimated
from hueval_metrics.reports.figures.theme import SMALL, Theme
from hueval_metrics.runs.run import Run

if TYPE_CHECKING:
    from matplotlib.figure import Figure as Drawing

_WIDE = 100 / BINS  # percent; of a bin
_HIGH = 1.9  # inches; of a panel
_FOOT, _HEAD = -36, 120  # where its axis begins and ends: the counts stand below 0, the error above 100


def reliability_figures(data: FigureData, runs: Sequence[Run]) -> Iterator[Figure]:
    """Accuracy against confidence in ten bins, a panel a model, for each task in which answers state one."""
    shown = names.short_names([run.label for run in runs])
    for task in data.tasks():
        panels: list[tuple[str, float, list[Bin]]] = []
        rows: list[dict[str, object]] = []
        for place, run in enumerate(runs):
            stated, error = data.of(place, task).confidences, calibration_error(task)
            ece = error[1](list(stated.elements())) if error else None
            if ece is None:
                continue
            bins = _bins(Counter(pair for pair in settled(stated.elements()) if pair is not None))
            panels.append((shown[place], ece, bins))
            for one in bins:
                about: dict[str, object] = {"model": run.label, "ece": ece, "bin_low": one.place * _WIDE}
                about |= {"bin_high": (one.place + 1) * _WIDE, "n": one.n, "mean_confidence": one.confidence}
                rows.append(about | columns_of(one.accuracy))
        if panels:
            named = {"task": names.task_name(task)}
            yield Figure(f"reliability-{names.slug(task)}", "reliability", rows, partial(_diagrams, panels), named)


def _bins(pairs: Mapping[tuple[float, float], int]) -> list[Bin]:
    """The bins that hold any answer, in order."""
    inside: dict[int, Counter[tuple[float, float]]] = {}
    for (confidence, correct), count in pairs.items():
        inside.setdefault(bin_of(confidence), Counter())[confidence, correct] += count
    found = []
    for place, answers in sorted(inside.items()):
        outcomes: Counter[float] = Counter()
        for (_, correct), count in answers.items():
            outcomes[correct] += count
        mean = math.fsum(confidence * count for (confidence, _), count in answers.items()) / answers.total()
        accuracy = estimated(PERCENT, outcomes)
        assert accuracy is not None  # there is an answer
        found.append(Bin(place, answers.total(), 100 * mean, accuracy))
    return found


def _diagrams(panels: Sequence[tuple[str, float, Sequence[Bin]]], theme: Theme) -> Drawing:
    """Points at the mean confidence of their bins; how many answers a bin has stands below it."""
    drawing, places = model_panels([name for name, _, _ in panels], _HIGH, theme)
    count_style = {"fontsize": SMALL, "color": theme.ink, "ha": "center", "va": "center", "rotation": 90}
    for made, (_, ece, bins) in zip(places, panels, strict=True):
        made.set(xlim=(0, 100), ylim=(_FOOT, _HEAD), xticks=(0, 50, 100))
        made.set_yticks((_FOOT / 2, 0, 50, 100), ("n", "0", "50", "100"))
        made.hlines([0, 50, 100], 0, 100, color=theme.line, linewidth=0.6, zorder=0)
        made.plot([0, 100], [0, 100], color=theme.soft, linewidth=0.8, dashes=(3, 2))
        across, points = [one.confidence for one in bins], [one.accuracy for one in bins]
        whiskers(made, points, theme, upright_at=across)
        made.plot(across, [one.value for one in points], color=theme.fill, marker="o", markersize=4, clip_on=False)
        made.text(0, _HEAD, f"ECE {ece:.3f}", color=theme.ink, fontsize=SMALL, va="top")
        for one in bins:
            middle = (one.place + 0.5) * _WIDE
            made.text(middle, _FOOT / 2, str(one.n), count_style)
    return drawing


@dataclass(frozen=True)
class Bin:
    """The answers of one bin of confidence.

    Attributes:
        place: 0 for the lowest bin.
        n: how many answers.
        confidence: their mean confidence in percent.
        accuracy: how many of them are right, in percent.
    """

    place: int
    n: int
    confidence: float
    accuracy: Point

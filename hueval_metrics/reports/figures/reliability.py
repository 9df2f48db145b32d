"""Reliability diagrams (Guo et al. 2017) of tasks with a calibration error."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial

from hueval_metrics.metrics.basic import PERCENT
from hueval_metrics.metrics.calibration import CalibrationSettings, bin_of, settled
from hueval_metrics.reports.figures import names
from hueval_metrics.reports.figures.charts.lines import LinePanel, lines
from hueval_metrics.reports.figures.figure import Figure
from hueval_metrics.reports.figures.gather import FigureData, calibration_error
from hueval_metrics.reports.figures.points import Point, columns_of, estimated
from hueval_metrics.runs.run import Run

_TICKS = {0.0: "0", 50.0: "50", 100.0: "100"}


def reliability_figures(data: FigureData, runs: Sequence[Run]) -> Iterator[Figure]:
    """Accuracy against stated confidence, a panel for each model, for each task with stated confidences.

    The bins, and which answers count, are those by which the run was scored.
    """
    lineup = names.lineup(runs)
    for task in data.tasks():
        panels: list[LinePanel] = []
        rows: list[dict[str, object]] = []
        for place in lineup.models:
            run = runs[place]
            numbers, error = data.of(place, task), calibration_error(task)
            settings = CalibrationSettings.of(run.result(task).signature)
            stated = numbers.confidences - numbers.unattempted if settings.attempted else numbers.confidences
            ece = settings.metrics(dict([error]))[error[0]](list(stated.elements())) if error else None
            if ece is None:
                continue
            wide = 100 / settings.bins  # percent
            bins = _bins(Counter(pair for pair in settled(stated.elements()) if pair is not None), settings)
            line = [(one.confidence, one.accuracy) for one in bins]
            counts = {(one.place + 0.5) * wide: one.n for one in bins}
            panels.append(LinePanel(lineup.names[place], {"": line}, counts, f"ECE {ece:.3f}"))
            for one in bins:
                about: dict[str, object] = {"model": run.label, "ece": ece, "bin_low": one.place * wide}
                about |= {"bin_high": (one.place + 1) * wide, "n": one.n, "mean_confidence": one.confidence}
                rows.append(about | columns_of(one.accuracy))
        if panels:
            draw = partial(lines, panels, _TICKS, diagonal=True)
            yield Figure(f"reliability-{names.slug(task)}", "reliability", rows, draw, {"task": names.task_name(task)})


def _bins(pairs: Mapping[tuple[float, float], int], settings: CalibrationSettings) -> list[Bin]:
    """The bins with any answer, in order."""
    inside: dict[int, Counter[tuple[float, float]]] = {}
    for (confidence, correct), count in pairs.items():
        inside.setdefault(bin_of(confidence, settings.bins, settings.edges), Counter())[confidence, correct] += count
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


@dataclass(frozen=True)
class Bin:
    """The answers of one bin of confidence.

    Attributes:
        place: 0 for the lowest bin.
        n: how many answers.
        confidence: their mean confidence in percent.
        accuracy: the percentage of right answers.
    """

    place: int
    n: int
    confidence: float
    accuracy: Point

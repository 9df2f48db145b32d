"""Reliability diagrams (Guo et al. 2017) of tasks with a calibration error."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial

from hueval_metrics.metrics.basic import PERCENT
from hueval_metrics.metrics.confidence import ConfidenceSettings, bin_of, settled
from hueval_metrics.reports.figures import names
from hueval_metrics.reports.figures.charts.lines import LinePanel, lines
from hueval_metrics.reports.figures.figure import Figure
from hueval_metrics.reports.figures.gather import FigureData, calibration_error
from hueval_metrics.reports.figures.points import Point, columns_of, estimated
from hueval_metrics.reports.figures.units import is_part, owner_name, owner_of, part_name, unit_of
from hueval_metrics.runs.run import Run
from hueval_metrics.words.texts import by_english, each

_TICKS = {0.0: "0", 50.0: "50", 100.0: "100"}


def reliability_figures(data: FigureData, runs: Sequence[Run]) -> Iterator[Figure]:
    """Accuracy against stated confidence, a panel for each model, for each task with stated confidences.

    The bins, and which answers count, are those by which the run was scored. The tasks of a family with parts are in
    one figure, with a line for each part.
    """
    lineup = names.lineup(runs)
    for units in _figures(data.units()):
        panels: list[LinePanel] = []
        rows: list[dict[str, object]] = []
        for place in lineup.models:
            run = runs[place]
            series: dict[str, list[tuple[float, Point]]] = {}
            counts: dict[float, int] = {}
            errors = []
            for unit in units:
                numbers, task = data.of(place, unit), _task_of(unit, run)
                error = calibration_error(task)
                settings = ConfidenceSettings.of(run.result(task).signature)
                stated = numbers.confidences - numbers.unattempted if settings.attempted else numbers.confidences
                ece = settings.metrics(dict([error]))[error[0]](list(stated.elements())) if error else None
                if ece is None:
                    continue
                wide = 100 / settings.bins  # percent
                bins = _bins(Counter(pair for pair in settled(stated.elements()) if pair is not None), settings)
                series[part_name(unit)] = [(one.confidence, one.accuracy) for one in bins]
                counts |= {} if is_part(unit) else {(one.place + 0.5) * wide: one.n for one in bins}
                errors.append(f"{ece:.3f}")
                for one in bins:
                    about: dict[str, object] = {"part": part_name(unit)} if is_part(unit) else {}
                    about |= {"model": run.label, "ece": ece, "bin_low": one.place * wide}
                    about |= {"bin_high": (one.place + 1) * wide, "n": one.n, "mean_confidence": one.confidence}
                    rows.append(about | columns_of(one.accuracy))
            if series:
                panels.append(LinePanel(lineup.names[place], series, counts, f"ECE {', '.join(errors)}"))
        if panels:
            draw = partial(lines, panels, _TICKS, diagonal=True)
            name = owner_of(units[0])
            about_all = {"task": owner_name(units[0]), "parts": is_part(units[0])}
            words = by_english(each(partial(part_name, unit)) for unit in units if is_part(unit))
            yield Figure(f"reliability-{names.slug(name)}", "reliability", rows, draw, about_all, words=words)


def _figures(units: Iterable[str]) -> list[list[str]]:
    """The units of each figure: one, or all parts of a family."""
    found: dict[str, list[str]] = {}
    for unit in units:
        found.setdefault(owner_of(unit), []).append(unit)
    return list(found.values())


def _task_of(unit: str, run: Run) -> str:
    """The first task of a unit that a run has; without one the unit's own name."""
    return next((task for task in run.tasks if unit_of(task) == unit), unit)


def _bins(pairs: Mapping[tuple[float, float], int], settings: ConfidenceSettings) -> list[Bin]:
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

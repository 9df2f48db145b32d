"""The numbers that the figures need from the items, collected in one pass; no text is kept."""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import cache

from hueval_metrics.declare import Family
from hueval_metrics.metric import Metric
from hueval_metrics.metrics.confidence import is_unattempted
from hueval_metrics.records import number_of
from hueval_metrics.registry import declared, known_tasks, resolve
from hueval_metrics.reports.figures.figure import Figure
from hueval_metrics.reports.figures.ruler import CHARACTERS, Ruler
from hueval_metrics.reports.figures.units import unit_of, units
from hueval_metrics.runs.items import Item
from hueval_metrics.runs.run import Run
from hueval_metrics.scoring.judge_tally import JudgeTally

_MOST = 2**32 - 1  # characters; the maximum of an element of the arrays


class FigureData:
    """Numbers of the items of all runs, by run and unit: a task, or a part of a family (`units`).

    Args:
        ruler: measures the texts of which a family's own figures show lengths.

    >>> data = FigureData()
    >>> data.add(0, Item.of({"task": "toy", "prediction": "<think>hm</think>Igen.", "response": "Igen."}))
    >>> data.of(0, "toy").response_length
    array('I', [5])
    """

    def __init__(self, ruler: Ruler = CHARACTERS) -> None:
        self._ruler = ruler
        self._units: dict[tuple[int, str], TaskNumbers] = {}
        self._unit_of: dict[str, str] = {}
        self._makers: dict[str, list[Maker]] = {}
        self._of_task: dict[str, list[Maker]] = {}

    def add(self, run_index: int, item: Item) -> None:
        """Add one item of the run with this index among the runs of the report."""
        task = item.task
        if task not in self._unit_of:
            self._unit_of[task] = unit_of(task)
        unit = self._unit_of[task]
        if (run_index, unit) not in self._units:
            error = calibration_error(task)
            self._units[run_index, unit] = TaskNumbers(error and error[0])
        self._units[run_index, unit].add(item)
        for maker in self._takers(task):
            maker.add(run_index, item)

    def units(self) -> list[str]:
        """The units that have items, in the order of their families."""
        return units(self._unit_of)

    def makers(self, family: Family) -> Sequence[Maker]:
        """The makers of the figures that only this family has."""
        if family.name not in self._makers:
            self._makers[family.name] = [resolve(path)() for path in family.figures]
            for maker in self._makers[family.name]:
                maker.ruler = self._ruler
        return self._makers[family.name]

    def _takers(self, task: str) -> Sequence[Maker]:
        """The makers that need the items of a task."""
        if task not in self._of_task:
            own = self.makers(known_tasks()[task]) if task in known_tasks() else ()
            self._of_task[task] = [maker for maker in own if type(maker).add is not Maker.add]
        return self._of_task[task]

    def of(self, run_index: int, unit: str) -> TaskNumbers:
        """The numbers of one unit of one run; empty without items."""
        return self._units.get((run_index, unit)) or TaskNumbers()


class Maker:
    """Makes the figures that only one family has: gets every item of the family, and then the runs.

    Attributes:
        ruler: measures texts, for figures of lengths; it is set before the first item.
    """

    ruler: Ruler = CHARACTERS

    def add(self, run_index: int, item: Item) -> None:
        """Add one item of the family; a maker without this method reads no items."""

    def figures(self, runs: Sequence[Run]) -> Iterable[Figure]:
        """The figures that the runs have numbers for."""
        raise NotImplementedError


@cache
def calibration_error(task: str) -> tuple[str, Metric] | None:
    """Name and metric of a task's calibration error; None without one."""
    metrics = declared(task).metrics if task in known_tasks() else {}
    return next(((name, metric) for name, metric in metrics.items() if metric.is_error), None)


@dataclass
class TaskNumbers:
    """Numbers of the items of one task of one run, or of a part of its family.

    Attributes:
        calibrated: the metric whose values are stated confidences; None without one.
        response_length: characters of each response without its reasoning trace.
        whole_length: characters of each response with its reasoning trace.
        confidences: (confidence from 0 to 1, whether correct, how it was stated) → how many answers.
        unattempted: the same of the answers among them that were not attempted.
        judge: judges, their usage and their agreement.
    """

    calibrated: str | None = None
    response_length: array[int] = field(default_factory=lambda: array("I"))
    whole_length: array[int] = field(default_factory=lambda: array("I"))
    confidences: Counter[tuple[float, bool, str | None]] = field(default_factory=Counter)
    unattempted: Counter[tuple[float, bool, str | None]] = field(default_factory=Counter)
    judge: JudgeTally = field(default_factory=JudgeTally)

    def add(self, item: Item) -> None:
        """Add one item; see `FigureData.add`."""
        if item.prediction is not None and item.response is not None:
            self.whole_length.append(min(len(item.prediction), _MOST))
            self.response_length.append(min(len(item.response), _MOST))
        if self.calibrated is not None and item.values is not None:
            self._add_confidence(item.values.get(self.calibrated), is_attempted=not is_unattempted(item.values))
        self.judge.add(item.verdict)

    def _add_confidence(self, pair: object, *, is_attempted: bool) -> None:
        if isinstance(pair, (list, tuple)) and 2 <= len(pair) <= 3:
            confidence, correct, how = number_of(pair[0]), pair[1], str(pair[2]) if len(pair) > 2 else None
            if confidence is not None and 0 <= confidence <= 1 and correct in (0, 1):
                self.confidences[confidence, bool(correct), how] += 1
                self.unattempted[confidence, bool(correct), how] += not is_attempted

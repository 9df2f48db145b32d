"""The numbers of analyses by run, group, part, verdict and measure."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from hueval_metrics.declare import Family
from hueval_metrics.registry import known_tasks
from hueval_metrics.reports.figures.names import task_name
from hueval_metrics.reports.figures.points import Point
from hueval_metrics.traces.item import VERDICTS
from hueval_metrics.traces.measures import Cell, Number, Test
from hueval_metrics.traces.numbers import group_of
from hueval_metrics.traces.results import AnalysedRun, TraceResults
from hueval_metrics.words.texts import Texts, each, same

_VERDICTS = {"", *VERDICTS}


class Lookup:
    """All analyses of a report together; of a run that several have the first counts.

    Args:
        results: of the analyses.
        renamed: label of a run in its analysis → the report's.
        order: labels of the report's runs; other runs follow them.
    """

    def __init__(
        self, results: Iterable[TraceResults], renamed: Mapping[str, str] | None = None, order: Sequence[str] = ()
    ) -> None:
        self._numbers: dict[tuple[Cell, str], Number] = {}
        self.tests: list[Test] = []
        found: dict[str, AnalysedRun] = {}
        names = renamed or {}

        def named(cell: Cell) -> Cell:
            return replace(cell, run=names.get(cell.run, cell.run))

        for one in results:
            known = set(found)
            found |= {
                label: replace(run, label=label)
                for run in one.runs
                if (label := names.get(run.label, run.label)) not in known
            }
            for number in one.numbers:
                cell = named(number.cell)
                if cell.run not in known and cell.verdict in _VERDICTS:
                    self._numbers[cell, number.measure] = replace(number, cell=cell)
            for test in one.tests:
                first, second = named(test.first), named(test.second)
                if not {first.run, second.run} & known and {first.verdict, second.verdict} <= _VERDICTS:
                    self.tests.append(replace(test, first=first, second=second))
        places = {label: place for place, label in enumerate(order)}
        self.runs = sorted(found.values(), key=lambda run: places.get(run.label, len(places)))

    def groups(self) -> list[str]:
        """The tasks and pools that have numbers, in the order of their families."""
        found = dict.fromkeys(cell.group for cell, _ in self._numbers)
        order = list(dict.fromkeys(map(group_of, known_tasks())))
        return sorted(found, key=lambda group: order.index(group) if group in order else len(order))

    def parts(self, group: str) -> list[str]:
        """The parts of a pool that have numbers, in the order of the family; `""` stands for all and is first."""
        found = {cell.part for cell, _ in self._numbers if cell.group == group}
        family = family_of(group)
        return ["", *(part for part in (family.parts if family else ()) if part in found)]

    def verdicts(self, group: str) -> list[str]:
        """The verdicts that have numbers."""
        found = {cell.verdict for cell, _ in self._numbers if cell.group == group}
        return [verdict for verdict in VERDICTS if verdict in found]

    def number(self, cell: Cell, measure: str) -> Number | None:
        """A number; None without one, or where it is undefined."""
        found = self._numbers.get((cell, measure))
        return None if found is None or found.value is None else found

    def point(self, cell: Cell, measure: str) -> Point | None:
        """The same as figures take it."""
        found = self.number(cell, measure)
        if found is None or found.value is None:
            return None
        low, high = found.ci95 or (None, None)
        return Point(found.value, low, high, found.n)

    def measures(self) -> list[str]:
        """The names of all measures that have a number."""
        return list(dict.fromkeys(measure for _, measure in self._numbers))


def family_of(group: str) -> Family | None:
    """The family of a task or of a pool."""
    families = (family for task, family in known_tasks().items() if group in (task, group_of(task)))
    return next(families, None)


def group_name(group: str, part: str = "") -> Texts:
    """The title of a task or a pool, with that of its part, by language."""
    family = family_of(group)
    name = task_name(group) if family is None or group in known_tasks() else family.title
    if family is None or part not in family.parts:
        return same(name)
    return each(lambda language: f"{name}, {family.parts[part][language]}")

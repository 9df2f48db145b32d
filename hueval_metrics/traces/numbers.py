"""From rows to numbers: every measure in every cell."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from hueval_metrics.registry import declared, known_tasks
from hueval_metrics.traces.item import Row
from hueval_metrics.traces.measures import Cell, Measure, Number, Test


class Numbers:
    """Gathers the rows of an analysis.

    Args:
        measures: what is counted.
    """

    def __init__(self, measures: Sequence[Measure]) -> None:
        self._measures = measures
        self._rows: dict[tuple[Cell, str], list[tuple[float, float, float, str]]] = {}

    def add(self, row: Row) -> None:
        """Add the row of one reply."""
        for measure in self._measures:
            found = measure.of(row)
            if found is not None:
                for cell in cells_of(row):
                    terms = (*found, float(row["weight"]), str(row["cluster"]))
                    self._rows.setdefault((cell, measure.name), []).append(terms)

    def numbers(self) -> Iterator[Number]:
        """Each measure in each cell that has any row of it."""
        units = {measure.name: measure.unit for measure in self._measures}
        for (cell, name), terms in self._rows.items():
            over = sum(term[0] * term[2] for term in terms)
            under = sum(term[1] * term[2] for term in terms)
            scale = {"%": 100.0, "per 1,000 tokens": 1000.0}.get(units[name], 1.0)
            value = scale * over / under if under else None
            yield Number(cell, name, value, None, len(terms), len({term[3] for term in terms}), under)

    def tests(self) -> Iterator[Test]:
        """Tests of the measures that say so."""
        return iter(())


def group_of(task: str) -> str:
    """The task's pool, or the task itself."""
    family = known_tasks().get(task)
    traces = family.traces.get(task) if family else None
    return traces.pool if traces and traces.pool else task


def cells_of(row: Row) -> Iterable[Cell]:
    """The cells that a row counts in: all, by verdict, and both by part where its pool has parts."""
    run, group, verdict = str(row["run"]), group_of(row["task"]), row["verdict"]
    part = declared(row["task"]).part if group != row["task"] else ""
    for one in dict.fromkeys(("", part)):
        yield Cell(run, group, one)
        if verdict is not None:
            yield Cell(run, group, one, verdict)

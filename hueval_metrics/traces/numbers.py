"""From rows to numbers and tests: every measure in every cell."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from itertools import combinations

from hueval_metrics.registry import declared, known_tasks
from hueval_metrics.stats.bootstrap import RESAMPLES
from hueval_metrics.stats.permutation import PERMUTATIONS
from hueval_metrics.traces.differences import Kind, between_cells, between_measures, between_models, corrected
from hueval_metrics.traces.estimates import cell_numbers, length_correctness
from hueval_metrics.traces.gathered import Codes, Gathering, Replies
from hueval_metrics.traces.item import VERDICTS, Row
from hueval_metrics.traces.measures import Cell, Measure, Number, Test


class Numbers:
    """Gathers the rows of an analysis: the numbers that its measures read from them, not the rows.

    Cells are all replies of a run and group, those of each verdict, and where the group is a pool with parts, both
    within each part. Only ratios are tested, not medians.

    Args:
        measures: what is counted.
        resamples: of the bootstrap.
        permutations: of each test.
    """

    def __init__(
        self, measures: Sequence[Measure], *, resamples: int = RESAMPLES, permutations: int = PERMUTATIONS
    ) -> None:
        self._measures = measures
        self._resamples, self._permutations = resamples, permutations
        self._codes: dict[str, Codes] = {}
        self._gathered: dict[tuple[str, str], Gathering] = {}
        self._places: dict[str, tuple[str, str]] = {}  # task → its group and part

    def add(self, row: Row) -> None:
        """Add the row of one reply."""
        run, task = str(row["run"]), str(row["task"])
        if task not in self._places:
            self._places[task] = group_of(task), part_of(task)
        group, part = self._places[task]
        codes = self._codes.setdefault(group, Codes())
        if (run, group) not in self._gathered:
            self._gathered[run, group] = Gathering(self._measures, codes)
        self._gathered[run, group].add(row, part)

    def numbers(self) -> Iterator[Number]:
        """Each measure in each cell that has any row of it; and of each task how length and correctness correlate."""
        yield from self._numbers
        for (run, group), gathering in self._gathered.items():
            replies = gathering.replies()
            for task, code in self._codes[group].tasks.items():
                number = length_correctness(Cell(run, task), replies.where(replies.tasks == code))
                if number is not None:
                    yield number

    def tests(self) -> Sequence[Test]:
        """Tests of the measures that say so."""
        tested = [(index, one) for index, one in enumerate(self._measures) if one.tested and not one.is_median]
        if not tested:
            return []
        known = {(number.cell, number.measure): number for number in self._numbers}
        alike: dict[Kind, dict[tuple[str, ...], list[Cell]]] = {"verdicts": {}, "parts": {}, "models": {}}
        for cell in self._cells:
            if cell.verdict:
                alike["verdicts"].setdefault((cell.run, cell.group, cell.part), []).append(cell)
            if cell.part:
                alike["parts"].setdefault((cell.run, cell.group, cell.verdict), []).append(cell)
            alike["models"].setdefault((cell.group, cell.part, cell.verdict), []).append(cell)
        found: list[Test] = []
        for kind in ("verdicts", "parts"):
            for cells in alike[kind].values():
                given = [(cell, self._replies(cell)) for cell in cells]
                found += between_cells(kind, given, tested, known, permutations=self._permutations)
        for cells in alike["models"].values():
            for pair in combinations(cells, 2):
                first, second = ((cell, self._replies(cell)) for cell in pair)
                found += between_models(first, second, tested, permutations=self._permutations)
        for cell in self._cells:
            if not cell.verdict:
                found += between_measures(cell, self._replies(cell), tested, permutations=self._permutations)
        return corrected(found)

    @cached_property
    def _cells(self) -> Mapping[Cell, tuple[int, int]]:
        """The cells with any replies, and the codes of their parts and verdicts."""
        found = {}
        for (run, group), gathering in self._gathered.items():
            replies = gathering.replies()
            for part, code in self._codes[group].parts.items():
                for place, verdict in ((-1, ""), *enumerate(VERDICTS)):
                    if len(replies.cell(code, place).belongs):
                        found[Cell(run, group, part, verdict)] = code, place
        return found

    def _replies(self, cell: Cell) -> Replies:
        return self._gathered[cell.run, cell.group].replies().cell(*self._cells[cell])

    @cached_property
    def _numbers(self) -> Sequence[Number]:
        return [
            number
            for cell in self._cells
            for number in cell_numbers(cell, self._replies(cell), self._measures, resamples=self._resamples)
        ]


def group_of(task: str) -> str:
    """The task's pool, or the task itself."""
    family = known_tasks().get(task)
    traces = family.traces.get(task) if family else None
    return traces.pool if traces and traces.pool else task


def part_of(task: str) -> str:
    """The part of its pool in which the task is; empty for a task by itself."""
    return declared(task).part if group_of(task) != task else ""

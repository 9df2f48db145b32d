"""From rows to numbers and tests: every measure in every cell."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from itertools import combinations

from hueval_metrics.registry import declared, known_tasks
from hueval_metrics.stats.bootstrap import RESAMPLES
from hueval_metrics.stats.permutation import PERMUTATIONS
from hueval_metrics.traces.differences import between_cells, between_models, corrected
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
        known = {(number.cell, number.measure): number for number in self._numbers}
        found: list[Test] = []
        for cells in self._cells.values():
            verdicts: dict[str, list[tuple[Cell, Replies]]] = {}
            parts: dict[str, list[tuple[Cell, Replies]]] = {}
            for cell, replies in cells.items():
                if cell.verdict:
                    verdicts.setdefault(cell.part, []).append((cell, replies))
                if cell.part:
                    parts.setdefault(cell.verdict, []).append((cell, replies))
            for some in verdicts.values():
                found += between_cells("verdicts", some, tested, known, permutations=self._permutations)
            for some in parts.values():
                found += between_cells("parts", some, tested, known, permutations=self._permutations)
        for first, second in combinations(self._cells, 2):
            for cell, ours in self._cells[first].items() if first[1] == second[1] else ():
                other = Cell(second[0], cell.group, cell.part, cell.verdict)
                if (theirs := self._cells[second].get(other)) is not None:
                    pair = (cell, ours), (other, theirs)
                    found += between_models(*pair, tested, permutations=self._permutations)
        return corrected(found)

    @cached_property
    def _cells(self) -> Mapping[tuple[str, str], Mapping[Cell, Replies]]:
        """Run and group → cells with any replies."""
        found = {}
        for (run, group), gathering in self._gathered.items():
            replies = gathering.replies()
            cells = {
                Cell(run, group, part, verdict): replies.cell(code, place)
                for part, code in self._codes[group].parts.items()
                for place, verdict in ((-1, ""), *enumerate(VERDICTS))
            }
            found[run, group] = {cell: own for cell, own in cells.items() if len(own.belongs)}
        return found

    @cached_property
    def _numbers(self) -> Sequence[Number]:
        return [
            number
            for cells in self._cells.values()
            for cell, replies in cells.items()
            for number in cell_numbers(cell, replies, self._measures, resamples=self._resamples)
        ]


def group_of(task: str) -> str:
    """The task's pool, or the task itself."""
    family = known_tasks().get(task)
    traces = family.traces.get(task) if family else None
    return traces.pool if traces and traces.pool else task


def part_of(task: str) -> str:
    """The part of its pool in which the task is; empty for a task by itself."""
    return declared(task).part if group_of(task) != task else ""

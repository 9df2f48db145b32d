"""The fill-in-the-blank tasks: right blanks by the number of blanks and of options (OpenHuEval §2.5)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import pairwise
from pathlib import Path

from hueval_metrics.metrics.basic import POOLED
from hueval_metrics.reports.figures import names
from hueval_metrics.reports.figures.charts.lines import LinePanel, lines
from hueval_metrics.reports.figures.figure import Figure
from hueval_metrics.reports.figures.gather import Maker
from hueval_metrics.reports.figures.points import Point, columns_of, estimated
from hueval_metrics.runs.items import Item
from hueval_metrics.runs.run import Run

CAPTIONS = Path(__file__).parents[1] / "words"
Question = tuple[int, int, int | None]  # blanks that are right, all blanks, options

# The highest number of each group but the last; chosen so that each has some of HuMatchingFIB's 278 questions.
_BLANKS = (5, 7, 9, 11)
_OPTIONS = (5, 7, 9, 11, 13)
_TASKS = ("openhueval_humatchingfib", "openhueval_hustandardfib")
_MOST = 2**32  # a higher number comes from a damaged row


class Blanks(Maker):
    """A figure by number of blanks and one by number of options: a panel for each model, a line for each task."""

    def __init__(self) -> None:
        self._blanks: dict[tuple[int, str], Counter[Question]] = {}

    def add(self, run_index: int, item: Item) -> None:
        """Add one item; one without blanks is skipped."""
        right, total, options = (_count(item.row.get(key)) for key in ("blanks_correct", "blanks_total", "n_options"))
        if right is not None and total and right <= total:
            self._blanks.setdefault((run_index, item.task), Counter())[right, total, options] += 1

    def figures(self, runs: Sequence[Run]) -> Iterator[Figure]:
        """The figures that the items have numbers for."""
        lineup = names.lineup(runs)
        for name, highest, field in (("blanks", _BLANKS, 1), ("options", _OPTIONS, 2)):
            headings = _headings(highest)
            panels, rows = [], []
            for place in lineup.models:
                found = {task: self._blanks.get((place, task), Counter()) for task in _TASKS}
                grouped = {task: groups for task, some in found.items() if any(groups := _groups(some, field, highest))}
                if grouped:
                    panels.append(LinePanel(lineup.names[place], _series(grouped)))
                rows += [
                    {"model": runs[place].label, "task": task, name: heading, "n": one.n} | columns_of(one.score)
                    for task, groups in grouped.items()
                    for heading, one in zip(headings, groups, strict=True)
                    if one
                ]
            if panels:
                draw = partial(lines, panels, dict(enumerate(headings)))
                yield Figure(f"fib-by-{name}", f"fib-by-{name}", rows, draw, captions=CAPTIONS)


def _count(value: object) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) and 0 <= value < _MOST else None


def _headings(highest: Sequence[int]) -> list[str]:
    """The names of the groups.

    >>> _headings((5, 7))
    ['≤5', '6–7', '≥8']
    """
    between = [f"{low + 1}–{high}" for low, high in pairwise(highest)]
    return [f"≤{highest[0]}", *between, f"≥{highest[-1] + 1}"]


def _groups(blanks: Counter[Question], field: int, highest: Sequence[int]) -> list[Group | None]:
    """The questions grouped by one of their numbers; None for a group without any."""
    inside: list[Counter[tuple[int, int]]] = [Counter() for _ in (*highest, None)]
    for question, count in blanks.items():
        number = question[field]
        if number is not None:
            inside[sum(number > end for end in highest)][question[:2]] += count
    return [Group(some.total(), score) if (score := estimated(POOLED, some)) else None for some in inside]


def _series(grouped: Mapping[str, Sequence[Group | None]]) -> dict[str, list[tuple[float, Point]]]:
    """The lines of a panel: title of the task → index and score of each group with questions."""
    return {
        names.task_name(task): [(place, one.score) for place, one in enumerate(groups) if one]
        for task, groups in grouped.items()
    }


@dataclass(frozen=True)
class Group:
    """The questions of one group: their number, and the percentage of right blanks."""

    n: int
    score: Point

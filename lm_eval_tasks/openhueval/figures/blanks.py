"""The fill-in-the-blank tasks: blanks right by the number of blanks and of options (OpenHuEval §2.5)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hueval_metrics.metrics.basic import POOLED
from hueval_metrics.reports.figures import names
from hueval_metrics.reports.figures.canvas import legend, model_panels, whiskers
from hueval_metrics.reports.figures.figure import Figure
from hueval_metrics.reports.figures.points import Point, columns_of, estimated
from hueval_metrics.reports.figures.theme import Theme
from hueval_metrics.runs.run import Run

if TYPE_CHECKING:
    from matplotlib.figure import Figure as Drawing

CAPTIONS = Path(__file__).with_name("captions.yaml")
Question = tuple[int, int, int | None]  # blanks that are right, all blanks, options

# The highest number of each group but the last; chosen so that HuMatchingFIB's 278 questions spread over them.
_BLANKS = (5, 7, 9, 11)
_OPTIONS = (5, 7, 9, 11, 13)
_STYLES = {"openhueval_humatchingfib": ("o", "-"), "openhueval_hustandardfib": ("s", (0, (4, 1.5)))}
_MOST = 2**32  # blanks; more are a damaged row
_HIGH, _LEGEND, _APART = 1.15, 0.28, 0.12  # inches of a panel and of the legend; how far lines stand apart


class Blanks:
    """One figure by number of blanks, one by number of options, with a panel a model; of the tasks that were run."""

    def __init__(self) -> None:
        self._blanks: dict[tuple[int, str], Counter[Question]] = {}

    def add(self, run_index: int, row: Mapping[str, Any]) -> None:
        """Add one item; one without blanks is passed over."""
        right, total, options = (_count(row.get(key)) for key in ("blanks_correct", "blanks_total", "n_options"))
        if right is not None and total and right <= total:
            self._blanks.setdefault((run_index, row["task"]), Counter())[right, total, options] += 1

    def figures(self, runs: Sequence[Run]) -> Iterator[Figure]:
        """The figures that there are items for."""
        shown = names.short_names([run.label for run in runs])
        for name, highest, field in (("blanks", _BLANKS, 1), ("options", _OPTIONS, 2)):
            headings = _headings(highest)
            panels, rows = [], []
            for place, run in enumerate(runs):
                found = {task: self._blanks.get((place, task), Counter()) for task in _STYLES}
                lines = {task: groups for task, some in found.items() if any(groups := _groups(some, field, highest))}
                if lines:
                    panels.append((shown[place], lines))
                rows += [
                    {"model": run.label, "task": task, name: heading, "n": one.n} | columns_of(one.score)
                    for task, groups in lines.items()
                    for heading, one in zip(headings, groups, strict=True)
                    if one
                ]
            if panels:
                draw = partial(_lines, panels, headings)
                yield Figure(f"fib-by-{name}", f"fib-by-{name}", rows, draw, captions=CAPTIONS)


def _count(value: object) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) and 0 <= value < _MOST else None


def _headings(highest: Sequence[int]) -> list[str]:
    """What the groups are called.

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


def _lines(
    panels: Sequence[tuple[str, Mapping[str, Sequence[Group | None]]]], headings: Sequence[str], theme: Theme
) -> Drawing:
    tasks = [task for task in _STYLES if any(task in lines for _, lines in panels)]
    looks: dict[str, dict[str, Any]] = {
        task: {"color": color, "marker": _STYLES[task][0], "linestyle": _STYLES[task][1], "markersize": 4}
        for task, color in zip(_STYLES, (theme.fill, theme.wrong), strict=True)
    }
    drawing, places = model_panels([name for name, _ in panels], _HIGH, theme, _LEGEND)
    for made, (_, lines) in zip(places, panels, strict=True):
        made.set(xlim=(-0.3, len(headings) - 0.7), ylim=(-3, 103), yticks=(0, 50, 100))
        made.set_xticks(range(len(headings)), headings)
        made.grid(axis="y", color=theme.line, linewidth=0.6)
        for task, groups in lines.items():
            shift = _APART * (tasks.index(task) - (len(tasks) - 1) / 2)
            scored = [(place + shift, one.score) for place, one in enumerate(groups) if one]
            across, points = [x for x, _ in scored], [score for _, score in scored]
            whiskers(made, points, theme, upright_at=across)
            made.plot(across, [score.value for score in points], linewidth=1.3, **looks[task], zorder=4)
    legend(drawing, {names.task_name(task): looks[task] for task in tasks}, theme, len(tasks), "upper left")
    return drawing


@dataclass(frozen=True)
class Group:
    """The questions of one group: how many, and the percentage of their blanks that is right."""

    n: int
    score: Point

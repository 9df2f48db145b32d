"""What scores are read against where no other run is: chance, and the nearest published scores."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from hueval_metrics import registry
from hueval_metrics.comparison.published import PublishedTable, published_tables
from hueval_metrics.declare import Family
from hueval_metrics.reports import escape
from hueval_metrics.reports.columns import Headline, families_of, headlines, main_columns
from hueval_metrics.reports.formats import Cell, Column, Grid, interval, number
from hueval_metrics.reports.notes import NARROW, is_partial
from hueval_metrics.runs.run import Run

if TYPE_CHECKING:
    from hueval_metrics.comparison.summaries import SummaryScore

Published = tuple[str, float]  # model, score
NOTE = "Chance: what guessing gives. Published: the paper's nearest, made with other prompts, settings and judge."


def beside(run: Run, families: Sequence[Family], summaries: Sequence[SummaryScore] = ()) -> list[Beside]:
    """The main scores of a run, each with what it is read against.

    Published scores are of the whole benchmark, so that a run on other items has none beside it.

    Args:
        run: the run.
        families: whose tasks are shown.
        summaries: of the run, for the intervals of these.
    """
    tables = {} if is_partial(run) else main_tables([run])
    ends = {(one.family.name, one.summary.name): one.ci95 for one in summaries}
    found = []
    for family in families:
        columns = main_columns(family, [run])
        printed = published_scores(tables.get(family.name), family, columns)
        for place, column in enumerate(columns):
            score = column.score(run)
            if score is None:
                continue
            result = run.summaries.get(family.name) if column.task == family.name else run.result(column.task)
            ci95 = ends.get((column.task, column.metric)) or (result and result.intervals.get(column.metric))
            is_narrow = bool(result and ci95 and result.covers_too_little(column.metric))
            others = [(model, value) for model, row in printed.items() if (value := row[place]) is not None]
            above = min((one for one in others if one[1] > score), key=lambda one: one[1], default=None)
            below = max((one for one in others if one[1] <= score), key=lambda one: one[1], default=None)
            found.append(Beside(column, score, ci95 or None, is_narrow, _chance(run, column), above, below))
    return found


def _chance(run: Run, column: Headline) -> float | None:
    """What guessing gives in a column, in its unit; of a summary where it is the same in all tasks."""
    found = set()
    for task, name in column.terms:
        declared = registry.declared(task)
        metric = declared.metrics.get(name)
        chance = run.result(task).chance if isinstance(declared.chance, str) else declared.chance
        if metric is None or chance is None or name != next(iter(declared.headline)):
            return None
        found.add(chance * (100 if metric.unit == "%" else 1))
    return found.pop() if len(found) == 1 else None


def beside_grid(run: Run) -> list[tuple[str, Grid]]:
    """The table of `beside` for a terminal, with its title; nothing where it has nothing to show."""
    rows = beside(run, families_of([run]))
    shown = [
        Column("Task", kind="label"),
        *(Column(name) for name in ("Score", "95 % interval")),
        *[Column("Chance")] * any(one.chance is not None for one in rows),
        *[Column(f"Published {where}", kind="text") for where in ("above", "below")] * any(map(_has_published, rows)),
    ]
    cells = {
        "Task": lambda one: Cell(one.column.title),
        "Score": lambda one: Cell(number(one.score, one.decimals)),
        "95 % interval": lambda one: Cell(interval(one.ci95, one.decimals), mark=NARROW * one.is_narrow),
        "Chance": lambda one: Cell(number(one.chance, one.decimals)),
        "Published above": lambda one: Cell(_printed(one.above)),
        "Published below": lambda one: Cell(_printed(one.below)),
    }
    grid = Grid(shown, [[cells[column.header](one) for column in shown] for one in rows])
    return [("What the scores are read against", grid)] if rows else []


def _has_published(one: Beside) -> bool:
    return one.above is not None or one.below is not None


def _printed(published: Published | None) -> str:
    return "" if published is None else f"{escape.plain(published[0])} {number(published[1], 1)}"


def main_tables(runs: Sequence[Run]) -> dict[str, PublishedTable]:
    """Name of each family of any run → the first table of its paper with a column of the overview, if there is one."""
    found = {}
    for family in families_of(runs):
        shown = {(one.task, one.metric) for one in headlines([family], runs)}
        for table in reversed(published_tables(family)):
            if any(shown & columns.keys() for columns in table.columns_in_forms(family)):
                found[family.name] = table
    return found


def published_scores(
    table: PublishedTable | None, family: Family, columns: Sequence[Headline]
) -> dict[str, list[float | None]]:
    """Model → its published score in each column of the overview, or None; only models with any."""
    if table is None:
        return {}
    listed = {ours: theirs for form in table.columns_in_forms(family) for ours, theirs in form.items()}
    places = [listed.get((column.task, column.metric)) for column in columns]
    found = {model: [place and table.score(model, *place) for place in places] for model in table.scores}
    return {model: scores for model, scores in found.items() if any(score is not None for score in scores)}


@dataclass(frozen=True)
class Beside:
    """A score and what it is read against.

    Attributes:
        column: the metric.
        score: in its unit.
        ci95: its 95 % interval; None without one.
        is_narrow: whether the interval has too low a coverage.
        chance: what guessing gives, in the same unit; None where that is not defined or not known.
        above: the next higher published score; None where none is.
        below: the next one that is not higher.
    """

    column: Headline
    score: float
    ci95: tuple[float, float] | None
    is_narrow: bool
    chance: float | None
    above: Published | None
    below: Published | None

    @property
    def decimals(self) -> int:
        """Of the printed numbers."""
        metric = registry.metric(*self.column.terms[0])
        return 3 if metric is not None and metric.unit == "fraction" else 1

"""What scores are read against where no other run is: chance, and the nearest published scores."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from hueval_metrics import registry
from hueval_metrics.comparison.published import PublishedTable, published_tables
from hueval_metrics.declare import Family
from hueval_metrics.reports import escape, table_words
from hueval_metrics.reports.columns import Headline, families_of, headlines, main_columns
from hueval_metrics.reports.formats import Cell, Grid, interval, number
from hueval_metrics.reports.notes import NARROW, is_partial
from hueval_metrics.runs.run import Run
from hueval_metrics.words.texts import numerals, printed

if TYPE_CHECKING:
    from hueval_metrics.comparison.summaries import SummaryScore

Published = tuple[str, float]  # model, score


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
            found.append(Beside(column, score, ci95 or None, is_narrow, column.chance(run), above, below))
    return found


def beside_grid(run: Run) -> list[tuple[str, Grid]]:
    """The table of `beside` for a terminal, with its title; nothing where it has nothing to show."""
    rows = beside(run, families_of([run]))
    cells: dict[str, Callable[[Beside], Cell]] = {
        "task": lambda one: Cell(one.column.title_in(printed())),
        "score": lambda one: Cell(number(one.score, one.decimals)),
        "interval": lambda one: Cell(interval(one.ci95, one.decimals), mark=NARROW * one.is_narrow),
        "chance": lambda one: Cell(number(one.chance, one.decimals)),
        "above": lambda one: Cell(_printed(one.above)),
        "below": lambda one: Cell(_printed(one.below)),
    }
    kinds: dict[str, Literal["label", "text"]] = {"task": "label", "above": "text", "below": "text"}
    lacking = {"chance"} if all(one.chance is None for one in rows) else set()
    lacking |= set() if any(map(_has_published, rows)) else {"above", "below"}
    shown = [name for name in cells if name not in lacking]
    columns = [table_words.headed(name, kinds.get(name, "number")) for name in shown]
    grid = Grid(columns, [[cells[name](one) for name in shown] for one in rows])
    return [(table_words.say("beside"), grid)] if rows else []


def _has_published(one: Beside) -> bool:
    return one.above is not None or one.below is not None


def _printed(published: Published | None) -> str:
    return "" if published is None else f"{escape.plain(published[0])} {numerals(number(published[1], 1))}"


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

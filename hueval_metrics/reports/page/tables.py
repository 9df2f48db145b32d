"""The page's tables of scores: their cells as text, with the interval and the marks beside them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import TYPE_CHECKING

from hueval_metrics.comparison.summaries import SummaryScore
from hueval_metrics.declare import Family
from hueval_metrics.registry import CALIBRATED
from hueval_metrics.reports import escape, tables
from hueval_metrics.reports.columns import Headline, families_of, headlines, row_name
from hueval_metrics.reports.formats import interval, number
from hueval_metrics.reports.notes import NARROW
from hueval_metrics.reports.page.words import heading
from hueval_metrics.runs.run import Run, is_baseline
from hueval_metrics.words.texts import each, same

if TYPE_CHECKING:
    from markupsafe import Markup

DIFFERS, UNTESTED = "*", "◦"  # beside a score of the overview


def overviews(
    runs: Sequence[Run],
    differs: Mapping[tuple[str, str], Mapping[str, bool]],
    summaries: Sequence[Sequence[SummaryScore]] = (),
) -> list[Overview]:
    """The headline scores, a table for each family: a row for each run with a task of it, a cell for each headline.

    Args:
        runs: in the order of the rows, baselines last.
        differs: (task, metric) → label of a run → whether it differs from the column's best.
        summaries: of each run.
    """
    return [_overview(runs, family, differs, summaries) for family in families_of(runs)]


def _overview(
    runs: Sequence[Run],
    family: Family,
    differs: Mapping[tuple[str, str], Mapping[str, bool]],
    summaries: Sequence[Sequence[SummaryScore]],
) -> Overview:
    places = [place for place, run in enumerate(runs) if families_of([run]).count(family)]
    own_runs = [runs[place] for place in places]
    rows, columns = [], headlines([family], own_runs)
    grid = tables.overview(own_runs, family)
    models = [run for run in own_runs if not is_baseline(run)]
    for place, cells in zip(places, grid.rows, strict=True):
        run, scores = runs[place], []
        own = {one.summary.name: one.ci95 for one in summaries[place] if one.family is family} if summaries else {}
        for column, cell in zip(columns, cells[1:], strict=True):
            task, metric = column.task, column.metric
            compared = differs.get((task, metric), {})
            is_untested = (
                bool(differs)
                and run in models
                and run.label not in compared
                and not metric.endswith(CALIBRATED)
                and sum(column.score(one) is not None for one in models) > 1
            )
            ends = (
                interval(own.get(metric), 1) if task == family.name else _interval(run, task, column.metric_of(run), 1)
            )
            mark = UNTESTED if is_untested else DIFFERS if compared.get(run.label) else ""
            has_run = all(task in run.tasks for task, _ in column.terms)
            scores.append(Score(cell.text, ends, cell.place, mark, column.score(run), has_run, cell.mark))
        rows.append(Row(row_name(run.label), scores, is_baseline(run)))
    return Overview(family.title, {**same(""), **family.legend}, columns, rows)


def metric_tables(runs: Sequence[Run], summaries: Sequence[Sequence[SummaryScore]] | None = None) -> list[MetricTable]:
    """Every metric of every task: a table for each task, rows grouped by metric; summaries after them."""
    found = []
    for title, scores in tables.metric_scores(runs, summaries).items():
        blocks: dict[str, list[tuple[str, list[str]]]] = {}
        for one in scores:
            decimals = 4 if one.is_fraction else 2
            ends = interval(one.ci95, decimals) + NARROW * one.is_narrow
            texts = [number(one.value, decimals), ends, one.method, number(one.n, 0)]
            blocks.setdefault(one.metric, []).append((row_name(one.label), texts))
        signatures = {key: [*map(row_name, labels)] for key, labels in tables.signatures(runs, title).items()}
        found.append(MetricTable(escape.plain(title), blocks, signatures))
    return found


def _interval(run: Run, task: str, metric: str, decimals: int) -> str:
    """The interval of a score, marked where its coverage is too low."""
    ends = run.result(task).intervals.get(metric)
    return interval(ends, decimals) + NARROW * run.result(task).covers_too_little(metric)


@dataclass(frozen=True)
class Score:
    """A cell of the overview.

    Attributes:
        text: the score, empty without one.
        interval: as text, marked where its coverage is too low; empty without one.
        place: 1 to 3 for one of the three best of its column.
        mark: `DIFFERS` for one that differs significantly from the best of its column, `UNTESTED` for one that was not
            compared with it though others were; empty for the others.
        value: the score to sort by.
        has_run: whether the run has the task; with no score then, all its items lack theirs.
        flag: `flags.FLAGGED` for one with a flag.
    """

    text: str
    interval: str = ""
    place: int | None = None
    mark: str = ""
    value: float | None = None
    has_run: bool = False
    flag: str = ""


@dataclass(frozen=True)
class Row:
    """A row of the overview: a model's name, cleaned, its scores, and whether it is a baseline."""

    label: str
    scores: Sequence[Score]
    is_baseline: bool = False

    @property
    def policy(self) -> str:
        """What a baseline does."""
        return self.label.partition(" ")[2]


@dataclass(frozen=True)
class Overview:
    """The headline scores of a family: its title, the legend of its headings by language, its columns and its rows."""

    title: str
    legend: Mapping[str, str]
    columns: Sequence[Headline]
    rows: Sequence[Row]

    @property
    def bodies(self) -> list[list[Row]]:
        """The rows of the models, then those of the baselines."""
        return [[row for row in self.rows if row.is_baseline is kind] for kind in (False, True)]

    @property
    def headings(self) -> list[Markup | str]:
        """The headings of its columns, below their groups."""
        return [heading(each(column.heading_in)) for column in self.columns]

    @property
    def groups(self) -> list[tuple[str, int]]:
        """The groups of its columns, and the number of columns in each."""
        return [(name, len(list(some))) for name, some in groupby(column.group for column in self.columns)]


@dataclass(frozen=True)
class MetricTable:
    """Every metric of a task.

    Attributes:
        task: its name, cleaned like all names here.
        blocks: metric → rows: the model, and the score, its interval, the interval's method and n as text.
        signatures: signature → the models with it.
    """

    task: str
    blocks: Mapping[str, Sequence[tuple[str, Sequence[str]]]]
    signatures: Mapping[str, Sequence[str]]

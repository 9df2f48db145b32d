"""The page's further tables: judges, readings, rank changes, scores at equal length, and published scores."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from hueval_metrics.answers.reading import KINDS
from hueval_metrics.comparison.published import published_tables
from hueval_metrics.declare import Family
from hueval_metrics.records import number_of
from hueval_metrics.registry import declared, known_tasks
from hueval_metrics.reports.columns import Headline, families_of, headlines, row_name, tasks
from hueval_metrics.reports.figures.figure import Figure
from hueval_metrics.reports.figures.names import task_name
from hueval_metrics.reports.formats import interval, number
from hueval_metrics.reports.page.marks import Marks
from hueval_metrics.reports.page.words import both, heading, spans
from hueval_metrics.runs.items import Item
from hueval_metrics.runs.run import JudgeUse, Key, Run
from hueval_metrics.stats.length_control import length_controlled
from hueval_metrics.stats.ranks import rank_change
from hueval_metrics.words.texts import each

if TYPE_CHECKING:
    from markupsafe import Markup


def parts(runs: Sequence[Run], figures: Sequence[Figure], lengths: Lengths, marks: Marks) -> list[Part]:
    """The sections that the runs have data for.

    Args:
        runs: the runs.
        figures: of the runs; the ranks are taken from theirs.
        lengths: of the responses.
        marks: which scores were compared.
    """
    found = [_published(runs), _ranks(figures), _length(runs, lengths, marks), _judge(runs), _readings(runs)]
    return [part for part in found if part is not None]


def _judge(runs: Sequence[Run]) -> Part | None:
    names = ("coverage", "calls", "cached", "tokens", "usd", "errors", "suspicious", "agreement")
    header = [both("task"), both("model"), both("judge_model"), *(both(f"judge_{name}") for name in names)]
    rows = judge_rows(runs)
    table = Table(both("judge_caption"), header, [Block(rows)], labels=3)
    return Part("judge", both("judge_intro"), [table]) if rows else None


def judge_rows(runs: Sequence[Run]) -> list[list[str]]:
    """A row for each run, judged task and judge: task, run and judge, and eight numbers as text."""
    rows = []
    for task in tasks(runs):
        for run in runs:
            result = run.result(task)
            coverage = result.scores.get("judge_coverage")
            if coverage is None and not result.judges:
                continue
            shared = [number(result.n_judge_errors, 0), number(result.n_suspicious, 0), number(result.agreement, 1)]
            for judge, use in (result.judges or {"": JudgeUse()}).items():
                names = [task_name(task), *(row_name(text) if text else "" for text in (run.label, judge))]
                tokens = [count for count in (use.prompt_tokens, use.completion_tokens) if count is not None]
                counts = [use.calls, use.cached, sum(tokens) if tokens else None]
                usage = [*(number(count, 0) for count in counts), number(use.usd, 2)]
                rows.append([*names, number(coverage, 1), *usage, *shared])
    return rows


def _readings(runs: Sequence[Run]) -> Part | None:
    """Of each task and run the shares of the kinds of readings."""
    rows = [
        [task_name(task), row_name(run.label), *(number(result.readings.get(kind, 0.0), 1) for kind in KINDS)]
        for task in tasks(runs)
        for run in runs
        if (result := run.result(task)).readings
    ]
    header = [both("task"), both("model"), *(both(f"reading_{kind}") for kind in KINDS)]
    table = Table(both("readings_caption"), header, [Block(rows)], labels=2)
    return Part("readings", both("readings_intro"), [table]) if rows else None


def _ranks(figures: Sequence[Figure]) -> Part | None:
    """How much the ranks of each column in the figures of ranks differ from the first column."""
    lines = []
    for figure in figures:
        columns: dict[str, dict[str, float]] = {}
        for row in figure.rows if figure.name.startswith("ranks-") else ():
            columns.setdefault(str(row["column"]), {})[str(row["model"])] = float(str(row["rank"]))
        for name, theirs in list(columns.items())[1:]:
            first, ours = next(iter(columns.items()))
            if len(ours.keys() & theirs.keys()) > 1:
                change = rank_change(ours, theirs)
                numbers: list[tuple[float | None, int]] = [(change.moved, 0), (change.mean_change, 1)]
                numbers += [(change.kendall_tau, 2), (change.spearman_rho, 2)]
                lines.append([f"{name} → {first}", str(len(change.ranks)), *(number(*one) for one in numbers)])
    header = [both(f"ranks_{name}") for name in ("pair", "models", "moved", "mean", "kendall", "spearman")]
    return Part("ranks", both("ranks_intro"), [Table(both("ranks_caption"), header, [Block(lines)])]) if lines else None


def _length(runs: Sequence[Run], lengths: Lengths, marks: Marks) -> Part | None:
    header = [both("model"), both("length_plain"), both("interval"), both("length_controlled"), both("interval")]
    found = []
    for task, metric in lengths.columns():
        compared = marks.differs.get((task, metric), {})
        places = [place for place, run in enumerate(runs) if run.label in compared]
        scores, counts, strata = lengths.of(task, places)
        controlled = length_controlled([str(place) for place in places], scores, counts, strata=strata)
        if controlled is None:
            continue
        lines = []
        for at, place in enumerate(places):
            cells = [row_name(runs[place].label)]
            for own, is_controlled in ((controlled.plain, False), (controlled.controlled, True)):
                cells += [number(float(own.values[at]), 2), interval(controlled.ci95(at, controlled=is_controlled), 2)]
            lines.append([*cells, number(lengths.mean(task, place), 0)])
        about = {"task": task_name(task), "n": controlled.n, "length": number(controlled.typical_length, 0)}
        found.append(Table(both("length_caption", **about), [*header, both("length_mean")], [Block(lines)]))
    return Part("length", both("length_intro"), found) if found else None


def _published(runs: Sequence[Run]) -> Part | None:
    found, remarks = [], []
    for family in families_of(runs):
        shown = [(table, form) for table in published_tables(family) for form in table.columns_in_forms(family)]
        for table, columns in shown:
            cells = [Headline(task, metric, "", "") for task, metric in columns]
            scored = [(run, [cell.score(run) for cell in cells]) for run in runs]
            ours = [
                [row_name(run.label), *(number(score, 2) for score in scores)]
                for run, scores in scored
                if any(score is not None for score in scores)
            ]
            if not ours:
                continue
            theirs = [
                [model, *(number(table.score(model, *column), 2) for column in columns.values())]
                for model in table.scores
            ]
            blocks = [Block(ours, both("our_rows")), Block(theirs, both("published_rows"), is_published=True)]
            found.append(
                Table(
                    both("published_table", table=table.title),
                    [both("model"), *_headings(family, list(columns))],
                    blocks,
                )
            )
            remarks += [spans(table.note)] if table.note and spans(table.note) not in remarks else []
    return Part("published", both("published_intro"), found, remarks) if found else None


def _headings(family: Family, columns: Sequence[tuple[str, str]]) -> list[Markup | str]:
    """The headings of a published table: of one task its metrics, of one metric the tasks, else both."""
    tasks = {task for task, _ in columns}
    titles: dict[tuple[str, str], Markup | str] = {(one.task, one.metric): one.title for one in headlines([family])}
    for one in family.summaries:
        column = Headline(family.name, one.name, "", one.title)
        titles[column.task, column.metric] = heading(each(column.heading_in))
    by_task = {task: title for (task, _), title in reversed(titles.items()) if task != family.name}
    of_tasks = {metric for task, metric in columns if task != family.name}
    if len(tasks) == 1 and family.name not in tasks:
        return [_code(metric) for _, metric in columns]
    return [
        titles.get(column) or (by_task.get(column[0]) if len(of_tasks) == 1 else None) or _code(column[1])
        for column in columns
    ]


def _code(metric: str) -> Markup:
    from markupsafe import Markup

    return Markup("<code>{}</code>").format(metric)


class Lengths:
    """The score and length of each response, for tasks with a length-controlled score."""

    def __init__(self) -> None:
        self._items: dict[str, dict[Key | None, dict[int, tuple[float, int]]]] = {}
        self._strata: dict[str, list[str | None]] = {}

    def add(self, run_index: int, item: Item) -> None:
        """Add an item of the run with this index; one without a score is skipped."""
        task = item.task
        metric = declared(task).at_length if task in known_tasks() else None
        if metric is None or item.values is None or item.response is None:
            return
        value = number_of(item.values.get(metric))
        score = None if value is None else declared(task).metrics[metric]([value])
        if score is None:
            return
        items = self._items.setdefault(task, {})
        if item.key not in items:
            items[item.key] = {}
            self._strata.setdefault(task, []).append(item.dimension)
        items[item.key][run_index] = (score, len(item.response))

    def columns(self) -> list[tuple[str, str]]:
        """The tasks that have scores, and their metrics."""
        return [(task, declared(task).at_length or "") for task in known_tasks() if task in self._items]

    def of(self, task: str, places: Sequence[int]) -> tuple[Any, Any, Sequence[str | None]]:
        """Scores and lengths of the runs with these indices, shape (items, runs), NaN for none; each item's stratum."""
        nothing = (np.nan, np.nan)
        pairs = [[item.get(place, nothing) for place in places] for item in self._items[task].values()]
        both_columns = np.array(pairs, dtype=float).reshape(len(pairs), len(places), 2)
        return both_columns[..., 0], both_columns[..., 1], self._strata[task]

    def mean(self, task: str, place: int) -> float | None:
        """The mean length of a run's responses, in characters."""
        found = [item[place][1] for item in self._items[task].values() if place in item]
        return sum(found) / len(found) if found else None


@dataclass(frozen=True)
class Block:
    """Rows of a table, their cells as text; a heading above them, or None; whether the rows are published ones."""

    rows: Sequence[Sequence[str]]
    title: Markup | None = None
    is_published: bool = False


@dataclass(frozen=True)
class Table:
    """A table of a part.

    Attributes:
        caption: below it.
        header: of each column.
        blocks: its rows.
        labels: how many of the first columns are names; the others are numbers.
    """

    caption: Markup
    header: Sequence[Markup | str]
    blocks: Sequence[Block]
    labels: int = 1


@dataclass(frozen=True)
class Part:
    """A section of the page: its id, also the key of its heading; a text above its tables, and texts below."""

    id: str
    intro: Markup
    tables: Sequence[Table]
    remarks: Sequence[Markup] = field(default=())

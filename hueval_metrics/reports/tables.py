"""The overview, a table of headline scores for each family, and one table of every metric for each task."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from hueval_metrics.declare import Better, Family
from hueval_metrics.records import InputError
from hueval_metrics.registry import metric as declared_metric
from hueval_metrics.registry import resolve
from hueval_metrics.reports import escape, formats
from hueval_metrics.reports.columns import families_of, headlines, tasks
from hueval_metrics.reports.formats import Cell, Column, Grid, interval, number
from hueval_metrics.reports.notes import NARROW, is_partial, narrow_note, notes
from hueval_metrics.runs.run import Run
from hueval_metrics.text.spreadsheet import csv_text

if TYPE_CHECKING:
    from hueval_metrics.comparison.summaries import SummaryScore

FORMATS = ("terminal", "markdown", "csv", "latex")
LEGEND = "first, second and third place in the column; figures that print alike share a place."
INTERVAL_LEGEND = "[ ]: 95 % interval; ±: half its width, of which more may lie on one side of the score."
_PLACES = 3


def ranks(values: Sequence[float | None], better: Better | None = "higher") -> list[int | None]:
    """The places 1 to 3 in a column; none where neither end of its scale is the better one.

    Figures are compared as printed, with two decimals. Equal ones share a place and the next ones are not moved up
    (competition ranking: 1, 1, 3). A lone figure has nothing to beat and gets no place.

    >>> ranks([50.0, 61.234, 61.231, 7.0, None])
    [3, 1, 1, None, None]
    """
    printed = [None if value is None else round(value, 2) for value in values]
    present = [value for value in printed if value is not None]
    if len(present) < 2 or better is None:
        return [None] * len(printed)
    sign = 1 if better == "higher" else -1
    places = [None if value is None else 1 + sum(sign * (other - value) > 0 for other in present) for value in printed]
    return [place if place is not None and place <= _PLACES else None for place in places]


def overview(runs: Sequence[Run], family: Family) -> Grid:
    """A family's headline scores: a row for each run, a column for each headline; what was not run stays blank.

    Runs on the sample or with a limit take no place beside runs on the whole benchmark.
    """
    whole = [not is_partial(run) for run in runs]
    competing = whole if any(whole) else [True] * len(runs)
    rows = [[Cell(escape.plain(run.label))] for run in runs]
    columns = headlines([family])
    for column in columns:
        values = [column.score(run) for run in runs]
        competitors = [value if competes else None for value, competes in zip(values, competing, strict=True)]
        places = ranks(competitors, column.better)
        for row, value, place in zip(rows, values, places, strict=True):
            row.append(Cell(number(value, 2), place))
    return Grid([Column("Model", kind="label"), *(Column(one.heading, one.group) for one in columns)], rows)


def overviews(runs: Sequence[Run]) -> dict[str, Grid]:
    """Title of each family → its overview of the runs that have a task of it; the title is empty where it is alone."""
    families = families_of(runs)
    if len(families) == 1:
        return {"": overview(runs, families[0])}
    return {one.title: overview([run for run in runs if one in families_of([run])], one) for one in families}


def metric_tables(runs: Sequence[Run]) -> dict[str, Grid]:
    """Every metric of every task: for each task a table with one row for each metric and run."""
    columns = [Column("Metric", kind="text"), Column("Model", kind="label"), Column("Score"), Column("n")]
    tables = {}
    for task in tasks(runs):
        rows = []
        for metric in _metrics(runs, task):
            for run in runs:
                result = run.result(task)
                if metric in result.scores:
                    decimals = 3 if is_fraction(task, metric) else 1
                    score = with_interval(result.scores[metric], result.intervals.get(metric), decimals)
                    marked = Cell(score, mark=NARROW * result.covers_too_little(metric))
                    names = map(Cell, (escape.plain(metric), escape.plain(run.label)))
                    rows.append([*names, marked, Cell(number(run.result(task).n_of(metric), 0))])
        tables[task] = Grid(columns, rows)
    summaries: dict[str, list[list[Cell]]] = {}
    for (family, title), some in by_summary(runs).items():
        for label, one in some:
            texts = (title, escape.plain(label), with_interval(one.value, one.ci95), number(one.n, 0))
            summaries.setdefault(family, []).append([*map(Cell, texts)])
    return tables | {family: Grid(columns, rows) for family, rows in summaries.items()}


def by_summary(runs: Sequence[Run]) -> dict[tuple[str, str], list[tuple[str, SummaryScore]]]:
    """(family, title) of each summary → the scores of the runs that have it, by their labels."""
    found: dict[tuple[str, str], list[tuple[str, SummaryScore]]] = {}
    if not any(family.summaries for family in families_of(runs)):
        return found
    from hueval_metrics.comparison.summaries import summary_scores  # it reads items, which a table seldom needs

    for run in runs:
        for one in summary_scores(run):
            found.setdefault((one.family.title, one.summary.title), []).append((run.label, one))
    return found


def is_fraction(task: str, metric: str) -> bool:
    """Whether a metric runs from 0 to 1, so that the decimals of percent would hide what differs."""
    found = declared_metric(task, metric)
    return found is not None and found.unit == "fraction"


def with_interval(score: float | None, ends: tuple[float, float] | None, decimals: int = 1) -> str:
    """A score with half the width of its interval and the interval's ends; the bare score where there is none.

    >>> with_interval(61.23, (59.31, 63.12)), with_interval(0.0312, (0.0, 0.0401), 3), with_interval(7.0, None)
    ('61.2 ± 1.9 [59.3, 63.1]', '0.031 ± 0.020 [0.000, 0.040]', '7.0')
    """
    if score is None or ends is None:
        return number(score, decimals)
    return f"{number(score, decimals)} ± {number((ends[1] - ends[0]) / 2, decimals)} {interval(ends, decimals)}"


def render(runs: Sequence[Run], fmt: str, *, width: int = 100, color: bool = False) -> str:
    """The overview as text, with a legend of the marks and notes (not in csv, which has all decimals).

    Args:
        runs: at least one run, in the order of the rows.
        fmt: one of `FORMATS`.
        width: columns of the terminal; other formats do not care.
        color: whether terminal output carries colour codes.

    Returns:
        The text, ended by a line break.
    """
    if fmt == "csv":
        columns = headlines(families_of(runs))
        rows: list[list[object]] = [["model", *(f"{one.task}.{one.metric}" for one in columns)]]
        for run in runs:
            values = (one.score(run) for one in columns)
            rows.append([escape.plain(run.label), *values])
        return csv_text(rows)
    grids = overviews(runs)
    marked = any(cell.place for grid in grids.values() for row in grid.rows for cell in row)
    marks = "¹ red, ² green, ³ blue" if fmt == "terminal" and color else "¹ ² ³"
    return _page(grids, [f"{marks}: {LEGEND}"] * marked + [note["en"] for note in notes(runs)], fmt, width, color)


def render_metrics(runs: Sequence[Run], fmt: str, *, width: int = 100, color: bool = False) -> str:
    """Every metric of every task with its interval, a table for each task; arguments and result as for `render`.

    Only csv has all decimals; elsewhere a legend says what the marks mean. What goes into papers and programs carries
    the signatures; a terminal has no room for them.
    """
    if fmt == "csv":
        rows: list[list[object]] = [["task", "metric", "model", "score", "ci95_low", "ci95_high", "n", "signature"]]
        for task in tasks(runs):
            for metric in _metrics(runs, task):
                for run in runs:
                    if metric in run.result(task).scores:
                        low, high = run.result(task).intervals.get(metric, (None, None))
                        names = map(escape.plain, (task, metric, run.label))
                        numbers = (run.tasks[task].scores[metric], low, high)
                        signature = escape.plain(run.tasks[task].signature) if run.tasks[task].signature else ""
                        rows.append([*names, *numbers, number(run.result(task).n_of(metric), 0), signature])
        for (_, title), some in by_summary(runs).items():
            for label, one in some:
                low, high = one.ci95 or (None, None)
                rows.append([one.family.name, title, escape.plain(label), one.value, low, high, number(one.n, 0), ""])
        return csv_text(rows)
    has_intervals = any(result.intervals for run in runs for result in run.tasks.values())
    remarks = (
        [INTERVAL_LEGEND] * has_intervals
        + [note["en"] for note in narrow_note(runs)]
        + [note["en"] for note in notes(runs)]
    )
    if fmt != "terminal":
        remarks += [
            f"Signature of {', '.join(labels)}: {signature}"
            for task in tasks(runs)
            for signature, labels in signatures(runs, task).items()
        ]
    return _page(metric_tables(runs), remarks, fmt, width, color)


def signatures(runs: Sequence[Run], task: str) -> dict[str, list[str]]:
    """Each signature of a task, with the labels of its runs: rows with one signature are comparable."""
    found: dict[str, list[str]] = {}
    for run in runs:
        if signature := run.result(task).signature:
            found.setdefault(escape.plain(signature), []).append(escape.plain(run.label))
    return found


def render_view(name: str, runs: Sequence[Run], fmt: str, *, width: int = 100, color: bool = False) -> str:
    """A table that families declare of their own (`hueval table --view NAME`) as text.

    Args:
        name: as in `declare.Family.views`; where several families have it, all of them are shown.
        runs: at least one.
        fmt: one of `FORMATS`.
        width: columns of the terminal.
        color: whether terminal output carries colour codes.

    Raises:
        InputError: no family of these runs has such a view.
    """
    families = families_of(runs)
    found: dict[str, Grid] = {}
    for family in families:
        if name in family.views:
            found |= resolve(family.views[name])([run for run in runs if families_of([run]).count(family)])
    if not found:
        known = ", ".join(sorted({view for family in families for view in family.views})) or "none"
        raise InputError(f'--view "{name}": the benchmarks of these runs have no such view. Views: {known}')
    if fmt != "csv":
        return _page(found, [], fmt, width, color)
    rows: list[list[object]] = []
    for title, grid in found.items():
        rows.append(["table", *(" ".join(filter(None, (one.group, one.header))) for one in grid.columns)])
        rows += [[title, *(cell.text for cell in row)] for row in grid.rows]
    return csv_text(rows)


def _page(tables: dict[str, Grid], remarks: Sequence[str], fmt: str, width: int, color: bool) -> str:
    if fmt == "terminal":
        parts = [formats.terminal(title, grid, [], width, color) for title, grid in tables.items()]
        parts += [formats.terminal("", None, remarks, width, color)] if remarks else []
    elif fmt == "markdown":
        parts = [
            (f"### {escape.markdown(title)}\n\n" if title else "") + formats.markdown(g) for title, g in tables.items()
        ]
        parts += [escape.markdown(remark) + "\n" for remark in remarks]
    else:
        parts = [
            (rf"\paragraph{{{escape.latex(title)}}}" + "\n" if title else "") + formats.latex(grid)
            for title, grid in tables.items()
        ]
        parts += [rf"\par{{\footnotesize {escape.latex(remark)}\par}}" + "\n" for remark in remarks]
    return "\n".join(parts)


def _metrics(runs: Sequence[Run], task: str) -> list[str]:
    return list(dict.fromkeys(metric for run in runs for metric in run.result(task).scores))

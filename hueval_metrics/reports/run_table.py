"""The table at the end of a run: a row for each headline score and summary, with its interval and n."""

from __future__ import annotations

from collections.abc import Sequence

from hueval_metrics import registry
from hueval_metrics.beside import ASKED
from hueval_metrics.reports import escape
from hueval_metrics.reports.columns import Headline, headlines
from hueval_metrics.reports.formats import Block, Cell, Column, Grid, interval, number, terminal
from hueval_metrics.reports.notes import NARROW, narrow_note, notes
from hueval_metrics.runs.run import Run, TaskResult


def render_run(runs: Sequence[Run], *, width: int = 80, color: bool = False) -> str:
    """The headline scores of one or more runs as terminal text.

    Args:
        runs: of one evaluation.
        width: columns of the terminal.
        color: whether to write colour codes.

    Returns:
        The text, ended by a line break.
    """
    columns = [Column("Task", kind="label"), Column("Metric", kind="text"), Column("Score")]
    columns += [Column("95 % interval"), Column("n")]
    rows = [row for run in runs for row in _rows(run)]
    is_marked = any(cell.mark for row in rows for cell in row)
    remarks = [note["en"] for note in (*(narrow_note(runs) if is_marked else ()), *notes(runs))]
    return terminal(Block("", Grid(columns, rows) if rows else None, remarks), width, color)


def _rows(run: Run) -> list[list[Cell]]:
    found = []
    for column in headlines(registry.families().values(), [run]):
        is_summary = column.task in registry.families()
        if not is_summary and column.task not in run.tasks:
            continue
        result = run.summaries.get(column.task, TaskResult()) if is_summary else run.result(column.task)
        decimals = _decimals(column)
        scores = {column.metric: column.score(run)}
        if (asked := column.metric + ASKED) in result.scores:  # if the second turns of `--ask-again` counted
            scores[asked] = result.scores[asked]
        found += [
            [
                Cell(escape.plain(column.task)),
                Cell(metric),
                Cell(number(score, decimals) or "–"),
                Cell(interval(result.intervals.get(metric), decimals), mark=NARROW * result.covers_too_little(metric)),
                Cell(number(result.n_of(metric), 0)),
            ]
            for metric, score in scores.items()
        ]
    return found


def _decimals(column: Headline) -> int:
    declared = registry.metric(*column.terms[0])
    return 3 if declared is not None and declared.unit == "fraction" else 1

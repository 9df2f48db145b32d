"""The table at the end of a run: a row for each headline score and summary, with its interval and n."""

from __future__ import annotations

from collections.abc import Sequence

from hueval_metrics import registry
from hueval_metrics.beside import ASKED
from hueval_metrics.comparison.flags import Shown, flags_shown
from hueval_metrics.reports import escape
from hueval_metrics.reports.columns import Headline, headlines
from hueval_metrics.reports.flags import mark
from hueval_metrics.reports.formats import Block, Cell, Column, Grid, in_numerals, interval, number, terminal
from hueval_metrics.reports.notes import NARROW, narrow_note, notes
from hueval_metrics.reports.table_words import headed
from hueval_metrics.runs.run import Run, TaskResult
from hueval_metrics.words.texts import printed


def render_run(runs: Sequence[Run], *, width: int = 80, color: bool = False) -> str:
    """The headline scores of one or more runs as terminal text.

    Args:
        runs: of one evaluation.
        width: columns of the terminal.
        color: whether to write colour codes.

    Returns:
        The text, ended by a line break.
    """
    columns = [headed("task", kind="label"), headed("metric", kind="text"), headed("score")]
    columns += [headed("interval"), Column("n")]
    shown = flags_shown(runs)
    rows = [row for run in runs for row in _rows(run, shown)]
    is_marked = any(cell.mark == NARROW for row in rows for cell in row)
    remarks = [note[printed()] for note in (*(narrow_note(runs) if is_marked else ()), *notes(runs))]
    return terminal(in_numerals(Block("", Grid(columns, rows) if rows else None, remarks)), width, color)


def _rows(run: Run, shown: Shown) -> list[list[Cell]]:
    found = []
    for one in headlines(registry.families().values(), [run]):
        is_summary = one.task in registry.families()
        if not is_summary and one.task not in run.tasks:
            continue
        result = run.summaries.get(one.task, TaskResult()) if is_summary else run.result(one.task)
        decimals = _decimals(one)
        scores = {one.metric: one.score(run)}
        if (asked := one.metric + ASKED) in result.scores:  # if the second turns of `--ask-again` counted
            scores[asked] = result.scores[asked]
        found += [
            [
                Cell(escape.plain(one.task)),
                Cell(metric),
                Cell(number(score, decimals) or "–", mark=mark(shown, one, run.label)),
                Cell(interval(result.intervals.get(metric), decimals), mark=NARROW * result.covers_too_little(metric)),
                Cell(number(result.n_of(metric), 0)),
            ]
            for metric, score in scores.items()
        ]
    return found


def _decimals(column: Headline) -> int:
    declared = registry.metric(*column.terms[0])
    return 3 if declared is not None and declared.unit == "fraction" else 1

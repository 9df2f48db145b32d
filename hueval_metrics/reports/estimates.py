"""Statistics of agreement as cells of a table."""

from __future__ import annotations

from hueval_metrics.reports import escape
from hueval_metrics.reports.formats import Cell, Column, Grid, interval, number
from hueval_metrics.stats.agreement import Confusion, Estimate


def estimate_cells(estimate: Estimate | None, decimals: int) -> list[Cell]:
    """A statistic and its interval; the interval's cell is empty where there is none."""
    if estimate is None:
        return [Cell("undefined"), Cell("")]
    return [Cell(number(estimate.value, decimals)), Cell(interval(estimate.ci95, decimals))]


def confusion_grid(confusion: Confusion, rows: str, columns: str) -> Grid:
    """A table of two raters' labels, with totals; `rows` and `columns` name the two."""
    totals = [sum(column) for column in zip(*confusion.counts, strict=True)]
    named = zip([*confusion.labels, "all"], [*confusion.counts, totals], strict=True)
    heads = [Column(escape.plain(label), columns) for label in confusion.labels]
    return Grid(
        [Column(rows, kind="label"), *heads, Column("all")],
        [[Cell(label), *(Cell(str(n)) for n in [*row, sum(row)])] for label, row in named],
    )

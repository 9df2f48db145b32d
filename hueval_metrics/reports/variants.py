"""The effect of a setting as a table: `hueval compare --by-variant`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict

from hueval_metrics.comparison.variants import VariantEffect
from hueval_metrics.registry import families
from hueval_metrics.reports import escape, formats
from hueval_metrics.reports.columns import row_name, task_name
from hueval_metrics.reports.formats import Block, Cell, Column, Grid, interval, number
from hueval_metrics.reports.table_words import headed, say
from hueval_metrics.text.spreadsheet import csv_text

_HEADINGS = ("model", "task", "metric", "value", "own", "other", "difference", "ci95_low", "ci95_high", "n", "p")


def effects_grid(found: Sequence[VariantEffect]) -> Grid:
    """A row for each model, task and metric."""
    columns = [headed(name, kind="label") for name in ("model", "task")]
    columns += [headed("metric", kind="text"), headed("with", kind="text")]
    columns += [*map(headed, ("own", "other", "difference")), Column("n"), headed("p")]
    rows = []
    for one in found:
        decimals = 1 if one.is_percent else 3
        gain = "" if one.difference is None else f"{one.difference:+.{decimals}f} {interval(one.ci95, decimals)}"
        p = one.p if one.p_holm is None else one.p_holm
        p_text = "" if p is None else "< 0.001" if p < 0.001 else f"{p:.3f}"
        scores = [number(score, decimals) for score in one.scores]
        texts = (row_name(one.label), task_name(one.task), one.metric, escape.plain(one.value), *scores)
        rows.append([*map(Cell, (*texts, gain.rstrip(), str(one.n), p_text))])
    return Grid(columns, rows)


def render_effects(found: Sequence[VariantEffect], fmt: str, *, width: int = 100, color: bool = False) -> str:
    """The table in a format of `hueval compare`; arguments and result as for `comparison.render`."""
    if fmt == "json":
        return formats.json_page([asdict(one) for one in found])
    if fmt == "csv":
        return csv_text([[*_HEADINGS, "p_holm", "test"], *map(_row, found)])
    is_pooled = any(one.task in families() and one.p_holm is not None for one in found)
    remarks = [say("effects_note"), *[say("pooled_note")] * is_pooled]
    block = formats.in_numerals(Block(say("effects"), effects_grid(found), remarks))
    return formats.markdown_page([block]) if fmt == "markdown" else formats.terminal(block, width, color)


def _row(one: VariantEffect) -> list[object]:
    low, high = one.ci95 or (None, None)
    label = escape.plain(one.label)
    named = [label, one.task, one.metric, one.value, *one.scores]
    return [*named, one.difference, low, high, one.n, one.p, one.p_holm, one.test]

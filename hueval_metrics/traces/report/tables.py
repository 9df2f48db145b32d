"""An analysis of traces as tables: `hueval table` on a folder with traces.json."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from hueval_metrics.reports import escape
from hueval_metrics.reports.columns import row_name, task_name
from hueval_metrics.reports.formats import Block, Cell, Column, Grid, interval, number
from hueval_metrics.reports.notes import PUBLISHED
from hueval_metrics.reports.views import render_blocks
from hueval_metrics.text.spreadsheet import csv_text
from hueval_metrics.traces.estimates import LENGTH_CORRECTNESS
from hueval_metrics.traces.item import VERDICTS
from hueval_metrics.traces.measures import Number
from hueval_metrics.traces.published import published_of
from hueval_metrics.traces.report import sentences
from hueval_metrics.traces.report.texts import say
from hueval_metrics.traces.results import TraceResults

_MISSED = VERDICTS[2:]  # of which there is something to regret
_RATIOS = (0, *range(10, 100, 10))
_NUMBERS = ("run", "group", "part", "verdict", "measure", "value", "ci95_low", "ci95_high", "n", "n_clusters", "over")
_TESTS = (
    *("measure", "between", "against", "group", "run_1", "part_1", "verdict_1", "run_2", "part_2", "verdict_2"),
    *("difference", "ci95_low", "ci95_high", "p", "p_holm", "n"),
)


@dataclass(frozen=True)
class Shown:
    """A column.

    Attributes:
        measure: whose numbers it has.
        heading, group: keys of the texts of the column, and of it and its neighbours; of figures they themselves.
        decimals: that are printed.
        bare: without intervals.
        verdicts: the only ones that it is for; empty for all.
        note: key of the text below a table that has it.
    """

    measure: str
    heading: str
    group: str = ""
    decimals: int = 1
    bare: bool = False
    verdicts: Sequence[str] = ()
    note: str = ""


@dataclass(frozen=True)
class Table:
    """A table.

    Attributes:
        title: key of the text behind the group's.
        columns: of which those with any number are shown.
        by_verdict: whether it has a row for each verdict.
    """

    title: str
    columns: Sequence[Shown]
    by_verdict: bool = False


TABLES = (
    Table(
        "verdicts",
        (
            Shown("tokens", "mean", "tokens", 0),
            Shown("tokens_median", "median", "tokens", 0, bare=True),
            Shown("thoughts", "mean", "thoughts"),
            Shown("thoughts_median", "median", "thoughts", 0, bare=True),
            Shown("correct_thoughts", "correct_thoughts"),
            Shown("regret", "regret", verdicts=_MISSED, note="regret"),
        ),
        by_verdict=True,
    ),
    Table(
        "shares",
        tuple(
            Shown(
                f"correct_ratio_ge_{least}" if least else "correct_ratio_gt_0",
                f"≥{least}" if least else ">0",
                bare=True,
            )
            for least in _RATIOS
        ),
        by_verdict=True,
    ),
    Table(
        "segments",
        tuple(
            Shown(f"{name}_segments", name, decimals=2)
            for name in ("introduction", "reasoning", "review", "conclusion")
        ),
    ),
    Table(
        "reasoning",
        (
            Shown("simple_assertion", "simple", "assertions"),
            Shown("correct_simple_assertion", "simple", "correct"),
            Shown("correct_complex_thought", "complex", "correct"),
            Shown("non_conclusion_simple_assertion", "simple", "no_conclusion"),
            Shown("non_conclusion_complex_thought", "complex", "no_conclusion"),
            Shown("eti", "ETI", note="eti"),
        ),
    ),
    Table(
        "language",
        (
            Shown("hungarian_sentences", "hungarian", "sentences"),
            Shown("english_sentences", "english", "sentences"),
            *(Shown(name, name, "per_tokens", 2) for name in ("switches", "translations", "hedges", "corrections")),
            Shown("repetition", "repeated"),
        ),
    ),
    Table(
        "missing",
        (Shown("no_trace_rate", "no_trace"), Shown("truncated_rate", "cut"), Shown("looping_rate", "looping")),
    ),
    Table(
        "life",
        (
            Shown("answer_first", "first", note="first"),
            Shown("answer_changes", "changes", decimals=2),
            Shown("tokens_after_settled", "after", decimals=0),
            Shown("regret_rule", "regret_rule", note="regret_rule"),
        ),
    ),
)


def render(results: TraceResults, fmt: str, *, width: int = 100, color: bool = False) -> str:
    """The tables as text.

    Args:
        results: the analysis.
        fmt: one of `reports.tables.FORMATS`; CSV has every number and test with all decimals, and nothing else.
        width: columns of the terminal.
        color: whether to write colour codes, for `terminal` only.
    """
    if fmt == "csv":
        return csv_text([*_number_rows(results), *_test_rows(results)])
    return render_blocks(list(blocks(results)), fmt, width=width, color=color)


def blocks(results: TraceResults) -> Iterator[Block]:
    """The tables that have data, the differences in sentences, and what was left out."""
    by_group: dict[str, list[Number]] = {}
    for one in results.numbers:
        by_group.setdefault(one.cell.group, []).append(one)
    order = {run.label: place for place, run in enumerate(results.runs)}
    for group, numbers in by_group.items():
        for table in TABLES:
            names = {column.measure for column in table.columns}
            own = [one for one in numbers if one.measure in names and one.value is not None]
            for part in dict.fromkeys(one.cell.part for one in own) if table.by_verdict else ():
                title = ", ".join(filter(None, (task_name(group), part and sentences.part_name(group, part))))
                yield _block(table, title, [one for one in own if one.cell.part == part], order)
            if not table.by_verdict and (own := [one for one in own if not one.cell.verdict]):
                yield _block(table, task_name(group), own, order)
    if correlations := [one for one in results.numbers if one.measure == LENGTH_CORRECTNESS]:
        yield Block(say("correlation"), _correlations(correlations))
    if differing := sentences.differences(results):
        yield Block(say("differences"), None, differing)
    remarks = [say("intervals")] * any(number.ci95 for number in results.numbers)
    remarks += [*sentences.left_out(results), say("tokenizer", name=escape.plain(results.tokenizer))]
    yield Block(say("read"), None, remarks)


def _block(table: Table, title: str, numbers: Sequence[Number], order: Mapping[str, int]) -> Block:
    """A table of one group, or of one part of it: a row for each verdict or part, and run."""
    found = {(one.cell, one.measure): one for one in numbers}
    columns = [one for one in table.columns if any(one.measure == measure for _, measure in found)]
    verdicts = {verdict: place for place, verdict in enumerate(("", *VERDICTS))}
    cells = sorted(
        {cell for cell, _ in found},
        key=lambda cell: (verdicts.get(cell.verdict, len(verdicts)), cell.part, order.get(cell.run, len(order))),
    )
    parts = not table.by_verdict and any(cell.part for cell in cells)
    # What distinguishes rows precedes the label: a wide table is printed in parts, which repeat it.
    heads = [_head("verdict", "text")] * table.by_verdict + [_head("part", "text")] * parts
    heads += [_head("model", "label"), Column("n"), *(_head(one.heading, group=one.group) for one in columns)]
    rows = []
    for cell in cells:
        labels = [Cell(cell.verdict or say("all"))] * table.by_verdict
        labels += [Cell(sentences.part_name(cell.group, cell.part) if cell.part else say("all"))] * parts
        n = max(one.n for (at, _), one in found.items() if at == cell)
        labels += [Cell(row_name(cell.run)), Cell(str(n))]
        rows.append([*labels, *(_cell(one, found.get((cell, one.measure))) for one in columns)])
    n_ours, notes = len(rows), [say(f"note.{one.note}") for one in columns if one.note]
    published = {} if table.by_verdict else published_of(numbers[0].cell.group, {one.measure for one in columns})
    for model, figures in published.items():
        labels = [Cell("")] * parts + [Cell(escape.plain(model), mark=PUBLISHED), Cell("")]
        values = [(one, figures[one.measure].value if one.measure in figures else None) for one in columns]
        rows.append([*labels, *(Cell(number(value, one.decimals), exact=value) for one, value in values)])
    if published:
        sources = dict.fromkeys(one.source for figures in published.values() for one in figures.values())
        notes.append(say("note.published", mark=PUBLISHED, sources=", ".join(sources)))
    return Block(say("title", where=title, table=say(f"table.{table.title}")), Grid(heads, rows, n_ours), notes)


def _head(name: str, kind: Literal["label", "text", "number"] = "number", group: str = "") -> Column:
    heading = say(f"head.{name}") if name.isidentifier() and name.islower() else name
    return Column(heading, say(f"group.{group}") if group else "", kind)


def _correlations(numbers: Sequence[Number]) -> Grid:
    heads = [_head("task", "text"), _head("model", "label"), Column("n"), Column("ρ")]
    rows = [
        [
            *(Cell(task_name(one.cell.group)), Cell(row_name(one.cell.run)), Cell(str(one.n))),
            Cell(f"{number(one.value, 2)} {interval(one.ci95, 2)}".rstrip(), exact=one.value),
        ]
        for one in numbers
    ]
    return Grid(heads, rows)


def _cell(column: Shown, one: Number | None) -> Cell:
    if one is None or (column.verdicts and one.cell.verdict not in column.verdicts):
        return Cell("")
    ends = "" if column.bare else interval(one.ci95, column.decimals)
    return Cell(number(one.value, column.decimals), below=ends, exact=one.value)


def _number_rows(results: TraceResults) -> Iterator[Sequence[object]]:
    yield _NUMBERS
    for one in results.numbers:
        cell = (one.cell.run, one.cell.group, one.cell.part, one.cell.verdict, one.measure)
        yield *map(_inert, cell), one.value, *(one.ci95 or (None, None)), one.n, one.n_clusters, one.denominator


def _test_rows(results: TraceResults) -> Iterator[Sequence[object]]:
    if results.tests:
        yield _TESTS
    for one in results.tests:
        named = [one.measure, one.between, one.against, one.first.group]
        for cell in (one.first, one.second):
            named += [cell.run, cell.part, cell.verdict]
        yield *map(_inert, named), one.difference, *(one.ci95 or (None, None)), one.p, one.p_holm, one.n


def _inert(text: str) -> str:
    return escape.plain(text) if text else ""

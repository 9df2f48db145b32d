"""The tables of the section on reasoning traces: a block of rows for each task, pool of tasks, or part of one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from hueval_metrics.metrics.simple_qa import INCORRECT, NOT_ATTEMPTED
from hueval_metrics.reports import escape
from hueval_metrics.reports.columns import row_name
from hueval_metrics.reports.formats import interval, number
from hueval_metrics.reports.page.words import both, spans
from hueval_metrics.traces.measures import Cell, Number
from hueval_metrics.traces.published import published_of
from hueval_metrics.traces.report.figures import OUTCOMES
from hueval_metrics.traces.report.lookup import Lookup, group_name
from hueval_metrics.traces.segments.classes import DIMENSIONS

if TYPE_CHECKING:
    from markupsafe import Markup

# Measure → decimals, by table; a column is there if any of its cells has a number.
_OUTCOMES = {"tokens": 0, "tokens_median": 0, "thoughts": 1, "thoughts_median": 1, "tokens_per_thought": 0}
_OUTCOMES |= {"correct_thoughts": 1, "regret": 1, "regret_rule": 1}
_CLASSES = {"simple_assertion": 2, "complex_thought": 2, "eti": 2}
_CLASSES |= {
    f"{name}_{kind}{ending}": 2
    for name, ending in (("correct", ""), ("correct", "_of_concluded"), ("non_conclusion", ""))
    for kind in ("simple_assertion", "complex_thought")
}
_SEGMENTS = {f"{name}_segments": 2 for name in ("introduction", "reasoning", "review", "conclusion")} | {"blanks": 2}
_LIFE = {"answer_first": 1, "answer_changes": 2, "tokens_after_settled": 0, "regret_rule": 1}
_FREE = {"tokens_ref": 0, "hungarian_sentences": 1, "english_sentences": 1, "switches": 2, "translations": 2}
_FREE |= {"hedges": 2, "corrections": 2, "repetition": 1, "length_correctness": 2}
_FREE |= {"no_trace_rate": 1, "truncated_rate": 1, "looping_rate": 1}
_CROSSED = "_x_"  # in the name of a cell of a cross table
_COUNTS = ("replies", "no_trace", "cut", "looping", "several_blocks")


def trace_tables(found: Lookup) -> list[TraceTable]:
    """The tables that have numbers."""
    tables = [
        _table(found, "outcomes", _OUTCOMES, by_outcome=True),
        _table(found, "classes", _CLASSES),
        _table(found, "segments", _SEGMENTS),
        _crossed(found),
        _table(found, "life", _LIFE),
        _table(found, "free", _FREE),
        _counts(found),
        _left_out(found),
    ]
    return [table for table in tables if table.blocks]


def _table(found: Lookup, name: str, columns: Mapping[str, int], *, by_outcome: bool = False) -> TraceTable:
    """A row for each run, and outcome, that has a number; a column for each measure that has one."""
    rows: dict[tuple[str, str], list[tuple[Cell, dict[str, Number]]]] = {}
    for group in found.groups():
        for part in found.parts(group):
            for run in found.runs:
                for verdict in ["", *(found.verdicts(group) if by_outcome else ())]:
                    cell = Cell(run.label, group, part, verdict)
                    asked = [measure for measure in columns if _applies(measure, verdict)]
                    numbers = {measure: one for measure in asked if (one := found.number(cell, measure))}
                    if numbers:
                        rows.setdefault((group, part), []).append((cell, numbers))
    used = [measure for measure in columns if any(measure in own for some in rows.values() for _, own in some)]
    blocks = []
    for (group, part), some in rows.items():
        lines = []
        for cell, numbers in some:
            names = [row_name(cell.run), *([_outcome(cell.verdict)] * by_outcome)]
            n = max(one.n for one in numbers.values())
            lines.append(Line(names, [Score(str(n)), *(_score(numbers.get(one), columns[one]) for one in used)]))
        blocks.append(Block(spans(group_name(group, part)), lines))
        if not part and (theirs := _published(group, used, columns)):
            blocks.append(Block(both("trace_published"), theirs, is_published=True))
    labels = [both("model"), *([both("trace_outcome")] * by_outcome)]
    headings = [both("n"), *(both(f"measure_{measure}") for measure in used)]
    return TraceTable(name, labels, headings, blocks)


def _applies(measure: str, verdict: str) -> bool:
    """Whether to show a measure: over other replies than those that are not right, regret would be a wrong name."""
    return measure != "regret" or verdict in (INCORRECT, NOT_ATTEMPTED)


def _outcome(verdict: str) -> Markup:
    return spans(OUTCOMES[verdict]) if verdict else both("all")


def _score(one: Number | None, decimals: int) -> Score:
    return Score(number(one.value, decimals), interval(one.ci95, decimals)) if one else Score("")


def _published(group: str, measures: Sequence[str], columns: Mapping[str, int]) -> list[Line]:
    """What the paper prints of a group, a row for each model."""
    found = []
    for model, own in published_of(group, measures).items():
        values = [(own[one].value if one in own else None, columns[one]) for one in measures]
        found.append(Line([escape.plain(model)], [Score(""), *(Score(number(*value)) for value in values)]))
    return found


def _crossed(found: Lookup) -> TraceTable:
    """The cross tables of the classes: a row for each pair of classes that any run has, a column for each run."""
    pairs = [measure for measure in found.measures() if _CROSSED in measure]
    labels = [run.label for run in found.runs]
    blocks = []
    for group in found.groups():
        lines = []
        for pair in pairs:
            row = [found.number(Cell(label, group), pair) for label in labels]
            if any(one and one.value for one in row):
                names = [_class(name) for name in pair.split(_CROSSED, 1)]
                lines.append(Line(names, [_score(one, 2) for one in row]))
        blocks += [Block(spans(group_name(group)), lines)] if lines else []
    return TraceTable("crossed", [both("trace_class")] * 2, [bare(row_name(label)) for label in labels], blocks)


def _class(name: str) -> Markup:
    """A class in the name of a measure, such as `dimension2_simple_assertion`."""
    dimension, _, own = name.removeprefix("dimension").partition("_")
    known = {
        f"{place}_{label.lower().replace(' ', '_')}": f"class_{place - 1}_{at}"
        for place, labels in enumerate(DIMENSIONS, 1)
        for at, label in enumerate(labels)
    }
    key = known.get(f"{dimension}_{own}")
    return both(key) if key else bare(name)


def _counts(found: Lookup) -> TraceTable:
    tasks = dict.fromkeys(task for run in found.runs for task in run.counts)
    blocks = []
    for task in tasks:
        lines = [
            Line([row_name(run.label)], [Score(str(run.counts[task].get(name, 0))) for name in _COUNTS])
            for run in found.runs
            if task in run.counts
        ]
        blocks.append(Block(spans(group_name(task)), lines))
    return TraceTable("counts", [both("model")], [both(f"trace_count_{name}") for name in _COUNTS], blocks)


def _left_out(found: Lookup) -> TraceTable:
    lines = [
        Line([row_name(run.label), code(step), code(reason)], [Score(str(n))])
        for run in found.runs
        for step, reasons in run.left_out.items()
        for reason, n in reasons.items()
        if n
    ]
    labels = [both("model"), both("trace_step"), both("trace_reason")]
    return TraceTable("left_out", labels, [both("trace_replies")], [Block(None, lines)] if lines else [])


def bare(text: str) -> Markup:
    """A name of no language, as HTML."""
    from markupsafe import Markup

    return Markup("<bdi>{}</bdi>").format(escape.plain(text))


def code(text: str) -> Markup:
    """A word of the files, as HTML."""
    from markupsafe import Markup

    return Markup("<code>{}</code>").format(escape.plain(text))


@dataclass(frozen=True)
class Score:
    """A number as text, with its interval."""

    text: str
    interval: str = ""


@dataclass(frozen=True)
class Line:
    """A row: its names, and its numbers."""

    names: Sequence[Markup | str]
    scores: Sequence[Score]


@dataclass(frozen=True)
class Block:
    """Rows under a title; those of a paper are published."""

    title: Markup | None
    lines: Sequence[Line]
    is_published: bool = False


@dataclass(frozen=True)
class TraceTable:
    """A table.

    Attributes:
        name: unique in the section; in the keys of its title and its caption.
        labels: headings of the columns of names.
        headings: of the columns of numbers.
        blocks: its rows.
    """

    name: str
    labels: Sequence[Markup]
    headings: Sequence[Markup]
    blocks: Sequence[Block]

"""The section on reasoning traces: what analyses of `hueval traces` found, as figures, sentences and tables."""

from __future__ import annotations

import logging
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from hueval_metrics.metrics.simple_qa import INCORRECT, NOT_ATTEMPTED
from hueval_metrics.registry import families
from hueval_metrics.reports import escape
from hueval_metrics.reports.columns import row_name
from hueval_metrics.reports.figures.figure import Figure
from hueval_metrics.reports.figures.names import task_name
from hueval_metrics.reports.figures.reasoning import OUTCOMES, reasoning_figures
from hueval_metrics.reports.formats import interval, number
from hueval_metrics.reports.page import words
from hueval_metrics.reports.page.words import LANGUAGES, both, spans
from hueval_metrics.reports.traces.analysis import Analysis, Rows, rows_of_runs
from hueval_metrics.reports.traces.lookup import Lookup, group_name
from hueval_metrics.reports.traces.sentences import is_significant, is_told, qualifiers
from hueval_metrics.runs.run import Run
from hueval_metrics.traces.measures import Cell, Test
from hueval_metrics.traces.published import published_traces
from hueval_metrics.traces.segments.classes import DIMENSIONS

if TYPE_CHECKING:
    from markupsafe import Markup

    from hueval_metrics.reports.page.pictures import Picture

log = logging.getLogger(__name__)

_LEAST_P = 0.001
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


def read_traces(runs: Sequence[Run], analyses: Sequence[Analysis]) -> ReadTraces:
    """What the analyses have of the runs; what cannot be read is logged, and told in the section."""
    faults: list[str] = []
    rows, renamed = rows_of_runs(runs, analyses, faults.append)
    found = Lookup([one.results for one in analyses], renamed, [run.label for run in runs])
    for fault in faults:
        log.warning("%s", escape.plain(fault))
    signatures = {one.folder.resolve().name: one.results.signature for one in analyses}
    return ReadTraces(found, rows, list(reasoning_figures(found)), signatures, faults)


def reasoning(read: ReadTraces, pictures: Sequence[Picture], n_other: Mapping[str, int]) -> Reasoning:
    """The section.

    Args:
        read: what the analyses have.
        pictures: of their figures.
        n_other: label of a run → number of its analysed replies that are others than its items have.
    """
    found = read.found
    tests = [test for test in found.tests if is_told(test)]
    tables = [
        _by_outcome(found),
        _classes(found),
        _plain(found, "segments", _SEGMENTS),
        _crossed(found),
        _plain(found, "life", _LIFE),
        _plain(found, "free", _FREE),
        _counts(found),
        _left_out(found),
    ]
    return Reasoning(
        pictures=pictures,
        differences=[_difference(test) for test in sorted(filter(is_significant, tests), key=qualifiers)],
        tested=list(_tested(tests)),
        tables=[table for table in tables if table is not None],
        signatures={_bare(escape.plain(name)): escape.plain(text) for name, text in read.signatures.items()},
        problems=[
            *(both("trace_problem", problem=_samp(fault)) for fault in read.faults),
            *(both("trace_other", run=row_name(label), n=n) for label, n in n_other.items()),
        ],
    )


def _by_outcome(found: Lookup) -> TraceTable | None:
    cells = [
        Cell(run.label, group, part, verdict)
        for group in found.groups()
        for run in found.runs
        for part in found.parts(group)
        for verdict in ["", *found.verdicts(group)]
    ]
    return _table(found, "outcomes", cells, _OUTCOMES, has_outcomes=True)


def _plain(found: Lookup, name: str, columns: Mapping[str, int]) -> TraceTable | None:
    """A table with a row for each run and group."""
    return _table(found, name, [Cell(run.label, group) for group in found.groups() for run in found.runs], columns)


def _classes(found: Lookup) -> TraceTable | None:
    """The classes of segments, with the published numbers below ours."""
    table = _plain(found, "classes", _CLASSES)
    if table is None:
        return None
    published: dict[tuple[str, str], dict[str, float]] = {}
    for one in (one for family in families().values() for one in published_traces(family)):
        if one.group in found.groups() and one.measure in table.measures:
            published.setdefault((one.model, one.group), {})[one.measure] = one.value
    lines = [
        (
            [escape.plain(model), spans(group_name(group))],
            [Score("")] + [Score(number(values.get(measure), _CLASSES[measure])) for measure in table.measures],
        )
        for (model, group), values in published.items()
    ]
    return replace(table, published=lines)


def _applies(measure: str, verdict: str) -> bool:
    """Whether to show a measure: over other replies than those that are not right, regret would be a wrong name."""
    return measure != "regret" or verdict in (INCORRECT, NOT_ATTEMPTED)


def _table(
    found: Lookup, name: str, cells: Iterable[Cell], columns: Mapping[str, int], *, has_outcomes: bool = False
) -> TraceTable | None:
    """A row for each cell that has a number, and a column for each measure that has one."""
    rows = [
        (
            cell,
            {
                measure: one
                for measure in columns
                if _applies(measure, cell.verdict) and (one := found.number(cell, measure))
            },
        )
        for cell in cells
    ]
    used = [measure for measure in columns if any(measure in row for _, row in rows)]
    lines = [
        (
            [row_name(cell.run), spans(group_name(cell.group, cell.part)), *([_outcome(cell.verdict)] * has_outcomes)],
            [Score(str(max((one.n for one in row.values()), default=0)))]
            + [
                Score(number(row[measure].value, columns[measure]), interval(row[measure].ci95, columns[measure]))
                if measure in row
                else Score("")
                for measure in used
            ],
        )
        for cell, row in rows
        if row
    ]
    labels = [both("model"), both("task"), *([both("trace_outcome")] * has_outcomes)]
    headings = [both("n"), *(both(f"measure_{measure}") for measure in used)]
    return TraceTable(name, both(f"trace_table_{name}"), labels, headings, lines, used) if used and lines else None


def _outcome(verdict: str) -> Markup:
    return spans(OUTCOMES[verdict]) if verdict else both("all")


def _crossed(found: Lookup) -> TraceTable | None:
    """The cross tables of the classes: a row for each pair of classes, a column for each run and group."""
    pairs = [measure for measure in found.measures() if _CROSSED in measure]
    cells = [Cell(run.label, group) for group in found.groups() for run in found.runs]
    used = [cell for cell in cells if any(found.number(cell, pair) for pair in pairs)]
    lines = []
    for pair in pairs:
        first, second = pair.split(_CROSSED, 1)
        row = [found.number(cell, pair) for cell in used]
        scores = [Score(number(one.value, 2), interval(one.ci95, 2)) if one else Score("") for one in row]
        lines.append(([_class(first), _class(second)], scores))
    labels = [both("trace_class"), both("trace_class")]
    headings = [_bare(row_name(cell.run)) for cell in used]
    return TraceTable("crossed", both("trace_table_crossed"), labels, headings, lines) if used else None


def _class(name: str) -> Markup:
    """A class in the name of a measure, such as `dimension2_simple_assertion`."""
    dimension, _, own = name.removeprefix("dimension").partition("_")
    known = {
        f"{place}_{label.lower().replace(' ', '_')}": f"class_{place - 1}_{at}"
        for place, labels in enumerate(DIMENSIONS, 1)
        for at, label in enumerate(labels)
    }
    key = known.get(f"{dimension}_{own}")
    return both(key) if key else _bare(name)


def _bare(text: str) -> Markup:
    from markupsafe import Markup

    return Markup("<bdi>{}</bdi>").format(text)


def _counts(found: Lookup) -> TraceTable | None:
    lines = [
        ([row_name(run.label), _bare(task_name(task))], [Score(str(counts.get(name, 0))) for name in _COUNTS])
        for run in found.runs
        for task, counts in run.counts.items()
    ]
    headings = [both(f"trace_count_{name}") for name in _COUNTS]
    return (
        TraceTable("counts", both("trace_table_counts"), [both("model"), both("task")], headings, lines)
        if lines
        else None
    )


def _left_out(found: Lookup) -> TraceTable | None:
    lines = [
        ([row_name(run.label), _code(step), _code(reason)], [Score(str(n))])
        for run in found.runs
        for step, reasons in run.left_out.items()
        for reason, n in reasons.items()
        if n
    ]
    labels = [both("model"), both("trace_step"), both("trace_reason")]
    return (
        TraceTable("left_out", both("trace_table_left_out"), labels, [both("trace_replies")], lines) if lines else None
    )


def _samp(text: str) -> Markup:
    """A message as the commands print it, in English alone."""
    from markupsafe import Markup

    return Markup("<samp>{}</samp>").format(escape.plain(text))


def _code(text: str) -> Markup:
    from markupsafe import Markup

    return Markup("<code>{}</code>").format(escape.plain(text))


def _difference(test: Test) -> Markup:
    """Which of two cells has more of what, by how much, and how sure that is."""
    low, high = (test.first, test.second) if test.difference > 0 else (test.second, test.first)
    ends = test.ci95
    if ends is not None and test.difference < 0:
        ends = (-ends[1], -ends[0])
    decimals = 0 if abs(test.difference) >= 100 else 2
    values: dict[str, Any] = {
        language: words.numerals(
            f"{number(abs(test.difference), decimals)} {interval(ends, decimals)}".strip(), language
        )
        for language in LANGUAGES
    }
    p = {
        language: words.numerals(f"< {_LEAST_P}" if test.p_holm < _LEAST_P else f"= {test.p_holm:.3f}", language)
        for language in LANGUAGES
    }
    where = {language: ", ".join(filter(None, _where(test, language))) for language in LANGUAGES}
    return both(
        "trace_difference",
        where=where,
        measure=_measure(test.measure),
        high=_side(high, test.between),
        low=_side(low, test.between),
        difference=values,
        p=p,
    )


def _measure(name: str) -> Mapping[str, Markup]:
    """The heading of a measure; its name where it has none, as of another version."""
    key = f"measure_{name}"
    return words.texts(key) if key in words.words(LANGUAGES[0]) else dict.fromkeys(LANGUAGES, _code(name))


def _where(test: Test, language: str) -> Iterator[str]:
    """What both cells of a test have in common."""
    cell = test.first
    if test.between != "models":
        yield row_name(cell.run)
    yield group_name(cell.group, "" if test.between == "parts" else cell.part)[language]
    if test.between != "verdicts" and cell.verdict:
        yield OUTCOMES[cell.verdict][language]


def _side(cell: Cell, between: str) -> Mapping[str, Any]:
    """What is particular of a cell of a test."""
    if between == "models":
        return dict.fromkeys(LANGUAGES, row_name(cell.run))
    if between == "parts":
        return {language: name.rpartition(", ")[2] for language, name in group_name(cell.group, cell.part).items()}
    return OUTCOMES[cell.verdict]


def _tested(tests: Sequence[Test]) -> Iterator[Markup]:
    """How many tests of each kind there were, and how many of them came out significant."""
    for kind in dict.fromkeys(test.between for test in tests):
        own = [test for test in tests if test.between == kind]
        yield both(f"trace_tested_{kind}", n=len(own), significant=sum(map(is_significant, own)))


@dataclass(frozen=True)
class Score:
    """A number as text, with its interval."""

    text: str
    interval: str = ""


@dataclass(frozen=True)
class TraceTable:
    """A table of the section.

    Attributes:
        name: unique in the section.
        caption: below it.
        labels: headings of the columns of names.
        headings: of the columns of numbers.
        lines: names and numbers of each row.
        measures: that the columns of numbers show, behind that of n; empty where they are of something else.
        published: rows of published numbers, likewise.
    """

    name: str
    caption: Markup
    labels: Sequence[Markup]
    headings: Sequence[Markup]
    lines: Sequence[tuple[Sequence[Markup | str], Sequence[Score]]]
    measures: Sequence[str] = ()
    published: Sequence[tuple[Sequence[Markup | str], Sequence[Score]]] = ()


@dataclass(frozen=True)
class Reasoning:
    """The section.

    Attributes:
        pictures: its figures.
        differences: a sentence for each significant difference.
        tested: how many tests there were of each kind.
        tables: its tables.
        signatures: of each analysis.
        problems: what could not be read or joined.
    """

    pictures: Sequence[Picture]
    differences: Sequence[Markup]
    tested: Sequence[Markup]
    tables: Sequence[TraceTable]
    signatures: Mapping[str, str]
    problems: Sequence[Markup]


@dataclass(frozen=True)
class ReadTraces:
    """What analyses have of the runs of a report.

    Attributes:
        found: their numbers.
        rows: of each run item → row.
        figures: of the numbers.
        signatures: name of an analysis's folder → its signature.
        faults: messages on what could not be read.
    """

    found: Lookup
    rows: Sequence[Rows]
    figures: Sequence[Figure]
    signatures: Mapping[str, str]
    faults: Sequence[str]

"""The section on reasoning traces: what analyses of `hueval traces` found, as figures, sentences and tables."""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from hueval_metrics.reports import escape
from hueval_metrics.reports.columns import row_name
from hueval_metrics.reports.figures.figure import Figure
from hueval_metrics.reports.page.section import Section
from hueval_metrics.reports.page.words import both
from hueval_metrics.runs.items import Item
from hueval_metrics.runs.run import Run
from hueval_metrics.traces.report.analysis import Analysis, Rows, rows_of_runs
from hueval_metrics.traces.report.figures import reasoning_figures
from hueval_metrics.traces.report.lookup import Lookup
from hueval_metrics.traces.report.reader import FINDINGS, Found
from hueval_metrics.traces.report.section_differences import differences, tested
from hueval_metrics.traces.report.section_tables import TraceTable, bare, trace_tables
from hueval_metrics.traces.report.texts import FOLDER
from hueval_metrics.words.texts import ENGLISH, Words

if TYPE_CHECKING:
    from markupsafe import Markup

    from hueval_metrics.reports.page.pictures import Picture

_TEMPLATES = Path(__file__).with_name("templates")

log = logging.getLogger(__name__)


def section_of(runs: Sequence[Run], analyses: Sequence[Analysis]) -> Section:
    """The section of the page, with what was found in each trace.

    Args:
        runs: of the page.
        analyses: of their traces; of a run that several have the first counts.
    """
    read = read_traces(runs, analyses)

    def found(place: int, item: Item) -> Found | None:
        row = None if item.key is None else read.rows[place].get((item.task, item.key))
        return None if row is None else Found(row)

    return Section(
        id="reasoning",
        template=_TEMPLATES / "reasoning.html",
        values=partial(reasoning, read),
        figures=read.figures,
        findings=found,
        findable=tuple(FINDINGS),
        words=tuple(Words(FOLDER, "traces").of(ENGLISH)),
        scripts=[_TEMPLATES / "traces.js"],
        styles=[_TEMPLATES / "traces.css"],
    )


def read_traces(runs: Sequence[Run], analyses: Sequence[Analysis]) -> ReadTraces:
    """What the analyses have of the runs; what cannot be read is logged, and shown in the section."""
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
    return Reasoning(
        pictures=pictures,
        differences=differences(read.found.tests),
        tested=tested(read.found.tests),
        tables=trace_tables(read.found),
        signatures={bare(name): escape.plain(text) for name, text in read.signatures.items()},
        problems=[
            *(both("trace_problem", problem=_samp(fault)) for fault in read.faults),
            *(both("trace_other", run=row_name(label), n=n) for label, n in n_other.items()),
        ],
    )


def _samp(text: str) -> Markup:
    """A message as the commands print it, in English alone."""
    from markupsafe import Markup

    return Markup("<samp>{}</samp>").format(escape.plain(text))


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

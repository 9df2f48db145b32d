"""What `hueval table` and the page add for analyses of traces (`reports.analyses.Reader`)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from hueval_metrics.runs.run import Run
from hueval_metrics.traces.report.analysis import read_analyses, without_analyses

if TYPE_CHECKING:
    from hueval_metrics.reports.page.section import Section

__all__ = ["TITLE", "section", "tables", "without_analyses"]

TITLE = "an analysis of traces"


def tables(
    files: Sequence[Path], on_fault: Callable[[str], None], format: str, *, width: int, color: bool
) -> list[str]:
    """The tables of the analyses in some files, in a format of `hueval table`; arguments as for `read_analyses`."""
    from hueval_metrics.traces.report.tables import render

    return [render(one.results, format, width=width, color=color) for one in read_analyses(files, on_fault)]


def section(runs: Sequence[Run], files: Sequence[Path], on_fault: Callable[[str], None]) -> Section | None:
    """The section of the page of these runs; None where no file can be read. Arguments as for `read_analyses`."""
    from hueval_metrics.traces.report.section import section_of

    analyses = read_analyses(files, on_fault)
    return section_of(runs, analyses) if analyses else None

"""Analyses that lie beside results: files of features, which the tables and the page show without knowing them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Protocol, cast

from hueval_metrics.features import Feature, features, warn
from hueval_metrics.registry import resolve
from hueval_metrics.runs.run import Run

if TYPE_CHECKING:
    from hueval_metrics.reports.page.section import Section

OnFault = Callable[[str], None]


class Reader(Protocol):
    """Reads the analyses of a feature: a module, as `features.Feature.analyses` names it.

    Attributes:
        TITLE: what a file of it is, with its article: `an analysis of traces`.
    """

    TITLE: str

    def without_analyses(self, paths: Sequence[Path]) -> tuple[list[Path], list[Path]]:
        """The paths that are not analyses alone, and the files of all analyses in the paths and their sub-folders."""

    def tables(self, files: Sequence[Path], on_fault: OnFault, format: str, *, width: int, color: bool) -> list[str]:
        """The tables of analyses in a format of `hueval table`; `on_fault` takes the message on a file left out."""

    def section(self, runs: Sequence[Run], files: Sequence[Path], on_fault: OnFault) -> Section | None:
        """The section of the page of these runs; None where no file can be read."""


@dataclass(frozen=True)
class Analyses:
    """The files of one feature among the paths that a user named."""

    feature: Feature
    reader: Reader
    files: Sequence[Path]


def split(paths: Sequence[Path]) -> tuple[list[Path], list[Analyses]]:
    """The paths of results, and the analyses in them and beside them."""
    found = []
    others = list(paths)
    for feature in features():
        if feature.analyses is not None:
            try:
                reader = cast(Reader, resolve(feature.analyses))
            except Exception as error:  # whatever its modules raise, the results are shown
                warn(feature.where, error)
                continue
            others, files = reader.without_analyses(others)
            found += [Analyses(feature, reader, files)] if files else []
    return others, found


def tables_of(analyses: Analyses, on_fault: OnFault, format: str, *, width: int, color: bool) -> list[str]:
    """Their tables, as for `Reader.tables`; none, with a warning, where the feature raises."""
    try:
        return analyses.reader.tables(analyses.files, on_fault, format, width=width, color=color)
    except Exception as error:  # whatever a feature raises, the table of results is printed
        warn(analyses.feature.where, error)
        return []


def section_of(analyses: Analyses, runs: Sequence[Run], on_fault: OnFault) -> Section | None:
    """Their section of a page of runs; one that raises is left out with a warning."""
    try:
        section = analyses.reader.section(runs, analyses.files, on_fault)
        return section and replace(section, where=analyses.feature.where)
    except Exception as error:  # whatever a feature raises, the page is written
        warn(analyses.feature.where, error)
        return None

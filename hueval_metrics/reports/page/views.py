"""The tables that families declare (`declare.Family.on_page`) as parts of the page, in every language."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from typing import TYPE_CHECKING

from hueval_metrics.comparison.summaries import SummaryScore, with_summaries
from hueval_metrics.registry import resolve
from hueval_metrics.reports.columns import families_of
from hueval_metrics.reports.formats import Block, Cell
from hueval_metrics.reports.page.words import heading
from hueval_metrics.reports.views import ViewSettings
from hueval_metrics.runs.run import Run
from hueval_metrics.words.texts import LANGUAGES

if TYPE_CHECKING:
    from markupsafe import Markup


def family_views(runs: Sequence[Run], summaries: Sequence[Sequence[SummaryScore]]) -> list[FamilyViews]:
    """The tables of each family that has any for these runs.

    Args:
        runs: of the page.
        summaries: of each run.
    """
    whole = [with_summaries(run, scores) for run, scores in zip(runs, summaries, strict=True)]
    found = []
    for family in families_of(runs):
        own = [run for run in whole if families_of([run]).count(family)]
        tables = []
        for name in family.on_page:
            view = resolve(family.views[name])
            each = [view(own, ViewSettings(language=language)) for language in LANGUAGES]
            tables += [_table(blocks) for blocks in zip(*each, strict=True)]
        if tables:
            found.append(FamilyViews(family.title, tables))
    return found


def _table(blocks: Sequence[Block]) -> ViewTable:
    """One table from the same block in each language."""
    grids = [block.grid for block in blocks if block.grid is not None]
    first = grids[0]
    columns = [
        (
            _both([one.group for one in each]),
            _both([one.header for one in each]),
            each[0].kind,
        )
        for each in zip(*(grid.columns for grid in grids), strict=True)
    ]
    n_labels = next(at for at, one in enumerate(first.columns) if one.kind == "label") + 1
    rows = [
        [*(_named(cells) for cells in list(zip(*each, strict=True))[:n_labels]), *each[0][n_labels:]]
        for each in zip(*(grid.rows for grid in grids), strict=True)
    ]
    n_above = len(first.rows) if first.n_above is None else first.n_above
    return ViewTable(
        _both([block.title for block in blocks]),
        [name for _, name, _ in columns[:n_labels]],
        [(name, len(list(some))) for name, some in groupby(group for group, _, _ in columns[n_labels:])],
        [name for _, name, _ in columns[n_labels:]],
        [some for some in (rows[:n_above], rows[n_above:]) if some],
        [_both(notes) for notes in zip(*(block.notes for block in blocks), strict=True)],
    )


def _named(cells: Sequence[Cell]) -> Cell:
    """A name, which may be another in each language."""
    return replace(cells[0], text=_both([cell.text for cell in cells]))


def _both(texts: Sequence[str]) -> Markup | str:
    return heading(dict(zip(LANGUAGES, texts, strict=True)))


@dataclass(frozen=True)
class ViewTable:
    """A table.

    Attributes:
        title: above it.
        labels: headings of the columns before the scores.
        groups: of the other columns, each with the number of its columns.
        headings: of these, below their groups.
        bodies: the rows of the models, then those of the baselines.
        notes: below it.
    """

    title: Markup | str
    labels: Sequence[Markup | str]
    groups: Sequence[tuple[Markup | str, int]]
    headings: Sequence[Markup | str]
    bodies: Sequence[Sequence[Sequence[Cell]]]
    notes: Sequence[Markup | str]


@dataclass(frozen=True)
class FamilyViews:
    """The tables of a family, with its title."""

    title: str
    tables: Sequence[ViewTable]

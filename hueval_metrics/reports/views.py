"""Tables of a family's own (`declare.Family.views`): `hueval table --family NAME`, one of them with `--view NAME`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from difflib import get_close_matches
from pathlib import Path

from hueval_metrics import registry
from hueval_metrics.declare import Family
from hueval_metrics.errors import InputError
from hueval_metrics.one_line import one_line
from hueval_metrics.reports import formats
from hueval_metrics.reports.columns import families_of
from hueval_metrics.reports.formats import Block, Grid
from hueval_metrics.reports.notes import PUBLISHED, baseline_note, notes
from hueval_metrics.runs.run import Run
from hueval_metrics.text.spreadsheet import csv_text
from hueval_metrics.words.texts import ENGLISH

_NOTHING = "--family, --metric: these runs have no number for any of its tables. See hueval table --all"


@dataclass(frozen=True)
class ViewSettings:
    """What a view is asked for.

    Attributes:
        metric: the name of a metric or summary; None for the family's usual one.
        published: whether to add the published scores.
        human: a file of people's scores, for the views that show them; its columns are the view's.
        language: of titles, headings and notes, where the family has them in it.
    """

    metric: str | None = None
    published: bool = False
    human: Path | None = None
    language: str = ENGLISH


def runs_of(runs: Sequence[Run], family: str | None) -> Sequence[Run]:
    """The runs with a task of a family, with its tasks alone; all of them for None.

    Raises:
        InputError: no run has a task of it.
    """
    if family is None:
        return runs
    owners = registry.known_tasks()
    own = {name for name, owner in owners.items() if owner.name == family}
    kept = [replace(run, tasks={name: one for name, one in run.tasks.items() if name in own}) for run in runs]
    found = [run for run in kept if run.tasks]
    if not found:
        known = ", ".join(one.name for one in families_of(runs))
        raise InputError(f'--family "{one_line(family, 40)}": these runs have no task of it. Families: {known}')
    return found


def has_views(runs: Sequence[Run], family: str) -> bool:
    """Whether a family that the runs have tasks of declares tables."""
    return any(one.views for one in families_of(runs) if one.name == family)


def render(
    runs: Sequence[Run],
    name: str | None,
    family: str | None,
    settings: ViewSettings,
    fmt: str,
    *,
    width: int = 100,
    color: bool = False,
) -> str:
    """The tables of one view, or of all views of a family, as text, with the notes on the runs.

    Args:
        runs: at least one.
        name: of the view; where several families have it, all of them are shown. None for all.
        family: only this family's; None for all.
        settings: what the views are asked for.
        fmt: one of `tables.FORMATS`.
        width: columns of the terminal.
        color: whether to write colour codes.

    Raises:
        InputError: no family of these runs has such a view or metric, or there is nothing to show.
    """
    blocks = _blocks(runs, name, family, settings)
    if not blocks:
        raise InputError(_lacking(runs, name, family, settings) if name else _NOTHING)
    if settings.published and not any(
        cell.mark == PUBLISHED for block in blocks if block.grid for row in block.grid.rows for cell in row
    ):
        raise InputError("--published: the papers print no scores for these tables. Leave it out")
    remarks = [note[settings.language] for note in (*baseline_note(runs), *notes(runs))]
    return render_blocks([*blocks, *[Block("", None, remarks)] * bool(remarks)], fmt, width=width, color=color)


def _lacking(runs: Sequence[Run], name: str, family: str | None, settings: ViewSettings) -> str:
    """The line on a view that shows nothing: the runs that it needs, as its family says."""
    owners = [one for one in families_of(runs) if family in (None, one.name) and name in one.views]
    needs = " or ".join(one.views_need[name] for one in owners if name in one.views_need)
    reason = f"it needs {needs}" if needs else "these runs have no number for it"
    return f"--view {name}: {reason}{', or another --metric' if settings.metric else ''}. See hueval table --all"


def _blocks(runs: Sequence[Run], name: str | None, family: str | None, settings: ViewSettings) -> list[Block]:
    families = [one for one in families_of(runs) if family in (None, one.name)]
    if name is not None and not any(name in one.views for one in families):
        known = ", ".join(sorted({view for one in families for view in one.views})) or "none"
        raise InputError(f'--view "{name}": the benchmarks of these runs have no such view. Views: {known}')
    return [
        block
        for one in families
        for view, path in one.views.items()
        if name in (None, view)
        for block in registry.resolve(path)([run for run in runs if families_of([run]).count(one)], settings)
    ]


def check_metric(family: Family, metric: str | None, summaries: Sequence[str] = ()) -> None:
    """See that a metric of a family exists.

    Raises:
        InputError: no task has it, and it is no summary.
    """
    known = dict.fromkeys(name for task in family.tasks.values() for name in task.metrics) | dict.fromkeys(summaries)
    if metric is not None and metric not in known:
        listed = get_close_matches(metric, known, n=3) or known
        problem = f'--metric "{one_line(metric, 40)}": {family.name} has no such metric'
        raise InputError(f"{problem}. {'Near it' if listed is not known else 'Metrics'}: {', '.join(listed)}")


def render_blocks(blocks: Sequence[Block], fmt: str, *, width: int = 100, color: bool = False) -> str:
    """Tables with their notes as text; csv has no notes."""
    if fmt != "csv":
        blocks = [formats.in_numerals(block) for block in blocks]
    if fmt == "terminal":
        return formats.terminal_page(blocks, width, color)
    if fmt == "markdown":
        return formats.markdown_page(blocks)
    if fmt == "latex":
        return formats.latex_page(blocks)
    return csv_text([row for block in blocks if block.grid is not None for row in _csv(block.title, block.grid)])


def _csv(title: str, grid: Grid) -> Iterator[list[object]]:
    """The rows of a table; columns with intervals are followed by two with their ends."""
    wide = [any(row[place].ends for row in grid.rows) for place in range(len(grid.columns))]
    heads = [" ".join(filter(None, (one.group, one.header))) for one in grid.columns]
    ends = ("ci95_low", "ci95_high")
    yield [
        "table",
        *(name for head, is_wide in zip(heads, wide, strict=True) for name in _named(head, ends[: 2 * is_wide])),
    ]
    for row in grid.rows:
        cells: list[object] = [title]
        for cell, is_wide in zip(row, wide, strict=True):
            cells.append(cell.text + cell.mark if cell.exact is None else cell.exact)
            cells += list(cell.ends or (None, None)) * is_wide
        yield cells


def _named(head: str, ends: Sequence[str]) -> list[str]:
    return [head, *(f"{head} {end}" for end in ends)]

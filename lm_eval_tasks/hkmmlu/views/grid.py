"""The form that all views have: a row a model, the average of the models, the paper's rows, the baselines."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from hueval_metrics.metric import Better
from hueval_metrics.reports import escape
from hueval_metrics.reports.columns import row_name
from hueval_metrics.reports.formats import Block, Cell, Column, Grid, interval, number
from hueval_metrics.reports.notes import PUBLISHED
from hueval_metrics.reports.tables import competitors, ranks
from hueval_metrics.reports.views import ViewSettings
from hueval_metrics.runs.run import Run, is_baseline
from lm_eval_tasks.hkmmlu.views.words import word


class Score(NamedTuple):
    """A number of a run, with its 95 % interval; None without one."""

    run: Run
    value: float
    ends: tuple[float, float] | None


class Row(NamedTuple):
    """The numbers of a model, None where it lacks one; the number of examples where rows differ in it."""

    model: str
    scores: Sequence[Score | None]
    shots: str = ""

    @property
    def is_baseline(self) -> bool:
        """Whether it is of a baseline."""
        return any(is_baseline(one.run) for one in self.scores if one)


class Paper(NamedTuple):
    """The paper's rows: model → its figures, `published_tables.AVERAGE` last; the number of examples likewise."""

    number: int
    rows: Mapping[tuple[str, str], Sequence[float | None]]


def block(
    title: str,
    rows: Sequence[Row],
    columns: Sequence[Column],
    runs: Sequence[Run],
    settings: ViewSettings,
    *,
    paper: Paper | None = None,
    better: Better | None = "higher",
    notes: Sequence[str] = (),
) -> list[Block]:
    """A table of the rows, only of the columns with a number; nothing without any.

    Args:
        title: above it.
        rows: of the models and baselines; those without a number are left out.
        columns: of the scores.
        runs: all runs of the table: where some are on the whole benchmark, those on a part take no place.
        settings: of the view.
        paper: the rows that the paper prints.
        better: which end of the scale is the better one.
        notes: below it.
    """
    shown = [at for at in range(len(columns)) if any(row.scores[at] for row in rows)]
    kept = [row for row in rows if any(row.scores)]
    if not kept:
        return []
    has_shots = any(row.shots for row in kept)
    models = [row for row in kept if not row.is_baseline]
    ordered = [*models, *(row for row in kept if row.is_baseline)]
    competing = {id(run) for run in competitors(runs)}
    lines = [[*[Cell(row.shots)] * has_shots, Cell(row_name(row.model))] for row in ordered]
    for at in shown:
        scores = [row.scores[at] for row in ordered]
        values = [
            one.value if one and id(one.run) in competing and not is_baseline(one.run) else None for one in scores
        ]
        for line, one, place in zip(lines, scores, ranks(values, better), strict=True):
            line.append(_cell(one, place))
    n_models, remarks = len(models), [*notes]
    if n_models > 1 and not has_shots:
        means = [_mean([row.scores[at] for row in models]) for at in shown]
        lines.insert(n_models, [Cell(word(settings, "average")), *(Cell(number(one, 2), exact=one) for one in means)])
        remarks.append(word(settings, "averaged", n=n_models))
    if any(cell.place for line in lines for cell in line):
        remarks.append(word(settings, "marks"))
    n_above = len(lines) - (len(ordered) - n_models)
    if paper is not None and (printed := _printed(paper, shown, has_shots)):
        lines[n_above:n_above] = printed
        n_above += len(printed)
        remarks.append(word(settings, "published", number=paper.number))
    heads = [*[Column(word(settings, "shots"), kind="text")] * has_shots, Column(word(settings, "model"), kind="label")]
    grid = Grid([*heads, *(columns[at] for at in shown)], lines, n_above if n_above < len(lines) else None)
    return [Block(title, grid, remarks)]


def _cell(one: Score | None, place: int | None) -> Cell:
    if one is None:
        return Cell("")
    return Cell(number(one.value, 2), place, below=interval(one.ends, 1), exact=one.value, ends=one.ends)


def _mean(scores: Sequence[Score | None]) -> float | None:
    values = [one.value for one in scores if one]
    return sum(values) / len(values) if values else None


def _printed(paper: Paper, shown: Sequence[int], has_shots: bool) -> list[list[Cell]]:
    """The paper's rows with any figure in these columns."""
    found = []
    for (model, shots), figures in paper.rows.items():
        cells = [Cell(number(figures[at], 1), exact=figures[at]) for at in shown]
        if any(cell.text for cell in cells):
            found.append([*[Cell(shots)] * has_shots, Cell(escape.plain(model), mark=PUBLISHED), *cells])
    return found

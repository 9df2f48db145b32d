"""Tables that families declare of their own: `hueval table --view NAME`."""

from __future__ import annotations

from collections.abc import Sequence

from hueval_metrics.records import InputError
from hueval_metrics.registry import resolve
from hueval_metrics.reports.columns import families_of
from hueval_metrics.reports.formats import Grid
from hueval_metrics.reports.tables import render_grids
from hueval_metrics.runs.run import Run


def render_view(name: str, runs: Sequence[Run], fmt: str, *, width: int = 100, color: bool = False) -> str:
    """A view of the families of some runs as text.

    Args:
        name: as `declare.Family.views` has it; where several families have it, all of them are shown.
        runs: at least one.
        fmt: one of `tables.FORMATS`.
        width: columns of the terminal.
        color: whether terminal output carries colour codes.

    Raises:
        InputError: no family of these runs has such a view, or there is no such format.
    """
    families = families_of(runs)
    found: dict[str, Grid] = {}
    for family in families:
        if name in family.views:
            found |= resolve(family.views[name])([run for run in runs if families_of([run]).count(family)])
    if not found:
        known = ", ".join(sorted({view for family in families for view in family.views})) or "none"
        raise InputError(f'--view "{name}": the benchmarks of these runs have no such view. Views: {known}')
    return render_grids(found, fmt, width=width, color=color)

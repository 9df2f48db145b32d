"""One HTML file to send round: the Table-5 view, every metric with its interval, and what each score depends on.

The page asks nothing of the network and runs no script. Names in it come from files that anyone may have written:
Jinja2 escapes them, and the page's own policy allows its one style sheet by hash and nothing else.
"""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Sequence
from itertools import groupby
from pathlib import Path

from hueval_metrics.reports import escape, tables
from hueval_metrics.reports.formats import Grid
from hueval_metrics.runs.load import Run
from hueval_metrics.text.files import write_whole

PLACES = {1: "first place", 2: "second place", 3: "third place"}


def write_report(runs: Sequence[Run], path: Path) -> None:
    """Write the report. The file is there whole or not at all; its folder is made.

    Args:
        runs: at least one run, in the order of the rows.
        path: the HTML file; an older one is replaced.

    Raises:
        InputError: the file cannot be written.
    """
    write_whole(path, page_html(runs).encode())


def page_html(runs: Sequence[Run]) -> str:
    """The report as one HTML document."""
    import jinja2

    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(Path(__file__).with_name("templates")),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters |= {"plain": escape.plain, "csp_hash": _csp_hash}
    overview = tables.overview(runs)
    return environment.get_template("report.html").render(
        overview=overview,
        has_places=any(cell.place for row in overview.rows for cell in row),
        metric_tables=tables.metric_tables(runs),
        notes=tables.notes(runs),
        signatures={task: _signatures(runs, task) for task in tables.tasks(runs)},
        groups=_groups,
        places=PLACES,
    )


def _groups(grid: Grid) -> list[tuple[str, int]]:
    """The names that span columns, each with the number of its columns."""
    return [(name, len(list(columns))) for name, columns in groupby(column.group for column in grid.columns)]


def _signatures(runs: Sequence[Run], task: str) -> dict[str, list[str]]:
    """Each signature of a task with the labels of its runs: rows with one signature are comparable."""
    found: dict[str, list[str]] = {}
    for run in runs:
        if task in run.signatures:
            found.setdefault(escape.plain(run.signatures[task]), []).append(escape.plain(run.label))
    if len(runs) > 1 and [len(labels) for labels in found.values()] == [len(runs)]:
        return {signature: ["every run"] for signature in found}
    return found


def _csp_hash(text: str) -> str:
    """A style sheet's source expression for the content security policy."""
    return f"'sha256-{base64.b64encode(hashlib.sha256(str(text).encode()).digest()).decode()}'"

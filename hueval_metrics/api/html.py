"""Tables as HTML for a notebook, which gives them their colours, light or dark."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape
from typing import TYPE_CHECKING

from hueval_metrics.one_line import printable

if TYPE_CHECKING:
    from hueval_metrics.reports.formats import Block, Cell, Grid


def blocks_html(blocks: Iterable[Block]) -> str:
    """Tables with their titles and notes; every text in them is escaped."""
    return "".join(
        (table_html(one.title, one.grid) if one.grid else f"<p><b>{escape(printable(one.title))}</b></p>")
        + notes_html(one.notes)
        for one in blocks
    )


def table_html(title: str, grid: Grid) -> str:
    """A table; every text in it is escaped.

    Args:
        title: above the table; empty for none.
        grid: the table.
    """
    caption = f"<caption>{escape(printable(title))}</caption>" if title else ""
    heads = "".join(f"<th>{escape(f'{one.group} {one.header}'.strip())}</th>" for one in grid.columns)
    rows = "".join(f"<tr>{''.join(f'<td>{_cell(cell)}</td>' for cell in row)}</tr>" for row in grid.rows)
    return f"<table>{caption}<thead><tr>{heads}</tr></thead><tbody>{rows}</tbody></table>"


def notes_html(lines: Sequence[str]) -> str:
    """Lines in small print; every text in them is escaped."""
    return f"<small>{'<br>'.join(map(escape, map(printable, lines)))}</small>" if lines else ""


def _cell(cell: Cell) -> str:
    text = escape(f"{cell.text}{cell.mark}")
    return f"{text}<br><small>{escape(cell.below)}</small>" if cell.below else text

"""Tables as HTML for a notebook, which gives them their colours, light or dark."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from hueval_metrics.reports.formats import Block, Cell, Grid


def blocks_html(blocks: Iterable[Block]) -> str:
    """Tables with their titles and notes; every text in them is escaped, and without control characters."""
    from hueval_metrics.reports.escape import plain

    found = []
    for block in blocks:
        notes, title = notes_html([plain(note) for note in block.notes]), plain(block.title) if block.title else ""
        above = f"<p><b>{escape(title)}</b></p>" if title and not block.grid else ""
        found.append(above + (table_html(title, block.grid) if block.grid else "") + notes)
    return "".join(found)


def table_html(title: str, grid: Grid) -> str:
    """A table; every text in it is escaped.

    Args:
        title: above the table; empty for none.
        grid: the table.
    """
    caption = f"<caption>{escape(title)}</caption>" if title else ""
    heads = "".join(f"<th>{escape(f'{one.group} {one.header}'.strip())}</th>" for one in grid.columns)
    rows = "".join(f"<tr>{''.join(f'<td>{_cell(cell)}</td>' for cell in row)}</tr>" for row in grid.rows)
    return f"<table>{caption}<thead><tr>{heads}</tr></thead><tbody>{rows}</tbody></table>"


def notes_html(lines: Sequence[str]) -> str:
    """Lines in small print; every text in them is escaped."""
    return f"<small>{'<br>'.join(map(escape, lines))}</small>" if lines else ""


def _cell(cell: Cell) -> str:
    text = escape(f"{cell.text}{cell.mark}")
    return f"{text}<br><small>{escape(cell.below)}</small>" if cell.below else text

"""A table as Markdown, LaTeX or terminal text."""

from __future__ import annotations

import io
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import chain, groupby, pairwise
from typing import TYPE_CHECKING, Literal

from hueval_metrics.reports import escape
from hueval_metrics.text.write_json import json_text
from hueval_metrics.words.texts import ENGLISH, numerals, printed

if TYPE_CHECKING:
    from rich.text import Text

    from hueval_metrics.stats.agreement import Confusion, Estimate

SUPERSCRIPTS = {1: "¹", 2: "²", 3: "³"}
_STYLES = {1: "bold red", 2: "green", 3: "bright_blue"}  # the paper's colours; plain blue is unreadable on black
_LABEL_WIDTH = 22  # wanted for the label column ("Llama-3.1-Instruct-70B"); if less is left, headings are broken
_LEAST_LABEL = 12  # minimum; a table that needs more room is printed in parts, one below the other


def number(value: float | None, decimals: int) -> str:
    """A number as text, never -0; empty for None.

    >>> number(-0.001, 2), number(None, 2)
    ('0.00', '')
    """
    return "" if value is None else f"{round(value, decimals) + 0.0:.{decimals}f}"  # + 0.0 turns -0.0 into 0.0


def interval(ends: tuple[float, float] | None, decimals: int) -> str:
    """An interval as text; empty for None.

    >>> interval((59.0, 63.14), 1)
    '[59.0, 63.1]'
    """
    return f"[{number(ends[0], decimals)}, {number(ends[1], decimals)}]" if ends else ""


def spread(ends: tuple[float, float] | None, decimals: int) -> str:
    """The lowest and the highest of several scores as text; empty for None.

    >>> spread((-3.0, 12.14), 1)
    '-3.0…12.1'
    """
    return f"{number(ends[0], decimals)}…{number(ends[1], decimals)}" if ends else ""


def markdown(grid: Grid) -> str:
    """A GitHub Markdown table; first places are bold, the first three carry superscripts."""
    heads = [escape.markdown(f"{column.group} {column.header}".strip()) for column in grid.columns]
    rules = ["---:" if column.kind == "number" else "---" for column in grid.columns]
    rows = [[_markdown_cell(cell) for cell in row] for row in grid.rows]
    return "".join(f"| {' | '.join(row)} |\n" for row in [heads, rules, *rows])


def _markdown_cell(cell: Cell) -> str:
    text = escape.markdown(cell.text) if cell.text else ""
    below = f" ({cell.below})" if cell.below else ""
    return (f"**{text}**" if cell.place == 1 else text) + SUPERSCRIPTS.get(cell.place or 0, "") + cell.mark + below


def latex(grid: Grid) -> str:
    """A tabular for the booktabs package, with the groups as spanning heads."""
    spec = "".join("r" if column.kind == "number" else "l" for column in grid.columns)
    lines = [r"% needs \usepackage{booktabs}", rf"\begin{{tabular}}{{{spec}}}", r"\toprule"]
    groups = [(name, len(list(columns))) for name, columns in groupby(column.group for column in grid.columns)]
    if any(name for name, _ in groups):
        lines.append(
            _latex_row([rf"\multicolumn{{{n}}}{{c}}{{{escape.latex(name)}}}" if name else "" for name, n in groups])
        )
        start, rules = 1, ""
        for name, n in groups:
            rules += rf"\cmidrule(lr){{{start}-{start + n - 1}}}" if name else ""
            start += n
        lines.append(rules)
    lines += [_latex_row([escape.latex(column.header) for column in grid.columns]), r"\midrule"]
    for place, row in enumerate(grid.rows):
        lines += [r"\midrule"] * (0 < place == grid.n_above)
        lines.append(_latex_row([_latex_cell(cell) for cell in row]))
    return "\n".join([*lines, r"\bottomrule", r"\end{tabular}", ""])


def _latex_row(cells: Sequence[str]) -> str:
    return " & ".join(cells) + r" \\"


def _latex_cell(cell: Cell) -> str:
    text = escape.latex(cell.text) if cell.text else ""
    # An opening bracket at the start of a row would be read as the option of the \\ before it.
    text = "{[}" + text[1:] if text.startswith("[") else text
    text = rf"\textbf{{{text}}}" if cell.place == 1 else text
    mark = str(cell.place or "") + (escape.latex(cell.mark) if cell.mark else "")
    below = rf" {{\footnotesize({escape.latex(cell.below)})}}" if cell.below else ""
    return (rf"{text}\textsuperscript{{{mark}}}" if mark else text) + below


def estimate_cells(estimate: Estimate | None, decimals: int) -> list[Cell]:
    """A statistic and its interval; the interval's cell is empty where there is none."""
    if estimate is None:
        return [Cell("undefined"), Cell("")]
    return [Cell(number(estimate.value, decimals)), Cell(interval(estimate.ci95, decimals))]


def confusion_grid(confusion: Confusion, rows: str, columns: str) -> Grid:
    """A table of two raters' labels, with totals; `rows` and `columns` name the two."""
    totals = [sum(column) for column in zip(*confusion.counts, strict=True)]
    named = zip([*confusion.labels, "all"], [*confusion.counts, totals], strict=True)
    heads = [Column(escape.plain(label), columns) for label in confusion.labels]
    return Grid(
        [Column(rows, kind="label"), *heads, Column("all")],
        [[Cell(label), *(Cell(str(n)) for n in [*row, sum(row)])] for label, row in named],
    )


def json_page(data: object) -> str:
    """JSON with a line break at the end."""
    return json_text(data, indent=2, allow_nan=False) + "\n"


def in_numerals(block: Block) -> Block:
    """The numbers of a block as the language of what commands print writes them."""
    grid = block.grid
    if grid is None or printed() == ENGLISH:
        return block
    kinds = [column.kind for column in grid.columns]
    rows = [
        [
            replace(cell, text=numerals(cell.text), below=numerals(cell.below)) if kind == "number" else cell
            for kind, cell in zip(kinds, row, strict=True)
        ]
        for row in grid.rows
    ]
    return replace(block, grid=replace(grid, rows=rows))


def markdown_page(blocks: Iterable[Block]) -> str:
    """Blocks as GitHub Markdown, with their notes as lists."""
    parts = []
    for block in blocks:
        parts += [f"{'#' * block.level} {escape.markdown(block.title)}\n"] * bool(block.title)
        parts += [markdown(block.grid)] if block.grid else []
        parts += ["".join(f"- {escape.markdown(note)}\n" for note in block.notes)] if block.notes else []
    return "\n".join(parts)


def latex_page(blocks: Iterable[Block]) -> str:
    """Blocks as LaTeX, with their notes in small print."""
    parts = []
    for block in blocks:
        parts += [rf"\paragraph{{{escape.latex(block.title)}}}" + "\n"] * bool(block.title)
        parts += [latex(block.grid)] if block.grid else []
        parts += [rf"\par{{\footnotesize {escape.latex(note)}\par}}" + "\n" for note in block.notes]
    return "\n".join(parts)


def terminal_page(blocks: Iterable[Block], width: int, color: bool) -> str:
    """Blocks as terminal text; see `terminal`."""
    return "\n".join(terminal(block, width, color) for block in blocks)


def terminal(block: Block, width: int, color: bool) -> str:
    """A block as terminal text; the first three places of a column have superscripts and, if asked, colours.

    Args:
        block: its notes are broken between words.
        width: columns of the terminal. A table that cannot be made narrow enough is wider.
        color: whether to write colour codes.

    Returns:
        Lines without trailing spaces, each ended by a line break.
    """
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    parts = [(part, _layout(part, width)) for part in _parts(block.grid, width)] if block.grid else []
    console = Console(
        file=io.StringIO(),
        width=max([width, *(layout.total for _, layout in parts)]),
        color_system="standard" if color else None,
        force_terminal=color,
        no_color=not color,
        force_jupyter=False,  # in a notebook rich would display the text instead of returning it
        legacy_windows=False,
        highlight=False,
    )
    if block.title:
        console.print(Text(escape.plain(block.title), style="bold"))
    for number, (grid, layout) in enumerate(parts):
        if number:
            console.print()
        for line in layout.heading:
            console.print(Text(line, style="bold"), no_wrap=True)
        columns = [
            ["\n".join(_fold(line, size) for line in lines) for lines in _marked(column)]
            for column, size in zip(zip(*grid.rows, strict=True), layout.widths, strict=True)
        ]
        rows = list(zip(grid.rows, zip(*columns, strict=True), strict=True))
        above = len(rows) if grid.n_above is None else grid.n_above
        for some in (rows[:above], rows[above:]):
            if not some:
                continue
            console.print(Text("─" * layout.total, style="dim"))
            table = Table.grid(padding=(0, layout.gap, 0, 0))
            for column, size in zip(grid.columns, layout.widths, strict=True):
                table.add_column(width=size, justify="right" if column.kind == "number" else "left", overflow="fold")
            for row, texts in some:
                table.add_row(*(_styled(cell, text) for cell, text in zip(row, texts, strict=True)))
            console.print(table)
    for note in block.notes:
        console.print(Text(escape.plain(note)))
    output: str = console.file.getvalue()  # type: ignore[attr-defined]
    return "".join(line.rstrip() + "\n" for line in output.splitlines())


def _styled(cell: Cell, text: str) -> Text:
    from rich.text import Text

    first, line_break, below = text.rpartition("\n") if cell.below else (text, "", "")
    return Text(first, _STYLES.get(cell.place or 0, "")) + Text(line_break + below, "dim")


def _marked(column: Sequence[Cell]) -> list[list[str]]:
    """The lines of each cell, with its mark."""
    marks = [SUPERSCRIPTS.get(cell.place or 0, "") + cell.mark for cell in column]
    size = max(map(len, marks), default=0)  # where one cell has a mark the others get spaces: digits are aligned
    return [
        [
            (escape.plain(cell.text) if cell.text else "") + own.ljust(size),
            *[cell.below + " " * size] * bool(cell.below),
        ]
        for cell, own in zip(column, marks, strict=True)
    ]


def _parts(grid: Grid, width: int) -> list[Grid]:
    """The table, or where it is too wide tables of about equally many groups of its columns, each with the labels.

    Columns without a group stay together; if no such table fits, and all are numbers, each is by itself.
    """
    label = next(i for i, column in enumerate(grid.columns) if column.kind == "label")
    numbers = range(label + 1, len(grid.columns))
    are_numbers = all(grid.columns[i].kind == "number" for i in numbers)
    for alone in (range(0), numbers)[: 1 + are_numbers]:
        keys = {i: grid.columns[i].group or (i if i in alone else "") for i in numbers}
        groups = [list(some) for _, some in groupby(numbers, keys.__getitem__)]
        for n_parts in range(1, len(groups) + 1):
            ends = [len(groups) * number // n_parts for number in range(n_parts + 1)]
            chosen = [[*range(label + 1), *chain(*groups[a:b])] for a, b in pairwise(ends)]
            parts = [
                Grid([grid.columns[i] for i in some], [[row[i] for i in some] for row in grid.rows], grid.n_above)
                for some in chosen
            ]
            if all(_layout(part, width).total <= width for part in parts):
                return parts
    return [grid]


def _layout(grid: Grid, width: int) -> _Layout:
    """The widest layout with enough room for the label column: one-line headings first, then broken ones."""
    label = next(i for i, column in enumerate(grid.columns) if column.kind == "label")
    texts = [[line for lines in _marked(column) for line in lines] for column in zip(*grid.rows, strict=True)]
    texts = texts or [[]] * len(grid.columns)
    longest = max(map(_cells, texts[label]), default=0)
    for gap, broken in ((2, False), (1, True)):
        blocks = [list(block) for _, block in groupby(range(len(grid.columns)), lambda i: grid.columns[i].group or i)]
        heads = [_break(column.header, broken) for column in grid.columns]
        widths = [max(map(_cells, (*head, *column))) for head, column in zip(heads, texts, strict=True)]
        groups = [grid.columns[block[0]].group for block in blocks]
        names = [
            _break(name, broken and len(block) == 1 and _cells(name) > widths[block[0]])
            for name, block in zip(groups, blocks, strict=True)
        ]
        widths[label] = 0
        for name, block in zip(names, blocks, strict=True):
            lacking = max(map(_cells, name)) - sum(widths[i] for i in block) - gap * (len(block) - 1)
            widths[block[-1]] += max(lacking, 0)
        rest = width - sum(widths) - gap * (len(widths) - 1)
        wanted = max(longest, *map(_cells, heads[label]))
        if rest >= min(wanted, _LABEL_WIDTH):
            break
    widths[label] = min(wanted, max(rest, _LEAST_LABEL))
    right = [column.kind == "number" for column in grid.columns]
    spans = [sum(widths[i] for i in block) + gap * (len(block) - 1) for block in blocks]
    # A name over several columns is centred, a name over one column is aligned like the column.
    sides = ["^" if len(block) > 1 else ">" if right[block[0]] else "<" for block in blocks]
    top = _heading(names, spans, sides, gap)
    bottom = _heading(heads, widths, [">" if r else "<" for r in right], gap)
    return _Layout(widths, gap, [line for line in top if line.strip()] + bottom, sum(widths) + gap * (len(widths) - 1))


def _heading(texts: Sequence[Sequence[str]], widths: Sequence[int], sides: Sequence[str], gap: int) -> list[str]:
    height = max(map(len, texts))
    full = [[""] * (height - len(text)) + list(text) for text in texts]
    return [
        (" " * gap).join(f"{text[line]:{side}{size}}" for text, size, side in zip(full, widths, sides, strict=True))
        for line in range(height)
    ]


def _break(name: str, broken: bool) -> list[str]:
    """A heading in lines, broken between words: `Acc. (OE) cal.` as Acc., (OE), cal."""
    return re.split(r" (?=\(|cal\.$)", name) if broken else [name]


def _fold(text: str, width: int) -> str:
    """A text in lines that break, where possible, after punctuation in a model's name; rich breaks longer parts."""
    lines = [""]
    for piece in re.findall(r"[^-/_: ]*[-/_: ]?", text):
        if lines[-1] and _cells(lines[-1] + piece.rstrip()) > width:
            lines.append("")
        lines[-1] += piece
    return "\n".join(lines)


def _cells(text: str) -> int:
    from rich.cells import cell_len

    return cell_len(text)


@dataclass(frozen=True)
class Column:
    """A column: its heading, the heading of its group (empty for none), and the kind of its cells.

    Each table has one `label` column, which is made narrower when there is too little room.
    """

    header: str
    group: str = ""
    kind: Literal["label", "text", "number"] = "number"


@dataclass(frozen=True)
class Cell:
    """A cell.

    Attributes:
        text: the score, or whatever it has.
        place: 1 to 3 if it is one of the three best in the column.
        mark: one that a note explains.
        below: a second line; in brackets behind the first where cells have one line.
        exact: the number with all decimals, for a CSV; None where the text is all there is.
        ends: of its interval, likewise, in columns of their own.
    """

    text: str
    place: int | None = None
    mark: str = ""
    below: str = ""
    exact: float | None = None
    ends: tuple[float, float] | None = None


@dataclass(frozen=True)
class Grid:
    """A table: columns, and rows with one cell for each; a rule above the rows after the first `n_above`."""

    columns: Sequence[Column]
    rows: Sequence[Sequence[Cell]]
    n_above: int | None = None


@dataclass(frozen=True)
class Block:
    """A part of a printed report.

    Attributes:
        title: its heading; may be empty.
        grid: a table; None without one.
        notes: sentences below the table.
        level: of the heading in Markdown.
    """

    title: str
    grid: Grid | None = None
    notes: Sequence[str] = ()
    level: int = 3


@dataclass(frozen=True)
class _Layout:
    """The widths of the columns in a terminal, and the heading lines."""

    widths: Sequence[int]
    gap: int
    heading: Sequence[str]
    total: int

"""A figure of the page and of `--figures DIR`: its numbers, its caption, and its drawing as SVG or PNG.

The page has its SVG inline (`page.inline`), in two widths; the files have the wide one, with the colours of a theme.

matplotlib is used without pyplot and its global list of figures. The global settings that it reads (fonts, how text is
written) are changed for one drawing only, under a lock.
"""

from __future__ import annotations

import io
import re
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from threading import Lock
from typing import Any

from hueval_metrics.errors import InputError
from hueval_metrics.reports import escape
from hueval_metrics.reports.figures.sheet import NUMBER, WIDE, Mark, Sheet
from hueval_metrics.reports.figures.theme import LIGHT, SIZE, Theme
from hueval_metrics.text.files import write_whole
from hueval_metrics.text.spreadsheet import csv_text
from hueval_metrics.words.texts import FOLDER, Texts, Words

PNG_DPI = 192  # twice the 96 CSS pixels of an inch
_SETTINGS: Any = {
    "font.family": "sans-serif",
    "font.sans-serif": ["DejaVu Sans"],  # comes with matplotlib: the same layout on every machine
    "font.size": SIZE,
    "text.parse_math": False,  # a name may hold dollar signs
    "hatch.linewidth": 0.8,
    "svg.fonttype": "none",  # text stays text: small, sharp, in any script that the reader has a font for
    "svg.hashsalt": "hueval",
    "path.simplify": False,
}
_DRAWING = Lock()
_FONT = re.compile(r"font-family: 'DejaVu Sans', sans-serif;? ?")
_TAG = re.compile(r"<[^>]*>")
_DECIMALS = re.compile(r"(\.\d\d)\d+")
_ROTATION = re.compile(r' transform="rotate\(-?0 [^"]*\)"')
_NUMBER = f'<g id="{NUMBER}">'


def svg(figure: Figure, theme: Theme) -> str:
    """The figure as a self-contained SVG element; deterministic, and without external references.

    Raises:
        InputError: matplotlib is not installed.
    """
    return marked_svg(figure, theme, WIDE)[0].replace(_NUMBER, "<g>")


def marked_svg(figure: Figure, theme: Theme, wide: float) -> tuple[str, Sequence[Mark]]:
    """The figure in a width in inches as an SVG element, its numbers in groups `NUMBER`, and its marks.

    Raises:
        InputError: matplotlib is not installed.
    """
    text = io.StringIO()
    with _drawn(figure, theme, wide) as sheet:
        sheet.drawing.savefig(text, format="svg", metadata=dict.fromkeys(("Creator", "Date", "Format", "Type")))
    return _compact(text.getvalue()), sheet.marks


def png(figure: Figure, theme: Theme) -> bytes:
    """The figure as PNG, two dots a CSS pixel.

    Raises:
        InputError: matplotlib is not installed.
    """
    content = io.BytesIO()
    with _drawn(figure, theme, WIDE) as sheet:
        sheet.drawing.savefig(content, format="png", dpi=PNG_DPI, metadata={"Software": None})
    return content.getvalue()


def numbers_csv(figure: Figure) -> str:
    """Every number of the figure as CSV, with all decimals; blank where there is none."""
    columns = figure.columns
    return csv_text([columns, *([_cell(row.get(column)) for column in columns] for row in figure.rows)])


def save(figures: Sequence[Figure], folder: Path, theme: Theme = LIGHT) -> list[Path]:
    """Write each figure as `<name>.svg`, `<name>.png` and `<name>.csv`.

    Args:
        figures: with names that differ.
        folder: is made; older files of the same names are replaced.
        theme: for print, the light one.

    Returns:
        The files, in the order of the figures.

    Raises:
        InputError: the folder cannot be written, or matplotlib is not installed.
    """
    files: list[Path] = []
    for figure in figures:
        contents = {
            "svg": svg(figure, theme).encode(),
            "png": png(figure, theme),
            "csv": numbers_csv(figure).encode("utf-8-sig"),  # with the mark, without which a spreadsheet breaks ő and ű
        }
        for suffix, content in contents.items():
            files.append(folder / f"{figure.name}.{suffix}")
            write_whole(files[-1], content)
    return files


@contextmanager
def _drawn(figure: Figure, theme: Theme, wide: float) -> Iterator[Sheet]:
    try:
        from matplotlib import style
    except ImportError:
        raise InputError("figures need matplotlib, which is not installed. pip install matplotlib") from None
    with _DRAWING, style.context(["default", _SETTINGS]), warnings.catch_warnings():
        # The browser draws characters that matplotlib's font lacks; in a PNG they are boxes.
        warnings.filterwarnings("ignore", message="Glyph ")
        yield figure.draw(theme, wide)


def _compact(document: str) -> str:
    """The `<svg>` element, its font named once and its coordinates to a hundredth of a point."""
    element = document[document.index("<svg") :]
    element = _TAG.sub(lambda tag: _DECIMALS.sub(r"\1", _ROTATION.sub("", _FONT.sub("", tag.group()))), element)
    return element.replace("<svg ", '<svg font-family="system-ui, sans-serif" ', 1)


def _cell(value: object) -> object:
    return escape.plain(value) if isinstance(value, str) else value


@dataclass(frozen=True)
class Figure:
    """One figure.

    Attributes:
        name: unique file name without suffix, of letters a to z, digits and hyphens.
        kind: key of its caption.
        rows: every number shown, for a table or CSV; names of models are not shortened.
        draw: draws it with matplotlib (`charts`) in the colours of a theme and a width in inches; only the functions of
            this module call it, with the settings that it needs.
        parameters: the caption's parameters: a text, or one for each language.
        captions: the folder of words with the caption of a family's own figure, in `captions.yaml`.
        lead: whether the page shows it at once; the others are folded.
        section: heading under which the page shows it with its like, folded; empty for one among all others.
        words: English text in the drawing → that of each language, for the page; files have the English one.
    """

    name: str
    kind: str
    rows: Sequence[Mapping[str, object]]
    draw: Callable[[Theme, float], Sheet]
    parameters: Mapping[str, Any] = field(default_factory=dict)
    captions: Path = FOLDER
    lead: bool = False
    section: str = ""
    words: Mapping[str, Texts] = field(default_factory=dict)

    @property
    def columns(self) -> list[str]:
        """The keys of the rows."""
        return list(dict.fromkeys(key for row in self.rows for key in row))


def caption(figure: Figure, language: str) -> Caption:
    """A figure's title and caption as plain text, to be escaped where it is written.

    Args:
        figure: the figure.
        language: one of `words.texts.LANGUAGES`.
    """
    title, text = (
        _captions(figure.captions).text(f"{figure.kind}.{part}", language, **figure.parameters)
        for part in ("title", "text")
    )
    return Caption(title, text)


@cache
def _captions(folder: Path) -> Words:
    return Words(folder, "captions")


@dataclass(frozen=True)
class Caption:
    """The title and the text of a figure; the title is its alternative text too."""

    title: str
    text: str

"""The paper's tables as the text in `shared/papers` has them, misread cells and all."""

from __future__ import annotations

import re
from collections.abc import Sequence

from tests.helpers import shared

Row = Sequence[str]
NUMBER = re.compile(r"\d\d?\.\d")


def text() -> str:
    """The whole paper."""
    return shared("papers", "hkmmlu.txt").read_text(encoding="utf-8")


def table(number: int, *, plain: bool = True) -> list[Row]:
    """The lines of a table, in cells; each without the marks of underlining unless asked otherwise."""
    lines = text().split("\n")
    end = next(at for at, line in enumerate(lines) if line.startswith(f"Table {number}: "))
    captions = (at for at, line in enumerate(lines[:end]) if re.match(r"(Table|Figure) \d+: ", line))
    rows = [line for line in lines[max(captions, default=0) : end] if re.match(r"\|.*[^-|]", line)]
    return [[_cell(cell, plain) for cell in row.strip("|").split("|")] for row in rows]


def _cell(cell: str, plain: bool) -> str:
    return (re.sub("</?u>", "", cell) if plain else cell).strip()


def name(cell: str) -> str:
    """The model of a line, with the two letters put right that our copy of the text misreads."""
    return cell.replace("GPT-40", "GPT-4o").replace("Owen", "Qwen")

"""CSV whose cells a spreadsheet never evaluates as formulas (OWASP, "CSV Injection").

Quoting is not enough. In locales whose list separator is a semicolon, such as Hungarian, Excel ignores the quotes of a
comma-separated file: it splits cells at semicolons and line breaks inside them, and each piece may be a formula.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterable, Sequence

_SEPARATORS = r";\t\r\n"
# Invisible prefixes of a formula: white space, control and format characters, fillers, and the quotes at the start of a
# wrongly split cell.
_UNSEEN = (
    r'\f\v \x00-\x08\x0e-\x1f\x7f-\xa0"\u00ad\u034f\u061c\u115f\u1160\u1680\u17b4\u17b5\u180b-\u180f\u2000-\u200f'
    r"\u2028-\u202f\u205f-\u206f\u2800\u3000\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufffb\U000e0000-\U000e0fff"
)
_FORMULA = r"=+\-@＝﹦⁼₌＋﹢⁺₊－﹣⁻₋−＠﹫"  # = + - @ and their Unicode compatibility forms
_RUN = _SEPARATORS + _UNSEEN
_RISKY = re.compile(rf"(\A|(?<![{_RUN}])[{_RUN}]*[{_SEPARATORS}])([{_UNSEEN}]*)(?=[{_FORMULA}])")


def csv_text(rows: Iterable[Sequence[object]], line_end: str = "\n") -> str:
    r"""Rows as comma-separated text, with an apostrophe before everything that could be evaluated as a formula.

    Args:
        rows: the cells of each row. Only text is escaped; numbers keep all decimals; None is an empty cell.
        line_end: the line terminator.

    >>> csv_text([["=1+1", -0.5, "a;-b", None]])
    "'=1+1,-0.5,a;'-b,\n"
    """
    text = io.StringIO()
    guarded = ([_inert(cell) if isinstance(cell, str) else cell for cell in row] for row in rows)
    csv.writer(text, lineterminator=line_end).writerows(guarded)
    return text.getvalue()


def _inert(cell: str) -> str:
    text = _RISKY.sub(r"\1'\2", cell)
    return f"'{text}" if text.startswith(("\t", "\r")) else text

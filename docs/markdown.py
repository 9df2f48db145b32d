"""Tables in Markdown."""

from __future__ import annotations

import re
from collections.abc import Iterable


def table(head: Iterable[str], rows: Iterable[Iterable[str]], right: Iterable[str] = ()) -> str:
    """A table; columns named in `right` are aligned to the right."""
    head, right = list(head), set(right)
    rule = ["---:" if name in right else "---" for name in head]
    return "\n".join("| " + " | ".join(cells) + " |" for cells in (head, rule, *rows))


def cell(text: object) -> str:
    """A text as a cell can hold it: on one line, without a bare vertical bar."""
    return re.sub(r"\s+", " ", str(text)).strip().replace("|", r"\|")

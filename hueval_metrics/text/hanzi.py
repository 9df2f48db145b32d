"""Make Traditional and Simplified characters equal, one for one, without a dictionary that may not be installed.

For comparison only: a character that was merged with another (後 and 后) becomes the merged one in every word, so the
result need not be good spelling. `script.simplified` converts texts.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path

PAIRS = Path(__file__).with_name("simplified.txt")  # each Traditional character, followed by its Simplified one


@cache
def _table() -> dict[int, str]:
    pairs = PAIRS.read_text(encoding="utf-8").replace("\n", "")
    return dict(zip(map(ord, pairs[::2]), pairs[1::2], strict=True))


def same_script(text: str) -> str:
    """The text with each Traditional character of Big5-HKSCS replaced by its Simplified one; the length stays.

    >>> same_script("國際法"), same_script("國際法") == same_script("国际法")
    ('国际法', True)
    """
    return text if text.isascii() else text.translate(_table())

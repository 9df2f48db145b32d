"""Scripts without spaces between words: Chinese, Japanese, Thai, Lao, Khmer, Burmese."""

from __future__ import annotations

import re

LANGUAGES = frozenset({"zh", "ja", "th", "lo", "km", "my"})
# Letters and marks of these scripts, for a character class. Digits of their own are no letters.
CHARACTERS = (
    r"\u0e01-\u0e4e\u0e81-\u0ece\u1000-\u103f\u1050-\u108f\u1780-\u17dd\u3005-\u3007\u3040-\u30ff\u3400-\u9fff"
    r"\uf900-\ufaff\U00020000-\U0003ffff"
)
_BLANK = re.compile(rf"(?<=[{CHARACTERS}])\s+|\s+(?=[{CHARACTERS}])")


def without_blanks(text: str) -> str:
    """The text without the white space next to characters of these scripts, where it may stand or not.

    >>> without_blanks("北京 2008 年 Alan Turing")
    '北京2008年Alan Turing'
    """
    return _BLANK.sub("", text)

"""Scripts without spaces between words: Chinese, Japanese, Thai, Lao, Khmer, Burmese."""

from __future__ import annotations

import re
import unicodedata

LANGUAGES = frozenset({"zh", "ja", "th", "lo", "km", "my"})
# Letters and marks of these scripts, for a character class. Digits of their own are no letters.
CHARACTERS = (
    r"\u0e01-\u0e4e\u0e81-\u0ece\u1000-\u103f\u1050-\u108f\u1780-\u17dd\u3005-\u3007\u3040-\u30ff\u3400-\u9fff"
    r"\uf900-\ufaff\U00020000-\U0003ffff"
)
_IS_CHARACTER = re.compile(rf"[{CHARACTERS}]")
_LEADING, _DEPENDENT = "เแโใไ", "ะาำๅ"  # vowels of Thai that belong to the letter behind, and before them
_BLANK = re.compile(rf"(?<=[{CHARACTERS}])\s+|\s+(?=[{CHARACTERS}])")


def without_blanks(text: str) -> str:
    """The text without the white space next to characters of these scripts, where it is optional.

    >>> without_blanks("北京 2008 年 Alan Turing")
    '北京2008年Alan Turing'
    """
    return _BLANK.sub("", text)


def is_unspaced(char: str) -> bool:
    """Whether a character is a letter or mark of these scripts."""
    return _IS_CHARACTER.match(char) is not None


def is_syllable(left: str, right: str) -> bool:
    """Whether two neighbouring characters belong to one syllable, so that no word ends between them.

    >>> is_syllable("เ", "ก"), is_syllable("ก", "า"), is_syllable("ก", "น")
    (True, True, False)
    """
    return left in _LEADING or right in _DEPENDENT or unicodedata.category(right).startswith("M")

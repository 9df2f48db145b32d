"""Make equal what a reader takes as the same text: digits of all scripts, two scripts of Serbian, optional marks.

Spelling that may decide a meaning stays: vowel signs of Thai, tones of Vietnamese, final letters of Arabic, superscript
digits. For comparison only: the result need not be good spelling.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Mapping
from itertools import groupby

from hueval_metrics.text.normalize import stream_safe

_DIGIT = re.compile(r"[^\D0-9]")  # Arabic, Persian, Thai, full-width and all others
_SIGNS = str.maketrans({"％": "%", "﹪": "%", "٪": "%", "٫": ".", "٬": ","})  # ؉ is per mille
# Forms that only fonts or old code pages need: Latin digraphs and ligatures, Roman numerals, radicals, the letters of
# Arabic as they join, small, wide and narrow forms; and the subscripts of formulas. Superscripts stay: 10² is not 102.
_FORMS = re.compile(
    r"[\u2080-\u2089\u01c4-\u01cc\u01f1-\u01f3\u2160-\u217f\u2f00-\u2fd5\ufb00-\ufb06\ufb50-\ufdff\ufe50-\ufe6b\ufe70-\ufefc"
    r"\uff01-\uffee]+"
)
# Besides format characters (Cf): fillers of Hangul, variation selectors, the grapheme joiner.
_UNSEEN = re.compile(r"[\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u3164\ufe00-\ufe0f\uffa0\U000e0100-\U000e01ef]")
# Vowel marks and signs of recitation, which most texts leave out, and the stretching tatweel.
_ARABIC_MARKS = re.compile(r"[\u0610-\u061a\u0640\u064b-\u065f\u0670\u06d6-\u06dc\u06df-\u06e8\u06ea-\u06ed]")
_THAI_MARKS = frozenset(map(chr, (0x0E31, *range(0x0E33, 0x0E3B), *range(0x0E47, 0x0E4F))))
_SEVERAL_MARKS = re.compile(r"(?:[^\w\s]|\u0e33){2,}")  # and punctuation; sara am is a letter for Unicode
_SARA_AM = re.compile(r"\u0e4d([\u0e48-\u0e4b]*)\u0e32")  # typed as two characters, with the tone between them
_STROKES = str.maketrans("ÐðƉɖ", "ĐđĐđ")  # in capitals the difference is invisible

_CYRILLIC = "абвгдђежзијклмнопрстћуфхцчш"
_LATIN = "abvgdđežzijklmnoprstćufhcčš"
_SERBIAN = str.maketrans(
    {
        **dict(zip(_CYRILLIC + _CYRILLIC.upper(), _LATIN + _LATIN.upper(), strict=True)),
        **{"љ": "lj", "њ": "nj", "џ": "dž", "Љ": "Lj", "Њ": "Nj", "Џ": "Dž"},
    }
)
# Dictionaries and encyclopaedias mark the stress on a vowel; in Russian the dots on ё are as optional.
_SERBIAN_STRESS = re.compile(r"(?<=[aeiouraеиоуAEIOURАЕИОУРр])[\u0300\u0301\u0304\u030f\u0311]+")
_RUSSIAN_STRESS = re.compile(r"(?<=[еЕ])[\u0300\u0301\u0308]+|[\u0300\u0301]")
_VIETNAMESE_TONE = re.compile(
    r"(?i)(o(?=[ae])|u(?=y))([aey])([\u0300\u0301\u0303\u0309\u0323])(?![\u0300-\u036f]|[^\W\d_])"
)
# Everyday Arabic leaves out the hamza of an alef; ى and ي, ة and ه are different letters.
_ALEF = str.maketrans("أإآٱک", "ااااك")
_HUNGARIAN = str.maketrans("õûÕÛ", "őűŐŰ")  # ISO 8859-1 has no ő, ű and shows õ, û


def unified(text: str, language: str | None = None) -> str:
    """A text such that two are equal if a reader takes them as the same.

    Letter case, punctuation and white space stay as they are.

    Args:
        text: any text.
        language: ISO 639-1, for what only one language does: Serbian in either script, Russian ё as е, Arabic alef with
            or without hamza, the two places of a Vietnamese tone mark, õ for the ő of Hungarian. In the text of any
            other language, or of an unknown one, marks of Thai are put into one order.

    >>> unified("٨٥٪"), unified("Београд", "sr"), unified("hoà", "vi") == unified("hòa", "vi")
    ('85%', 'Beograd', True)
    """
    if text.isascii():
        return text
    joined = unicodedata.normalize("NFC", stream_safe(text))
    joined = _FORMS.sub(lambda match: unicodedata.normalize("NFKC", match[0]), joined)
    seen = "".join(char for char in _UNSEEN.sub("", joined) if char.isascii() or unicodedata.category(char) != "Cf")
    seen = western_digits(unicodedata.normalize("NFC", seen))
    own = _OF_LANGUAGE.get(language or "", _thai)
    return unicodedata.normalize("NFC", own(unicodedata.normalize("NFC", _ARABIC_MARKS.sub("", seen))))


def western_digits(text: str) -> str:
    """The text with decimal digits, per cent signs and decimal separators of all scripts in ASCII.

    >>> western_digits("๘๕ ％"), western_digits("٨٥٫٥")
    ('85 %', '85.5')
    """
    if text.isascii():
        return text
    return _DIGIT.sub(lambda match: str(unicodedata.decimal(match[0])), text).translate(_SIGNS)


def _thai(text: str) -> str:
    """Thai marks in one order, and vowels that are typed in two ways in one of them."""
    text = _SARA_AM.sub("\\1\u0e33", _SEVERAL_MARKS.sub(_sorted_marks, text))
    return _SEVERAL_MARKS.sub(_sorted_marks, text).replace("\u0e40\u0e40", "\u0e41")


def _sorted_marks(match: re.Match[str]) -> str:
    """Thai marks before those of other scripts, across which normalization would move some of them."""
    ordered = []
    for is_mark, run in groupby(match[0], lambda char: char in _THAI_MARKS or unicodedata.combining(char) > 0):
        chars = [*run]
        if is_mark:
            thai = sorted({*chars} & _THAI_MARKS, key=lambda mark: (mark == "\u0e33", mark >= "\u0e48", mark))
            chars = [*thai, *(char for char in chars if char not in _THAI_MARKS)]
        ordered += chars
    return "".join(ordered)


def _serbian(text: str) -> str:
    plain = _SERBIAN_STRESS.sub("", unicodedata.normalize("NFD", text))
    return unicodedata.normalize("NFC", plain).translate(_SERBIAN).translate(_STROKES)


def _russian(text: str) -> str:
    return _RUSSIAN_STRESS.sub("", unicodedata.normalize("NFD", text))


def _vietnamese(text: str) -> str:
    return _VIETNAMESE_TONE.sub(r"\1\3\2", unicodedata.normalize("NFD", text.translate(_STROKES)))


_OF_LANGUAGE: Mapping[str, Callable[[str], str]] = {
    "ar": lambda text: text.translate(_ALEF),
    "hu": lambda text: text.translate(_HUNGARIAN),
    "ru": _russian,
    "sr": _serbian,
    "vi": _vietnamese,
}

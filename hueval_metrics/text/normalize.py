"""Normalise spelling differences that must not decide whether an answer is right.

The same letter can be composed or decomposed (NFC, NFD) or replaced by a letter of an old code page, and models put
short answers in quotes, emphasis and full stops.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Mapping
from types import MappingProxyType

Key = Callable[[str], str]  # text → the form in which texts are compared, such as `compare_key`
# Sentence punctuation, quotes and Markdown emphasis; not hyphens and brackets, as "-lep" and "(A)" are answers.
_OUTER = ".,;:!?…\"'„”“‚’‘»«`*_"
_SPACE = re.compile(r"\s+")
_MARK_RUN = re.compile(r"([^\w\s\x00-\x7f]{30})[^\w\s\x00-\x7f]+")

# Letters of other scripts that look like Latin letters and have no compatibility form.
_LOOKALIKES = str.maketrans(
    "асԁеһіјӏорԛѕԝхуАВСЕНІЈКМОРЅТХУαοινΑΒΕΖΗΙΚΜΝΟΡΤΥΧ", "acdehijlopqswxyABCEHIJKMOPSTXYaoivABEZHIKMNOPTYX"
)


def visible(text: str) -> str:
    """The text as a reader sees it: compatibility forms and look-alikes become Latin letters, invisible ones go.

    >>> visible("【Тhe\u200b ｅｎｄ】")
    '【The end】'
    """
    plain = unicodedata.normalize("NFKC", stream_safe(text)).translate(_LOOKALIKES)
    return "".join(char for char in plain if char.isascii() or unicodedata.category(char) != "Cf")


def stream_safe(text: str) -> str:
    """The text with at most 30 combining marks in a row (UAX #15, Stream-Safe Text Format).

    Normalising a longer run takes quadratic time; no language has one, but a runaway generation may.
    """
    return _MARK_RUN.sub(r"\1", text)


def compare_key(text: str, letters: Mapping[int, int] = MappingProxyType({})) -> str:
    """The form in which answers are compared: NFC, casefolded, without white space and outer punctuation.

    Args:
        text: any text, any length.
        letters: composed letters to replace in the data's language, as returned by `str.maketrans`.

    >>> compare_key(" **Székes Fehérvár.** "), compare_key("Gyõr", str.maketrans("õ", "ő"))
    ('székesfehérvár', 'győr')
    """
    composed = unicodedata.normalize("NFC", stream_safe(text)).translate(letters)
    return unicodedata.normalize("NFC", _SPACE.sub("", composed.casefold())).strip(_OUTER)

"""Spelling differences that must not decide whether an answer is right.

Texts are typed on many keyboards: the same letter comes composed or decomposed (NFC, NFD), or as another one from an
old code page, and models wrap short answers in quotes, emphasis and full stops.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Mapping
from types import MappingProxyType

# Sentence punctuation, quotes and Markdown emphasis. Hyphens and brackets stay: "-lep" and "(A)" are answers.
Key = Callable[[str], str]  # a text → what it is compared by, such as `compare_key` with the letters of a language
_OUTER = ".,;:!?…\"'„”“‚’‘»«`*_"
_SPACE = re.compile(r"\s+")
_MARK_RUN = re.compile(r"([^\w\s\x00-\x7f]{30})[^\w\s\x00-\x7f]+")

# Letters of other scripts that look like Latin ones and have no compatibility form.
_LOOKALIKES = str.maketrans(
    "асԁеһіјӏорԛѕԝхуАВСЕНІЈКМОРЅТХУαοινΑΒΕΖΗΙΚΜΝΟΡΤΥΧ", "acdehijlopqswxyABCEHIJKMOPSTXYaoivABEZHIKMNOPTYX"
)


def visible(text: str) -> str:
    """The text as a reader sees it: compatibility forms and look-alike letters as Latin ones, invisible ones left out.

    >>> visible("【Тhe\u200b ｅｎｄ】")
    '【The end】'
    """
    plain = unicodedata.normalize("NFKC", stream_safe(text)).translate(_LOOKALIKES)
    return "".join(char for char in plain if char.isascii() or unicodedata.category(char) != "Cf")


def stream_safe(text: str) -> str:
    """The text without more than 30 combining marks in a row (UAX #15, Stream-Safe Text Format).

    Normalising a long run takes quadratic time; no language has one, but a runaway generation may.
    """
    return _MARK_RUN.sub(r"\1", text)


def compare_key(text: str, letters: Mapping[int, int] = MappingProxyType({})) -> str:
    """The text as answers are compared: NFC, casefolded, without white space and outer punctuation.

    Args:
        text: any text, any length.
        letters: composed letters that stand for others in the data's language, as `str.maketrans` makes it.

    >>> compare_key(" **Székes Fehérvár.** "), compare_key("Gyõr", str.maketrans("õ", "ő"))
    ('székesfehérvár', 'győr')
    """
    composed = unicodedata.normalize("NFC", stream_safe(text)).translate(letters)
    return unicodedata.normalize("NFC", _SPACE.sub("", composed.casefold())).strip(_OUTER)

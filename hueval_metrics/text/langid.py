"""The language of an answer, by py3langid (Lui & Baldwin 2012), for answers of three words or more.

Models that are asked for Hungarian sometimes answer in English or Chinese. Shorter answers are mostly names, which have
no language. On Hungarian texts, py3langid 0.4.0 is wrong for 1 % of those with ten words or more and for 5 to 10 % of
those with three or four words, nearly all names of people and institutions or invented words.

It has several labels for one language in three cases. Of 33 Serbian questions in Cyrillic 29 are sr and 4 bs or hr; in
Latin letters 5 are sr, 15 bs and 13 hr. Of 36 Chinese ones 2 are wuu, and 17 when cut to six characters. Of 35 Arabic
ones none, but 4 arz or ary when cut to three words. All of 33 to 39 questions each in Hungarian, Czech, Russian,
Korean, Thai and Vietnamese are found; cut to three words, 2 Czech and 7 Russian ones are taken for another language,
mostly a neighbour (sl, be, bg, sr), and count as such.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection
from itertools import islice

from hueval_metrics.text import unspaced
from hueval_metrics.text.normalize import stream_safe

MIN_WORDS = 3
MIN_LETTERS = 6  # of a script without spaces, where it is asked for
# Language asked for → the labels of py3langid for it.
LABELS = {"sr": ("sr", "bs", "hr"), "zh": ("zh", "wuu", "yue"), "ar": ("ar", "ary", "arz")}
# Words are runs of letters. Chinese and Japanese have no spaces, so each of their characters counts as a word.
_WORD = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff]|[^\W\d_]+")
_LETTER = re.compile(rf"(?=[^\W\d_])[{unspaced.CHARACTERS}]")
_SPACED = re.compile(rf"[^\W\d_{unspaced.CHARACTERS}]+")
_ARABIC_MARKS = re.compile(r"[\u0610-\u061a\u0640\u064b-\u065f\u0670]+")  # inside words, but no letters
# Parts that are English, or no language, in an answer of any language. A fence marked as Markdown is the answer itself.
_NO_PROSE = re.compile(
    r"""
    ```(?!markdown|md|text).*?(?:```|\Z)  # fenced code; the last fence may be cut off
    | ```(?:markdown|md|text)?
    | `[^`\n]+`                           # inline code
    | (?:https?://|www\.)\S+
    | </?[A-Za-z][^<>]{0,200}>            # HTML
    | "[^"\n]{1,60}"\s{0,20}:             # a JSON key; its value may be the answer
    """,
    re.VERBOSE | re.DOTALL | re.IGNORECASE,
)


def is_in_language(text: str, languages: Collection[str]) -> bool | None:
    """Whether a text is in one of some languages; code, URLs and JSON keys are ignored.

    Args:
        text: any text, any length; composed or decomposed letters.
        languages: ISO 639-1 codes. Serbian in either script is `sr`, written Chinese and Arabic of any region are `zh`
            and `ar`.

    Returns:
        None for fewer than MIN_WORDS words. Where one of the languages sets no spaces, such as Chinese and Thai: for
        fewer words, and fewer than MIN_LETTERS letters without spaces.

    >>> is_in_language("Mátyás király uralkodott", ["hu"]), is_in_language("It was King Matthias", ["hu"])
    (True, False)
    """
    prose = _NO_PROSE.sub(" ", unicodedata.normalize("NFC", stream_safe(text)))
    if "ar" in languages:
        prose = _ARABIC_MARKS.sub("", prose)
    if not _is_long_enough(prose, languages):
        return None
    import py3langid  # loads its model on the first call, half a second

    return py3langid.classify(prose)[0] in {label for one in languages for label in LABELS.get(one, (one,))}


def _is_long_enough(prose: str, languages: Collection[str]) -> bool:
    if unspaced.LANGUAGES.isdisjoint(languages):
        return _has(MIN_WORDS, _WORD, prose)
    return _has(MIN_LETTERS, _LETTER, prose) or _has(MIN_WORDS, _SPACED, prose)


def _has(number: int, pattern: re.Pattern[str], text: str) -> bool:
    return len(list(islice(pattern.finditer(text), number))) == number

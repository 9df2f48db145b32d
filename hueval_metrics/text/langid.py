"""The language of an answer, by py3langid (Lui & Baldwin 2012), for answers of three words or more.

Models that are asked for Hungarian sometimes answer in English or Chinese. Shorter answers are mostly names, which have
no language. On Hungarian texts, py3langid 0.4.0 is wrong for 1 % of those with ten words or more and for 5 to 10 % of
those with three or four words, nearly all names of people and institutions or invented words.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection
from itertools import islice

from hueval_metrics.text.normalize import stream_safe

MIN_WORDS = 3
# Words are runs of letters. Chinese and Japanese have no spaces, so each of their characters counts as a word.
_WORD = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff]|[^\W\d_]+")
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
        languages: ISO 639-1 codes.

    Returns:
        None for fewer than MIN_WORDS words.

    >>> is_in_language("Mátyás király uralkodott", ["hu"]), is_in_language("It was King Matthias", ["hu"])
    (True, False)
    """
    prose = _NO_PROSE.sub(" ", unicodedata.normalize("NFC", stream_safe(text)))
    if len(list(islice(_WORD.finditer(prose), MIN_WORDS))) < MIN_WORDS:
        return None
    import py3langid  # loads its model on the first call, half a second

    return py3langid.classify(prose)[0] in languages

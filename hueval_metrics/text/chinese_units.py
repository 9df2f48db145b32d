"""Units of Chinese text that scores of translations count: characters, or words."""

from __future__ import annotations

import logging
import re
from collections.abc import Callable
from functools import cache

from hueval_metrics.errors import InputError

# One unit each, whatever is beside it: ideographs, and their punctuation and full-width forms but the space.
_IDEOGRAPHS = re.compile("[\u3400-\u4db5\u4e00-\u9fbb\u3001-\u303f\uff00-\uffef]*")

Units = str | tuple[str, ...]  # a string where each unit is one character


def characters(text: str) -> Units:
    """The units of sacrebleu's tokenizer `zh`: each ideograph; numbers, Latin words and punctuation as in `13a`.

    Args:
        text: any text; may be empty.

    Returns:
        A string where each unit is one character, else a tuple.

    >>> characters("我哋去睇戲。"), characters("去K11睇IMAX")
    ('我哋去睇戲。', ('去', 'K11', '睇', 'IMAX'))
    """
    if _IDEOGRAPHS.fullmatch(text):
        return text
    return _as_units(_zh()(text.rstrip()).split())


def words(text: str, language: str) -> Units:
    """The words of a text, by jieba (Mandarin) or pycantonese (Cantonese); what is only white space is none.

    Args:
        text: any text; may be empty.
        language: `zh` or `yue`.

    Raises:
        InputError: the library is not installed.
    """
    text = text.encode("utf-8", "replace").decode()  # without lone surrogates, which pycantonese refuses
    return _as_units([word for piece in _segmenter(language)(text) for word in piece.split()])


def _as_units(pieces: list[str]) -> Units:
    joined = "".join(pieces)
    return joined if len(joined) == len(pieces) else tuple(pieces)


@cache
def _zh() -> Callable[[str], str]:
    from sacrebleu.tokenizers.tokenizer_re import TokenizerRegexp
    from sacrebleu.tokenizers.tokenizer_zh import TokenizerZh

    # Without their caches, which would keep 65,536 replies, however long.
    tokenizer, inner = TokenizerZh(), TokenizerRegexp()
    tokenizer._post_tokenizer = lambda text: TokenizerRegexp.__call__.__wrapped__(inner, text)
    return lambda text: str(TokenizerZh.__call__.__wrapped__(tokenizer, text))


@cache
def _segmenter(language: str) -> Callable[[str], list[str]]:
    try:
        if language == "yue":
            import pycantonese

            return lambda text: list(pycantonese.segment(text))
        import jieba
    except ImportError as error:
        raise InputError(f"units: word needs {error.name}. pip install 'hueval[zh]'") from None
    jieba.setLogLevel(logging.WARNING)  # it logs the loading of its dictionary to stderr
    return lambda text: list(jieba.cut(text))

"""Read which option fills a blank: a letter, the option's text, or both."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping, Sequence

from hueval_metrics.answers.plain_text import without_markup
from hueval_metrics.answers.remarks import alternatives, is_refusal, settled
from hueval_metrics.text.normalize import Key, compare_key, stream_safe

_OPTION = re.compile(r"\s*\(?([A-Z]{1,2})\s*[.):]\s*(.*)", re.DOTALL)
_LETTER = re.compile(r"\W*([A-Za-z]{1,2})\W*")
_LETTER_AND_TEXT = re.compile(r"\W*([A-Za-z]{1,2})(?P<between>\W+)(\w.*)", re.DOTALL)
_TEXT_AND_LETTER = re.compile(r"(.*\w)(?P<between>\W+)([A-Za-z]{1,2})\W*", re.DOTALL)
_SEPARATOR = re.compile(r"\s*[.):=→\]]|\s*[-=]>|\s+[\-–—]\s+")  # "e-mail" is no letter E
_BRACKET = re.compile(r"\s*[(\[]|\s*[,=→]|\s+[\-–—]\s+")
_ARTICLE = re.compile(r"az?\s+(?=\w)")
_NOUN = re.compile(
    r"\b(?:options?|choice|letter|answer|válasz|opció|lehetőség|betű)\b\s*:?\s*(?=[A-Za-z]{1,2}(?:\W*\Z|[.):]))"
    r"|(?<=[A-Za-z])\W{1,3}(?:option|opció|lehetőség|betű|válasz)\W*\Z",
    re.IGNORECASE,
)
_CROSSED = re.compile("[✗✘❌]")
_OTHER_LETTER = re.compile(r"(?<!\w)([A-Z]{1,2})[.):]")
_LONGEST = 300  # characters; the longest option has 108


def option_texts(options: Sequence[str]) -> dict[str, str]:
    """Letters and texts of options written `A.szó`; a repeated letter keeps its first text, others are left out.

    >>> option_texts(["A.környezet", "B.tűrőképesség"])
    {'A': 'környezet', 'B': 'tűrőképesség'}
    """
    texts: dict[str, str] = {}
    for option in options:
        if match := _OPTION.fullmatch(option):
            texts.setdefault(match.group(1), match.group(2))
    return texts


def read_option(text: str, options: Mapping[str, str], key: Key = compare_key) -> frozenset[str]:
    """The option letters that a filled blank stands for.

    Args:
        text: what the model put into the blank, such as `F`, `(F)`, `F.populációnak` or `populációnak`.
        options: letters and texts, from `option_texts`.
        key: what texts are compared by.

    Returns:
        One letter, upper case; several when options share the text that was given; none when the text names no option,
        contradicts itself (the letter of one option, the words of another), or takes the option back.
    """
    text = _NOUN.sub("", without_markup(text[:_LONGEST])).strip(" _")
    if (found := _named(text, options, key)) and not _CROSSED.search(text):
        return found
    last = settled(text)
    if found and last is not None:
        return found
    if last is None or len(alternatives(last)) > 1:
        return frozenset()
    return _named(last, options, key) or _with_a_remark(last, options, key) or _unaccented(last, options)


def _named(text: str, options: Mapping[str, str], key: Key) -> frozenset[str]:
    """The options that a letter alone, a text alone, or a letter and its text name."""
    alone = _LETTER.fullmatch(text)
    if alone and (letter := alone.group(1).upper()) in options:
        return frozenset({letter})
    if whole := _of_text(text, {letter: f"{letter}.{words}" for letter, words in options.items()}, key):
        return whole
    if same_text := _of_text(text, options, key) or _of_text(_ARTICLE.sub("", text, count=1), options, key):
        return same_text
    for match, place, words in ((_LETTER_AND_TEXT.fullmatch(text), 1, 3), (_TEXT_AND_LETTER.fullmatch(text), 3, 1)):
        if match and (letter := match[place].upper()) in options:
            same_text = _of_text(match[words], options, key) | _of_text(match[words].rstrip(")] "), options, key)
            if letter in same_text:
                return frozenset({letter})
    return frozenset()


def _of_text(text: str, options: Mapping[str, str], key: Key) -> frozenset[str]:
    wanted = key(text)
    return frozenset(letter for letter, words in options.items() if wanted and key(words) == wanted)


def _is_letter(text: str, options: Mapping[str, str]) -> bool:
    match = _LETTER.fullmatch(text)
    return bool(match) and match[1].upper() in options  # type: ignore[index]


def _with_a_remark(text: str, options: Mapping[str, str], key: Key) -> frozenset[str]:
    """The letter before or after words that are no option: a slip in the option's text, or a remark."""
    for match, place, words, between in (
        (_LETTER_AND_TEXT.fullmatch(text), 1, 3, _SEPARATOR),
        (_TEXT_AND_LETTER.fullmatch(text), 3, 1, _BRACKET),
    ):
        if match and (letter := match[place].upper()) in options and between.match(match["between"]):
            others = (other for other in _OTHER_LETTER.findall(match[words]) if other in options)
            is_other = _of_text(match[words], options, key) or _of_text(match[words].rstrip(")] "), options, key)
            # "F. B. D" and "F, B" name several.
            is_hedged = any(others) or _is_letter(match[words].split()[-1], options) or is_refusal(match[words])
            if not is_other and not is_hedged:
                return frozenset({letter})
    return frozenset()


def _unaccented(text: str, options: Mapping[str, str]) -> frozenset[str]:
    """The one option whose text is the same but for accents."""
    key = _base_letters(text)
    found = frozenset(letter for letter, words in options.items() if len(key) > 3 and _base_letters(words) == key)
    return found if len(found) == 1 else frozenset()


def _base_letters(text: str) -> str:
    decomposed = unicodedata.normalize("NFKD", stream_safe(compare_key(text)))
    return "".join(char for char in decomposed if char.isalnum())

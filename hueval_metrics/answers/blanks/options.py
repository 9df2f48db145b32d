"""Read which option fills a blank, from its letter, its text, or both."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Mapping, Sequence

from hueval_metrics.answers.plain_text import without_markup
from hueval_metrics.answers.remarks import alternatives, is_refusal, settled
from hueval_metrics.text.normalize import Key, compare_key, stream_safe

_OPTION = re.compile(r"\s*\(?([A-Z]{1,2})\s*[.):]\s*(.*)", re.DOTALL)
_LETTER = re.compile(r"\W*([A-Za-z]{1,2})\W*")
_LETTER_AND_TEXT = re.compile(r"\W*([A-Za-z]{1,2})(?P<between>\W+)(\w.*)", re.DOTALL)
_TEXT_AND_LETTER = re.compile(r"(.*\w)(?P<between>\W+)([A-Za-z]{1,2})\W*", re.DOTALL)
_SEPARATOR = re.compile(r"\s*[.):=→\]]|\s*[-=]>|\s+[\-–—]\s+")  # "e-mail" is not the letter E
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
    """Letter → text of options such as `A.szó`. A repeated letter keeps its first text; others have no entry.

    >>> option_texts(["A.környezet", "B.tűrőképesség"])
    {'A': 'környezet', 'B': 'tűrőképesség'}
    """
    texts: dict[str, str] = {}
    for option in options:
        if match := _OPTION.fullmatch(option):
            texts.setdefault(match.group(1), match.group(2))
    return texts


def read_option(text: str, options: Mapping[str, str], key: Key = compare_key) -> frozenset[str]:
    """The option letters that the text of a filled blank names.

    Args:
        text: the model's text for the blank, such as `F`, `(F)`, `F.populációnak` or `populációnak`.
        options: letters and texts, from `option_texts`.
        key: the form in which texts are compared.

    Returns:
        One letter, upper case; several if options share the given text; none if the text names no option, contradicts
        itself (the letter of one option, the words of another), or retracts the option.
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
    """The options that a letter, a text, or a letter with its own text names."""
    alone = _LETTER.fullmatch(text)
    if alone and (letter := alone.group(1).upper()) in options:
        return frozenset({letter})
    if whole := _of_text(text, {letter: f"{letter}.{words}" for letter, words in options.items()}, key):
        return whole
    if same_text := _of_text(text, options, key) or _of_text(_ARTICLE.sub("", text, count=1), options, key):
        return same_text
    for letter, _, same_text, _ in _letters_beside_words(text, options, key):
        if letter in same_text:
            return frozenset({letter})
    return frozenset()


def _letters_beside_words(
    text: str, options: Mapping[str, str], key: Key
) -> Iterator[tuple[str, str, frozenset[str], bool]]:
    """Each option letter before or after words: letter, words, the options with these words, whether separated."""
    for match, letter, words, separator in (
        (_LETTER_AND_TEXT.fullmatch(text), 1, 3, _SEPARATOR),
        (_TEXT_AND_LETTER.fullmatch(text), 3, 1, _BRACKET),
    ):
        if match and match[letter].upper() in options:
            same_text = _of_text(match[words], options, key) | _of_text(match[words].rstrip(")] "), options, key)
            yield match[letter].upper(), match[words], same_text, bool(separator.match(match["between"]))


def _of_text(text: str, options: Mapping[str, str], key: Key) -> frozenset[str]:
    wanted = key(text)
    return frozenset(letter for letter, words in options.items() if wanted and key(words) == wanted)


def _with_a_remark(text: str, options: Mapping[str, str], key: Key) -> frozenset[str]:
    """The letter before or after words that are not an option: the option's text with a typo, or a remark."""
    for letter, words, same_text, is_separated in _letters_beside_words(text, options, key):
        if not is_separated or same_text or is_refusal(words):
            continue
        last = _LETTER.fullmatch(words.split()[-1])
        others = [*_OTHER_LETTER.findall(words), *([last[1].upper()] if last else [])]
        if options.keys().isdisjoint(others):  # "F. B. D" and "F, B" name several
            return frozenset({letter})
    return frozenset()


def _unaccented(text: str, options: Mapping[str, str]) -> frozenset[str]:
    """The only option whose text differs in accents alone."""
    key = _base_letters(text)
    found = frozenset(letter for letter, words in options.items() if len(key) > 3 and _base_letters(words) == key)
    return found if len(found) == 1 else frozenset()


def _base_letters(text: str) -> str:
    decomposed = unicodedata.normalize("NFKD", stream_safe(compare_key(text)))
    return "".join(char for char in decomposed if char.isalnum())

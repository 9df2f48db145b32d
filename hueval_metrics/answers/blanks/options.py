"""Read which option fills a blank, from its letter, its text, or both."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import cast

from hueval_metrics.answers.blanks.words import is_crossed, settled_text
from hueval_metrics.answers.names import folded, texts_named
from hueval_metrics.answers.text import readable, without_markup
from hueval_metrics.languages.load import pattern, words
from hueval_metrics.text.normalize import Key, compare_key, stream_safe

_OPTION = re.compile(r"\s*\(?([A-Z]{1,2})\s*[.):]\s*(.*)", re.DOTALL)
_ALONE = re.compile(r"[\W_]*([A-Za-z]{1,2})[\W_]*")
# A capital, or a small letter with a closing mark; "F-ként" and "e-mail" name no letter.
_LETTER = re.compile(r"(?<!\w)([A-Z]{1,2})(?![\w'’]|-[a-z])|\A\W*([a-z]{1,2})(?=[.):\]](?:\s|\w))")
_GLOSS = re.compile(r"[(\[]([^()\[\]]{1,100})[)\]]")
_LONGEST = 300  # characters; the longest option has 108
_MOST_WORDS = 8  # of a text in which an option's own words name it


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


def read_option(
    text: str, options: Mapping[str, str], key: Key = compare_key, languages: Sequence[str] = ("hu",)
) -> frozenset[str]:
    """The option letters that the text of a filled blank names.

    Args:
        text: the model's text for the blank, such as `F`, `(F)`, `F.populációnak` or `populációnak`.
        options: letters and texts, from `option_texts`.
        key: the form in which texts are compared.
        languages: of the remarks in it; English is added.

    Returns:
        One letter, upper case; several if options share the given text; none if the text names no option, contradicts
        itself (the letter of one option, the words of another), or retracts the option.
    """
    return _read(text[:_LONGEST], tuple(options.items()), key, tuple(languages))


@lru_cache(4096)
def _read(text: str, options: tuple[tuple[str, str], ...], key: Key, languages: tuple[str, ...]) -> frozenset[str]:
    text = without_markup(readable(text)).plain
    is_open = is_crossed(text) or ("?" in text and not any("?" in said for _, said in options))
    if not is_open and (found := _whole(text, options, key)):
        return found
    said = settled_text(text, languages)
    if said is None:
        return frozenset()
    found = _whole(said, options, key) or _named(said, dict(options), languages) or _whole(said, options, _base_letters)
    for gloss in _GLOSS.findall(text):  # "populáció (B)": the text of one, the letter of another
        found &= (_whole(gloss, options, key) if gloss not in said else frozenset()) or found
    return found


def _whole(text: str, options: tuple[tuple[str, str], ...], key: Key) -> frozenset[str]:
    """The option of which a text is the letter, or the text; the options that share it."""
    keys = _keys(options, key)
    alone = _ALONE.fullmatch(text)
    if alone and (letter := alone[1].upper()) in keys:
        return frozenset({letter})
    form = key(text)
    return frozenset(letter for letter, option in keys.items() if form and form in option)


@lru_cache(256)
def _keys(options: tuple[tuple[str, str], ...], key: Key) -> dict[str, tuple[str, str]]:
    """Letter → the option's text as it is compared, alone and behind its letter."""
    return {letter: (key(said), key(f"{letter}.{said}")) for letter, said in options}


def _named(text: str, options: Mapping[str, str], languages: Sequence[str]) -> frozenset[str]:
    """The option that all letters and texts in a text name."""
    texts = [*dict.fromkeys(options.values())]
    found = texts_named(folded(text), texts) if len(text.split()) <= _MOST_WORDS else []
    named = [{letter for letter, said in options.items() if said == texts[cast(int, one.candidate)]} for one in found]
    for one in found:
        text = text[: one.start] + " " * (one.end - one.start) + text[one.end :]
    for match in _LETTER.finditer(text):
        letter = (match[1] or match[2]).upper()
        if letter in options and not _is_article(text, match, languages):
            named.append({letter})
    return frozenset.intersection(*map(frozenset, named)) if named else frozenset()


def _is_article(text: str, match: re.Match[str], languages: Sequence[str]) -> bool:
    """Whether a letter is a word before another: "A király", but not "A környezet" of the option A, nor "A betű"."""
    behind = re.match(r"\s+(\w+)", text[match.end() :])
    if not behind or behind[1][:1].isupper() or folded(match[0]) not in words("article", languages):
        return False
    return not pattern("fills option blank", tuple(languages)).match(folded(behind[1]))


def _base_letters(text: str) -> str:
    """A text as it is compared without accents; empty for a short one, in which they decide."""
    decomposed = unicodedata.normalize("NFKD", stream_safe(compare_key(text)))
    letters = "".join(char for char in decomposed if char.isalnum())
    return letters if len(letters) > 3 else ""

"""Read which option fills a blank, from its letter, its text, or both."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping, Sequence
from functools import lru_cache

from hueval_metrics.answers.blanks.words import is_crossed, settled_text
from hueval_metrics.answers.decide import tokens
from hueval_metrics.answers.names import folded
from hueval_metrics.answers.text import readable, without_markup
from hueval_metrics.languages.load import pattern
from hueval_metrics.text.normalize import Key, compare_key, stream_safe

_OPTION = re.compile(r"\s*\(?([A-Z]{1,2})\s*[.):]\s*(.*)", re.DOTALL)
_ALONE = re.compile(r"[\W_]*([A-Za-z]{1,2})[\W_]*")
# A capital, or a small letter with a closing mark; "F-ként" and "e-mail" name no letter.
_LETTER = re.compile(r"(?<!\w)([A-Z]{1,2})(?![\w'’]|-[a-z])|\A\W*([a-z]{1,2})(?=[.):\]](?:\s|\w))")
_ARTICLE = re.compile(r"\A\W{0,3}(?:[Aa]z?|[Aa]\(z\))\s+(?=\w)")
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
    text = without_markup(readable(text)).plain.strip(" _\t\n")
    keys = _keys(options, key)
    if (
        (found := _whole(text, keys, key))
        and not is_crossed(text)
        and ("?" not in text or "?" in "".join(words for _, words in options))
    ):
        return found
    said = settled_text(text, languages)
    if said is None:
        return frozenset()
    found = _whole(said, keys, key) or _named(said, keys, languages) or _unaccented(said, dict(options))
    for gloss in _GLOSS.findall(text):  # "populáció (B)": the text of one, the letter of another
        found &= (_whole(gloss, keys, key) if gloss not in said else frozenset()) or found
    return found


@lru_cache(256)
def _keys(options: tuple[tuple[str, str], ...], key: Key) -> dict[str, str]:
    """Letter → the form of the option's text that is compared."""
    return {letter: key(words) for letter, words in options}


def _whole(text: str, keys: Mapping[str, str], key: Key) -> frozenset[str]:
    """The option of which a text is the letter, or the text."""
    alone = _ALONE.fullmatch(text)
    if alone and (letter := alone[1].upper()) in keys:
        return frozenset({letter})
    for form in dict.fromkeys((text, _ARTICLE.sub("", text, count=1))):
        if wanted := key(form):
            in_full = frozenset(letter for letter, words in keys.items() if wanted == key(f"{letter}.") + "." + words)
            if found := in_full or frozenset(letter for letter, words in keys.items() if words == wanted):
                return found
    return frozenset()


def _named(text: str, keys: Mapping[str, str], languages: Sequence[str]) -> frozenset[str]:
    """The option that all letters and texts in a text name."""
    low, places = _letters(text)
    taken: list[tuple[int, int]] = []
    named: list[frozenset[str]] = []
    if len(text.split()) <= _MOST_WORDS:
        for words in sorted({words for words in keys.values() if len(words) > 1}, key=len, reverse=True):
            squeezed = "".join(filter(str.isalnum, words))
            at = low.find(squeezed) if squeezed else -1
            if at < 0:
                continue
            start, end = places[at], places[at + len(squeezed) - 1] + 1
            is_word = not text[start - 1 : start].isalnum() and not text[end : end + 1].isalnum()
            if is_word and text[end : end + 1] != "-" and all(end <= a or b <= start for a, b in taken):
                taken.append((start, end))
                named.append(frozenset(letter for letter, other in keys.items() if other == words))
    for match in _LETTER.finditer(text):
        letter = (match[1] or match[2]).upper()
        is_free = all(match.end() <= a or b <= match.start() for a, b in taken)
        if letter in keys and is_free and not _is_article(text, match, languages):
            named.append(frozenset({letter}))
    return frozenset.intersection(*named) if named else frozenset()


def _is_article(text: str, match: re.Match[str], languages: Sequence[str]) -> bool:
    """Whether a letter is a word before another: "A király", but not "A környezet" of the option A, nor "A betű"."""
    behind = re.match(r"\s+(\w+)", text[match.end() :])
    articles = {token.end for token in tokens(folded(match[0]), languages) if "article" in token.keys}
    if not behind or not articles or behind[1][:1].isupper():
        return False
    return not pattern("fills option blank", tuple(languages)).match(folded(behind[1]))


def _letters(text: str) -> tuple[str, list[int]]:
    """The letters and digits of a text, folded, and where each is."""
    low = folded(text)
    places = [place for place, char in enumerate(low) if char.isalnum()]
    return "".join(low[place] for place in places), places


def _unaccented(text: str, options: Mapping[str, str]) -> frozenset[str]:
    """The only option whose text differs in accents alone."""
    key = _base_letters(text)
    found = frozenset(letter for letter, words in options.items() if len(key) > 3 and _base_letters(words) == key)
    return found if len(found) == 1 else frozenset()


def _base_letters(text: str) -> str:
    decomposed = unicodedata.normalize("NFKD", stream_safe(compare_key(text)))
    return "".join(char for char in decomposed if char.isalnum())

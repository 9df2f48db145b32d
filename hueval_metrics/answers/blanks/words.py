"""Read the words that fill a blank, without the remarks beside them."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from functools import lru_cache

from hueval_metrics.answers.decide import alternatives, settled, tokens
from hueval_metrics.answers.names import folded
from hueval_metrics.answers.text import readable, without_markup
from hueval_metrics.languages.load import pattern

_BRACKET = re.compile(r"\s*[(\[{]([^()\[\]{}]{0,200})[)\]}]\s*[.,;]?\Z")
_COMMENT = re.compile(r"\s(?://|/\*|#\s|<!--).*\Z", re.DOTALL)
_PLACE = re.compile(r"[\[<{(][^\[\]<>{}()]{1,60}[\]>})]")  # "[válasz]", "<word>": for an answer
_WORD = re.compile(r"[^\W_]")
_PLAIN = re.compile(r"[^\W_][\w\s;-]*")
_NEAR = 60  # characters behind an answer in which it is taken back
_LONGEST_GLOSS = 2  # words in brackets that are no part of an answer; more make it longer than the gold answer
_LONGEST = 2_000  # characters; a longer text is no answer, and is compared as it is


def settled_text(text: str, languages: Sequence[str], longest_gloss: int = _LONGEST) -> str | None:
    """The one answer that a short text gives; None if it gives none, or leaves it open.

    A gloss in brackets behind it is dropped; a rejection or doubt there decides.

    >>> [settled_text(text, ("hu",)) for text in ("Buda (90%)", "nem Buda, hanem Eger", "Buda vagy Eger", "Buda (?)")]
    ['Buda', 'Eger', None, None]
    """
    text = _COMMENT.sub("", text)
    while (bracket := _BRACKET.search(text)) and bracket.start():
        if takes_back(bracket[1], languages):
            return None
        if len(re.findall(r"[^\W_]+", bracket[1])) > longest_gloss:
            break
        text = text[: bracket.start()]
    if "?" in text:
        return None
    if text.isalnum():
        return text
    if (span := settled(text, languages)) is None:
        return None
    text = text[slice(*span)]
    again = pattern("instead", tuple(languages)).match(folded(text))  # "→ javítva: Prága"
    text = text[again.end() :].lstrip(" :,") if again else text
    return text if len(alternatives(text, languages)) == 1 else None


def is_plain(text: str, languages: Sequence[str]) -> bool:
    """Whether a text is words alone, without remarks, and does not say that there is no answer.

    >>> is_plain("nem tudja", ("hu",)), is_plain("nem tudom", ("hu",)), is_plain("Buda (hibás)", ("hu",))
    (True, False, False)
    """
    low = folded(text)
    is_place = pattern("placeholder", tuple(languages)).fullmatch(low)
    is_refused = pattern("no_answer refusal", tuple(languages)).search(low)
    return bool(_PLAIN.fullmatch(low)) and not is_place and not is_refused


def takes_back(remark: str, languages: Sequence[str]) -> bool:
    """Whether a remark behind an answer takes it back, or doubts it; "(not F)" says what it is not.

    >>> [takes_back(remark, ("hu",)) for remark in ("hibás", "ez nem jó", "esetleg B", "nem F", "a nem jó ok miatt")]
    [True, True, True, False, False]
    """
    found = [token.keys for token in tokens(folded(remark[:_NEAR]), languages)]
    first, second = [*(keys for keys in found if not keys & {"points_at", "is", "but"}), frozenset(), frozenset()][:2]
    is_denied = bool(first & {"not", "no"} and second & {"right", "fits", "wrong"})
    return is_denied or bool(first & {"maybe", "or", "wrong"}) or remark.strip() in ("?", "??")


def is_crossed(text: str) -> bool:
    """Whether a text has a sign that crosses it out."""
    names = (unicodedata.name(sign, "") for sign in text if sign > "\u2000")
    return any("CROSS MARK" in name or "BALLOT X" in name for name in names)


def read_words(text: str, languages: Sequence[str] = ("hu",)) -> str | None:
    """The words that fill a blank; None where a text gives none: a refusal, a placeholder, two answers.

    >>> read_words("**Buda** (a vár)"), read_words("nem tudom"), read_words("…"), read_words("[válasz]")
    ('Buda', None, None, None)
    """
    return _read(text, tuple(languages)) if len(text) < _LONGEST else text


@lru_cache(4096)
def _read(text: str, languages: tuple[str, ...]) -> str | None:
    text = without_markup(readable(text)).plain.strip(" \t\n*_`")
    is_place = _PLACE.fullmatch(text)
    place = "answer option blank unfilled" if is_place else "placeholder"  # "választó" may be an answer
    if (is_place and text[0] in "<{") or not _WORD.search(pattern(place, languages).sub("", folded(text))):
        return None
    found = settled_text(text, languages, _LONGEST_GLOSS)
    return found and found.strip(" *_`")

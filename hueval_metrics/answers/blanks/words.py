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
_PERCENT = re.compile(r"(?:[\s,;:–-]|\A)[~≈]?\s?(?:\d{1,3}(?:[.,]\d+)?\s?%|[01][.,]\d+)\s*\Z")
_COMMENT = re.compile(r"\s(?://|/\*|#\s|<!--).*\Z", re.DOTALL)
_WORD = re.compile(r"[^\W_]")
_DOUBT = frozenset(("maybe", "or", "wrong", "not", "no"))
_PLAIN = re.compile(r"[^\W_][\w\s;-]*")
_SPOKEN = re.compile(r"[^\W_]+")
_PLACE = re.compile(r"[\[<{(][^\[\]<>{}()]{1,60}[\]>})]")  # "[válasz]", "<word>": for an answer
_NEAR = 60  # characters behind an answer in which it is taken back
_LONGEST_GLOSS = 2  # words in brackets that are no part of an answer; more make it longer than the gold answer
_LONGEST = 2_000  # characters; a longer text is no answer, and is compared as it is


def settled_text(text: str, languages: Sequence[str], longest_gloss: int = _LONGEST) -> str | None:
    """The one answer that a short text gives; None if it gives none, or leaves it open.

    A percentage and a gloss in brackets behind it are dropped; a rejection or doubt there decides.

    >>> [settled_text(text, ("hu",)) for text in ("Buda (90%)", "nem Buda, hanem Eger", "Buda vagy Eger", "Buda (?)")]
    ['Buda', 'Eger', None, None]
    """
    if is_crossed(text):
        return None
    text = _without_signs(_COMMENT.sub("", text))
    if len(text) > _LONGEST:
        return text
    while (bracket := _BRACKET.search(text)) and _WORD.search(text[: bracket.start()]):
        if bracket[1].strip() in ("?", "??") or takes_back(bracket[1], languages):
            return None
        if len(_SPOKEN.findall(bracket[1])) > longest_gloss:
            break
        text = text[: bracket.start()]
    if (percent := _PERCENT.search(text)) and _WORD.search(text[: percent.start()]):
        text = text[: percent.start()]
    cue = pattern("answer", tuple(languages)).match(folded(text))
    if cue and text[cue.end() :].lstrip()[:1] == ":" and _WORD.search(text[cue.end() :]):
        text = text[cue.end() :].lstrip(" :")
    if not _WORD.search(text) or "?" in text or _PERCENT.fullmatch(text):
        return None
    if not re.search(r"\s", text) and text.isalnum():
        return text
    span = settled(text, languages)
    n_doubts = sum("maybe" in token.keys for token in tokens(folded(text), languages))
    if span is None or n_doubts > 1:
        return None
    start, end = span
    if not _WORD.search(pattern("article", tuple(languages)).sub("", folded(text[:start]))):
        start = 0  # "A" may be an option, and "az" a part of the words
    text = text[start:end]
    again = pattern("instead", tuple(languages)).match(folded(text))  # "→ javítva: Prága"
    if again and _WORD.search(text[again.end() :]):
        text = text[again.end() :].lstrip(" :,")
    return text if len(alternatives(text, languages)) == 1 else None


def is_plain(text: str, languages: Sequence[str]) -> bool:
    """Whether a text is words alone, without remarks, and does not say that there is no answer.

    >>> is_plain("nem tudja", ("hu",)), is_plain("nem tudom", ("hu",)), is_plain("Buda (hibás)", ("hu",))
    (True, False, False)
    """
    low = folded(text)
    return bool(_PLAIN.fullmatch(low)) and not pattern("no_answer refusal", tuple(languages)).search(low)


def takes_back(remark: str, languages: Sequence[str]) -> bool:
    """Whether a remark behind an answer takes it back, or doubts it; "(not F)" says what it is not.

    >>> [takes_back(remark, ("hu",)) for remark in ("hibás", "ez nem jó", "esetleg B", "nem F", "a nem jó ok miatt")]
    [True, True, True, False, False]
    """
    if remark.strip(" .)]}") in ("?", "??"):
        return True
    found = tokens(folded(remark[:_NEAR]), languages)
    while found and found[0].keys & {"points_at", "is", "but"} and not found[0].keys & _DOUBT:
        found = found[1:]
    first = found[0] if found else None
    if first is None or not first.keys & _DOUBT or len(_SPOKEN.findall(remark[: first.start])) > 1:
        return False
    return not first.keys & {"not", "no"} or any(one.keys & {"right", "fits", "wrong"} for one in found[1:2])


def is_crossed(text: str) -> bool:
    """Whether a text has a sign that crosses it out."""
    names = (unicodedata.name(sign, "") for sign in text if sign > "\u2000")
    return any("CROSS MARK" in name or "BALLOT X" in name for name in names)


def _without_signs(text: str) -> str:
    """The text without the emoji and other signs around it."""
    start, end = 0, len(text)
    while start < end and (text[start].isspace() or unicodedata.category(text[start]) == "So"):
        start += 1
    while start < end and (text[end - 1].isspace() or unicodedata.category(text[end - 1]) == "So"):
        end -= 1
    return text[start:end]


def read_words(text: str, languages: Sequence[str] = ("hu",)) -> str | None:
    """The words that fill a blank; None where a text gives none: a refusal, a placeholder, two answers.

    >>> read_words("**Buda** (a vár)"), read_words("nem tudom"), read_words("…"), read_words("[válasz]")
    ('Buda', None, None, None)
    """
    return _read(text, tuple(languages)) if len(text) < _LONGEST else settled_text(text, languages)


@lru_cache(4096)
def _read(text: str, languages: tuple[str, ...]) -> str | None:
    text = without_markup(readable(text)).plain.strip(" \t\n*_`")
    place = "answer option blank unfilled" if _PLACE.fullmatch(text) else "answer placeholder"
    if not _WORD.search(pattern(place, languages).sub("", folded(text))):
        return None
    found = settled_text(text, languages, _LONGEST_GLOSS)
    return found and found.strip(" *_`")

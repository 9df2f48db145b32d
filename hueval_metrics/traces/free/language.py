"""The language of a sentence of a trace: by frequent words of Hungarian and English, else by py3langid.

What is quoted, code, a URL or LaTeX does not count: an English sentence about a Hungarian phrase is English. A
sentence with fewer than `langid.MIN_WORDS` words of its own has no language, nor has a short one whose language
frequent words do not show and py3langid would have to guess: mostly names.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from hueval_metrics.text.langid import LABELS, MIN_WORDS
from hueval_metrics.text.unspaced import CHARACTERS
from hueval_metrics.traces.free.lexicon import word_list
from hueval_metrics.traces.free.sentences import FENCED, sentences

MIN_GUESSED = 4  # words in lower case that py3langid is asked about: names have no language
MIN_OTHER = 8  # such words of which it may say that they are neither Hungarian nor English

_NOT_OWN = re.compile(
    rf"""
    {FENCED} | `[^`\n]+`
    | (?:https?://|www\.)\S+
    | </?[A-Za-z][^<>]{{0,200}}>
    | "[^"\n]{{1,1000}}" | “[^“”\n]{{1,1000}}” | „[^„“”"\n]{{1,1000}}[”“"] | «[^«»\n]{{1,1000}}» | »[^«»\n]{{1,1000}}«
    | (?<!\w)'[^'\n]{{1,300}}'(?!\w) | ‘[^‘\n]{{1,300}}?’(?!\w)
    | \\[A-Za-z]{{1,20}}
    """,
    re.VERBOSE | re.MULTILINE,
)
_QUOTES = frozenset("\"'“„«»‘")
_WORD = re.compile(rf"[{CHARACTERS}]|\b[^\W\d_{CHARACTERS}]++\b")  # no piece of "fed7" or of "a_name"
_ACCENTED = re.compile(r"(?<!\w)[a-záéíóöőúüű]*[áéíóöőúüű]")  # in a word that is no name
_LABELS = {label: one for one, labels in LABELS.items() for label in labels} | {"pcm": "en"}  # Nigerian Pidgin


def own_words(text: str) -> str:
    """The text with blanks in place of what it quotes and of code; the outer quotation marks stay, so does its length.

    >>> own_words('So "hazugság" fits.')
    'So "        " fits.'
    """
    return _NOT_OWN.sub(_blanked, text)


def _blanked(found: re.Match[str]) -> str:
    text = found[0]
    return f"{text[0]}{' ' * (len(text) - 2)}{text[-1]}" if text[0] in _QUOTES else " " * len(text)


def languages(text: str, own: str) -> Iterator[str | None]:
    """The language of each sentence of a text, as an ISO 639-1 code; None for a sentence without one.

    Args:
        text: any text.
        own: its `own_words`.
    """
    for start, end in sentences(text):
        yield language_of(own[start:end])


def language_of(sentence: str) -> str | None:
    """The language of a sentence.

    >>> language_of("Nem ez volt a kérdés"), language_of("That is not what it asks"), language_of("Kovács János")
    ('hu', 'en', None)
    """
    words = _WORD.findall(sentence.casefold())
    if len(words) < MIN_WORDS:
        return None
    hungarian = sum(map(word_list("frequent.hu").__contains__, words))
    english = sum(map(word_list("frequent.en").__contains__, words))
    hungarian_too = hungarian == 1 and _ACCENTED.search(sentence) is not None
    english_too = english == 1 and not word_list("beside.en").isdisjoint(words)
    if hungarian + hungarian_too >= 2 and hungarian > 2 * english:
        return "hu"
    if english + english_too >= 2 and english > 2 * hungarian:
        return "en"
    no_names = [word for word in _WORD.findall(sentence) if not word[0].isupper()]
    if len(no_names) < MIN_GUESSED:
        return None
    import py3langid  # loads its model on the first call, half a second

    label = py3langid.classify(" ".join(no_names))[0]
    language = _LABELS.get(label, label)
    return language if language in ("hu", "en") or len(no_names) >= MIN_OTHER else None

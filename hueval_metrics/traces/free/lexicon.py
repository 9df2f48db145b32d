"""Phrases of Hungarian and English by which translation, doubt and self-correction are counted.

The lists are `lexicons/KIND.LANGUAGE.txt`, one phrase a line; `#` begins a comment. In a phrase, `*` at the end of a
word stands for any ending, `,` for a pause that may be left out, `|` for one that must be there (punctuation, a
quotation mark, the end of a line or of the text), `:` for a colon and `"` for a quotation mark. Letter case does not
matter.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

KINDS = ("translations", "hedges", "corrections")
LANGUAGES = ("hu", "en")

_TOKEN = re.compile(r"[^\W_]+(?:['-][^\W_]+)*|[\"„“”«»‘']|[.,;:!?…—–()\[\]{}|\n]+|--+|(?<!\S)-(?!\S)")
_WRAPPED = re.compile(r"\n(?=[a-záéíóöőúüű])")
_QUOTES, _PAUSES = frozenset("\"„“”«»‘'"), frozenset(".,;:!?…—–()[]{}|\n-")
_ELEMENT = re.compile(r"[^\W_]+(?:['-][^\W_]+)*\*?|[,|:\"]")
_FOLDER = Path(__file__).parent / "lexicons"
_TEXT_END = "|"
_ANY = "*"  # stands for the second word of a phrase that has none, or one that takes endings or may follow a pause

_BySecond = dict[str, list["Phrase"]]


@dataclass(frozen=True)
class Phrase:
    """A phrase to look for.

    Attributes:
        kind: one of `KINDS`.
        before: what must precede it: `|`, `"` or nothing.
        elements: its words and what must follow them, as in the lists.
    """

    kind: str
    before: str
    elements: tuple[str, ...]


def tokens_of(text: str) -> list[str]:
    """The words of a text, casefolded, and its pauses and quotation marks; the break of a wrapped line is no pause.

    >>> tokens_of("„Várj” – nem… I’m")
    ['„', 'várj', '”', '–', 'nem', '…', "i'm"]
    """
    return _TOKEN.findall(_WRAPPED.sub(" ", text).casefold().replace("’", "'"))


def count_phrases(tokens: Sequence[str]) -> Mapping[str, int]:
    """How many phrases of each kind a text has; of phrases that overlap the first, of those the longest counts.

    Args:
        tokens: as `tokens_of` gives them.

    Returns:
        Of each of `KINDS` its number.
    """
    starts = {token: found for token in set(tokens) if (found := _starting_with(token))}
    counts, free = dict.fromkeys(KINDS, 0), 0
    for at, token in enumerate(tokens):
        if token in starts and at >= free:
            following = tokens[at + 1] if at + 1 < len(tokens) else _TEXT_END
            by_second = starts[token]
            for phrase in (*by_second.get(following, ()), *by_second.get(_ANY, ())):
                end = _end_of(phrase, tokens, at)
                if end > free:
                    free, kind = end, phrase.kind
            if free > at:
                counts[kind] += 1
    return counts


def parse_phrase(line: str, kind: str) -> Phrase:
    """A line of a list, without its comment."""
    elements = _ELEMENT.findall(unicodedata.normalize("NFC", line).casefold())
    before = elements.pop(0) if elements[0] in ("|", '"') else ""
    return Phrase(kind, before, tuple(elements))


@cache
def word_list(name: str) -> frozenset[str]:
    """The words of `lexicons/NAME.txt`, one or more a line."""
    return frozenset(word for line in _lines(name) for word in line.casefold().split())


@cache
def phrases() -> tuple[Phrase, ...]:
    """All phrases of all lists."""
    return tuple(
        parse_phrase(line, kind) for kind in KINDS for language in LANGUAGES for line in _lines(f"{kind}.{language}")
    )


def _lines(name: str) -> Iterable[str]:
    """The lines of a list without comments and empty lines."""
    content = (_FOLDER / f"{name}.txt").read_text(encoding="utf-8")
    return filter(None, (line.partition("#")[0].strip() for line in content.splitlines()))


@cache
def _index() -> tuple[Mapping[str, _BySecond], Mapping[str, _BySecond]]:
    """Phrases by their first word, of those whose first word takes endings by what it begins with."""
    whole: dict[str, _BySecond] = {}
    stems: dict[str, _BySecond] = {}
    for phrase in phrases():
        first, second = (*phrase.elements, _ANY)[:2]
        firsts = stems if first.endswith("*") else whole
        by_second = firsts.setdefault(first.removesuffix("*"), {})
        is_word = firsts is whole and second[0].isalnum() and not second.endswith("*")
        by_second.setdefault(second if is_word else _ANY, []).append(phrase)
    return whole, stems


def _starting_with(token: str) -> _BySecond:
    """The phrases that can begin with a word."""
    whole, stems = _index()
    found = whole.get(token, {})
    if not token.startswith(tuple(stems)):
        return found
    ending = [phrase for stem in stems if token.startswith(stem) for phrase in stems[stem][_ANY]]
    return found | {_ANY: [*found.get(_ANY, ()), *ending]}


def _end_of(phrase: Phrase, tokens: Sequence[str], at: int) -> int:
    """The index behind the last word of a phrase that begins at a token; 0 where it is not there."""
    if phrase.before and not _is(phrase.before, tokens[at - 1] if at else _TEXT_END):
        return 0
    end = at
    for element in phrase.elements:
        token = tokens[at] if at < len(tokens) else _TEXT_END
        if element == ",":
            at += token[0] in _PAUSES
        elif _is(element, token):
            at += 1
            end = end if element in ("|", ":", '"') else at
        else:
            return 0
    return end


def _is(element: str, token: str) -> bool:
    """Whether a token is what an element of a phrase asks for."""
    if element == "|":
        return token[0] in _PAUSES or token in _QUOTES
    if element == '"':
        return token in _QUOTES
    if element == ":":
        return ":" in token
    return token.startswith(element[:-1]) if element.endswith("*") else token == element

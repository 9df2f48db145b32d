"""Find where a text names a candidate: by number, letter, ordinal, its own text, or a word.

Names are found in the folded text (`folded`), which has the length of the text, so that places in one hold in the other.

>>> [(one.candidate, one.form) for one in options_named("Nem az 1., hanem a második.", ("Buda", "Eger"), ("hu",))]
[(0, 'number'), (1, 'ordinal')]
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Hashable, Iterable, Mapping, Sequence
from typing import NamedTuple

from hueval_metrics.languages.load import as_source, ordinals, remembered, source
from hueval_metrics.text.hanzi import same_script

LETTERS = "ABCDEFGH"
_ROMAN = ("i", "ii", "iii", "iv", "v", "vi")
# Behind a bare number or letter: the end of its line, a mark, a sign of another name; not a decimal, a percent, a word.
_EDGES = " \t\n.!?\"'„”“«»:*_`()[]。，、"
_OPEN, _CLOSE = r"[(\[{<„“\"'«「『《*_]{0,3}", r"[)\]}>”“\"'»」』》*_]{0,3}"


class Mention(NamedTuple):
    """A place in a text that names a candidate.

    Attributes:
        start, end: its characters in the text.
        candidate: which one; anything that can be compared. None for a name that no candidate has (`E` of A to D).
        form: `number`, `letter`, `ordinal`, `text` (the candidate's own words) or `word` (one that stands for it).
    """

    start: int
    end: int
    candidate: Hashable
    form: str


def folded(text: str) -> str:
    """The text as words of languages are compared: case-folded, Chinese in one script; of the same length.

    >>> folded("İgen, 國際"), len(folded("ß"))
    ('igen, 国际', 1)
    """
    lower = text.casefold()
    if len(lower) != len(text):
        lower = "".join(
            each if len(each) == 1 else char.lower()[:1]
            for char, each in zip(text, map(str.casefold, text), strict=True)
        )
    return same_script(lower)


def longest(mentions: Iterable[Mention]) -> list[Mention]:
    """The mentions in order, without those that lie inside or across a longer one."""
    kept: list[Mention] = []
    starts: list[int] = []
    for one in sorted(mentions, key=lambda each: (each.start - each.end, each.start)):
        at = bisect_right(starts, one.start)
        is_free = (at == 0 or kept[at - 1].end <= one.start) and (at == len(kept) or one.end <= kept[at].start)
        if is_free:
            kept.insert(at, one)
            starts.insert(at, one.start)
    return kept


def texts_named(text: str, texts: Sequence[str]) -> list[Mention]:
    """Where candidates stand by their own texts; those that are empty, or those of two candidates, name none.

    Args:
        text: folded.
        texts: those of the candidates, as the question has them.

    >>> [one.candidate for one in texts_named("szerintem eger.", ("Buda", "Eger."))]
    [1]
    """
    found: list[Mention] = []
    keys = [folded(each).strip(_EDGES) for each in texts]
    for place, key in enumerate(keys):
        if not key or keys.count(key) > 1:
            continue
        pattern = re.compile(_whole(key))
        found += (Mention(*match.span(), place, "text") for match in pattern.finditer(text))
    return longest(found)


def _whole(key: str) -> str:
    """The source of a pattern for a text that is no part of a longer word or number."""
    body = r"\s*".join(map(re.escape, re.findall(r"\d+|[^\W\d]+|[^\w\s]", key))) if len(key) < 400 else re.escape(key)
    before = (
        r"(?<![a-z0-9])(?<!\d[.,])"
        if key[0].isascii() and key[0].isalnum()
        else r"(?<!\w)"
        if _is_alphabetic(key[0])
        else ""
    )
    behind = r"(?![a-z0-9])(?![.,]\d)" if key[-1].isascii() and key[-1].isalnum() else ""
    return before + body + behind


def _is_alphabetic(char: str) -> bool:
    """Whether a character is a letter of a script that separates words by spaces."""
    return char.isalpha() and ord(char) < 0x2E80


def words_named(text: str, table: Mapping[str, Hashable], *, spaced: bool = True) -> list[Mention]:
    """Where words stand that each name a candidate.

    Args:
        text: folded.
        table: word, as in a file of a language (a `*` at the end lets it go on) → candidate.
        spaced: whether the words are separated by spaces.

    >>> [one.candidate for one in words_named("igen, igaz", {"igen": 1, "iga*": 2})]
    [1, 2]
    """
    found: list[Mention] = []
    for word, candidate in table.items():
        pattern = re.compile(as_source([(word.casefold(), spaced)]))
        found += (Mention(*match.span(), candidate, "word") for match in pattern.finditer(text))
    return longest(found)


def options_named(text: str, texts: Sequence[str], languages: Sequence[str], *, letters: bool = True) -> list[Mention]:
    """Where options are named by number, letter, ordinal or their text; the candidate is the place, from 0.

    Args:
        text: any text, not folded: a letter is a capital, except alone or behind the noun of an option.
        texts: those of the options.
        languages: ISO codes; English is added.
        letters: whether options may be named by letters, too.
    """
    low = folded(text)
    found = texts_named(low, texts)
    for place in range(len(texts)):
        for form, pattern in _patterns(place, tuple(languages), letters).items():
            searched = text if form == "capital" else low
            found += (
                Mention(*match.span(1), place, form if form != "capital" else "letter")
                for match in pattern.finditer(searched)
            )
    return longest(found)


@remembered
def _patterns(place: int, languages: tuple[str, ...], letters: bool) -> dict[str, re.Pattern[str]]:
    """Patterns for the names of the option at a place, by form; the name is their first group."""
    noun = source("option", languages)
    number = str(place + 1)
    known = ordinals(languages)
    by_word = [(word, True) for word in known[place]] if place < len(known) else []
    roman = _ROMAN[place] if place < len(_ROMAN) else "(?!)"
    letter = LETTERS[place]
    found = {
        "number": re.compile(
            rf"({noun}?\s?[:#.]?\s?(?<![\w.,]){number}(?!\w|[.,]\d|\s?%)(?:[.)]|-[^\W\d_]{{1,5}})?(?:\s{{1,2}}{noun})?)"
            rf"|(?m:^)\W{{0,4}}({roman})[.)]?\W{{0,4}}(?m:$)"
        ),
        "ordinal": re.compile(rf"({as_source(by_word)}(?:\s{{1,2}}{noun})?)" if by_word else "(?!)()"),
    }
    if letters:
        found["capital"] = re.compile(rf"(?<![A-Za-z0-9_'’&+.-])({letter})(?![A-Za-z0-9_'’&+-])(?!\.\w)")
        found["letter"] = re.compile(
            rf"(?:{noun}\s?:?\s{_OPEN}|(?m:^)\W{{0,4}})({letter.lower()}){_CLOSE}(?=[.,)]?\s*(?m:$))"
        )
    return found

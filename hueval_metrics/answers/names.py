"""Find where a text names a candidate: by number, letter, ordinal, its own text, or a word.

Names are found in the folded text (`folded`), which has the length of the text, so that places in one hold in the
other. A bare number, a letter or an ordinal names an option only where its neighbours are words with a meaning in a
decision (`tokens`), or marks: "az 1. helyes", not "az 1. beszélő".

>>> [(one.candidate, one.form) for one in options_named("Nem az 1., hanem a második.", ("Buda", "Eger"), ("hu",))]
[(0, 'number'), (1, 'ordinal')]
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

from hueval_metrics.languages.load import as_source, cardinals, entries, is_spaced, ordinals, remembered, words
from hueval_metrics.text.hanzi import same_script

LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
KEYS = (  # those whose words say what a clause does with a name
    *("answer", "not", "wrong", "right", "fits", "less", "if", "maybe", "instead", "therefore", "because", "choose"),
    *("but", "or", "and", "both", "neither", "points_at", "asks", "is", "article", "option", "yes", "no", "than"),
    *("that", "identifies", "except"),
)
ARROW = frozenset({"instead", "arrow"})
_ROMAN = ("i", "ii", "iii", "iv", "v")
_EDGES = " \t\n.!?\"'„”“«»:*_`()[]。，、《》「」"
_MARKS = {
    **dict.fromkeys(("CHECK MARK", "BALLOT BOX WITH", "SQUARE ROOT"), "right"),
    **dict.fromkeys(("CROSS MARK", "BALLOT X", "MULTIPLICATION"), "wrong"),
}
_SIGN = re.compile(r"[^\w\s\x00-\x7f\u2e80-\ufaff\ue000]|[-=]+>")
_PART = re.compile(r"\d+|[^\W\d_]+|_|[^\w\s]")  # of the text of an option; between two of them there may be blanks
_COMMA = re.compile(r"[^,，]*[,，]\s*")
_OTHER_NAME = re.compile(r"\s+[A-Z](?!\w)")
_NAME_BEFORE = re.compile(r"(?<!\w)[A-Z]\s+\Z")
_INITIALS = re.compile(r"\.\s?[A-Z]\.|\.[A-Za-z](?=[.\s])")


class Mention(NamedTuple):
    """A place in a text that names a candidate.

    Attributes:
        start, end: its characters in the text.
        candidate: which one; anything that can be compared. None for a name that no candidate has (`E` of A to D).
        form: `number`, `letter`, `ordinal`, `text` (the candidate's own words) or `word` (one that stands for it).
    """

    start: int
    end: int
    candidate: Any
    form: str


class Token(NamedTuple):
    """A word that has a meaning: its place in a text, and the keys of the language files that have it."""

    start: int
    end: int
    keys: frozenset[str]


def tokens(text: str, languages: Sequence[str], nouns: Sequence[str] = ()) -> list[Token]:
    """The words of a folded text that have a meaning, the longest at each place, and its marks and arrows.

    >>> [sorted(token.keys) for token in tokens("nem jó ✗", ("hu",))]
    [['no', 'not'], ['right'], ['wrong']]
    """
    pattern, meanings = _lexicon(tuple(languages), tuple(nouns))
    found = [Token(*match.span(), _keys(match[0], meanings)) for match in pattern.finditer(text)]
    if not text.isascii() or "->" in text or "=>" in text:
        marks = (Token(*match.span(), _meaning_of_sign(match[0])) for match in _SIGN.finditer(text))
        found = sorted([*found, *(mark for mark in marks if mark.keys)])
    return found


@remembered
def _lexicon(languages: tuple[str, ...], nouns: tuple[str, ...]) -> tuple[re.Pattern[str], dict[str, frozenset[str]]]:
    """A pattern for all words with a meaning, and the keys of each; a stem ends in `*`."""
    meanings: dict[str, set[str]] = {}
    groups: dict[tuple[bool, str], set[str]] = {}  # by the first letter, for speed
    found = [(folded(word), is_spaced(code), key) for key in KEYS for code, word in entries(key, languages)]
    for word, spaced, key in [*found, *((folded(noun), True, "option") for noun in nouns)]:
        meanings.setdefault(_word(word), set()).add(key)
        groups.setdefault((spaced, word[0]), set()).add(word)
    ordered = [(spaced, sorted(words, key=lambda word: (-len(word), word))) for (spaced, _), words in groups.items()]
    parts = [as_source([(word, spaced) for word in words]) for spaced, words in ordered]
    return re.compile("|".join(parts) or "(?!)"), {word: frozenset(keys) for word, keys in meanings.items()}


def _word(text: str) -> str:
    return " ".join(text.replace("’", "'").split())


def _keys(word: str, meanings: dict[str, frozenset[str]]) -> frozenset[str]:
    word = _word(word)
    stems = (word[:end] + "*" for end in range(len(word), 0, -1))
    return meanings.get(word) or next((meanings[stem] for stem in stems if stem in meanings), frozenset())


def _meaning_of_sign(sign: str) -> frozenset[str]:
    """What a sign means, by its name: a tick, a cross, an arrow from one to the other."""
    name = unicodedata.name(sign, "") if len(sign) == 1 else "ARROW"
    if "ARROW" in name:
        return ARROW
    return frozenset(key for part, key in _MARKS.items() if part in name)


def folded(text: str) -> str:
    """The text as words of languages are compared: case-folded, Chinese in one script; of the same length.

    >>> folded("Ißen, 國際"), len(folded("ß"))
    ('isen, 国际', 1)
    """
    lower = text.casefold()
    if len(lower) != len(text):
        lower = "".join(each if len(each := char.casefold()) == 1 else each[0] for char in text)
    return same_script(lower)


def longest(mentions: Iterable[Mention]) -> list[Mention]:
    """The mentions in order, without those that lie inside or across a longer one."""
    ordered = sorted(mentions, key=lambda each: (each.start - each.end, each.start))
    kept: list[Mention] = []
    covered = bytearray(max((one.end for one in ordered), default=0))
    for one in ordered:
        if not any(covered[one.start : one.end]):
            kept.append(one)
            covered[one.start : one.end] = b"\1" * (one.end - one.start)
    return sorted(kept, key=lambda one: one.start)


def texts_named(text: str, texts: Sequence[str]) -> list[Mention]:
    """Where candidates occur by their own texts; empty texts, and those of two candidates, name none.

    Args:
        text: folded.
        texts: those of the candidates, as the question has them.

    >>> [one.candidate for one in texts_named("szerintem eger.", ("Buda", "Eger."))]
    [1]
    """
    found: list[Mention] = []
    keys = [folded(each).strip(_EDGES) for each in texts]
    for place, key in enumerate(keys):
        is_there = key and all(part in text for part in _PART.findall(key))  # a pattern takes a hundred times as long
        if is_there and keys.count(key) == 1 and key.upper() not in LETTERS:
            found += (Mention(*match.span(), place, "text") for match in re.finditer(_whole(key), text))
    return longest(found)


def _whole(key: str) -> str:
    """The source of a pattern for a text that is no part of a longer word or number."""
    parts = _PART.findall(key)
    body = r"\s*".join(map(re.escape, parts)) if len(parts) < 100 else re.escape(key)
    before = r"(?<![^\W\u2e80-\ufaff])(?<!\d[.,-])" if key[0].isalnum() and ord(key[0]) < 0x2E80 else ""
    behind = r"(?![a-z0-9])(?![.,]\d)" if key[-1].isascii() and key[-1].isalnum() else ""
    return before + body + behind


def options_named(
    text: str, texts: Sequence[str], languages: Sequence[str], *, is_numbered: bool = True, nouns: Sequence[str] = ()
) -> list[Mention]:
    """Where options are named by number, letter, ordinal or their text; the candidate is the place, from 0.

    Args:
        text: any text, not folded: the letter of an option is a capital, except alone or behind a noun for it.
        texts: those of the options; how many there are decides which numbers and letters name one.
        languages: ISO codes; English is added.
        nouns: further words for an option.
        is_numbered: whether a number names an option; otherwise letters do, and numbers are part of the subject.
    """
    codes = tuple(languages)
    around = _Around(text, codes, nouns)
    found = [one for one in texts_named(around.low, texts) if around.is_text(one)]
    around.texts = {one.start for one in found}
    for form, (pattern, places) in _forms(codes, is_numbered).items():
        for match in pattern.finditer(text if form == "letter" else around.low):
            place = places[folded(match[1])]
            if place < len(texts) and getattr(around, f"is_{form}")(match):
                found.append(Mention(*match.span(), place, "letter" if form == "small" else form))
    return longest(found)


@remembered
def _forms(languages: tuple[str, ...], is_numbered: bool) -> dict[str, tuple[re.Pattern[str], dict[str, int]]]:
    """For each form of name a pattern, whose first group names the option, and the place that each name means."""
    endings = "|".join(map(re.escape, sorted(words("endings", languages), key=len, reverse=True))) or "(?!)"
    letters = {letter: place for place, letter in enumerate(LETTERS.lower())}
    counted, alone = _places(ordinals(languages)), _places(cardinals(languages))
    letter = (
        r"(?<![^\W\u2e80-\ufaff])(?<![-.&+°])(?<!\w['’])(?<!N/)([A-Z])(?![A-Za-z0-9_&+°]|['’]\w)"
        rf"(?:-(?:{endings})(?!\w))?(?!-\w)"
    )
    small = r"(?<![\w'’.-])([a-z])(?![\"”]\s*:)(?=[)\]\"”」]|[.,。]?\s*(?m:$)|。|，)"
    number = (
        r"(?<![^\W\u2e80-\ufaff])(?<!\d[.,])(?<![-/]\d)([1-8])(?![^\W\u2e80-\ufaff]|%|[.,]\d|\s%)"
        r"(?:[.)]|-[^\W\d_]{1,5})?"
    )
    found = {
        "letter": (letter, letters),
        "small": (small, letters),
        "ordinal": (rf"{_any(counted)}(?:{endings})?(?!\w|-\w)", counted),
        "number": (number, {str(place + 1): place for place in range(8)}),
        "cardinal": (_any(alone), alone),
        "roman": (r"(?<![\w.'’])(i{1,3}|iv|v)(?![\w'’])\.?", {name: place for place, name in enumerate(_ROMAN)}),
    }
    forms = found if is_numbered else ("letter", "small", "ordinal")
    return {form: (re.compile(found[form][0]), found[form][1]) for form in forms}


def _places(rows: Sequence[Sequence[str]]) -> dict[str, int]:
    """Each word of some rows, with the first row that has it."""
    return {folded(word): place for place, row in reversed([*enumerate(rows)]) for word in row}


def _any(found: Iterable[str]) -> str:
    """The source of a pattern for words that no letter precedes."""
    ordered = sorted(found, key=len, reverse=True)
    return rf"(?<![^\W\u2e80-\ufaff])({'|'.join(map(re.escape, ordered)) or '(?!)'})"


class _Around:
    """What is beside a name: a mark or the end of a line, or a word with a meaning, or any other word."""

    def __init__(self, text: str, languages: tuple[str, ...], nouns: Sequence[str]) -> None:
        self.text, self.low = text, folded(text)
        found = tokens(self.low, languages, nouns)
        self.starts = {token.start: token for token in found}
        self.ends = {token.end: token.keys for token in found}
        self.texts: set[int] = set()  # where texts of options begin
        self.articles = frozenset(words("article", languages))

    def before(self, start: int, passed: str = " \t\"'„“«「『《([{*_") -> tuple[str, frozenset[str]]:
        """The last character before a name, or nothing at the beginning of a line; and what its word means."""
        at = start
        while at and self.low[at - 1] in passed:
            at -= 1
        return self.low[max(0, at - 1) : at].strip("\n"), self.ends.get(at, frozenset())

    def behind(self, end: int) -> tuple[str, frozenset[str]]:
        """The first character behind a name, or nothing at the end of a line; and what its word means."""
        at = end
        while at < len(self.low) and self.low[at] in " \t\"'”“»」』》)]}*_":
            at += 1
        token = self.starts.get(at)
        return self.low[at : at + 1].strip("\n"), token.keys if token else frozenset()

    def is_free_before(self, start: int) -> bool:
        """Whether no other word precedes the name."""
        char, keys = self.before(start)
        return bool(keys) or not char.isalpha() or bool(_NAME_BEFORE.search(self.text[max(0, start - 4) : start]))

    def is_free_behind(self, end: int) -> bool:
        """Whether no other word follows the name."""
        char, keys = self.behind(end)
        return bool(keys) or not char.isalpha() or bool(_OTHER_NAME.match(self.text, end))

    def has_noun(self, start: int, end: int) -> bool:
        """Whether a noun for an option is beside the name."""
        return self.has_noun_before(start) or "option" in self.behind(end)[1]

    def has_noun_before(self, start: int) -> bool:
        """`option 1`, `Option: 1`."""
        return "option" in self.before(start, " \t:#\"'„“([*_")[1]

    def is_number(self, match: re.Match[str]) -> bool:
        """`1`, `1.`, `1)`, `1-es`."""
        start, end = match.span()
        if match[0][-1] == ")" and self.behind(end)[0].isalpha() and self.before(start)[0].isalpha():
            return False
        is_sentence = match[0][-1] == "." and self.text[end : end + 2].strip(" ").isupper()
        is_label = not self.before(start)[0] and match[0][-1] in ".)"
        return self.is_free_before(start) and (is_sentence or is_label or self.is_free_behind(end))

    def is_letter(self, match: re.Match[str]) -> bool:
        """`A`, which is no article and no other name."""
        start, end = match.span()
        char, keys = self.behind(end)
        before_keys = self.before(start)[1]
        if _INITIALS.match(self.text, end):
            return False
        if any(at in self.texts for at in range(end + 1, end + 4)) and self.low[end] in ".:)、：）":
            return True
        if not self.is_free_before(start):
            return False
        if self.has_noun_before(start):
            return True
        is_apart = self.low[end : end + 1] == " "
        if start in self.starts and char.isalnum() and ord(char) < 0x2E80 and is_apart:
            is_cued = bool(before_keys & {"answer", "option", "choose", "article", "is"})
            return bool(keys & {"is", "not", "or", "and", "because", "than", "but", "no", "points_at"}) or (
                is_cued and bool(keys)
            )
        return self.is_free_behind(end)

    def is_small(self, match: re.Match[str]) -> bool:
        """`b` alone, in brackets, or behind a cue."""
        start = match.start()
        char, keys = self.before(start)
        opened = self.low[start - 1 : start]
        if not char or match[1] in self.articles:
            return match[1] not in self.articles or opened in ("(", "[") or char in (*":：=", "")
        return bool(keys & {"answer", "option", "choose", "is"}) or char in ":：=" or opened in ("(", "[")

    def is_ordinal(self, match: re.Match[str]) -> bool:
        """`az első`, which counts no other thing."""
        start, end = match.span()
        before = self.before(start)[1]
        adverb = self.starts.get(start)
        if adverb and adverb.end >= end and "article" not in before:
            return False  # "at first", in one word
        if self.has_noun(start, end):
            return True
        behind, keys = self.behind(end)
        if behind in (",", "，") and not before:  # "First, …", but "the answer: first, because …"
            reason = self.starts.get(end + len(_COMMA.match(self.low, end)[0]))  # type: ignore[index]
            return bool(reason and "because" in reason.keys) and self.before(start)[0] in (":", "：")
        return self.is_free_before(start) and self.is_free_behind(end) and "that" not in keys

    def is_cardinal(self, match: re.Match[str]) -> bool:
        """`kettő` as the whole answer, or behind a cue."""
        start, end = match.span()
        behind, _ = self.behind(end)
        if behind.isalnum():
            return False
        char, keys = self.before(start)
        at_line = self.low.rfind("\n", 0, start) + 1
        is_first = self.low[at_line:start].strip(_EDGES) in ("", *self.articles)
        return is_first or char in ":：=" or bool(keys & {"option", "answer"})

    def is_roman(self, match: re.Match[str]) -> bool:
        """`II.` alone, or beside a noun for an option."""
        start, end = match.span()
        is_alone = self.before(start)[0] in ("", ">") and self.behind(end)[0] in ("", ".")
        return is_alone or self.has_noun(start, end)

    def is_text(self, one: Mention) -> bool:
        """The text of an option, unless it is a word that decides and part of a sentence."""
        token = self.starts.get(one.start)
        if not (token and token.end >= one.end) and one.end - one.start > 1:
            return True
        char, keys = self.before(one.start)
        behind, keys_behind = self.behind(one.end)
        is_cued = bool(keys & {"answer", "choose", "is", "option", "both"})
        return (not char.isalnum() or is_cued) and (not behind.isalnum() or bool(keys_behind & {"is", "or"}))

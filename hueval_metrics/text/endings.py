"""Compare Hungarian names by stem: "Rómában" and "Rómát" are forms of "Róma", "Kováccsal" of "Kovács".

An ending is a chain of number or possessor, the sign -é, and case, in this order; only the last word of a name takes
one. No dictionary is used: any ending that fits is taken off, so two short names may share a stem by chance.
"""

from __future__ import annotations

import re
import unicodedata

from hueval_metrics.text.normalize import stream_safe

_CASES = (
    *("t", "at", "et", "ot", "öt", "nak", "nek", "val", "vel", "ért", "vá", "vé", "ig", "ként", "ul", "ül", "kor"),
    *("ban", "ben", "ba", "be", "ból", "ből", "n", "en", "on", "ön", "ra", "re", "ról", "ről", "nál", "nél"),
    *("hoz", "hez", "höz", "tól", "től", "ott", "ett", "ött"),
)
_OF_IT = ("é", "éi")
_OWNED = (
    *("k", "ak", "ek", "ok", "ök", "ék", "a", "e", "ja", "je", "ai", "ei", "jai", "jei"),
    *("uk", "ük", "juk", "jük", "aik", "eik", "jaik", "jeik", "unk", "ünk", "nk"),
)
_SHORT_OWNED = ("a", "e")  # they also end first names: "Anna" is not "Ann"
_SHORTEST, _SHORTEST_OWNED = 3, 5  # letters of a stem
_SHORT = str.maketrans("áéóő", "aeoö")  # a final vowel is long before an ending: Róma, Rómában; Oslo, Oslóban
_AFTER_LONG = ("n", "k")  # a final vowel is long before them, even of a foreign name: "Irak" is no plural of "Ira"
# "Houston" is not "Houst" with -on: Hungarian stems with a back vowel rarely end so, English names in -ton often do.
_NOT_ON = re.compile(r".*(?:[b-df-hj-np-tv-xz][td]|[klmnp]s)on")
# -val and -vá begin with the last consonant of the stem instead: Péterrel, Fidesszel, Horváthtal, Móriczcal.
_DOUBLED = re.compile(r"(?P<stem>.*(?P<c>[b-df-hj-np-tv-xz]))(?P=c)(?:[ae]l|[áé])")
_DOUBLED_DIGRAPH = re.compile(r"(?P<stem>.*(?P<c>[cdglnstz]))(?P=c)(?P<second>[szy])(?:[ae]l|[áé])")
_DOUBLED_ALREADY = re.compile(r"(?P<stem>.*([b-df-hj-np-tv-xz])\2)(?:[ae]l|[áé])")  # Kissel, Széllel
# By sound: Horváthtal, Móriczcal, Fritzcel, Bushsal, Boschsal, Madáchcsal, Felixszel, Gatesszel.
_DOUBLED_SOUND = re.compile(
    r"(?P<stem>.*(?:th(?=t)|[ct]z(?=c)|sc?h(?=s)|ch(?=cs)|[xs](?=sz)))(?:[tcs]|cs|sz)(?:[ae]l|[áé])"
)
_NO_LETTER = re.compile(r"[^\w\s]|_")
_AFTER_HYPHEN = re.compile(r"(?P<stem>.+)[-‐‑–](?P<ending>[^\W\d_]{1,10})")  # MTI-nek, Shakespeare-rel
_FIRST_DOUBLED = re.compile(r"[b-df-hj-np-tv-xz]{1,3}(?:[ae]l|[áé])")


def plain_name(text: str) -> str:
    """A name as it is compared: NFC, casefolded, words by single spaces, without punctuation and symbols.

    >>> plain_name("„Forma–1”, ")
    'forma1'
    """
    composed = unicodedata.normalize("NFC", stream_safe(text)).casefold()
    return " ".join(_NO_LETTER.sub("", composed).split())


def name_stems(name: str) -> frozenset[str]:
    """The name and what is left of it without an ending, as `plain_name`.

    >>> sorted(name_stems("Liszt Ferenccel"))
    ['liszt ferenc', 'liszt ferencc', 'liszt ferenccel']
    """
    words = unicodedata.normalize("NFC", stream_safe(name)).casefold().split()
    last = words[-1].strip(".,;:!?…\"'„”“»«()[]") if words else ""
    if (hyphened := _AFTER_HYPHEN.fullmatch(last)) and _is_ending(hyphened["ending"]):
        lasts = {last, hyphened["stem"]}
    else:
        lasts = {last}
        for endings in (_CASES, _OF_IT, _OWNED):
            lasts |= {stem for word in lasts for stem in _without(word, endings)}
    return frozenset(plain_name(" ".join([*words[:-1], word])) for word in lasts)


def is_same_name(one: str, other: str) -> bool:
    """Whether two names are equal but for the ending of either.

    >>> is_same_name("Gödöllőre", "Gödöllő"), is_same_name("Rómában", "Rómát"), is_same_name("Buda", "Budapest")
    (True, True, False)
    """
    return not name_stems(one).isdisjoint(name_stems(other))


def _is_ending(text: str) -> bool:
    """Whether letters behind a hyphen are an ending."""
    before_case = (text.removesuffix(case).translate(_SHORT) for case in _CASES if text.endswith(case))
    is_chain = any(rest in ("", *_OF_IT, *_OWNED) for rest in before_case)
    return is_chain or text in (*_OF_IT, *_OWNED) or bool(_FIRST_DOUBLED.fullmatch(text))


def _without(word: str, endings: tuple[str, ...]) -> set[str]:
    """The stems that some ending leaves of a word."""
    found = set()
    for ending in endings:
        shortest = _SHORTEST_OWNED if ending in _SHORT_OWNED else _SHORTEST
        stem = word.removesuffix(ending)
        is_short = ending in _AFTER_LONG and stem.endswith(("a", "e", "o", "ö"))
        if len(word) > len(stem) >= shortest and not is_short and not (ending == "on" and _NOT_ON.fullmatch(word)):
            found.add(stem)
    if endings is _CASES:
        for pattern in (_DOUBLED, _DOUBLED_DIGRAPH, _DOUBLED_ALREADY, _DOUBLED_SOUND):
            if doubled := pattern.fullmatch(word):
                found.add(doubled["stem"] + doubled.groupdict().get("second", ""))
    found = {stem for stem in found if len(stem) >= _SHORTEST}
    return found | {stem[:-1] + stem[-1].translate(_SHORT) for stem in found}

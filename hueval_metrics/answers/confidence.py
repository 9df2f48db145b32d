"""Read the confidence that a response states, where the prompt asks for a `confidence_score` from 0 to 100.

Digits and per cent signs of all scripts are read, and the names that the files of languages give it.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import islice

from hueval_metrics.answers.json_values import Found
from hueval_metrics.answers.objects import is_form, objects, outside, spoken_key, under_key
from hueval_metrics.answers.text import Text, readable, without_markup
from hueval_metrics.languages.load import ENGLISH, known, pattern, remembered, source
from hueval_metrics.text.unify import western_digits

FRACTION, ONE = "fraction", "one"  # how a confidence was stated, if not out of a hundred
Stated = tuple[float, str | None]
_READ_LIMIT = 100_000  # characters, counted from the end
_MOST_OBJECTS = 500
_SCALE = re.compile(
    r"\((?:[^()\n\d]{0,12}%[^()\n\d]{0,5}|\s?[01]\s?%?\D{1,5}\s?100\s?%?\s?)\)"
)  # "Confidence (0-100): 85"
_EMPHASIS = re.compile(r"\*+|`+|(?<!\w)_+|_+(?!\w)")
_NEAR = 60  # characters between a name of the confidence and its number
_COLON = re.compile(r"[^\d\n.,;!?:=%]{0,40}[:=|—–]|[\s\"']{1,9}(?=\d{1,3}(?:\s?%|\s*/\s*100|[.,!]?\s*(?:\n|\Z)))")
_GAP = re.compile(r"[^\d\n.!?%]{0,40}")
_OTHER = re.compile(r"(?<![\d.,])\d{1,2}(?![\d.]*\d)")
_CLAUSE = re.compile(r"[^\n,;.()}]{0,60}")
_ALONE = re.compile(  # behind a short answer, which has a letter or digit: "Eger – 85%", "Eger (85%)", or a line "85"
    r"(?s:.{0,300}\w\W{0,4}?)(?:\n\s*(?P<line>\d{1,3}(?:[.,]\d{1,9})?)(?:\s?/\s?100)?|(?:[\[(|–—,;/\n]|\s-)\s?[~≈]?\s?"
    r"(?P<percent>\d{1,3}(?:[.,]\d{1,9})?)\s?%)\s?[)\]|]?[\s.!]{0,5}"
)


def stated_confidence(response: str, languages: Sequence[str] = ()) -> Stated | None:
    """The confidence that a response states, as a fraction, and how it was stated.

    The prompt asks for 0 to 100. A decimal number up to 1 without a percent sign is read as a fraction, since nobody
    means 0.95 %. The whole number 1 is read as one per cent; `metrics.calibration.settled` changes it to certainty if
    the other answers of the run state fractions. The last object with a confidence is used; without one, the last
    statement outside of objects. A number at which the response is cut off is none where another digit may follow.

    Args:
        response: the response without its reasoning trace, any text.
        languages: of the response, ISO 639-1; all that are known if empty.

    Returns:
        The confidence from 0 to 1, with `FRACTION`, `ONE` or None; None if no valid confidence is stated.

    >>> stated_confidence('{"confidence_score": 0.9}'), stated_confidence('{"confidence_score": 1}')
    ((0.9, 'fraction'), (0.01, 'one'))
    >>> stated_confidence("Eger, 85%-ban biztos vagyok benne."), stated_confidence('{"confidence_score": 8')
    ((0.85, None), None)
    """
    languages = tuple(languages) or known()
    text = readable(response[-_READ_LIMIT:])
    found = list(objects(text))
    for one in islice(found, _MOST_OBJECTS):
        if is_form(one):
            continue
        for known_names in ((ENGLISH,), languages):  # the key that is asked for before its translations
            if values := under_key(one, lambda key, names=known_names: is_confidence(key, names)):  # type: ignore[misc]
                return None if _is_cut(text.plain, one, values[-1]) else _of_value(values[-1], languages)
    return _in_prose(outside(text, found), languages)


def is_confidence(key: str, languages: Sequence[str]) -> bool:
    """Whether a key of an object names a confidence, and not the reason for it.

    >>> [is_confidence(key, ("hu",)) for key in ("confidence_score", "bizonyosság", "confidence_reason")]
    [True, True, False]
    """
    name = spoken_key(key)
    languages = tuple(languages)
    return bool(pattern("confidence sure", languages).search(name)) and not pattern("aside not", languages).search(name)


def confidence_span(text: Text, languages: Sequence[str]) -> tuple[int, int] | None:
    """The range of the last statement of a confidence in a text without objects."""
    found = _statement(western_digits(text.plain).casefold(), tuple(languages))
    return found and found[:2]


def _is_cut(text: str, found: Found, value: Found) -> bool:
    """Whether a number ends where the text does, and may go on: 8 may be 85."""
    digits = str(value.value)
    is_last = found.is_cut and not text[value.end :].strip(" \n\"'%.}")
    return is_last and "%" not in text[value.end :] and not re.search(r"\d\.\d\d|[1-9][1-9]|[2-9]0|100", digits)


def _of_value(value: Found, languages: tuple[str, ...]) -> Stated | None:
    """The confidence in a value: a number, a text with one, the last of a list, an object such as `{value, scale}`."""
    while isinstance(value.value, list) and value.entries:
        value = value.entries[-1][1]
    if isinstance(value.value, dict):
        leaves = [leaf for leaf in value.leaves() if isinstance(leaf.value, (int, float))]
        leaves = [leaf for leaf in leaves if leaf.value not in (0, 100)] or leaves[:1]
        return _of_value(leaves[0], languages) if len(leaves) == 1 else None
    if isinstance(value.value, str):
        return _number_in(western_digits(value.value).casefold(), languages)
    if isinstance(value.value, bool) or not isinstance(value.value, (int, float)):
        return None
    return _scaled(value.value, is_decimal=isinstance(value.value, float))


@remembered
def _value(languages: tuple[str, ...]) -> re.Pattern[str]:
    """A number with its signs; up to three short words may stand before it ("kb. 95 %", "high (90 %)")."""
    percent = source("percent", languages)
    return re.compile(
        rf"[\s\"'„“(~≈<>]{{0,9}}(?:(?!{percent})[^\W\d]{{1,15}}[\s.,:(~≈]{{1,3}}){{0,3}}(?P<before>(?:%|{percent})\s?)?"
        rf"(?P<number>[-−]?[0-9]{{1,20}}(?:[.,][0-9]{{1,20}})?)\s?(?P<unit>%|/\s?100\b|{percent})?"
        r"(?!\s?[-−–/~%]\s?[0-9]|[0-9]|[.,][0-9])"
    )


@remembered
def _copula(languages: tuple[str, ...]) -> re.Pattern[str]:
    """Words such as "is" behind the name of a confidence, and a number before the end of the clause."""
    between = rf"(?:\s|{source('copula', languages)}|{source('article', languages)}){{1,9}}"
    return re.compile(rf"{between}(?P<value>\d{{1,3}}(?:[.,]\d{{1,9}})?(?=[^\w\s]|\Z|\D{{1,20}}100\b))")


def _number_in(text: str, languages: tuple[str, ...]) -> Stated | None:
    match = _value(languages).match(text)
    if match is None:
        return None
    rest = _CLAUSE.match(text, match.end())
    if rest and _OTHER.search(rest[0]):  # "80 to 90"
        return None
    digits = match["number"].replace(",", ".").replace("−", "-")
    if match["before"] or match["unit"]:
        return (float(digits) / 100, None) if 0 <= float(digits) <= 100 else None
    return _scaled(float(digits), is_decimal="." in digits)


def _scaled(number: float, is_decimal: bool) -> Stated | None:
    if not 0 <= number <= 100:
        return None
    return (number, FRACTION) if is_decimal and number <= 1 else (number / 100, ONE if number == 1 else None)


def _in_prose(text: Text, languages: tuple[str, ...]) -> Stated | None:
    plain = without_markup(text).plain
    found = _statement(western_digits(_EMPHASIS.sub("", _SCALE.sub("", plain))).casefold(), languages)
    return found[2] if found else None


def _statement(text: str, languages: tuple[str, ...]) -> tuple[int, int, Stated] | None:
    """The last statement of a confidence in a case-folded text: its range, and what it states."""
    last: tuple[int, int, Stated] | None = None
    nouns = pattern("confidence", languages)
    for name in pattern("confidence sure", languages).finditer(text):
        start, end = name.span()
        is_noun = nouns.match(text, start) is not None
        line = text.find("\n", end)
        limit = min(end + 2 * _NEAR, len(text) if line < 0 else line)
        if is_noun and (colon := _COLON.match(text, end, limit + 1)):
            if stated := _number_in(text[colon.end() : limit], languages):
                last = start, limit, stated
            continue
        if (copula := _copula(languages).match(text, end, limit)) and (
            stated := _number_in(copula["value"], languages)
        ):
            last = start, copula.end(), stated
            continue
        gap = _GAP.match(text, end, limit)
        behind = _value(languages).match(text, gap.end() if gap else end, limit)
        if (
            behind
            and (behind["unit"] or behind["before"])
            and (stated := _number_in(text[behind.start() : limit], languages))
        ):
            last = start, behind.end(), stated
            continue
        before = list(_value(languages).finditer(text, max(text.rfind("\n", 0, start) + 1, start - _NEAR), start))
        if before and before[-1]["unit"] and _GAP.fullmatch(text, before[-1].end(), start):
            stated = _number_in(text[before[-1].start("number") : before[-1].end()], languages)
            last = (before[-1].start("number"), end, stated) if stated else last
    if last is None and (alone := _ALONE.fullmatch(text.strip("\n "))):
        group = "line" if alone["line"] else "percent"
        stated = _number_in(alone[group] + ("%" if group == "percent" else ""), languages)
        start = len(text) - len(text.lstrip("\n "))
        return (start + alone.start(group), len(text), stated) if stated else None
    return last

"""Read the confidence that a response states, where the prompt asks for a `confidence_score` from 0 to 100.

Digits and per cent signs of all scripts are read, and the names that the files of languages give it.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import partial
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
_SCALE = r"\((?:[^()\n\d]{0,12}%[^()\n\d]{0,5}|\s?[01]\s?%?\D{1,5}\s?100\s?%?\s?)\)"  # "Confidence (0-100): 85"
# Between a name of the confidence and its number: no other number, and no end of a sentence; "kb." ends none.
_GAP = rf"(?:{_SCALE}|[^\d\n.!?%<>]|(?<!\w\w\w)\.(?=\s)|\n(?=[\s*#>]{{0,9}}\d)){{0,60}}"
_NEAR = 60  # characters before a name of the confidence in which its number is looked for
_OTHER = re.compile(r"[^\n,;.()}]{0,60}?(?<![\d.,])\b\d{1,2}(?![\d.]*\d)")
EMPHASIS = re.compile(r"\*+|`+|(?<!\w)_+|_+(?!\w)")
_OPEN_NUMBER = re.compile(r"(?<![0-9.,])(?:[0-9]|10|[0-9][.,][0-9]?)[\s\"']*\Z")  # may go on: 8 may be 85
_ALONE = re.compile(  # behind a short answer, which has a letter or digit: "Eger – 85%", "Eger (85%)", or a line "85"
    r"(?s:.{0,300}\w\W{0,4}?)(?:\n\s*(?P<line>\d{1,3}(?:[.,]\d{1,9})?)(?:\s?/\s?100)?|(?:[\[(|–—,;/\n]|\s-)\s?[~≈]?\s?"
    r"(?P<percent>\d{1,3}(?:[.,]\d{1,9})?\s?%))\s?[)\]|]?[\s.!]{0,5}"
)


def stated_confidence(response: str, languages: Sequence[str] = ()) -> Stated | None:
    """The confidence that a response states, as a fraction, and how it was stated.

    The prompt asks for 0 to 100. A decimal number up to 1 without a percent sign is read as a fraction, since no one
    means 0.95 %. The whole number 1 is read as one per cent; `metrics.confidence.settled` changes it to certainty if
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
        for names in ((ENGLISH,), languages):  # the key that is asked for before its translations
            values = under_key(one, partial(is_confidence, languages=names))
            if values and not is_form(one):
                is_cut = one.is_cut and _OPEN_NUMBER.search(western_digits(text.plain[-20:]))
                return None if is_cut else _of_value(values[-1], languages)
    prose = EMPHASIS.sub("", without_markup(outside(text, found)).plain)
    said = _statement(western_digits(prose).casefold(), languages)
    return said and said[2]


def is_confidence(key: str, languages: Sequence[str]) -> bool:
    """Whether a key of an object names a confidence, and not the reason for it.

    >>> [is_confidence(key, ("hu",)) for key in ("confidence_score", "bizonyosság", "confidence_reason")]
    [True, True, False]
    """
    name, codes = spoken_key(key), tuple(languages)
    return bool(pattern("confidence sure", codes).search(name)) and not pattern("aside not", codes).search(name)


def confidence_span(text: Text, languages: Sequence[str]) -> tuple[int, int] | None:
    """The range of the last statement of a confidence in a text without objects."""
    found = _statement(western_digits(text.plain).casefold(), tuple(languages))
    return found and found[:2]


def _of_value(value: Found, languages: tuple[str, ...]) -> Stated | None:
    """The confidence in a value: a number, a text with one, a list or object with one besides those of a scale."""
    if value.entries:
        numbers = [
            leaf for leaf in value.leaves() if isinstance(leaf.value, (int, float)) and leaf.value not in (0, 100)
        ]
        return _of_value(numbers[0], languages) if len(numbers) == 1 else None
    if isinstance(value.value, str):
        return _of_match(_behind(languages).match(text := western_digits(value.value).casefold()), text)
    if isinstance(value.value, bool) or not isinstance(value.value, (int, float)):
        return None
    return _scaled(value.value, is_decimal=isinstance(value.value, float))


@remembered
def _number(languages: tuple[str, ...]) -> str:
    """The source of a pattern for a number with its signs, which is no part of a range."""
    percent = source("percent", languages)
    return (
        rf"(?P<before>(?:%|{percent})\s?)?(?P<number>[-−]?[0-9]{{1,20}}(?:[.,][0-9]{{1,20}})?)"
        rf"\s?(?P<unit>%|/\s?100\b|{percent})?(?!\s?[-−–/~%]\s?[0-9]|[0-9]|[.,][0-9])"
    )


@remembered
def _behind(languages: tuple[str, ...]) -> re.Pattern[str]:
    """A number behind the name of a confidence, or in a text that is the value of one ("high (90 %)")."""
    return re.compile(rf"(?P<gap>{_GAP}?){_number(languages)}(?P<ends>[^\w\s]|\s*(?:\n|\Z)|\D{{1,20}}100\b)?")


@remembered
def _says(languages: tuple[str, ...]) -> re.Pattern[str]:
    """The end of a gap behind which a number without a sign is one of per cent: ": ", " is about "."""
    copula = rf"(?P<copula>\A|{source('copula', languages)})(?:\s{source('article', languages)})?"
    return re.compile(rf"(?:[:=|—–]|\s-\s|{copula})[\s\"'„“(~≈]{{0,9}}(?:[^\W\d]{{1,15}}[\s.:(~≈]{{1,3}})?\Z")


@remembered
def _before(languages: tuple[str, ...]) -> re.Pattern[str]:
    """A number before the name of a confidence: "90 % sure"."""
    return re.compile(rf"{_number(languages)}(?={_GAP}\Z)")


def _of_match(match: re.Match[str] | None, text: str) -> Stated | None:
    """What a number states; None for one of two ("80 to 90")."""
    if match is None or _OTHER.match(text, match.end("unit") if match["unit"] else match.end("number")):
        return None
    digits = match["number"].replace(",", ".").replace("−", "-")
    stated = _scaled(float(digits), "." in digits and not (match["before"] or match["unit"]))
    return (stated[0], None) if stated and (match["before"] or match["unit"]) else stated  # "1 %" is no fraction


def _scaled(number: float, is_decimal: bool) -> Stated | None:
    if not 0 <= number <= 100:
        return None
    return (number, FRACTION) if is_decimal and number <= 1 else (number / 100, ONE if number == 1 else None)


def _is_said(found: re.Match[str], is_noun: bool, languages: tuple[str, ...]) -> bool:
    """Whether a number behind the name of a confidence, or behind a word such as "sure", is the confidence."""
    if found["unit"] or found["before"]:
        return pattern("that", languages).search(found["gap"]) is None  # "sure that 60 % of them"
    says = _says(languages).search(found["gap"])
    is_announced = says is not None and says["copula"] is None
    return is_noun and (is_announced or (found["ends"] is not None and (says is not None or ":" in found["gap"])))


def _statement(text: str, languages: tuple[str, ...]) -> tuple[int, int, Stated] | None:
    """The last statement of a confidence in a case-folded text: its range, and what it states."""
    last: tuple[int, int, Stated] | None = None
    for name in pattern("confidence sure", languages).finditer(text):
        start, end = name.span()
        found = _behind(languages).match(text, end)
        if found and not _is_said(found, pattern("confidence", languages).match(text, start) is not None, languages):
            found = None
        if found is None:
            line = text[max(text.rfind("\n", 0, start) + 1, start - _NEAR) : start]
            found = _before(languages).search(line)
            if found is None or not found["unit"]:
                continue
            if stated := _of_match(found, found[0]):
                last = start - len(line) + found.start("number"), end, stated
        elif stated := _of_match(found, text):
            last = start, found.end("unit") if found["unit"] else found.end("number"), stated
    if last is None and (alone := _ALONE.fullmatch(text.strip("\n "))):
        group = "line" if alone["line"] else "percent"
        stated = _of_match(_behind(languages).match(alone[group]), alone[group])
        start = len(text) - len(text.lstrip("\n "))
        return (start + alone.start(group), len(text), stated) if stated else None
    return last

"""Read the confidence that a response states, where the prompt asks for a `confidence_score` from 0 to 100."""

from __future__ import annotations

import re
from typing import Any

from hueval_metrics.answers.json_objects import json_objects, outside, under_key

# The key that prompts ask for, and the keys that models write instead.
_KEYS = ("confidence_score", "confidence", "confidencescore", "bizonyosság", "magabiztosság")
_STATED = re.compile(
    r"(?:confidence(?:[_\s-]?score)?|bizonyosság|magabiztosság)[\"'”*_`\\\s]{0,9}[:：=](?P<value>[^\n}]{0,60})",
    re.IGNORECASE,
)
_VALUE = re.compile(
    r"[\s\"'„“*~≈]{0,9}(?P<number>[-−]?[0-9]{1,20}(?:[.,][0-9]{1,20})?)"
    r"\s?(?P<unit>%|százalék|percent|/\s?100\b)?(?!\s?[-−–/~%]\s?[0-9]|[0-9]|[.,][0-9])",
    re.IGNORECASE,
)

FRACTION, ONE = "fraction", "one"  # how a confidence was stated, if not out of a hundred
Stated = tuple[float, str | None]


def stated_confidence(response: str) -> Stated | None:
    """The confidence that a response states, as a fraction, and how it was stated.

    The prompt asks for 0 to 100. A decimal number up to 1 without a percent sign is read as a fraction, since nobody
    means 0.95 %. The whole number 1 is read as one per cent; `metrics.calibration.settled` changes it to certainty if
    the other answers of the run state fractions. The last JSON object with a confidence is used; without one, the last
    statement outside of objects.

    Args:
        response: the response without its reasoning trace, any text.

    Returns:
        The confidence from 0 to 1, with `FRACTION`, `ONE` or None; None if no valid confidence is stated.

    >>> stated_confidence('{"confidence_score": 0.9}'), stated_confidence('{"confidence_score": 1}')
    ((0.9, 'fraction'), (0.01, 'one'))
    """
    objects = list(json_objects(response))
    for _, _, data in reversed(objects):
        if values := under_key(data, _KEYS):
            return _fraction(values[-1])
    stated = list(_STATED.finditer(outside(response, objects)))
    return _fraction_in(stated[-1]["value"]) if stated else None


def _fraction(value: Any) -> Stated | None:
    while isinstance(value, list) and value:
        value = value[-1]
    if isinstance(value, str):
        return _fraction_in(value)
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return None
    return _scaled(value, is_decimal=isinstance(value, float))


def _fraction_in(text: str) -> Stated | None:
    match = _VALUE.match(text)
    if match is None:
        return None
    digits = match["number"].replace(",", ".").replace("−", "-")
    number = float(digits)
    if match["unit"]:
        return (number / 100, None) if 0 <= number <= 100 else None
    return _scaled(number, is_decimal="." in digits)


def _scaled(number: float, is_decimal: bool) -> Stated | None:
    if not 0 <= number <= 100:
        return None
    return (number, FRACTION) if is_decimal and number <= 1 else (number / 100, ONE if number == 1 else None)

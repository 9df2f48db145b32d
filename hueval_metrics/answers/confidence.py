"""Read the confidence that a response states, where the prompt asks for a `confidence_score` from 0 to 100.

Digits and per cent signs of all scripts are read, and the names that models give the key in ten languages.
"""

from __future__ import annotations

import re
from typing import Any

from hueval_metrics.answers.json_objects import json_objects, key_name, outside, under_key
from hueval_metrics.text.unify import unified

# The key that prompts ask for, and the keys that models write instead; and its translations, if there is none of these.
_NAMES = ("confidence_score", "confidence", "confidencescore", "bizonyosság", "magabiztosság")
_TRANSLATED = (
    *("jistota", "míra_jistoty", "skóre_jistoty", "spolehlivost", "důvěra"),
    *("поузданост", "сигурност", "степен_сигурности", "оцена_поузданости", "pouzdanost", "sigurnost"),
    *("уверенность", "степень_уверенности", "оценка_уверенности", "уровень_уверенности", "достоверность"),
    *("置信度", "置信度分数", "置信度评分", "信心", "信心分数", "信心度", "信心指数", "把握程度", "信心分數"),
    *("신뢰도", "신뢰도_점수", "신뢰_점수", "확신도", "확신도_점수", "확신_점수", "자신감"),
    *("ความมั่นใจ", "คะแนนความมั่นใจ", "ระดับความมั่นใจ", "ความเชื่อมั่น", "คะแนนความเชื่อมั่น", "ระดับความเชื่อมั่น"),
    *("الثقة", "درجة_الثقة", "مستوى_الثقة", "نسبة_الثقة", "ثقة"),
    *("độ_tin_cậy", "điểm_tin_cậy", "mức_độ_tin_cậy", "độ_tự_tin", "điểm_tự_tin", "mức_độ_tự_tin", "độ_chắc_chắn"),
    "mức_độ_chắc_chắn",
)
_KEYS, _TRANSLATED_KEYS = (frozenset(map(key_name, names)) for names in (_NAMES, _TRANSLATED))
_LONGEST_FIRST = sorted({*_NAMES, *_TRANSLATED}, key=lambda name: (-len(name), name))
_ANY_NAME = "|".join(unified(name).replace("_", r"[_\s-]?") for name in _LONGEST_FIRST)
_STATED = re.compile(rf"(?:{_ANY_NAME})[\"'”*_`\\\s]{{0,9}}[:：=](?P<value>[^\n}}]{{0,60}})", re.IGNORECASE)
_VALUE = re.compile(
    r"[\s\"'„“*~≈]{0,9}(?P<before>(?:%|百分之|ร้อยละ)\s?)?(?P<number>[-−]?[0-9]{1,20}(?:[.,][0-9]{1,20})?)"
    r"\s?(?P<unit>%|százalék|percent|procent|процен|posto|퍼센트|เปอร์เซ็นต์|بالمئة|بالمائة|phần trăm|/\s?100\b)?"
    r"(?!\s?[-−–/~%]\s?[0-9]|[0-9]|[.,][0-9])",
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
        if values := under_key(data, _KEYS) or under_key(data, _TRANSLATED_KEYS):
            return _fraction(values[-1])
    stated = list(_STATED.finditer(unified(outside(response, objects))))
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
    match = _VALUE.match(unified(text))
    if match is None:
        return None
    digits = match["number"].replace(",", ".").replace("−", "-")
    number = float(digits)
    if match["before"] or match["unit"]:
        return (number / 100, None) if 0 <= number <= 100 else None
    return _scaled(number, is_decimal="." in digits)


def _scaled(number: float, is_decimal: bool) -> Stated | None:
    if not 0 <= number <= 100:
        return None
    return (number, FRACTION) if is_decimal and number <= 1 else (number / 100, ONE if number == 1 else None)

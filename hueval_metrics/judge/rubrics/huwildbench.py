"""HuWildBench: a score from 1 to 10 for one open answer, by checklist (OpenHuEval §2.2, Table 10; Racka, Appendix C.4).

The wording of the prompt is ours, after the protocol of the WB-Score (Lin et al. 2024): a single answer, never a pair,
strengths and weaknesses before the score.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from hueval_metrics.judge.rubrics.templates import fill, json_string, plain_text, template
from hueval_metrics.parsers.json_objects import json_objects, key_name, outside, under_key
from hueval_metrics.parsers.labels import without_trace
from hueval_metrics.parsers.run_on import answer_to
from hueval_metrics.records import Verdict

NAME = "huwildbench"
VERSION = 1
LOWEST, HIGHEST = 1, 10
DEFAULT_SCORE = 1.0  # Racka, Appendix C.4
FORM = template("huwildbench.form")
SCHEMA: Mapping[str, Any] = {
    "type": "object",
    "properties": {
        "strengths": {"type": "string"},
        "weaknesses": {"type": "string"},
        "score": {"type": "string", "enum": [str(score) for score in range(LOWEST, HIGHEST + 1)]},
    },
    "required": ["strengths", "weaknesses", "score"],
    "additionalProperties": False,
}
REPLY_TOKENS = 250
MAX_TOKENS = 1024

_KEYS = ("score", "final_score", "overall_score", "pontszám")
_REASONS = ("strengths", "weaknesses")
_PAPER_SCORE = re.compile(r"score[\"'”*_\s]{0,9}:", re.IGNORECASE)
_SCORE = re.compile(r"(?:score|pontszám)(?:\s?\([^()\n]{0,30}\))?[\"'”*_`\\\s]{0,9}[:：=]", re.IGNORECASE)
_NUMBER = re.compile(r"(?P<sign>[-−–])?(?P<number>[0-9]+(?:[.,][0-9]+)?)")
_OF_TEN = re.compile(r"[\s*_\"']{0,4}(?:/|out of|of)[\s*_]{0,4}10(?![.,]?[0-9])", re.IGNORECASE)
_OTHER_NUMBER = re.compile(
    r"[\s\"'*]{0,4}(?:[-−–~/]|\b(?:to|or|and|vagy|és|(?:out )?of)\b)[\s\"'*]{0,4}[0-9]", re.IGNORECASE
)
_WORDS = ("one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")


def render(doc: Mapping[str, Any], response: str) -> list[dict[str, str]]:
    """The judge's messages. Query and response are JSON strings of one line: nothing in them can end its part.

    Args:
        doc: with `query` (the user's turn) and `checklist` (a list of questions, may be empty).
        response: the whole response, without its reasoning trace; the judge sees what answers the prompt.
    """
    values = {
        "query": json_string(doc["query"]),
        "checklist": _numbered(doc.get("checklist") or []),
        "response": json_string(answer_to(NAME, doc, response)),
    }
    user = fill(template("huwildbench.user"), values)
    return [{"role": "system", "content": template("huwildbench.system")}, {"role": "user", "content": user}]


def parse(reply: str) -> Verdict:
    """The score in a judge's reply: of its last JSON object, else what follows the last "score:".

    Fractions stand as they are. What is no score from 1 to 10, a range among them, is unreadable and never clamped.

    >>> parse('{"strengths": "…", "weaknesses": "…", "score": "8/10"}').score
    8.0
    """
    score, problem = _score(without_trace(reply))
    if not reply.strip():
        problem = "empty reply"
    return Verdict(score=score, raw=reply, rubric=f"{NAME}/{VERSION}", error=problem and f"unreadable: {problem}")


def default(reply: str) -> Verdict | None:
    """Score 1, as Racka gives to a reply without a score; `default_score_rate` counts these."""
    return Verdict(score=DEFAULT_SCORE, raw=reply, rubric=f"{NAME}/{VERSION}", error="unreadable, default score")


def racka_score(reply: str) -> int:
    """Racka's rule to the letter (Appendix C.4): the last "score:" and the first integer after it; 1 without one.

    >>> racka_score('{"score": "-3"}'), racka_score("no idea")
    (3, 1)
    """
    places = list(_PAPER_SCORE.finditer(reply))
    digits = re.compile("[0-9]{1,9}").search(reply, places[-1].end()) if places else None
    return int(digits[0]) if digits else 1


def _score(text: str) -> tuple[float | None, str | None]:
    """The score, and what is wrong when there is none."""
    objects = list(json_objects(text))
    scored = [data for _, _, data in objects if under_key(data, _KEYS)]
    # A bare {"score": 10} may be quoted from the response; the judge's own object has the reasons that were asked for.
    reasoned = [data for data in scored if any(under_key(data, [reason]) for reason in _REASONS)]
    if scored:
        return _number_of(under_key((reasoned or scored)[-1], _KEYS))
    around = outside(text, objects)
    places = list(_SCORE.finditer(around))
    return _number_in(around[places[-1].end() :]) if places else (None, "no score")


def _number_of(values: Sequence[Any]) -> tuple[float | None, str | None]:
    while len(values) == 1 and isinstance(values[0], list):
        values = values[0]
    if len(values) != 1:
        return None, "several scores"
    value = values[0]
    if isinstance(value, str):
        word = key_name(value)
        return (_WORDS.index(word) + 1.0, None) if word in _WORDS else _number_in(value)
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        return _in_range(float(value) if abs(value) <= HIGHEST else HIGHEST + 1.0)
    return None, "no score"


def _number_in(text: str) -> tuple[float | None, str | None]:
    """The first number in a text, of ten if of anything."""
    match = _NUMBER.search(text)
    if match is None:
        return None, "no score"
    of_ten = _OF_TEN.match(text, match.end())
    if _OTHER_NUMBER.match(text, of_ten.end() if of_ten else match.end()):
        return None, "several scores"
    number = float(match["number"].replace(",", "."))
    return _in_range(-number if match["sign"] else number)


def _in_range(number: float) -> tuple[float | None, str | None]:
    return (number, None) if LOWEST <= number <= HIGHEST else (None, "score out of range")


def _numbered(checklist: Sequence[Any]) -> str:
    items = [" ".join(plain_text(item).split()) for item in checklist]
    lines = [f"{n}. {item}" for n, item in enumerate(filter(None, items), start=1)]
    return "\n".join(lines) or template("huwildbench.no_checklist")

"""HuWildBench: a score from 1 to 10 for one open answer, by checklist (OpenHuEval §2.2, Table 10; Racka, Appendix C.4).

The wording of the prompt is ours, after the protocol of the WB-Score (Lin et al. 2024): a single answer, never a pair,
strengths and weaknesses before the score.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from hueval_metrics.answers.verdicts.scores import HIGHEST, LOWEST, read_score
from hueval_metrics.judge.templates import fill, json_string, plain_text, text_beside
from hueval_metrics.records import Verdict
from hueval_metrics.words.texts import each
from lm_eval_tasks.openhueval.templates import answer_to

NAME = "huwildbench"
VERSION = 3
SAME_REQUESTS_SINCE = 2  # version 1 showed the judge what follows the answer, too
PROMPT = {role: text_beside(__file__, f"{NAME}.{role}") for role in ("system", "user")}
FORM = text_beside(__file__, f"{NAME}.form")
_NO_CHECKLIST = text_beside(__file__, f"{NAME}.no_checklist")
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
DELIMITERS = (r"^# (?:Your task|Form of your reply)[ \t]*$",)
RATER = each(lambda language: text_beside(__file__, f"{NAME}.rater.{language}"))

_PAPER_SCORE = re.compile(r"score[\"'”*_\s]{0,9}:", re.IGNORECASE)


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
    user = fill(PROMPT["user"], values)
    return [{"role": "system", "content": PROMPT["system"]}, {"role": "user", "content": user}]


def parse(reply: str) -> Verdict:
    """The score in a judge's reply, as `answers.verdicts.scores` reads it.

    Fractions are kept. What is no score from 1 to 10, a range among them, is unreadable and never clamped.

    >>> parse('{"strengths": "…", "weaknesses": "…", "score": "8/10"}').score
    8.0
    """
    score, problem = read_score(reply)
    if not reply.strip():
        problem = "empty reply"
    return Verdict(score=score, raw=reply, rubric=f"{NAME}/{VERSION}", error=problem and f"unreadable: {problem}")


def racka_score(reply: str) -> int:
    """Racka's rule to the letter (Appendix C.4): the last "score:" and the first integer after it; 1 without one.

    >>> racka_score('{"score": "-3"}'), racka_score("no idea")
    (3, 1)
    """
    places = list(_PAPER_SCORE.finditer(reply))
    digits = re.compile("[0-9]{1,9}").search(reply, places[-1].end()) if places else None
    return int(digits[0]) if digits else 1


def _numbered(checklist: Sequence[Any]) -> str:
    items = [" ".join(plain_text(item).split()) for item in checklist]
    lines = [f"{n}. {item}" for n, item in enumerate(filter(None, items), start=1)]
    return "\n".join(lines) or _NO_CHECKLIST

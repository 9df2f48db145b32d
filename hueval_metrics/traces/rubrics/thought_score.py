"""Thoughts, step 3: does a thought lead to the right answer? (arXiv:2503.21500, F.1, Figure 41)."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from hueval_metrics.answers.verdicts.fields import read_field
from hueval_metrics.judge.templates import fill, json_string, text_beside
from hueval_metrics.records import Verdict

NAME = "thought_score"
VERSION = 2
LOWEST, HIGHEST = 0, 2  # "We consider a confident score of 2 as the correct thought" (F.1)
PROMPT = {"user": text_beside(__file__, f"{NAME}.user")}
FORM = text_beside(__file__, f"{NAME}.form")
SCHEMA: Mapping[str, Any] = {
    "type": "object",
    "properties": {
        "explanation": {"type": "string"},
        "confident_score": {"type": "string", "enum": [str(score) for score in range(LOWEST, HIGHEST + 1)]},
    },
    "required": ["explanation", "confident_score"],
    "additionalProperties": False,
}
REPLY_TOKENS = 150
MAX_TOKENS = 512

_SCORE = re.compile(r"[*_\s]*([0-2])(?:\.0+)?(?:\s*(?:/|out of)\s*2(?:\.0+)?)?[*_.\s]*", re.IGNORECASE)


def render(doc: Mapping[str, Any], response: str) -> list[dict[str, str]]:
    """The judge's message. All values are JSON strings: nothing in them can end its part.

    Args:
        doc: with `question` and `reference`, the right answer.
        response: the thought.
    """
    values = {
        "question": json_string(doc["question"]),
        "split_solutions": json_string(response),
        "expected_answer": json_string(doc["reference"]),
    }
    return [{"role": "user", "content": fill(PROMPT["user"], values)}]


def parse(reply: str) -> Verdict:
    """The score in a reply, 0, 1 or 2, as `score` and `data`; what else is under the key is unreadable.

    >>> parse('{"expalanation": "…", "confident_score": "2/2"}').data, parse('{"confident_score": 3}').error
    (2, 'unreadable: no score of 0, 1 or 2')
    """
    rubric = f"{NAME}/{VERSION}"
    found, problem = read_field(reply, ["confident_score", "confidence_score"])
    # `str` of true is no number, and of 1.0 it is "1.0"
    match = _SCORE.fullmatch(str(found)) if isinstance(found, (str, int, float)) else None
    if match is None:
        return Verdict(raw=reply, rubric=rubric, error=f"unreadable: {problem or 'no score of 0, 1 or 2'}")
    return Verdict(score=float(match[1]), raw=reply, rubric=rubric, data=int(match[1]))

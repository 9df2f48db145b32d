"""Thoughts, step 2: the tagged expressions of a trace that do shift it (arXiv:2503.21500, F.1, Figure 40)."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from hueval_metrics.answers.verdicts.fields import read_field
from hueval_metrics.judge.templates import fill, json_string, text_beside
from hueval_metrics.records import Verdict

NAME = "thought_shifts"
VERSION = 2
LABELS = ("LISTED",)
PROMPT = {"user": text_beside(__file__, f"{NAME}.user")}
FORM = text_beside(__file__, f"{NAME}.form")
SCHEMA: Mapping[str, Any] = {
    "type": "object",
    "properties": {"shift_word_ids": {"type": "array", "items": {"type": "integer"}}},
    "required": ["shift_word_ids"],
    "additionalProperties": False,
}
REPLY_TOKENS = 40
MAX_TOKENS = 1024  # a trace of 8,000 tokens may have 200 shifts
LONG_REPLY = 8192  # the prompt speaks of wrapping phrases, so a judge may copy the trace before its list

_ID = re.compile(r"[^\d-]*(-?\d{1,9})\D*")


def render(doc: Mapping[str, Any], response: str) -> list[dict[str, str]]:
    """The judge's message. The text is a JSON string: nothing in it can end its part.

    Args:
        doc: not looked at.
        response: the trace as `thoughts.splitting.tagged` writes it.
    """
    return [{"role": "user", "content": fill(PROMPT["user"], {"input_text": json_string(response)})}]


def parse(reply: str) -> Verdict:
    """The numbers in a reply, as `data`: integers in the order given, whether such an occurrence exists or not.

    No numbers are a valid reply; words in their place are unreadable.

    >>> parse('{"shift_word_ids": ["1", 2, "<shift_word_3>"]}').data
    [1, 2, 3]
    """
    rubric = f"{NAME}/{VERSION}"
    found, problem = read_field(reply, ["shift_word_ids", "shift_word_id"])
    listed = found.split(",") if isinstance(found, str) else found if isinstance(found, list) else [found]
    ids = [_id(entry) for entry in listed]
    if problem is None and None in ids:
        problem = "numbers expected"
    if problem is not None:
        return Verdict(raw=reply, rubric=rubric, error=f"unreadable: {problem}")
    return Verdict(label=LABELS[0], raw=reply, rubric=rubric, data=ids)


def _id(entry: object) -> int | None:
    if isinstance(entry, str):
        match = _ID.fullmatch(entry)
        return int(match[1]) if match else None
    is_whole = isinstance(entry, int) or (isinstance(entry, float) and entry.is_integer())
    return int(entry) if is_whole and not isinstance(entry, bool) else None  # type: ignore[call-overload]

"""A rubric that asks for a letter, as small as one can be."""

from __future__ import annotations

from hueval_metrics.answers.verdicts.attempts import LABELS, LETTERS, read_attempt
from hueval_metrics.judge.templates import fill, json_string
from hueval_metrics.records import Verdict

__all__ = ["LABELS", "LETTERS"]

NAME, VERSION = "lettered", 1
PROMPT = {
    "system": "Grade the response.",
    "user": '{"reference": {answer}, "response": {response}}\nReply with A (right), B (wrong) or C (not attempted).',
}
FORM = "Reply with one letter."
SCHEMA = None
REPLY_TOKENS, MAX_TOKENS = 1, 16


def render(doc, response):
    values = {"answer": json_string(doc["answer"]), "response": json_string(response)}
    return [
        {"role": "system", "content": PROMPT["system"]},
        {"role": "user", "content": fill(PROMPT["user"], values)},
    ]


def parse(reply):
    label = read_attempt(reply, letters=True)
    return Verdict(label=label, raw=reply, rubric="lettered/1", error=None if label else "unreadable: no label")

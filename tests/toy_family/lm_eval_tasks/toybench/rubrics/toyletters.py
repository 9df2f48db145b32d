"""ToyLetters: does an answer help the sender?"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from hueval_metrics.judge.templates import fill
from hueval_metrics.records import Verdict

NAME = "toyletters"
VERSION = 1
LABELS = ("HELPS", "FAILS")
FORM = "Reply with HELPS or FAILS."
PROMPT = {"user": f"Letter: {{request}}\n\nA good answer: {{reference}}\n\nAnswer: {{answer}}\n\nDoes it help? {FORM}"}
SCHEMA: Mapping[str, Any] | None = None
REPLY_TOKENS = 3
MAX_TOKENS = 16
DELIMITERS = (r"^A good answer:",)
WORDS = {"HELPS": ("segít",), "FAILS": ("nem segít",)}
RATER = {"en": "HELPS / FAILS: HELPS if the sender has what they asked for."}


def render(doc: Mapping[str, Any], response: str) -> list[dict[str, str]]:
    """The judge's message."""
    values = {"request": doc["request"], "reference": doc["reference"], "answer": response}
    return [{"role": "user", "content": fill(PROMPT["user"], values)}]


def parse(reply: str) -> Verdict:
    """The verdict in a judge's reply."""
    label = reply.strip().upper()
    if label in LABELS:
        return Verdict(label=label, raw=reply, rubric=f"{NAME}/{VERSION}")
    return Verdict(raw=reply, rubric=f"{NAME}/{VERSION}", error="unreadable: neither HELPS nor FAILS")

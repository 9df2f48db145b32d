"""ToyLetters: does an answer help the sender?"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from hueval_metrics.records import Verdict

NAME = "toyletters"
VERSION = 1
FORM = "Reply with HELPS or FAILS."
SCHEMA: Mapping[str, Any] | None = None
REPLY_TOKENS = 3
MAX_TOKENS = 16


def render(doc: Mapping[str, Any], response: str) -> list[dict[str, str]]:
    """The judge's message."""
    parts = {"Letter": doc["request"], "A good answer": doc["reference"], "Answer": response}
    text = "\n\n".join(f"{name}: {value}" for name, value in parts.items())
    return [{"role": "user", "content": f"{text}\n\nDoes the answer help? {FORM}"}]


def parse(reply: str) -> Verdict:
    """The verdict in a judge's reply."""
    label = reply.strip().upper()
    if label in ("HELPS", "FAILS"):
        return Verdict(label=label, raw=reply, rubric=f"{NAME}/{VERSION}")
    return Verdict(raw=reply, rubric=f"{NAME}/{VERSION}", error="unreadable: neither HELPS nor FAILS")

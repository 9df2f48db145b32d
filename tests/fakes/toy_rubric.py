"""A rubric that reads `YES` and `NO`."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from hueval_metrics.records import Verdict

NAME, VERSION, FORM, SCHEMA = "toy", 1, "Reply YES or NO.", None
PROMPT = {"user": "{question} {response}"}
REPLY_TOKENS, MAX_TOKENS = 5, 64


def render(doc: Mapping[str, Any], response: str) -> list[dict[str, str]]:
    """Question and response."""
    return [{"role": "user", "content": json.dumps({"question": doc["question"], "response": response})}]


def parse(reply: str) -> Verdict:
    """YES or NO, and nothing else."""
    if reply in ("YES", "NO"):
        return Verdict(label=reply, raw=reply, rubric="toy/1")
    return Verdict(raw=reply, rubric="toy/1", error="unreadable: neither YES nor NO")

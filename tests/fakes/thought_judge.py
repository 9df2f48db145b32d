"""A judge of thoughts that goes by rules, for `judge_server.FakeJudge`: it reads what it is shown, and nothing else."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any

EXPRESSIONS = ("However", "But", "Wait", "De", "Várjunk", "Viszont")
_SHOWN = {
    "expressions": re.compile(r'^ {4}"answer": (".*"),$', re.MULTILINE),
    "shifts": re.compile(r'^Input text:\n(".*")$', re.MULTILINE),
    "thought": re.compile(r'^Split Thought S = (".*")$', re.MULTILINE),
    "reference": re.compile(r'^Correct Answer A = (".*")$', re.MULTILINE),
}


def step_of(request: Mapping[str, Any]) -> str:
    """Which step a request is of: `expressions`, `shifts` or `thought`."""
    content = request["messages"][0]["content"]
    return next(step for step in ("expressions", "shifts", "thought") if _SHOWN[step].search(content))


def shown(request: Mapping[str, Any], part: str) -> str:
    """A text that a request shows, as it was before it became a JSON string."""
    match = _SHOWN[part].search(request["messages"][0]["content"])
    assert match is not None
    return str(json.loads(match[1]))


def judge(request: Mapping[str, Any], _: int = 0) -> str:
    """The expressions that stand in the trace; every tag is confirmed; 2 where the right answer is in the thought."""
    step = step_of(request)
    text = shown(request, step)
    if step == "expressions":
        listed = [word for word in EXPRESSIONS if re.search(rf"\b{word}\b", text)]
        return json.dumps({"language": "Hungarian", "shift_expression": listed})
    if step == "shifts":
        return json.dumps(
            {"shift_word_ids": sorted({int(number) for number in re.findall(r"<shift_word_(\d+)>", text)})}
        )
    is_right = shown(request, "reference") in text
    return json.dumps({"explanation": "…", "confident_score": "2" if is_right else "0"})

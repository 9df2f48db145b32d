"""Fill in the blank as the public reference scorer counts it, with its quirks, since the published tables use it.

It reads the first `{…}` without nesting and compares by position and case-sensitively. An item on which it crashes
scores 0. In HuStandardFIB every matching gold alternative adds one to the numerator, so that the gold answers
themselves score 118.7 %, and a question is right only if all alternatives match.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from typing import Any

from lm_eval_tasks.openhueval.metrics.fib import SIMILARITY_THRESHOLD, FibScore, similarity

_MARK = re.compile(r"#\d+#")


def reference_matching(response: str, gold: Sequence[str]) -> FibScore:
    """HuMatchingFIB: whole strings such as `#0#F`, compared by position."""
    try:
        answers = _first_object(response).get("answer", [])
        right = [position < len(answers) and answers[position] == answer for position, answer in enumerate(gold)]
    except (ValueError, TypeError, KeyError, RecursionError):
        right = [False] * len(gold)
    return FibScore(sum(right), len(gold), all(right))


def reference_standard(response: str, gold: Sequence[str]) -> FibScore:
    """HuStandardFIB: every alternative of every blank, against the prediction's own alternatives."""
    try:
        filled = [_alternatives(answer) for answer in _first_object(response).get("answers", [])]
    except (ValueError, TypeError, KeyError, RecursionError):
        return FibScore(0, len(gold), False)
    correct, complete = 0, True
    for position, answer in enumerate(gold):
        given = filled[position] if position < len(filled) else []
        hits = [any(similarity(a, g) > SIMILARITY_THRESHOLD for g in given) for a in _alternatives(answer)]
        correct += sum(hits)
        complete = complete and all(hits)
    return FibScore(correct, len(gold), complete)


def _first_object(response: str) -> dict[str, Any]:
    start = response.find("{")
    end = response.find("}", start)
    if start < 0 or end < 0:
        return {}
    # The reference removes the four characters \xa0, which some models write literally.
    data = json.loads(response[start : end + 1].replace("\\xa0", ""))
    return data if isinstance(data, dict) else {}


def _alternatives(answer: str) -> list[str]:
    return _MARK.sub("", answer).split(";")

"""A judge that divides traces into segments and classifies them by rules that a test can check."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from hueval_metrics.traces.rubrics import segment_dimensions, segments_numbered, segments_r1

STEPS = {
    rubric.PROMPT["system"]: rubric.NAME for rubric in (segment_dimensions, segments_numbered, segments_r1)
}  # the fourth has no system message
Request = Mapping[str, Any]


def step_of(request: Request) -> str:
    """The name of the rubric that a request is of."""
    return STEPS.get(request["messages"][0]["content"], "segments_qwq")


def user(request: Request) -> str:
    """The user's first message, in which the trace stands."""
    return next(one["content"] for one in request["messages"] if one["role"] == "user")


def trace_in(request: Request) -> str:
    """The trace that a judge was asked to copy."""
    text = user(request)
    if step_of(request) == "segments_r1":
        return json.loads(text)["prediction"]
    return json.loads(text.rpartition("[input chain of thoughts content]\n")[2].partition("\n[Your seg")[0])


def category(text: str) -> str:
    """Of a paragraph, by its first word."""
    return {"Okay": "Introduction", "Check": "Review", "Final": "Conclusion"}.get(
        text.split()[0].rstrip(".,:"), "Reasoning"
    )


def judge(request: Request, _: int = 0) -> str:
    """The reply to any request: a paragraph is a segment."""
    step = step_of(request)
    if step == "segments_numbered":
        lines = [json.loads(line.partition(": ")[2]) for line in user(request).split("\n")]
        found = [{"from": n, "to": n, "category": category(line)} for n, line in enumerate(lines, 1)]
        return json.dumps({"segments": found})
    if step == "segment_dimensions":
        return json.dumps({"segments": [_classified(one) for one in json.loads(user(request))["segments"]]})
    texts = [text for text in trace_in(request).split("\n\n") if text.strip()]
    if step == "segments_r1":
        return json.dumps({"segments": [{"text": text, "category": category(text)} for text in texts]})
    names = [category(text).replace("Conclusion", "Final_answer") for text in texts]
    pairs = zip(texts, names, strict=True)
    listed = ",".join(f"{{'text': {json.dumps(text)}, 'categoty': '{name}'}}" for text, name in pairs)
    return f"{{'segment': [{listed}]}}"


def _classified(segment: Mapping[str, str]) -> dict[str, str]:
    if segment["category"] != "Reasoning":
        return dict(segment)
    text = segment["text"]
    return {
        **segment,
        "text": text[:10] + "…",
        "Dimension1": "Non Conclusion" if "?" in text else "Completely Correct",
        "Dimension2": "Complex Thought" if "Wait" in text else "Simple Assertion",
        "Dimension3": "Only Current Blank",
        "Dimension4": "Contains Language Transfer" if "translates" in text else "No Language Transfer",
    }

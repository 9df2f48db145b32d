"""Replies for tests of thoughts, and the step made on them."""

from __future__ import annotations

from hueval_metrics.traces.item import TraceItem
from hueval_metrics.traces.judging import Asking
from hueval_metrics.traces.settings import Settings
from hueval_metrics.traces.steps.thoughts import step
from tests.fakes.judge_server import FakeJudge, settings_for
from tests.fakes.thought_judge import judge

TASK = "openhueval_husimpleqa"


def item_of(index, trace, verdict="INCORRECT", **fields):
    """A reply with this trace; the right answer is Mohács."""
    doc = {"question": f"Hol volt a csata ({index})?", "answer": "Mohács"}
    given = {"doc": doc, "blocks": ((7, 7 + len(trace)),), "reply": f"<think>{trace}</think>Eger"} | fields
    return TraceItem(
        index, "run", "model", TASK, (str(index),), str(index), response="Eger", truncated=False, verdict=verdict,
        share=0.0, **given,
    )  # fmt: skip


def values(items, answer=judge, **settings):
    """The values of the step by index, and the requests that the judge got."""
    with FakeJudge(answer) as server:
        found = step(items, Asking(settings_for(server.url, **settings)), Settings(("thoughts",)))
    return found, server.requests

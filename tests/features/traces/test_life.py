"""The answer's life: from statements to numbers, and its measures."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from hueval_metrics.answers.stated import Stated, Statement
from hueval_metrics.loader import documents
from hueval_metrics.tokens import Counter
from hueval_metrics.traces.free.life import MEASURES, Life, life, life_of
from hueval_metrics.traces.item import TraceItem

TASK = "openhueval_humatchingfib"
OF = {measure.name: measure.of for measure in MEASURES}


def item_of(doc, trace: str, answer, share: float | None = 1.0) -> TraceItem:
    reply = f"<think>{trace}</think>{json.dumps({'answer': answer})}"
    end = 7 + len(trace)
    blocks = ((7, end),) if trace else ()
    response = reply[end + 8 :]
    return TraceItem(0, "run", "model", TASK, ("q",), "q", doc, reply, blocks, response, False, None, share)


def row_of(item: TraceItem) -> dict:
    tokens = Counter().of(item.reply, item.blocks)
    return {"tokens": tokens.trace, "share": item.share, "life": life(item, tokens)}


@pytest.mark.parametrize(
    ("values", "final", "right", "expected"),
    [
        ("AAB", "A", "B", Life(3, 0, 1, None, 2, False)),
        ("ABA", "A", "A", Life(3, 0, 2, 2, 0, True)),
        ("BAA", "A", "B", Life(3, 1, 1, 1, 0, False)),
        ("BC", "A", "A", Life(2, None, 1, None, None, True)),
        ("AA", None, "A", Life(2, None, 0, None, 0, False)),
        ("", "A", "A", Life(0, None, 0, None, None, True)),
    ],
    ids=["last differs", "changed and back", "regret", "never stood", "no answer", "nothing stated"],
)
def test_first_changes_settled_and_right(values, final, right, expected):
    said = [Statement("#0#", place, value) for place, value in enumerate(values)]
    others = [Statement("#1#", place, "Z") for place in range(3)]
    stated = Stated([*said, *others], {"#0#": final, "#1#": None}, {"#0#": frozenset(right), "#1#": frozenset()})
    assert life_of(stated, "#0#") == expected


@pytest.fixture
def doc(monkeypatch):
    monkeypatch.setenv("HUEVAL_SAMPLE", "1")
    return documents(TASK)[0][0]


def test_the_row_of_a_reply(doc):
    trace = "First, #0# is D. The text names the last area.\n\nWait, #0# is E.\n\nSo #1# is I."
    row = row_of(item_of(doc, trace, ["#0#D", "#1#I"], share=1 / 6))
    found = row["life"]
    assert (found["approximate"], found["regret"]) == (False, True)
    first, second, third = found["parts"][:3]
    assert (first["part"], first["statements"], first["changes"]) == ("#0#", 2, 1)
    assert (first["first"], first["settled"], first["right"]) == (trace.index("#0#"), None, False)
    assert (first["right_stood"], first["tokens_after"]) == (trace.rindex("#0#"), None)
    assert (second["first"], second["settled"], second["right"]) == (trace.index("#1#"), trace.index("#1#"), True)
    assert 0 < second["tokens_after"] < second["tokens_before"] < row["tokens"]
    assert (third["statements"], third["first"], third["right"]) == (0, None, False)


def test_no_trace_no_document_and_a_task_without_a_reader_have_none(doc):
    item = item_of(doc, "So #0# is E.", ["#0#E"])
    for other in (
        item_of(doc, "", ["#0#E"]),
        item_of(doc, " \n ", ["#0#E"]),
        replace(item, doc=None),
        replace(item, task="openhueval_huwildbench"),
        replace(item, task="elsewhere"),
    ):
        assert row_of(other)["life"] is None
        assert all(of(row_of(other)) is None for of in OF.values())


def test_measures_of_a_row():
    part = {"statements": 2, "tokens_before": 25, "changes": 1, "tokens_after": 60, "right": False}
    never = {"statements": 0, "tokens_before": None, "changes": 0, "tokens_after": None, "right": False}
    row = {"tokens": 100, "share": 0.5, "life": {"parts": [part, never], "regret": True}}
    assert OF["answer_first"](row) == (0.25, 1)
    assert OF["answer_changes"](row) == (1, 1)
    assert OF["tokens_after_settled"](row) == (60, 1)
    assert OF["regret_rule"](row) == (1, 1)


@pytest.mark.parametrize("share", [1.0, None], ids=["right", "not judged"])
def test_regret_is_of_replies_that_are_not_right(share, doc):
    row = row_of(item_of(doc, "So #0# is E. No, #0# is D.", ["#0#D"], share=share))
    assert row["life"]["regret"] is (False if share else None)
    assert OF["regret_rule"](row) is None

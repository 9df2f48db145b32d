"""What a rubric may do besides asking for a label: read a reply with its document, give data, allow long replies."""

from __future__ import annotations

import json
import sys
from types import ModuleType

import pytest

from hueval_metrics.judge.lm_eval_filter import judge_filtered
from hueval_metrics.judge.rubric import load_rubric, reply_tokens
from hueval_metrics.records import Filtered, Verdict
from tests.fakes import toy_rubric
from tests.fakes.batch_server import FakeBatches, answer_row
from tests.fakes.judge_server import Answer, FakeJudge, judge_all, settings_for, toy_items


@pytest.fixture
def listing(monkeypatch):
    """A rubric whose replies are lists of numbers; each counts the points of its document."""
    rubric = ModuleType("listing_rubric")
    rubric.__dict__.update({k: v for k, v in vars(toy_rubric).items() if not k.startswith("_")})

    def parse(reply, doc):
        try:
            hits = json.loads(reply)
        except ValueError:
            return Verdict(error="unreadable: no list")
        return Verdict(score=sum(doc["points"][hit] for hit in hits), data={"hits": hits})

    rubric.NAME, rubric.parse, rubric.LONG_REPLY = "listing", parse, 5000
    monkeypatch.setitem(sys.modules, "listing_rubric", rubric)
    return "listing_rubric"


DOCS = [{"question": "q0", "points": [1, 10]}, {"question": "q1", "points": [2, 20]}]
ITEMS = [(doc, "r") for doc in DOCS]


def test_a_reply_is_read_with_its_document_and_may_give_data(listing):
    with FakeJudge(lambda *_: "[0, 1]") as judge:
        first = judge_all(ITEMS, listing, settings_for(judge.url))
        again = judge_all(ITEMS, listing, settings_for(judge.url))
        assert len(judge.requests) == 2
    assert [verdict.score for verdict in first] == [11, 22]
    assert [verdict.data for verdict in first] == [{"hits": [0, 1]}] * 2
    assert [(verdict.score, verdict.data, verdict.cached) for verdict in again] == [
        (11, {"hits": [0, 1]}, True),
        (22, {"hits": [0, 1]}, True),
    ]
    assert first[0].rubric == "listing/1"


def test_data_stands_in_the_log_and_only_where_there_is_any(listing):
    with FakeJudge(lambda *_: "[1]") as judge:
        (judged,) = judge_filtered([Filtered("r")], DOCS[:1], listing, settings_for(judge.url))
    verdict = Filtered.from_json(judged.to_json()).verdict
    assert (verdict["score"], verdict["data"]) == (10, {"hits": [1]})
    assert "data" not in Verdict(label="YES").to_dict()
    panel = Verdict(score=1.0, votes=(Verdict(score=1.0, data=[1]), Verdict(score=1.0))).to_dict()
    assert [vote.get("data") for vote in panel["votes"]] == [[1], None]


def test_replies_of_a_batch_are_read_with_their_documents(listing):
    def finish(lines):
        return "completed", [answer_row(line["custom_id"], "[0]") for line in lines], []

    with FakeBatches(finish) as server:
        verdicts = judge_all(ITEMS, listing, settings_for(server.url, mode="batch"))
        assert [[line["body"]["max_tokens"] for line in upload] for upload in server.uploads] == [[5000, 5000]]
    assert [verdict.score for verdict in verdicts] == [1, 2]


def test_a_rubric_says_how_long_a_reply_may_be(listing):
    def answer(request, _):
        return Answer("[0]", finish_reason="stop" if request["max_tokens"] == 5000 else "length")

    with FakeJudge(answer) as judge:
        judge_all(ITEMS[:1], listing, settings_for(judge.url))
        assert [request["max_tokens"] for request in judge.requests] == [64, 5000]


def test_a_rubric_that_nobody_has_fails_every_item_and_raises_nothing():
    with pytest.raises(ImportError):
        load_rubric("nobodys")
    with FakeJudge(lambda *_: "YES") as judge:
        verdicts = judge_all(toy_items(2), "nobodys", settings_for(judge.url))
    assert [verdict.is_missing for verdict in verdicts] == [True, True]
    assert "the judge engine failed (ModuleNotFoundError" in verdicts[0].error


def test_a_reply_may_grow_with_its_request(listing):
    rubric = load_rubric(listing)
    assert reply_tokens(rubric, [b"x" * 438]) == rubric.REPLY_TOKENS
    rubric.REPLY_SHARE = 0.5
    prompt = len(rubric.PROMPT["user"])
    assert reply_tokens(rubric, [b"x" * (prompt + 438), b"x" * (prompt + 876)]) == 75  # half of 100 and 200 tokens
    assert reply_tokens(rubric, []) == rubric.REPLY_TOKENS

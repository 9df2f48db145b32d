"""How a step asks its judge: what is checked before, what is not sent, what a stop leaves, and what a plan says."""

from __future__ import annotations

import json
import logging

import pytest

from hueval_metrics.errors import InputError
from hueval_metrics.judge.configured import judge_settings
from hueval_metrics.judge.ledger import ledger
from hueval_metrics.judge.settings import JudgeSettings
from hueval_metrics.traces.judging import Asking, Planned, asking_of, reason_of
from tests.fakes.batch_server import FakeBatches
from tests.fakes.judge_server import Answer, FakeJudge, refuse, settings_for

TOY = "tests.fakes.toy_rubric"


@pytest.fixture(autouse=True)
def nothing_spent():
    logging.getLogger("hueval_metrics").setLevel(logging.NOTSET)  # the command changes it
    ledger.cache_clear()


@pytest.fixture
def prices(tmp_path):
    file = tmp_path / "prices.yaml"
    file.write_text("toy-judge: {input: 1, output: 10}", encoding="utf-8")
    return file


def requests(*texts):
    return [({"question": "q"}, text) for text in texts]


def asked(judge):
    return [json.loads(body["messages"][0]["content"])["response"] for body in judge.requests]


def test_what_the_judge_s_context_cannot_hold_is_not_sent_and_keeps_its_place(caplog):
    long = "ő" * 400  # 800 bytes are about 715 tokens
    with FakeJudge(lambda request, number: "YES") as judge:
        asking = Asking(settings_for(judge.url, context=700, concurrency=1))
        found = [*asking.ask(TOY, requests("a", long, "b"), 3)]
    assert [verdict.label for verdict in found] == ["YES", None, "YES"]
    assert [reason_of(verdict) for verdict in found if verdict.is_missing] == ["too long"]
    assert "the judge holds 700 (HUEVAL_JUDGE_CONTEXT)" in found[1].error
    assert sorted(asked(judge)) == ["a", "b"]
    assert "toy_rubric by toy-judge: 1 of 3 answers are missing: too long" in caplog.text
    assert caplog.text.rstrip().endswith("They are left out; too long to be asked: 1.")  # to ask again is of no use


def test_the_reply_counts_in_the_context():
    text = "a" * 4380  # about 1,000 tokens, and 64 of the reply
    with FakeJudge(lambda request, number: "YES") as judge:
        asking = [Asking(settings_for(judge.url, context=context)) for context in (1050, 1100)]
        found = [next(one.ask(TOY, requests(text))).label for one in asking]
    assert found == [None, "YES"]


def test_a_context_is_read_from_the_environment(monkeypatch):
    assert Asking(judge_settings()).context == 128_000
    monkeypatch.setenv("HUEVAL_JUDGE_CONTEXT", "32768")
    assert Asking(judge_settings()).context == 32_768
    monkeypatch.setenv("HUEVAL_JUDGE_CONTEXT", "32k")
    with pytest.raises(InputError, match='HUEVAL_JUDGE_CONTEXT: "32k" is not usable, expected a whole number'):
        judge_settings()


def test_a_cached_reply_is_read_however_small_the_context_has_become():
    with FakeJudge(lambda request, number: "YES") as judge:
        for context in (None, 10):
            (verdict,) = Asking(settings_for(judge.url, context=context)).ask(TOY, requests("a"))
            assert verdict.label == "YES"
    assert len(judge.requests) == 1


def test_unreadable_replies_are_asked_again_three_times_in_all():
    with FakeJudge(lambda request, number: "Maybe") as judge:
        (verdict,) = Asking(settings_for(judge.url)).ask(TOY, requests("a"))
    assert (reason_of(verdict), len(judge.requests)) == ("unreadable", 3)


def test_a_judge_that_refuses_leaves_the_rest_unasked():
    with FakeJudge(lambda request, number: refuse(401, "no such key")) as judge:
        found = [*Asking(settings_for(judge.url)).ask(TOY, requests(*"abc"))]
    assert {reason_of(verdict) for verdict in found} <= {"no reply", "not asked"}  # those under way have no reply
    assert all("Set HUEVAL_JUDGE_API_KEY" in verdict.error for verdict in found)


def test_a_server_that_is_not_there():
    found = [*Asking(settings_for("http://127.0.0.1:9/v1")).ask(TOY, requests(*"ab"))]
    assert {reason_of(verdict) for verdict in found} == {"not asked"}


def test_a_budget_stops_asking_and_the_same_again_asks_for_the_rest(prices):
    bill = {"prompt_tokens": 1000, "completion_tokens": 1}
    with FakeJudge(lambda request, number: Answer("YES", usage=bill)) as judge:
        settings = settings_for(judge.url, budget_usd=0.004, prices=prices, concurrency=1)
        first = [*Asking(settings).ask(TOY, requests(*"abcdef"))]
        paid = len(judge.requests)
        ledger.cache_clear()
        second = [*Asking(settings_for(judge.url, prices=prices)).ask(TOY, requests(*"abcdef"))]
    assert {reason_of(verdict) for verdict in first if verdict.is_missing} == {"no reply", "not asked"}
    assert 0 < paid < 6
    assert not any(verdict.is_missing for verdict in second)
    assert sorted(asked(judge)) == [*"abcdef"]


def test_a_deadline_stops_asking(virtual_clock):
    with FakeJudge(lambda request, number: Answer("YES", delay_s=0 if number < 2 else 60)) as judge:
        found = [*Asking(settings_for(judge.url, deadline_s=2.0, concurrency=1)).ask(TOY, requests(*"abcd"))]
    answered = sum(not verdict.is_missing for verdict in found)  # a busy machine may not get to the second
    assert answered <= 2
    assert [reason_of(verdict) for verdict in found if verdict.is_missing] == ["not asked"] * (4 - answered)


def test_requests_go_into_a_batch():
    pytest.importorskip("openai", reason="needs the batch extra")
    with FakeBatches() as server:
        found = [*Asking(settings_for(server.url, mode="batch")).ask(TOY, requests(*"abc"), 3)]
    assert [verdict.label for verdict in found] == ["YES"] * 3
    assert len(server.batches) == 1


def test_what_the_requests_raise_is_raised_here():
    def broken():
        yield from requests("a")
        raise InputError("the file has changed")

    with FakeJudge(lambda request, number: "YES") as judge, pytest.raises(InputError, match="the file has changed"):
        list(Asking(settings_for(judge.url)).ask(TOY, broken()))


@pytest.mark.parametrize(
    ("why", "settings", "says"),
    [
        ("words", JudgeSettings(mode="lexical"), "HUEVAL_JUDGE=lexical: --steps thoughts,segments needs a judge"),
        ("later", JudgeSettings(mode="defer"), "no answer is left to a later command. Unset HUEVAL_JUDGE"),
        (
            "nobody",
            JudgeSettings(is_configured=False),
            "asks a judge, and none is configured. Set HUEVAL_JUDGE_API_KEY",
        ),
        (
            "free is a way out",
            JudgeSettings(is_configured=False),
            "Or leave it at --steps free, which makes no API calls",
        ),
        (
            "a budget that cannot be kept",
            JudgeSettings(model="toy-judge", budget_usd=1.0),
            "HUEVAL_JUDGE_BUDGET_USD: the price of toy-judge is unknown",
        ),
    ],
)
def test_nobody_can_be_asked(why, settings, says):
    with pytest.raises(InputError) as fault:
        asking_of(settings, ["thoughts", "segments"])
    assert says in str(fault.value), why


def test_the_default_judge_after_its_end(monkeypatch):
    monkeypatch.setattr("hueval_metrics.traces.judging.ended", lambda settings: "the judge x ended on 2000-01-01")
    with pytest.raises(InputError, match="--steps thoughts: the judge x ended on 2000-01-01"):
        asking_of(JudgeSettings(model="x", is_default_model=True), ["thoughts"])
    assert asking_of(JudgeSettings(model="x"), ["thoughts"]).settings.model == "x"  # its cache can be read


def test_of_a_panel_the_first_judge_is_asked_once(caplog):
    settings = JudgeSettings(model="a", panel=("a", "b"), repeats=3)
    alone = asking_of(settings, ["thoughts"]).settings
    assert (alone.model, alone.panel, alone.repeats) == ("a", (), 1)
    assert caplog.messages == ["--steps thoughts asks a alone, and once: no panel reads a trace."]


def test_a_model_that_judges_itself_is_flagged(caplog):
    asking = Asking(JudgeSettings(model="gpt-x"))
    asking.flag_self_judging(["other"])
    assert caplog.messages == []
    asking.flag_self_judging(["other", "gpt-x"])
    assert caplog.messages == ["the judge is the model whose traces it reads (gpt-x): judges prefer their own answers."]


def planned():
    return [
        Planned(TOY, (1343, 1343), (2_700_000, 2_700_000), (26_860, 26_860)),
        Planned(TOY, (0, 20_000), (0, 1_500_000), (0, 400_000)),
    ]


def test_a_plan(prices):
    asking = Asking(JudgeSettings(model="toy-judge", prices=prices))
    assert asking.plan(planned()) == [
        "toy/1: 1,343 calls to toy-judge, about 2.7 M tokens in, 27 k out, $2.97",
        "toy/1: 0 to 20,000 calls to toy-judge, about 0 to 1.5 M tokens in, 0 to 400 k out, $0 to $5.50",
        "In all 1,343 to 21,343 calls, $2.97 to $8.47 ± 30 % (your prices); what is in the cache costs nothing.",
    ]


def test_a_plan_without_a_price():
    lines = Asking(JudgeSettings(model="toy-judge")).plan(planned())
    assert lines[0].endswith("27 k out, price unknown")
    assert lines[-1] == "In all 1,343 to 21,343 calls; what is in the cache costs nothing."


def test_a_plan_tells_of_the_budget(prices):
    asking = Asking(JudgeSettings(model="toy-judge", prices=prices, budget_usd=5.0))
    assert asking.plan(planned())[-1].endswith("Of the budget $5.00 is left; asking stops before it is exceeded.")

"""The length of replies, and what a budget buys: a call is reserved at the length that the rubric allows."""

from __future__ import annotations

import json

import pytest

from hueval_metrics.judge.client.client import FIRST, FIRST_CUT
from hueval_metrics.judge.client.servers import START, timeout_of
from hueval_metrics.judge.ledger import ledger
from hueval_metrics.judge.rubric import LONG_REPLY, load_rubric
from hueval_metrics.judge.tokens import BYTES_PER_TOKEN_EN
from tests.fakes.judge_server import Answer, FakeJudge, even, judge_all, settings_for, toy_items

PRICED = "gpt-4o-2024-11-20"  # 2.5 and 10 dollars per million tokens
RUBRICS = ("husimpleqa", "huproverbrea_oe", "huwildbench")


@pytest.fixture(autouse=True)
def new_ledger():
    ledger.cache_clear()


def qa_items(count):
    return [({"question": f"Mikor született Jókai Mór? ({n})", "answer": "1825"}, "1825-ben.") for n in range(count)]


def body_size(request):
    return len(json.dumps(request, ensure_ascii=False, separators=(",", ":")).encode())


def bill_of(answers):
    return sum(2.5e-6 * usage["prompt_tokens"] + 10e-6 * usage["completion_tokens"] for usage in answers)


def judge_within(budget, count, tokens_of):
    """How many verdicts a budget bought, and what the server billed for them."""
    billed = []

    def answer(request, _):
        prompt, completion = tokens_of(request)
        billed.append({"prompt_tokens": prompt, "completion_tokens": completion})
        return Answer('{"evaluation": "Correct"}', usage=billed[-1])

    with FakeJudge(answer) as judge:
        settings = settings_for(judge.url, model=PRICED, budget_usd=budget)
        verdicts = judge_all(qa_items(count), "husimpleqa", settings)
    return sum(verdict.label == "CORRECT" for verdict in verdicts), bill_of(billed)


def test_a_few_cents_buy_several_verdicts():
    bought, bill = judge_within(0.03, 18, lambda request: (round(body_size(request) / BYTES_PER_TOKEN_EN), 9))
    assert bought >= 4
    assert bill <= 0.03


@pytest.mark.parametrize("budget", [0.02, 0.05, 0.2])
def test_a_server_that_bills_all_it_may_does_not_exceed_the_budget(budget):
    bought, bill = judge_within(budget, 18, lambda request: (body_size(request), request["max_tokens"]))
    assert bought >= 1
    assert bill <= budget


@pytest.mark.parametrize("rubric", RUBRICS)
def test_a_rubric_has_room_for_more_than_its_usual_reply(rubric):
    module = load_rubric(rubric)
    assert 4 * module.REPLY_TOKENS <= module.MAX_TOKENS < LONG_REPLY


@pytest.mark.parametrize("words", [None, "", "Let me see, "])
def test_a_judge_that_reasons_first_is_given_more_room(hurried, words):
    """Hidden reasoning leaves no text, visible reasoning an unfinished one."""

    def answer(request, _):
        return even(request) if request["max_tokens"] >= 500 else Answer(words, finish_reason="length")

    with FakeJudge(answer) as judge:
        verdicts = judge_all(toy_items(60), hurried, settings_for(judge.url))
    assert [verdict.label for verdict in verdicts] == ["YES", "NO"] * 30
    lengths = [request["max_tokens"] for request in judge.requests]
    assert FIRST_CUT <= lengths.count(64) <= FIRST_CUT + 2 * START  # with those on their way before the third reply
    assert set(lengths) == {64, LONG_REPLY}


@pytest.mark.parametrize("cut", [{0}, {0, 9}, {3, 10, 11, 12, 13}])
def test_a_longer_reply_is_for_the_item_that_was_cut(hurried, cut):
    """With fewer than three of the first ten cut, the other items keep the limit of the rubric."""

    def answer(request, _):
        number = int(json.loads(request["messages"][0]["content"])["question"][1:])
        is_cut = number in cut and request["max_tokens"] < 500
        return Answer("", finish_reason="length") if is_cut else even(request)

    with FakeJudge(answer) as judge:
        settings = settings_for(judge.url, concurrency=1, is_concurrency_set=True)
        verdicts = judge_all(toy_items(20), hurried, settings)
    assert [verdict.label for verdict in verdicts] == ["YES", "NO"] * 10
    lengths = [request["max_tokens"] for request in judge.requests]
    assert (lengths.count(64), lengths.count(LONG_REPLY)) == (20, len(cut))


def test_three_of_the_first_ten_cut_replies_give_all_more_room(hurried):
    def answer(request, number):
        return even(request) if request["max_tokens"] >= 500 else Answer("", finish_reason="length")

    with FakeJudge(answer) as judge:
        judge_all(toy_items(FIRST), hurried, settings_for(judge.url, concurrency=1, is_concurrency_set=True))
    lengths = [request["max_tokens"] for request in judge.requests]
    assert lengths == [64, LONG_REPLY] * FIRST_CUT + [LONG_REPLY] * (FIRST - FIRST_CUT)


@pytest.mark.parametrize(("tokens", "seconds"), [(64, 60), (128, 60), (2048, 150), (16_384, 822)])
def test_the_time_out_grows_with_the_tokens_asked_for(tokens, seconds):
    assert timeout_of(settings_for("http://h/v1", timeout_s=60.0), tokens) == seconds


def test_a_judge_whose_reasoning_never_ends_is_no_verdict_and_no_default(hurried):
    with FakeJudge(lambda *_: Answer("", finish_reason="length")) as judge:
        (verdict,) = judge_all(toy_items(1), hurried, settings_for(judge.url))
    assert verdict.is_missing
    assert verdict.error == "unreadable: the reply is cut off"
    assert [request["max_tokens"] for request in judge.requests] == [64, 2048, 4096]

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from threading import Barrier

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hueval_metrics.errors import InputError
from hueval_metrics.judge.completion import Completion
from hueval_metrics.judge.ledger import TEMPLATE_TOKENS, Ledger, check_budget, ledger
from hueval_metrics.judge.prices import price_of
from hueval_metrics.judge.settings import JudgeSettings
from hueval_metrics.records import Usage

MODEL = "gpt-4o-2024-11-20"  # 2.5 and 10 dollars per million tokens
BYTES, REPLY = 1000, 100  # a call costs at most (1000 + 256) * 2.5e-6 + 100 * 10e-6 dollars
BOUND = (BYTES + TEMPLATE_TOKENS) * 2.5e-6 + REPLY * 10e-6
FREE = "my-judge"


@pytest.fixture
def settings(tmp_path):
    own = tmp_path / "prices.yaml"
    own.write_text("my-judge: {input: 0, output: 0}\ndear: {input: 1000000, output: 1000000}")
    return JudgeSettings(model=MODEL, budget_usd=2.5 * BOUND, prices=own)


def reserve(book, settings, model=MODEL, **more):
    return book.reserve(model, BYTES, REPLY, settings, **more)


def reply(prompt_tokens, completion_tokens, content="", **more):
    return Completion(content, "stop", prompt_tokens, completion_tokens, **more)


def test_a_call_that_could_exceed_the_budget_is_refused_until_money_comes_back(settings):
    book = Ledger()
    first, second = reserve(book, settings), reserve(book, settings)
    assert first.usd == pytest.approx(BOUND)
    assert reserve(book, settings) is None
    assert book.outstanding == 2
    book.settle(first, reply(300, 5))  # far below the bound
    third = reserve(book, settings)
    assert third is not None
    assert reserve(book, settings) is None
    book.release(second)
    assert reserve(book, settings) is not None


def test_a_cheap_write_into_the_providers_cache_lowers_no_bound(settings):
    """OpenRouter's Gemini models charge less for it than for plain input; nobody knows it in advance."""
    model, servers = "google/gemini-3.8-flash", ("https://openrouter.ai/api/v1",)
    price = price_of(model, None, servers)
    assert price.written_input < price.input
    first = reserve(Ledger(), replace(settings, prices=None, base_urls=servers), model)
    assert first.usd >= price.cost(BYTES, REPLY)


def test_a_reply_costs_what_the_server_counted(settings):
    book = Ledger()
    usage = book.settle(reserve(book, settings), reply(300, 5), 1.5)
    assert usage == Usage(1, 300, 5, pytest.approx(0.0008), 1.5)
    assert (book.spent_usd, book.at_risk_usd, book.outstanding) == (pytest.approx(0.0008), 0, 0)
    assert book.settle(reserve(book, settings), reply(300, 5, cached_tokens=200)).usd == pytest.approx(0.00055)
    assert book.spent_usd == pytest.approx(0.0008 + 0.00055)


@pytest.mark.parametrize("tokens", [(None, None), (300, None), (None, 5)])
def test_tokens_that_nobody_counted_are_estimated_and_put_at_risk(settings, tokens):
    book = Ledger()
    usage = book.settle(reserve(book, settings), reply(*tokens, "x" * 29))
    assert usage.prompt_tokens in (300, 345)
    assert usage.completion_tokens in (5, 10)
    assert usage.usd == book.spent_usd > 0
    assert book.spent_usd + book.at_risk_usd == pytest.approx(BOUND)  # what the bill is at most


def test_a_call_that_may_have_been_billed_counts_against_the_budget_but_is_no_usage(settings):
    book = Ledger()
    book.forfeit(reserve(book, settings))
    assert (book.at_risk_usd, book.spent_usd) == (pytest.approx(BOUND), 0)
    assert book.left_usd(settings) == pytest.approx(1.5 * BOUND)
    assert reserve(book, settings) is not None
    assert reserve(book, settings) is None


def test_only_the_first_closing_counts(settings):
    book = Ledger()
    paid = reserve(book, settings)
    book.settle(paid, reply(300, 5))
    book.forfeit(paid)
    book.release(paid)
    assert (book.outstanding, book.at_risk_usd) == (0, 0)
    with pytest.raises(ValueError, match="closed already"):
        book.settle(paid, reply(300, 5))
    assert book.spent_usd == pytest.approx(0.0008)


def test_without_a_budget_no_call_is_refused(settings):
    book, settings = Ledger(), replace(settings, budget_usd=None)
    book.settle(reserve(book, settings), reply(10**12, 10**12))
    assert reserve(book, settings) is not None
    assert book.left_usd(settings) is None
    unknown = book.settle(reserve(book, settings, "unknown"), reply(3, 4))
    assert unknown == Usage(1, 3, 4, None)


def test_a_budget_for_a_judge_without_a_price_is_an_error(settings):
    with pytest.raises(InputError) as caught:
        reserve(Ledger(), settings, "unknown")
    line = str(caught.value)
    assert "the price of unknown is unknown" in line
    assert "HUEVAL_JUDGE_PRICES" in line
    assert "\n" not in line


def test_a_free_judge_is_asked_however_small_the_budget_is(settings):
    book, settings = Ledger(), replace(settings, budget_usd=1e-9)
    assert all(reserve(book, settings, FREE) for _ in range(100))
    assert reserve(book, settings) is None


def test_a_batch_is_reserved_at_half_the_price(settings):
    assert reserve(Ledger(), settings, batch=True).usd == pytest.approx(BOUND / 2)


def test_a_server_that_bills_more_than_the_bound_raises_the_bound(settings):
    book, settings = Ledger(), replace(settings, budget_usd=100 * BOUND)
    together = [reserve(book, settings) for _ in range(3)]
    for each in together:  # a hidden prompt of 10,000 tokens
        book.settle(each, reply(10_000, REPLY))
    assert reserve(book, settings).usd == pytest.approx(10_000 * 2.5e-6 + REPLY * 10e-6)  # once, not for each of them
    assert reserve(book, settings, "gpt-4o-mini").usd < BOUND  # of this model only


def test_a_bill_above_the_bound_raises_the_bound_of_calls_under_way(settings):
    book, settings = Ledger(), replace(settings, budget_usd=7.5 * BOUND)
    first, second = reserve(book, settings), reserve(book, settings)
    twice = reply(2 * (BYTES + TEMPLATE_TOKENS), 2 * REPLY)
    book.settle(first, twice)
    assert second.usd == pytest.approx(2 * BOUND)
    third = reserve(book, settings)
    assert reserve(book, settings) is None  # 2 are spent and 4 reserved, of 7.5: a bill of 2 more would exceed it
    for each in (second, third):
        book.settle(each, twice)
    assert book.spent_usd == pytest.approx(6 * BOUND)


def test_several_judges_share_one_budget(settings):
    book = Ledger()
    assert reserve(book, replace(settings, budget_usd=2.0), "dear") is None
    assert reserve(book, settings)
    assert reserve(book, settings, "gpt-4o-2024-08-06")
    assert reserve(book, settings, "gpt-4o") is None


@given(
    budget=st.floats(0.001, 0.05),
    calls=st.lists(
        st.tuples(
            st.integers(0, 4000),  # bytes sent
            st.integers(1, 500),  # max_tokens
            st.floats(0, 1),  # how much of the bound is billed
            st.sampled_from(["settle", "uncounted", "forfeit", "release", "later"]),
            st.booleans(),  # batch
        ),
        max_size=60,
    ),
)
def test_the_true_bill_never_exceeds_the_budget(budget, calls):
    book, settings, bill, open_ones = Ledger(), JudgeSettings(budget_usd=budget), 0.0, []
    for sent, most, share, ending, batch in [*calls, (0, 1, 1.0, "settle", False)]:
        reservation = book.reserve(MODEL, sent, most, settings, batch=batch)
        if reservation is None:
            continue
        if ending == "release":
            book.release(reservation)
            continue
        prompt, completion = round(sent * share), round(most * share)
        bill += price_of(MODEL, None).cost(prompt, completion, batch)
        if ending == "settle":
            book.settle(reservation, reply(prompt, completion))
        elif ending == "uncounted":
            book.settle(reservation, reply(None, None, "x" * most))
        elif ending == "forfeit":
            book.forfeit(reservation)
        else:
            open_ones.append((reservation, prompt, completion))
    assert book.outstanding == len(open_ones)
    for reservation, prompt, completion in open_ones:
        book.settle(reservation, reply(prompt, completion))
    assert bill <= budget + 1e-12
    assert book.spent_usd + book.at_risk_usd <= budget + 1e-12
    assert book.outstanding == 0


def test_threads_share_the_budget_and_lose_no_call(settings):
    book, settings, start = Ledger(), replace(settings, budget_usd=500 * BOUND), Barrier(4)

    def judge(_):
        start.wait()
        made = 0
        for _ in range(400):  # 1,600 in all, where 500 fit
            if (reservation := reserve(book, settings)) is not None:
                book.settle(reservation, reply(BYTES + TEMPLATE_TOKENS, REPLY))
                made += 1
        return made

    with ThreadPoolExecutor(4) as pool:
        made = sum(pool.map(judge, range(4)))
    assert book.spent_usd == pytest.approx(made * BOUND)
    assert 499 <= made <= 500  # the last one may fail by the rounding of a sum
    assert book.outstanding == 0


def test_the_stop_reason_names_the_sums_and_the_variable(settings):
    book, settings = Ledger(), replace(settings, budget_usd=5.0)
    book.settle(book.reserve(MODEL, 1000, 490_000, settings), reply(0, 488_000))
    assert book.stop_reason(settings) == (
        "a further call could exceed the budget of $5.00 (HUEVAL_JUDGE_BUDGET_USD): $4.88 is spent"
    )
    book.forfeit(book.reserve(MODEL, 1000, 10_000, settings))
    assert book.stop_reason(settings).endswith("$4.88 is spent, up to $0.10 more may be")


@pytest.mark.parametrize(
    ("changes", "is_refused"),
    [
        ({}, False),
        ({"model": "unknown"}, True),
        ({"model": "unknown", "budget_usd": None}, False),
        ({"panel": (MODEL, "unknown")}, True),
        ({"panel": (MODEL, FREE)}, False),
        ({"model": "unknown", "mode": "lexical"}, False),
    ],
)
def test_a_budget_is_checked_for_every_judge_before_the_first_call(settings, changes, is_refused):
    if is_refused:
        with pytest.raises(InputError, match="the price of unknown is unknown"):
            check_budget(replace(settings, **changes))
    else:
        check_budget(replace(settings, **changes))


def test_bad_prices_are_said_before_the_first_call_without_a_budget_too(settings):
    settings.prices.write_text("nonsense")
    with pytest.raises(InputError, match="HUEVAL_JUDGE_PRICES"):
        check_budget(replace(settings, budget_usd=None))


def test_the_process_has_one_ledger():
    assert ledger() is ledger()

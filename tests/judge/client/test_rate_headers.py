from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hueval_metrics.judge.client.rate_headers import MAX_WAIT_S, ServerLimit, duration_s


def headers_of(limit=None, remaining=None, reset=None, resource="requests"):
    named = {"limit": limit, "remaining": remaining, "reset": reset}
    return {f"x-ratelimit-{part}-{resource}": str(value) for part, value in named.items() if value is not None}


def limit_after(headers, others=0, typical=1.0, held_s=0.0, now=0.0, refused=False, resource="requests"):
    limit = ServerLimit(resource)
    limit.learn(headers, others, typical, held_s, now, refused=refused)
    return limit


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        ("6m0s", 360),
        ("20ms", 0.02),
        ("1h2m3.5s", 3723.5),
        ("1d", 86400),
        ("31d1s", None),
        ("3.2", 3.2),
        ("0s", 0),
        ("", None),
        ("soon", None),
        ("s", None),
        ("5 s", None),
        ("-3s", None),
        ("-3", None),
        ("nan", None),
        ("inf", None),
        ("1760000000", None),  # a date
        ("2025-10-01T00:00:00Z", None),
        ("9" * 400 + "s", None),
    ],
)
def test_durations(text, seconds):
    assert duration_s(text) == seconds


@given(st.text(alphabet="0123456789.dhms -+e", max_size=12) | st.text(max_size=5))
def test_a_duration_is_a_month_at_most(text):
    seconds = duration_s(text)
    assert seconds is None or 0 <= seconds <= 31 * 86400


def test_a_bucket_is_used_up_and_then_spaced_at_the_rate_of_its_refill():
    limit = limit_after(headers_of(limit=10, remaining=3, reset="0.7s"))  # ten a second
    for _ in range(3):
        assert limit.wait(1, 0.0) <= 0
        limit.take(1, 0.0)
    assert limit.wait(1, 0.0) == pytest.approx(0.1)
    limit.take(1, 0.1)
    assert limit.wait(1, 0.1) == pytest.approx(0.1)


def test_those_under_way_are_taken_off():
    limit = limit_after(headers_of(limit=10, remaining=3, reset="0.7s"), others=3)
    assert limit.wait(1, 0.0) == pytest.approx(0.1)


def test_what_came_back_since_the_request_was_counted_is_added():
    limit = limit_after(headers_of(limit=10, remaining=3, reset="0.7s"), others=3, held_s=0.1)
    assert limit.wait(1, 0.0) <= 0


def test_a_refusal_tells_the_level_now():
    limit = limit_after(headers_of(limit=10, remaining=0, reset="1s"), others=3, held_s=0.2, refused=True)
    assert limit.wait(1, 0.0) == pytest.approx(0.1)


def test_of_a_large_limit_a_part_is_left_untouched():
    limit = limit_after(headers_of(limit=100, remaining=6, reset="0.94s"))
    assert limit.wait(1, 0.0) <= 0
    limit.take(1, 0.0)
    assert limit.wait(1, 0.0) > 0


def test_of_a_limit_for_the_day_everything_is_used():
    limit = limit_after(headers_of(limit=1000, remaining=1, reset="23h"))
    assert limit.wait(1, 0.0) <= 0


def test_who_has_waited_for_a_minute_is_owed_a_request():
    limit = limit_after(headers_of(limit=100, remaining=2, reset="980s"), others=63)
    assert limit.wait(1, 0.0) == MAX_WAIT_S
    limit.take(1, MAX_WAIT_S)
    assert limit.wait(1, MAX_WAIT_S) == pytest.approx(10)  # until the next one comes back


def test_tokens_are_counted_as_tokens():
    limit = limit_after(headers_of(3000, 1500, "30s", "tokens"), typical=500, resource="tokens")
    assert limit.wait(1400, 0.0) <= 0
    limit.take(1400, 0.0)
    assert limit.wait(500, 0.0) == pytest.approx((500 - 50) / 50)  # fifty a second, as many of them in reserve


def test_a_request_larger_than_the_limit_waits_for_a_full_bucket_only():
    limit = limit_after(headers_of(100, 90, "1s", "tokens"), typical=5, resource="tokens")
    assert 0 < limit.wait(10_000, 0.0) <= 1


def test_bad_news_is_believed_at_once_and_good_news_slowly():
    limit = limit_after(headers_of(limit=10, remaining=0, reset="1s"))
    limit.learn(headers_of(limit=10, remaining=9, reset="0.1s"), 0, 1.0, 0.0, 0.0, refused=False)
    assert 0 < limit.wait(1, 0.0) < 0.1
    limit.learn(headers_of(limit=10, remaining=0, reset="1s"), 0, 1.0, 0.0, 0.0, refused=False)
    assert limit.wait(1, 0.0) == pytest.approx(0.1)


@pytest.mark.parametrize(
    ("why", "headers"),
    [
        ("none", {}),
        ("the remainder alone", headers_of(remaining=0)),
        ("no time", headers_of(limit=10, remaining=0)),
        ("no limit", headers_of(remaining=0, reset="1s")),
        ("all is there", headers_of(10, 10, "0s")),
        ("more than all", headers_of(10, 11, "5s")),
        ("no limit, in other words", headers_of(-1, -1, "0s")),
        ("a time of nothing", headers_of(10, 0, "0s")),
        ("a date", headers_of(10, 0, "1760000000")),
        ("words", headers_of("ten", "none", "later")),
        ("not a number", headers_of("nan", "nan", "nan")),
        ("infinity", headers_of("inf", "0", "1s")),
        ("larger than any limit", headers_of("1e300", "0", "1s")),
        ("sooner than any time", headers_of("10", "0", "1e-300")),
    ],
)
def test_headers_that_say_too_little_hold_nobody_up(why, headers):
    limit = limit_after(headers)
    for _ in range(20):
        assert limit.wait(1, 0.0) <= 0
        limit.take(1, 0.0)


def test_a_server_that_says_no_more_is_believed_no_longer():
    limit = limit_after(headers_of(10, 0, "50s"))
    limit.learn({}, 0, 1.0, 0.0, 0.0, refused=True)  # a gateway's refusal
    assert limit.wait(1, 0.0) > 0
    limit.learn({}, 0, 1.0, 0.0, 0.0, refused=False)
    assert limit.wait(1, 0.0) == 0


def test_a_server_that_answers_though_nothing_is_left_is_doubted():
    empty, limit, now = headers_of(1000, 0, "24h"), ServerLimit("requests"), 0.0
    for _ in range(30):
        limit.learn(empty, 0, 1.0, 0.0, now, refused=False)
        now += max(0.0, limit.wait(1, now))
        limit.take(1, now)
    assert now < 2 * MAX_WAIT_S


def test_a_server_that_proves_right_is_doubted_less_and_less():
    empty, limit = headers_of(3, 0, "60s"), ServerLimit("requests")
    doubts = []
    for _ in range(3):
        answers = 0
        while limit.wait(1, 0.0) in (0, 20):  # the refill of one takes twenty seconds
            limit.learn(empty, 0, 1.0, 0.0, 0.0, refused=False)
            answers += 1
        doubts.append(answers)
        limit.learn(empty, 0, 1.0, 0.0, 0.0, refused=True)
    assert doubts == [1, 4, 16]


TEXTS = st.text(max_size=8) | st.floats().map(str) | st.integers(-1, 10**6).map(str) | st.sampled_from(["1s", "6m0s"])


@given(st.lists(st.tuples(TEXTS, TEXTS, TEXTS, st.booleans()), max_size=5), st.integers(0, 300), st.floats(0, 60))
def test_no_headers_make_anybody_wait_for_more_than_a_minute(replies, others, held_s):
    limit = ServerLimit("requests")
    for number, (size, remaining, reset, refused) in enumerate(replies):
        now = 1000.0 + number
        limit.learn(headers_of(size, remaining, reset), others, 1.0, held_s, now, refused=refused)
        assert limit.wait(1, now) <= MAX_WAIT_S
        limit.take(1, now)
        assert limit.wait(1, now + MAX_WAIT_S) <= 0

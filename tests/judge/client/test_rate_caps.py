"""When a request may be sent: by `Retry-After`, and by the user's rate limits."""

from __future__ import annotations

import time
from email.utils import formatdate

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hueval_metrics.judge.client.pacing import RateCaps, retry_after

START = 1000.0


@pytest.mark.parametrize(
    ("why", "headers", "seconds"),
    [
        ("seconds", {"Retry-After": "7"}, 7),
        ("milliseconds first", {"retry-after-ms": "400", "Retry-After": "30"}, 0.4),
        ("milliseconds that are none", {"retry-after-ms": "soon", "Retry-After": "30"}, 30),
        ("negative", {"Retry-After": "-1"}, 0),
        ("not a number", {"Retry-After": "nan"}, 0),
        ("a date in the past", {"Retry-After": "Thu, 01 Jan 1970 00:00:00 GMT"}, 0),
        ("a date that no calendar has", {"Retry-After": "Thu, 99 Jan 1970 00:00:00 GMT"}, None),
        ("words", {"Retry-After": "soon"}, None),
        ("empty", {"Retry-After": ""}, None),
        ("absent", {}, None),
    ],
)
def test_retry_after(why, headers, seconds):
    assert retry_after(headers) == seconds


def test_retry_after_a_date_to_come():
    date = formatdate(time.time() + 3600, usegmt=True)
    assert retry_after({"Retry-After": date}) == pytest.approx(3600, abs=60)


@settings(max_examples=60)
@given(
    st.floats(0.5, 400),
    st.floats(500, 50_000),
    st.lists(st.tuples(st.integers(1, 3000), st.floats(0, 1) | st.floats(0, 90)), min_size=1, max_size=150),
)
def test_caps_are_kept_in_every_minute(rpm, tpm, requests):
    caps, now, sent = RateCaps(rpm, tpm), START, []
    for tokens, idle_s in requests:
        now += idle_s
        while (wait := caps.wait(tokens, now)) > 0:
            now += max(wait, 1e-6)
        caps.take(tokens, now)
        sent.append((now, tokens))
    for number, (start, _) in enumerate(sent):
        minute = [tokens for at, tokens in sent[number:] if at < start + 60]
        assert len(minute) <= max(1, rpm)
        assert sum(minute) <= tpm or len(minute) == 1


def test_a_cap_is_kept_by_who_asks_as_fast_as_it_allows():
    caps, now, sent = RateCaps(6000, None), START, []
    for _ in range(13_000):
        now += max(0.0, caps.wait(1, now))
        caps.take(1, now)
        sent.append(now)
    assert all(later - earlier >= 60 for earlier, later in zip(sent, sent[6000:], strict=False))
    assert sent[-1] - START < 131


def test_requests_in_quick_succession_are_counted_until_the_last_has_passed():
    caps = RateCaps(None, 1000)
    for tokens, at in ((1, 0.0), (900, 0.09)):
        assert caps.wait(tokens, START + at) <= 0
        caps.take(tokens, START + at)
    assert caps.wait(900, START + 60) == pytest.approx(0.09)


def test_late_timers_do_not_add_up():
    caps, now = RateCaps(6000, None), START
    for _ in range(1000):
        while (wait := caps.wait(1, now)) > 0:
            now += wait + 0.007
        caps.take(1, now)
    assert now - START < 10.1  # ten milliseconds each

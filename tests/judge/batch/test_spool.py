from __future__ import annotations

import pytest

from hueval_metrics.judge.batch.spool import BatchRequest, Spool


@pytest.fixture
def spool():
    with Spool() as spool:
        for key in "abcd":
            spool.add(BatchRequest(key, b"{}", 64))
        yield spool


def test_a_request_waits_until_it_is_in_a_batch(spool):
    assert next(spool.waiting()) == BatchRequest("a", b"{}", 64)
    assert spool.assign(["a", "b", "x"], "one") == 2
    assert spool.assign(["b", "c"], "two") == 1  # b is in another
    assert spool.waiting_keys() == ["d"]
    spool.free("one")
    assert spool.waiting_keys() == ["a", "b", "d"]


def test_the_same_request_is_taken_in_once(spool):
    spool.assign(["a"], "one")
    spool.add(BatchRequest("a", b"[]", 1))
    assert spool.waiting_keys() == ["b", "c", "d"]
    assert spool.body("a") == b"{}" and spool.body("x") is None


def test_a_request_is_retried_as_often_as_is_worth_it(spool):
    spool.drop("bcd")
    for _ in range(2):
        spool.assign(["a"], "one")
        spool.retry(["a", "x"], most=2)
        assert spool.waiting_keys() == ["a"]
    spool.retry(["a"], most=2)
    assert spool.waiting_keys() == []


def test_only_what_waits_is_dropped_where_a_batch_may_have_it(spool):
    spool.assign(["a"], "one")
    spool.drop_waiting(["a", "b"])
    spool.free("one")
    assert spool.waiting_keys() == ["a", "c", "d"]

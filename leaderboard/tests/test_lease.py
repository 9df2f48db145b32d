"""Leases on submissions: who may claim what, when; and the same at many clocks."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.utils import timezone

from hueval_site.scoring import lease
from hueval_site.submissions.models import State, Submission
from leaderboard.tests.people import member, submitted

pytestmark = pytest.mark.django_db(transaction=True)
LEASE_S = 60  # the default


@pytest.fixture
def waiting():
    return submitted(member())


@pytest.mark.parametrize(
    ("age_s", "is_taken"),
    [(0, False), (59, False), (61, True), (-59, False), (-61, True), (-86_400, True)],
    ids=["just renewed", "almost", "run out", "clock set back a little", "clock set back", "clock set back a day"],
)
def test_a_lease_is_taken_over_when_it_has_run_out(waiting, age_s, is_taken):
    assert lease.claim("one") == waiting
    Submission.objects.update(heartbeat=timezone.now() - timedelta(seconds=age_s))
    assert (lease.claim("two") is not None) == is_taken
    waiting.refresh_from_db()
    assert (waiting.worker, waiting.attempts) == (("two", 2) if is_taken else ("one", 1))


def test_who_has_lost_a_lease_can_neither_renew_nor_release_it(waiting):
    lease.claim("one")
    Submission.objects.update(heartbeat=timezone.now() - timedelta(seconds=2 * LEASE_S))
    assert lease.claim("two") == waiting
    assert not lease.beat(waiting, "one")
    lease.release(waiting, "one", timedelta())
    waiting.refresh_from_db()
    assert (waiting.state, waiting.worker) == (State.SCORING, "two")
    assert lease.beat(waiting, "two")


@pytest.mark.parametrize(
    ("pause_s", "is_taken"),
    [(-1, True), (60, False), (3 * 3600, True)],
    ids=["over", "not yet", "set before the clock was set back"],
)
def test_an_attempt_that_was_broken_off_waits(waiting, pause_s, is_taken):
    lease.claim("one")
    lease.release(waiting, "one", timedelta(minutes=1), "why")
    waiting.refresh_from_db()
    assert (waiting.state, waiting.attempts, waiting.reason) == (State.QUEUED, 1, "why")
    Submission.objects.update(not_before=timezone.now() + timedelta(seconds=pause_s))
    assert (lease.claim("two") is not None) == is_taken


def test_a_released_submission_keeps_its_place_and_what_counts(waiting):
    second = submitted(member("b@example.org", "Other"))
    queued, counted = waiting.queued, waiting.counted
    lease.claim("one")
    lease.release(waiting, "one", timedelta(), counts=False)
    waiting.refresh_from_db()
    assert (waiting.queued, waiting.counted, waiting.attempts) == (queued, counted, 0)
    assert lease.claim("two") == waiting
    assert lease.claim("two") == second
    assert lease.claim("two") is None


def test_new_submissions_come_before_those_that_are_scored_again(waiting):
    lease.claim("one")
    Submission.objects.update(state=State.PUBLIC, worker="", rescore=True)
    second = submitted(member("b@example.org", "Other"))
    assert [lease.claim("one"), lease.claim("one"), lease.claim("one")] == [second, waiting, None]
    waiting.refresh_from_db()
    assert (waiting.state, waiting.worker) == (State.PUBLIC, "one")

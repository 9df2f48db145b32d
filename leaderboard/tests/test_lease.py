"""Leases on submissions: who may claim what, when; and the same at many clocks."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.utils import timezone

from hueval_site.scoring import lease
from hueval_site.submissions.models import State, Submission
from hueval_site.submissions.waiting import wait_of
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


def kill() -> None:
    """The worker is gone, and its lease has run out."""
    Submission.objects.filter(state=State.SCORING).update(heartbeat=timezone.now() - timedelta(seconds=2 * LEASE_S))


def test_what_was_broken_off_goes_behind_the_others(waiting):
    others = [submitted(member(f"u{n}@example.org", f"Team {n}")) for n in range(2)]
    assert lease.claim("one") == waiting
    lease.release(waiting, "one", timedelta(), "why")
    assert [lease.claim("one") for _ in range(4)] == [*others, waiting, None]
    Submission.objects.update(worker="", heartbeat=None, broken=None, state=State.QUEUED)
    assert lease.claim("one") == waiting
    kill()
    assert [lease.claim("one") for _ in range(4)] == [*others, waiting, None]


def test_an_attempt_counts_if_others_are_scored_meanwhile(waiting):
    """It is the file's fault only if the worker can score others."""
    other = submitted(member("b@example.org", "Other"))
    for _ in range(3):  # broken off, and nothing else was scored
        Submission.objects.filter(pk=other.pk).update(not_before=timezone.now() + timedelta(minutes=1))
        assert lease.claim("one") == waiting
        kill()
    waiting.refresh_from_db()
    assert (waiting.attempts, waiting.n_broken) == (1, 2)
    Submission.objects.filter(pk=other.pk).update(state=State.PRIVATE, scored=timezone.now())
    assert lease.claim("one") == waiting
    waiting.refresh_from_db()
    assert (waiting.attempts, waiting.n_broken) == (2, 3)


def test_an_interrupted_attempt_after_one_that_does_not_count_takes_none_away(waiting):
    submitted(member("b@example.org", "Other"))
    lease.claim("one")
    lease.release(waiting, "one", timedelta(), "why")
    Submission.objects.exclude(pk=waiting.pk).update(not_before=timezone.now() + timedelta(minutes=1))
    for _ in range(3):
        assert lease.claim("one") == waiting
        lease.release(waiting, "one", timedelta(), counts=False)
        waiting.refresh_from_db()
        assert waiting.attempts == 0


def test_ten_kills_of_a_worker_cost_no_healthy_file(waiting):
    """The worker dies with every fourth file, whichever that is."""
    user = member("b@example.org", "Other")
    Submission.objects.bulk_create(
        Submission(
            user=user, team=user.team, board=waiting.board, season=waiting.season, state=State.QUEUED,
            queued=waiting.queued + timedelta(seconds=n + 1), model_name=f"{n}", digest=f"{n}",
        )
        for n in range(79)
    )  # fmt: skip
    most, n_killed = 0, 0
    for n in range(1000):
        found = lease.claim("one")
        if found is None:
            break
        most = max(most, found.attempts)
        if n % 4 == 0 and n_killed < 10:
            kill()
            n_killed += 1
        else:
            Submission.objects.filter(pk=found.pk).update(
                state=State.PRIVATE, scored=timezone.now(), worker="", heartbeat=None
            )
    assert not Submission.objects.exclude(state=State.PRIVATE).exists()
    assert most == 2  # of the three that a file has


def test_the_place_of_one_that_was_broken_off_is_behind_the_others(waiting):
    other = submitted(member("b@example.org", "Other"))
    assert (wait_of(waiting).place, wait_of(other).place) == (1, 2)
    lease.claim("one")
    lease.release(waiting, "one", timedelta(), "why")
    waiting.refresh_from_db()
    assert (wait_of(waiting).place, wait_of(other).place) == (2, 1)

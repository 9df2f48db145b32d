"""How often a team may submit."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from django.db import connection

from hueval_site.accounts.models import Team, User
from hueval_site.boards import Board, boards
from hueval_site.scoring.again import rescore
from hueval_site.scoring.lease import beat, claim
from hueval_site.scoring.sweep import sweep
from hueval_site.scoring.work import score_waiting
from hueval_site.submissions import limits
from hueval_site.submissions.limits import allowance
from hueval_site.submissions.mails import send_mails
from hueval_site.submissions.models import Mail, State, Submission
from hueval_site.submissions.receive import RefusedError, check, store
from hueval_site.submissions.seasons import open_season
from leaderboard.tests import racing
from leaderboard.tests.labelled import predictions
from leaderboard.tests.people import CARD, member, submitted, upload

NOON = datetime(2026, 6, 1, 12, tzinfo=UTC)
HOUR, DAY = timedelta(hours=1), timedelta(days=1)


@pytest.fixture
def clock(monkeypatch):
    """A clock that a test sets; states and limits read it."""

    def set_to(time: datetime) -> datetime:
        monkeypatch.setattr("django.utils.timezone.now", lambda: time)
        return time

    set_to(NOON)
    return set_to


def board_with(**values):
    board = boards()["hulu_hucola"]
    return board.model_copy(update={"limits": board.limits.model_copy(update=values)})


def queued_at(user: User, *times: datetime, state: State = State.PRIVATE, **fields) -> None:
    board = boards()["hulu_hucola"]
    for time in times:
        made = Submission.objects.create(
            team=user.team, user=user, board=board.task, season=open_season(board), state=state, counted=time, **fields
        )
        Submission.objects.filter(pk=made.pk).update(created=time)


def test_nothing_used(user, clock):
    found = allowance(user.team, board_with())
    assert (found.left, found.uploads_left, found.next) == (2, 50, None)
    assert found.used == {"day": (0, 2), "month": (0, 8), "year": (0, 24)}


@pytest.mark.parametrize(
    ("why", "ago", "left", "following"),
    [
        ("one today", [1], 1, None),
        ("two today: the older one leaves first", [1, 20], 0, NOON + 4 * HOUR),
        ("exactly a day ago counts no longer", [1, 24], 1, None),
        ("eight in a month", [24 * day for day in range(1, 9)], 0, NOON + 22 * DAY),
        ("nine, as limits were lowered: two must leave", [24 * day for day in range(1, 10)], 0, NOON + 22 * DAY),
        ("24 in a year", [24 * (30 + day) for day in range(1, 25)], 0, NOON + 311 * DAY),
        ("all limits at once: the last to open", [1, 2] + [24 * day for day in range(1, 7)], 0, NOON + 24 * DAY),
    ],
)
def test_the_tightest_limit(user, clock, why, ago, left, following):
    queued_at(user, *(NOON - hours * HOUR for hours in ago))
    found = allowance(user.team, board_with())
    assert (found.left, found.next) == (left, following)


def test_fewer_than_one_a_day(user, clock):
    """One in two days, which whole numbers a day cannot say."""
    queued_at(user, NOON)
    clock(NOON + 47 * HOUR)
    found = allowance(user.team, board_with(day=0.5))
    assert (found.left, found.next, found.used["day"]) == (0, NOON + 2 * DAY, (1, 1))
    clock(NOON + 48 * HOUR)
    assert allowance(user.team, board_with(day=0.5)).left == 1


def test_fewer_than_one_a_year(user, clock):
    """Nothing older than a year is forgotten when the span is longer."""
    queued_at(user, NOON)
    clock(NOON + 400 * DAY)
    assert allowance(user.team, board_with(day=0.002)).left == 0  # one in 500 days


def test_a_clock_that_was_set_back(user, clock):
    """What was queued in what is now the future counts as now: no more than a day must be waited."""
    queued_at(user, NOON + 90 * DAY, NOON + 91 * DAY)
    found = allowance(user.team, board_with())
    assert (found.left, found.next) == (0, NOON + DAY)


def test_a_clock_that_goes_back_a_day_loses_nothing_and_runs_nothing_twice(user, clock):
    """With one that is queued, one that a crash has left before its check, and one that is being scored."""
    queued, other = submitted(user), member("b@example.org", "Other")
    left = store(other, boards()["hulu_hucola"], upload(predictions("hucola", 0.7)), CARD)
    begun = submitted(member("c@example.org", "Third"), 0.6)
    Submission.objects.filter(pk=queued.pk).update(queued=NOON + HOUR)
    assert claim("killed") == begun
    clock(NOON - DAY)
    assert sweep() == 1
    assert score_waiting("alive") == 3
    assert (sweep(), score_waiting("alive")) == (0, 0)
    assert not beat(begun, "killed")
    found = list(Submission.objects.order_by("created").values_list("state", "attempts", "told__kind"))
    assert [(state, kind) for state, _, kind in found] == [(State.PRIVATE, "first")] * 3
    assert allowance(user.team, board_with()).used["day"] == (1, 2)
    assert allowance(left.team, board_with()).used["day"] == (1, 2)
    assert Mail.objects.count() == send_mails() == 3
    assert send_mails() == 0


@pytest.mark.parametrize(
    ("state", "scored", "counts"),
    [
        (State.UPLOADED, None, False),
        (State.FAULTY, None, False),
        (State.CHECKED, None, False),
        (State.FAILED, None, False),
        (State.WITHDRAWN, None, False),  # before it was scored: nothing was told
        (State.WITHDRAWN, NOON, True),
        (State.QUEUED, None, True),
        (State.SCORING, None, True),
        (State.PRIVATE, NOON, True),
        (State.REFUSED, NOON, True),  # by staff, after the score was told
        (State.SUPERSEDED, NOON, True),
    ],
)
def test_what_counts(user, clock, state, scored, counts):
    was_queued = state not in (State.UPLOADED, State.FAULTY, State.CHECKED)
    board = boards()["hulu_hucola"]
    Submission.objects.create(
        team=user.team,
        user=user,
        board=board.task,
        season=open_season(board),
        state=state,
        counted=NOON if was_queued else None,
        scored=scored,
    )
    assert allowance(user.team, board).used["day"][0] == counts


def test_other_teams_and_boards_do_not_count(user, clock):
    queued_at(user, NOON, NOON)
    other = Team.objects.create(name="Other")
    assert allowance(other, board_with()).left == 2
    assert allowance(user.team, boards()["hulu_hurte"]).left == 2


def test_uploads_have_a_cap_of_their_own(user, clock):
    queued_at(user, *[NOON - HOUR] * 3, state=State.FAULTY)
    assert allowance(user.team, board_with(uploads_day=4)).uploads_left == 1
    assert allowance(user.team, board_with(uploads_day=3)).uploads_left == 0
    clock(NOON + DAY)
    assert allowance(user.team, board_with(uploads_day=3)).uploads_left == 3


def faulty(user: User, board: Board) -> Submission:
    """An upload in which a row is missing."""
    return check(store(user, board, upload(predictions("hucola", 0.8)[1:]), CARD))


@pytest.mark.django_db(transaction=True)
def test_uploads_beyond_a_limit_are_refused_with_the_time(user):
    assert faulty(user, board_with()).state == "faulty"
    assert [submitted(user, seed=seed).state for seed in (1, 2)] == ["queued", "queued"]
    following = (allowance(user.team, board_with()).next or NOON).strftime("%Y-%m-%d %H:%M")
    with pytest.raises(RefusedError, match=f"The next one is possible from {following} UTC"):
        submitted(user, seed=3)


def test_uploads_with_faults_are_refused_beyond_their_cap(user):
    """They cost a team nothing else, and would keep the site busy."""
    few = board_with(uploads_day=2)
    assert [faulty(user, few).state for _ in range(2)] == ["faulty", "faulty"]
    with pytest.raises(RefusedError, match="Too many uploads for this task today"):
        faulty(user, few)
    assert Submission.objects.count() == 2


@pytest.mark.django_db(transaction=True)
def test_scoring_again_costs_nothing(user):
    submission = submitted(user)
    score_waiting()
    counted = Submission.objects.get(pk=submission.pk).counted
    assert (rescore(board_with()), score_waiting()) == (1, 1)
    assert Submission.objects.get(pk=submission.pk).counted == counted
    assert allowance(user.team, board_with()).used["day"][0] == 1


@pytest.mark.django_db(transaction=True)
def test_a_file_kept_for_later_counts_when_it_is_queued(user, monkeypatch, clock):
    """Otherwise files stored over weeks could all be scored on one day."""
    stored = store(user, boards()["hulu_hucola"], upload(predictions("hucola", 0.8)), CARD)
    later = clock(NOON + 7 * DAY)
    assert check(stored).counted == later
    assert allowance(user.team, board_with()).used["day"][0] == 1


@pytest.mark.django_db(transaction=True)
@pytest.mark.skipif(connection.vendor == "sqlite", reason="SQLite in memory has no two connections")
def test_uploads_at_once_cannot_race_past_a_limit():
    assert racing.race() == ["checked", "checked", "queued", "queued"]


@pytest.mark.process
def test_uploads_at_once_cannot_race_past_a_limit_on_a_file(tmp_path):
    env = {**os.environ, "HUEVAL_SITE_DATABASE": "sqlite"}
    done = subprocess.run(
        [sys.executable, "-m", "leaderboard.tests.racing", str(tmp_path / "site")],
        cwd=Path(__file__).parents[2],
        env=env,
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout.splitlines()[-1]) == ["checked", "checked", "queued", "queued"]


def test_spans_of_the_limits():
    assert limits.windows(boards()["hulu_hucola"].limits) == {
        "day": (2, DAY),
        "month": (8, 30 * DAY),
        "year": (24, 365 * DAY),
    }

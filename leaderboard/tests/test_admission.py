"""Labels against many accounts: who is scored on hidden labels, and how many teams are told a first number."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.utils import timezone

from hueval_site.boards import boards
from hueval_site.config import Config
from hueval_site.manage.check import CHECKS
from hueval_site.scoring.sweep import sweep
from hueval_site.scoring.work import score_waiting
from hueval_site.submissions import moderation
from hueval_site.submissions.limits import allowance
from hueval_site.submissions.models import State, Submission
from hueval_site.submissions.receive import check, queue, store
from leaderboard.tests.labelled import predictions
from leaderboard.tests.people import CARD, member, submitted, upload

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("fresh_cache")]


def test_a_board_tells_few_teams_a_first_number_in_a_month(settings):
    """Counted over all teams: told ones, and those whose first is being scored; the others wait, and are told why."""
    settings.CONFIG = settings.CONFIG.model_copy(update={"first_numbers": 2})
    users = [member(f"u{n}@example.org", f"Team {n}") for n in range(4)]
    first, second, third = (submitted(user, 0.8, seed=n) for n, user in enumerate(users[:3]))
    assert [one.state for one in (first, second, third)] == [State.QUEUED, State.QUEUED, State.CHECKED]
    assert "Yours waits for its turn" in third.reason
    assert score_waiting() == 2
    assert queue(Submission.objects.get(pk=third.pk)).state == State.CHECKED
    assert submitted(users[0], 0.9, seed=9).state == State.QUEUED  # a team that has a number must beat it
    other = upload(predictions("hurte", 0.7), "rte_test.json")
    assert check(store(users[3], boards()["hulu_hurte"], other, CARD)).state == State.QUEUED  # another board
    Submission.objects.filter(pk=first.pk).update(state=State.WITHDRAWN)  # costs nothing less
    assert queue(Submission.objects.get(pk=third.pk)).state == State.CHECKED
    Submission.objects.filter(pk=first.pk).update(scored=timezone.now() - timedelta(days=30, minutes=1))
    assert queue(Submission.objects.get(pk=third.pk)).state == State.QUEUED
    assert submitted(users[3], 0.6, seed=7).state == State.CHECKED


def test_who_is_not_admitted_is_checked_and_scored_once_admitted(settings):
    """At once where the answers are public; a few uploads a day are the most."""
    user = member()
    user.team.is_admitted = False
    user.team.save()
    assert allowance(user.team, boards()["hulu_hucola"]).uploads_left == 5
    found = submitted(user)
    assert (found.state, allowance(user.team, boards()["hulu_hucola"]).left) == (State.CHECKED, 2)
    moderation.admit(user.team, None)
    Submission.objects.update(created=timezone.now() - timedelta(minutes=1))
    assert sweep() == 1
    found.refresh_from_db()
    assert (found.state, found.reason) == (State.QUEUED, "")


def test_which_boards_score_everybody():
    wanted = {"hulu_hucola": False, "openhueval_hustandardfib": True, "openhueval_husimpleqa": False}
    assert {task: boards()[task].scores_all for task in wanted} == wanted


def test_staff_admit_unless_the_site_is_set_otherwise_which_check_calls_a_fault(settings):
    assert (Config.model_fields["admits_all"].default, Config.model_fields["first_numbers"].default) == (False, 5)
    for url, admits_all, expected in (
        ("https://example.org", True, [True]),
        ("http://127.0.0.1:8000", True, [False]),
        ("https://example.org", False, []),
    ):
        found = settings.CONFIG.model_copy(update={"url": url, "admits_all": admits_all})
        findings = list(CHECKS["admission"](found))
        assert [one.is_fault for one in findings] == expected
        assert all("HUEVAL_SITE_ADMITS_ALL" in one.text for one in findings)

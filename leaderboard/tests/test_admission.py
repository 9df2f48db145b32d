"""Labels against many accounts: who is scored on hidden labels, and how many teams are told a first number."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.core.cache import cache
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from hueval_site.accounts import network
from hueval_site.accounts.models import Team, User
from hueval_site.accounts.network import network_of
from hueval_site.boards import boards
from hueval_site.config import Config
from hueval_site.manage.check import CHECKS
from hueval_site.scoring.sweep import sweep
from hueval_site.scoring.work import score_waiting
from hueval_site.submissions import moderation
from hueval_site.submissions.limits import allowance
from hueval_site.submissions.models import State, Submission
from hueval_site.submissions.personal import delete_account, personal_data
from hueval_site.submissions.receive import check, queue, store
from leaderboard.tests.labelled import predictions
from leaderboard.tests.people import CARD, PASSWORD, member, signed_in, submitted, upload

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


def test_a_network_has_a_name_for_a_month_that_tells_no_address():
    first = network_of("192.0.2.7")
    assert network_of("192.0.2.200") == network_of("::ffff:192.0.2.1") == first != network_of("192.0.3.7")
    assert network_of("2001:db8:1:2::1") == network_of("2001:db8:1:ffff::2") != network_of("2001:db8:2::1")
    assert network_of("") == network_of("unix") == ""
    cache.delete(network.KEY)  # its 30 days are over
    assert network_of("192.0.2.7") != first


def test_staff_see_who_may_be_one_person(django_assert_max_num_queries):
    for n, address in enumerate(("198.51.100.1", "198.51.100.2", "203.0.113.9")):
        given = {"email": f"u{n}@example.org", "password1": PASSWORD, "password2": PASSWORD}
        Client().post(reverse("account_signup"), given, REMOTE_ADDR=address)
    one, other = member("a@example.org", "Once"), member("b@example.org", "Copy")
    Team.objects.filter(name="Copy").update(created=timezone.now() - timedelta(days=8))
    submitted(one)
    submitted(other, 0.8, 0)
    submitted(other, 0.6, 5)
    score_waiting()
    client = signed_in(member("staff@example.org", None, is_staff=True))
    with django_assert_max_num_queries(15):
        page = client.get(reverse("signals")).content.decode()
    week, single, networks, alike = page.split("<h2>")[1:]
    assert "Once" in week and "Copy" not in week
    assert "Once" in single and "Copy" not in single
    assert "2: " in networks and "u0@example.org" in networks and "u2@example.org" not in networks
    assert "100.0 % of the answers are the same" in alike and "Once" in alike and "Copy" in alike


def test_what_a_person_sees_and_deletes_of_the_network(user):
    user.network = "0123456789abcdef"
    user.save()
    submitted(user)
    assert personal_data(user)["network"] == "0123456789abcdef"
    delete_account(user)
    assert User.objects.get().network == ""

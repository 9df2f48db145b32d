"""Pages of staff: who sees them, decisions, admission, queueing again, and the number of queries."""

from __future__ import annotations

from uuid import uuid4

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from hueval_site.accounts.models import Team, Token, User
from hueval_site.scoring.work import score_waiting
from hueval_site.submissions.models import Decision, Mail, Note, State, Submission
from hueval_site.submissions.states import move
from hueval_site.submissions.versions import version_of
from leaderboard.tests.filled import fill
from leaderboard.tests.people import member, signed_in, submitted

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("fresh_cache")]


def staff(address: str = "staff@example.org") -> User:
    return member(address, None, is_staff=True)


def pending(user: User | None = None) -> Submission:
    user = user or member()
    found = submitted(user)
    score_waiting()
    return move(found, State.PENDING, by=user, requests=1)


def decide(client, found: Submission, decision: str, reason: str = "", number: int = 1):
    given = {"decision": decision, "reason": reason, "number": number, "version": version_of(found)}
    return client.post(reverse("decide", args=[found.pk]), given)


def test_nobody_else_finds_these_pages():
    found, team = pending(), Team.objects.get()
    addresses = [
        reverse("staff"),
        reverse("signals"),
        reverse("staff_submission", args=[found.pk]),
        reverse("staff_submission", args=[uuid4()]),
    ]
    acts = ("decide", "note", "requeue", "withdraw_row", "put_back", "correct_card")
    changes = [reverse(name, args=[found.pk]) for name in acts]
    changes.append(reverse("admit", args=[team.pk]))
    former = staff("former@example.org")
    former.is_active = False
    former.save()
    for client in (Client(), signed_in(User.objects.get(email="anna@example.org")), signed_in(former)):
        assert {client.get(address).status_code for address in addresses} == {404}
        assert {client.post(address).status_code for address in changes} == {404}
    found.refresh_from_db()
    assert found.state == State.PENDING


def test_a_token_of_staff_opens_no_page():
    found = pending()
    text = Token.create(staff(), "laptop")[1]
    client = Client(headers={"authorization": f"Bearer {text}"})
    assert client.get(reverse("staff_submission", args=[found.pk])).status_code == 404


def test_staff_see_exact_scores_and_the_history():
    found = pending()
    client = signed_in(staff())
    page = client.get(reverse("staff_submission", args=[found.pk])).content.decode()
    assert f"{found.exact['mcc']:.3f}" in page
    assert "The team was told:" in page
    assert page.index("queued → being scored") < page.index("being scored → scored, private")
    assert (
        "a password alone protects it"
        in signed_in(User.objects.get(is_staff=True)).get(reverse("staff")).content.decode()
    )


def test_staff_learn_no_more_of_their_own_team_than_its_members():
    """A member of staff who submits too would otherwise have an exact score for every file."""
    found = pending()
    own = member("own@example.org", found.team.name, is_staff=True)
    page = signed_in(own).get(reverse("staff_submission", args=[found.pk])).content.decode()
    assert f"{found.exact['mcc']:.3f}" not in page and f"{found.exact['mcc_ci95'][0]:.3f}" not in page
    assert "The team was told:" in page


def test_an_approval_makes_a_row_public():
    found = pending()
    decide(signed_in(staff()), found, "approve")
    found.refresh_from_db()
    assert found.state == State.PUBLIC
    assert found.shown["mcc"] == round(found.exact["mcc"], 1)


def test_a_refusal_needs_a_reason_which_the_submitter_reads():
    found = pending()
    client = signed_in(staff())
    assert "Say why" in decide(client, found, "refuse").content.decode()
    decide(client, found, "refuse", "Name the training data.")
    found.refresh_from_db()
    assert (found.state, found.reason) == (State.REFUSED, "Name the training data.")
    assert "Name the training data." in Mail.objects.filter(to="anna@example.org").latest("pk").body


def test_two_must_approve_where_the_site_asks_for_two(settings):
    settings.CONFIG = settings.CONFIG.model_copy(update={"approvals": 2})
    found = pending()
    first, second = signed_in(staff()), signed_in(staff("second@example.org"))
    for _ in range(2):  # the same one twice is one
        decide(first, found, "approve")
        found.refresh_from_db()
        assert found.state == State.PENDING
    decide(second, found, "approve")
    found.refresh_from_db()
    assert found.state == State.PUBLIC


def test_an_approval_of_an_earlier_request_is_worth_nothing():
    found = pending()
    client = signed_in(staff())
    decide(client, found, "refuse", "No.")
    found = move(found, State.PENDING, requests=2)
    decide(client, found, "approve", number=1)  # the form of the first request, sent again
    found.refresh_from_db()
    assert found.state == State.PENDING


def test_nobody_decides_about_the_own_team():
    anna = member(is_staff=True)
    found = pending(anna)
    page = (
        signed_in(anna)
        .post(
            reverse("decide", args=[found.pk]),
            {"decision": "approve", "number": 1, "version": version_of(found)},
            follow=True,
        )
        .content.decode()
    )
    assert "You are a member of its team" in page
    found.refresh_from_db()
    assert (found.state, Decision.objects.count()) == (State.PENDING, 0)


def test_notes_are_for_staff_alone():
    found = pending()
    signed_in(staff()).post(reverse("note", args=[found.pk]), {"text": "Looks like the last one."})
    assert Note.objects.get().staff.email == "staff@example.org"
    page = signed_in(User.objects.get(email="anna@example.org")).get(reverse("result", args=[found.pk]))
    assert "Looks like" not in page.content.decode()


def test_what_failed_is_queued_again():
    found = submitted(member())
    move(found, State.SCORING)
    move(found, State.FAILED, reason="Scoring failed.", attempts=4)
    client = signed_in(staff())
    assert "1 submission could not be scored." in client.get(reverse("staff")).content.decode()
    client.post(reverse("requeue", args=[found.pk]), {"version": version_of(found)})
    assert score_waiting() == 1
    found.refresh_from_db()
    assert found.state == State.PRIVATE


def test_teams_wait_for_admission_where_the_site_asks_for_it(settings):
    settings.CONFIG = settings.CONFIG.model_copy(update={"admits_all": False})
    client = signed_in(staff())
    user = member("new@example.org", None)
    signed_in(user).post(reverse("team"), {"name": "New team"})
    assert "New team" in Mail.objects.get(to="staff@example.org").subject
    page = client.get(reverse("staff")).content.decode()
    assert 'aria-label="Admit New team"' in page
    team = Team.objects.get(name="New team")
    for _ in range(2):
        client.post(reverse("admit", args=[team.pk]), {"version": version_of(team)})
    team.refresh_from_db()
    assert team.is_admitted
    assert "can submit from now on" in Mail.objects.get(to="new@example.org").body


def test_the_queue_takes_the_same_queries_whatever_it_holds():
    client = signed_in(staff())
    fill(3, ["hulu_hucola"], n_private=3)
    counts = []
    for _ in range(2):
        with CaptureQueriesContext(connection) as queries:
            assert client.get(reverse("staff"), {"state": "private"}).status_code == 200
        counts.append(len(queries))
        fill(20, ["hulu_hucola"], n_private=60)
    assert counts[0] == counts[1] <= 15

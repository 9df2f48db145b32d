"""Pages of moderation: rows by their own, teams and accounts by Django's admin, and what somebody else changed."""

from __future__ import annotations

import re

import pytest
from allauth.mfa.models import Authenticator
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from hueval_site.accounts.models import Team, Token, User
from hueval_site.pages.admin import site
from hueval_site.scoring.work import score_waiting
from hueval_site.submissions import moderation, publish
from hueval_site.submissions.models import Mail, Phase, State, Submission
from hueval_site.submissions.states import move
from hueval_site.submissions.versions import version_of
from leaderboard.tests.people import CARD, member, signed_in, submitted
from leaderboard.tests.test_publish import published

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("fresh_cache")]
WHY, STALE = "Asked for by the team.", "It has changed since you opened the page."
TEAMS, ACCOUNTS = "admin:accounts_team_changelist", "admin:accounts_user_changelist"


@pytest.fixture
def staff() -> User:
    """An administrator with a second factor."""
    found = member("staff@example.org", None, is_staff=True, is_superuser=True)
    Authenticator.objects.create(user=found, type=Authenticator.Type.TOTP, data={})
    return found


@pytest.fixture
def public(user, staff) -> Submission:
    found = submitted(user)
    score_waiting()
    found.refresh_from_db()
    return published(found, staff)


def hidden(page: str) -> dict[str, str]:
    """The hidden fields of the forms of a page."""
    return dict(re.findall(r'type="hidden" name="(version\w*)" value="(\d+)"', page))


def act(client: Client, place: str, word: str, *rows: object, **given: str) -> str:
    """Choose rows of an admin list and an act, fill in its form and send it; the page that follows."""
    chosen = {"action": word, "_selected_action": [row.pk for row in rows]}
    page = client.post(reverse(place), chosen).content.decode()
    return client.post(
        reverse(place), chosen | hidden(page) | {"reason": WHY, "apply": "1"} | given, follow=True
    ).content.decode()


def test_a_row_is_withdrawn_and_put_back_on_its_page(public, staff):
    client = signed_in(staff)
    place = reverse("staff_submission", args=[public.pk])
    page = client.get(place).content.decode()
    withdrawal = reverse("withdraw_row", args=[public.pk])
    assert withdrawal in page and reverse("put_back", args=[public.pk]) not in page
    without = client.post(withdrawal, hidden(page)).content.decode()
    assert 'id="act_reason"' in without and "aria-invalid" in without
    client.post(withdrawal, hidden(page) | {"reason": WHY})
    public.refresh_from_db()
    assert (public.state, public.reason) == (State.WITHDRAWN, WHY)
    page = client.get(place).content.decode()
    assert f"reason: {WHY}" in page and "staff@example.org" in page  # of the history
    client.post(reverse("put_back", args=[public.pk]), hidden(page) | {"reason": WHY})
    public.refresh_from_db()
    assert public.state == State.PUBLIC


def test_a_card_is_corrected_on_its_page(public, staff):
    client = signed_in(staff)
    place = reverse("correct_card", args=[public.pk])
    given = hidden(client.get(place).content.decode()) | CARD | {"model_name": "Kuvasz", "setting": "baseline"}
    assert "aria-invalid" in client.post(place, given).content.decode()  # without a reason
    client.post(place, given | {"reason": WHY})
    public.refresh_from_db()
    assert (public.model_name, public.setting) == ("Kuvasz", "baseline")


def test_who_acts_on_what_another_has_changed_is_told(user, staff):
    """Each act of staff, on a page that was opened before somebody else's: nothing is done."""
    found = submitted(user)
    score_waiting()
    publish.request_publication(found, user)
    second = member("second@example.org", None, is_staff=True)
    client, key = signed_in(staff), found.pk
    old = hidden(client.get(reverse("staff_submission", args=[key])).content.decode())
    moderation.correct_card(found, second, WHY, {"model_name": "Kuvasz"})
    before = Submission.objects.filter(pk=key).values().get()
    sent = {
        "decide": {"decision": "approve", "number": "1"},
        "withdraw_row": {"reason": WHY},
        "put_back": {"reason": WHY},
        "requeue": {},
        "correct_card": CARD | {"reason": WHY},
    }
    for name, given in sent.items():
        page = client.post(reverse(name, args=[key]), old | given, follow=True).content.decode()
        assert STALE in page, name
    team = user.team
    seen = version_of(team)
    moderation.unadmit(team, second, WHY)
    page = client.post(reverse("admit", args=[team.pk]), {"version": seen}, follow=True).content.decode()
    assert STALE in page
    assert STALE in client.post(reverse("admit", args=[team.pk]), follow=True).content.decode()  # names no version
    assert Submission.objects.filter(pk=key).values().get() == before
    assert not Team.objects.get().is_admitted


def test_a_change_of_the_worker_or_of_the_team_counts_too(user, staff):
    client, found = signed_in(staff), submitted(user)
    old = hidden(client.get(reverse("staff_submission", args=[found.pk])).content.decode())
    score_waiting()
    page = client.post(reverse("withdraw_row", args=[found.pk]), old | {"reason": WHY}, follow=True).content.decode()
    assert STALE in page
    old = hidden(client.get(reverse("staff_submission", args=[found.pk])).content.decode())
    publish.request_publication(found, user)
    page = client.post(reverse("withdraw_row", args=[found.pk]), old | {"reason": WHY}, follow=True).content.decode()
    assert STALE in page


def test_the_admin_pages_ask_for_a_second_factor_and_are_for_staff_alone(user, staff):
    without = member("new@example.org", None, is_staff=True)
    places = [
        reverse("admin:app_list", args=["accounts"]),
        reverse(TEAMS),
        reverse("admin:accounts_user_change", args=[user.pk]),
    ]
    places.append(reverse("admin:login"))
    for place in places:
        assert Client().get(place).status_code == signed_in(user).get(place).status_code == 404
        answer = signed_in(without).get(place, follow=True)
        assert answer.redirect_chain[-1][0] == reverse("mfa_index")
        assert "These pages need a second factor" in answer.content.decode()
    assert signed_in(staff).get(reverse("admin:index")).headers["Location"] == places[0]
    for place in places[:3]:
        assert signed_in(staff).get(place).status_code == 200
    before = version_of(user.team)
    signed_in(without).post(reverse(TEAMS), {"action": "suspend", "_selected_action": user.team_id})
    assert version_of(user.team) == before


def test_the_admin_adds_edits_and_deletes_nothing_and_has_no_scores(user, staff):
    assert set(site._registry) == {Team, User, Phase}
    client, team = signed_in(staff), user.team
    for kind, row in (("team", team), ("user", user)):
        assert client.get(reverse(f"admin:accounts_{kind}_add")).status_code == 403
        for page in ("delete", "change"):
            place = reverse(f"admin:accounts_{kind}_{page}", args=[row.pk])
            assert client.post(place, {"post": "yes", "name": "X", "email": "x@example.org"}).status_code == 403
    page = client.get(reverse("admin:accounts_user_change", args=[user.pk])).content.decode()
    assert "md5$" not in page and 'type="text"' not in page and 'type="checkbox"' not in page
    team.refresh_from_db()
    assert team.name == "Team"


def test_each_act_is_an_admin_action(user, staff):
    client = signed_in(staff)
    bela = member("bela@example.org")
    Token.create(user, "laptop")
    Authenticator.objects.create(user=user, type=Authenticator.Type.TOTP, data={})
    for word, given, expected in (
        ("unadmit", {}, {"is_admitted": False}),
        ("admit", {"reason": ""}, {"is_admitted": True}),
        ("suspend", {}, {"is_suspended": True}),
        ("resume", {}, {"is_suspended": False}),
        ("rename", {"value": "Puli kutatók"}, {"name": "Puli kutatók"}),
        ("owner", {"value": bela.email}, {"owner": bela}),
        ("call-back", {}, {"invitations": 1}),
    ):
        page = act(client, TEAMS, word, user.team, **given)
        team = Team.objects.get()
        assert {name: getattr(team, name) for name in expected} == expected, page
    for word, given, expected in (
        ("revoke-token", {"value": "laptop"}, lambda: not Token.objects.exists()),
        ("reset-mfa", {}, lambda: not Authenticator.objects.filter(user=user).exists()),
        ("suspend", {}, lambda: not User.objects.get(pk=user.pk).is_active),
        ("resume", {}, lambda: User.objects.get(pk=user.pk).is_active),
        ("remove", {}, lambda: User.objects.get(pk=user.pk).team is None),
    ):
        page = act(client, ACCOUNTS, word, user, **given)
        assert expected(), page
    page = client.get(reverse("admin:accounts_team_change", args=[user.team_id])).content.decode()
    assert f"<bdi>staff@example.org</bdi>: rename: {WHY}" in page


def test_an_admin_action_needs_a_reason_and_the_rows_as_they_were(user, staff):
    client, place = signed_in(staff), reverse(TEAMS)
    chosen = {"action": "suspend", "_selected_action": user.team_id}
    page = client.post(place, chosen).content.decode()
    assert "aria-invalid" in client.post(place, chosen | hidden(page) | {"apply": "1"}).content.decode()
    moderation.rename(user.team, None, WHY, "Puli")
    answer = client.post(place, chosen | hidden(page) | {"apply": "1", "reason": WHY}, follow=True)
    assert STALE in answer.content.decode()
    assert not Team.objects.get().is_suspended


def test_an_admin_action_is_for_few_rows_and_does_each_by_itself(user, staff):
    client = signed_in(staff)
    many = [Team.objects.create(name=f"Team {number}") for number in range(100)]
    chosen = {"action": "suspend", "_selected_action": [one.pk for one in many[:50]], "select_across": "1"}  # all pages
    page = client.post(reverse(TEAMS), chosen, follow=True)
    assert "at most 20 at once" in page.content.decode()
    page = client.post(reverse(TEAMS), {"action": "rename", "_selected_action": [many[0].pk, many[1].pk]}, follow=True)
    assert "at most 1 at once" in page.content.decode()
    page = act(client, TEAMS, "admit", user.team, *many[:19])
    assert page.count("Admit.") == 19 and "It is so already." in page
    assert Team.objects.filter(is_admitted=True).count() == 20
    assert Mail.objects.count() == 0  # none of them has a member but the one that was admitted before


def test_the_last_administrator_cannot_be_suspended_by_the_page(staff):
    page = act(signed_in(staff), ACCOUNTS, "suspend", staff)
    assert "only administrator" in page
    assert User.objects.get().is_active


@pytest.mark.parametrize(
    ("place", "query", "found"), [(TEAMS, "őrs", "Őrség"), (ACCOUNTS, "anna@", "anna@example.org")]
)
def test_teams_and_accounts_are_listed_and_found_with_the_same_queries(user, staff, place, query, found):
    Team.objects.create(name="Őrség")
    client, counts = signed_in(staff), []
    assert found in client.get(reverse(place), {"q": query.capitalize() if place == TEAMS else query}).content.decode()
    for _ in range(2):
        with CaptureQueriesContext(connection) as queries:
            assert client.get(reverse(place)).status_code == 200
        counts.append(len(queries))
        for number in range(20):
            member(f"u{number}-{len(counts)}@example.org", f"Team {number} {len(counts)}")
    assert counts[0] == counts[1] <= 12


def test_a_failed_submission_is_queued_by_who_has_seen_it_fail(user, staff):
    found = submitted(user)
    seen = version_of(found)
    move(found, State.SCORING)
    move(found, State.FAILED, reason="Scoring failed.")
    client = signed_in(staff)
    page = client.post(reverse("requeue", args=[found.pk]), {"version": seen}, follow=True).content.decode()
    assert STALE in page
    client.post(reverse("requeue", args=[found.pk]), {"version": version_of(found)})
    found.refresh_from_db()
    assert found.state == State.QUEUED

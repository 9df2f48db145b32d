"""Who may do what by the API: tokens, teams, staff, and how often."""

from __future__ import annotations

import uuid
import warnings
from datetime import timedelta

import pytest
from django.core.cache import CacheKeyWarning
from django.test import Client
from django.utils import timezone

from hueval_site.accounts.models import Team, Token, User
from hueval_site.api import auth
from hueval_site.scoring.work import score_waiting
from hueval_site.submissions.models import Submission
from leaderboard.tests.api_client import SUBMISSIONS, act, member, post, upload

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("fresh_cache")]


def test_another_team_has_the_same_answer_as_for_nothing(client):
    _, mine = member()
    (sent,) = post(client, mine).json()["submissions"]
    others = [member("Other")[1], member("Staff", is_staff=True, is_superuser=True)[1]]
    for headers in others:
        for end in ("", "/faults"):
            foreign = client.get(f"{SUBMISSIONS}/{sent['id']}{end}", headers=headers)
            none = client.get(f"{SUBMISSIONS}/{uuid.uuid4()}{end}", headers=headers)
            assert foreign.status_code == none.status_code == 404
            assert foreign.content == none.content and dict(foreign.headers) == dict(none.headers)
        assert client.get(SUBMISSIONS, headers=headers).json()["count"] == 0


@pytest.mark.parametrize(
    ("headers", "why"),
    [
        ({}, "no token"),
        ({"Authorization": "Bearer hueval_wrong"}, "unknown"),
        ({"Authorization": "Bearer"}, "empty"),
        ({"Authorization": "Basic dXNlcjpwYXNz"}, "another scheme"),
        ({"Authorization": "Bearer " + "a" * 100_000}, "long"),
        ({"Authorization": "Bearer \x00"}, "a control character"),
    ],
)
def test_without_a_valid_token_there_is_nothing(client, headers, why):
    for response in (client.get(SUBMISSIONS, headers=headers), post(client, headers)):
        assert response.status_code == 401, why
        assert response["WWW-Authenticate"].startswith("Bearer")
    assert Submission.objects.count() == 0


def test_cookies_are_not_accepted():
    user, _ = member(is_staff=True)
    for checks in (False, True):
        client = Client(enforce_csrf_checks=checks)
        client.force_login(user)
        assert client.get(SUBMISSIONS).status_code == 401
        assert post(client, {}).status_code == 401


def test_a_bearer_needs_no_csrf_token():
    _, headers = member()
    assert post(Client(enforce_csrf_checks=True), headers).status_code == 201


def test_a_closed_account_and_a_deleted_token_are_not_accepted(client):
    user, headers = member()
    assert client.get(SUBMISSIONS, headers=headers).status_code == 200
    User.objects.filter(pk=user.pk).update(is_active=False)
    assert client.get(SUBMISSIONS, headers=headers).status_code == 401
    User.objects.filter(pk=user.pk).update(is_active=True)
    Token.objects.all().delete()
    assert client.get(SUBMISSIONS, headers=headers).status_code == 401


def test_without_a_team_or_admission_one_may_not_submit(client):
    _, headers = member(team=None)
    for response in (post(client, headers), client.get(SUBMISSIONS, headers=headers)):
        assert response.status_code == 403 and response.json()["error"]["code"] == "no-team"
    Team.objects.create(name="Waiting", is_admitted=False)
    response = post(client, member("Waiting")[1])  # is checked, and not scored
    (answer,) = response.json()["submissions"]
    assert (response.status_code, answer["state"]) == (201, "checked")
    assert "once staff admit your team" in answer["reason"]
    assert Submission.objects.get().counted is None


def test_the_last_use_of_a_token_is_known_to_the_minute(client):
    _, headers = member()
    client.get(SUBMISSIONS, headers=headers)
    first = Token.objects.get().used
    assert first is not None
    client.get(SUBMISSIONS, headers=headers)
    assert Token.objects.get().used == first
    for past in (timezone.now() - timedelta(minutes=2), timezone.now() + timedelta(hours=1)):  # a clock set back
        Token.objects.update(used=past)
        client.get(SUBMISSIONS, headers=headers)
        assert abs(Token.objects.get().used - timezone.now()) < timedelta(seconds=30)


def test_too_many_requests_are_told_when_to_come_back(client, monkeypatch):
    monkeypatch.setattr(auth, "CHANGES", 2)
    monkeypatch.setattr(auth, "FAILURES", 2)
    monkeypatch.setattr("hueval_site.api.rates.time.time", lambda: 1_800_000_010.0)  # ten seconds into a span
    _, headers = member()
    statuses = [post(client, headers, file=upload("[]")).status_code for _ in range(3)]
    assert statuses == [201, 201, 429]
    assert post(client, headers)["Retry-After"] == "50"
    assert client.get(SUBMISSIONS, headers=headers).status_code == 200  # reading goes on
    wrong = {"Authorization": "Bearer hueval_wrong"}
    assert [client.get(SUBMISSIONS, headers=wrong).status_code for _ in range(3)] == [401, 401, 429]
    assert client.get(SUBMISSIONS, headers=headers).status_code == 200  # a guesser does not lock others out
    elsewhere = client.get(SUBMISSIONS, headers=wrong, REMOTE_ADDR="192.0.2.7")
    assert elsewhere.status_code == 401


def test_unknown_tokens_are_counted_without_a_warning_of_the_cache(client):
    with warnings.catch_warnings(action="error", category=CacheKeyWarning):
        assert client.get("/api/v1/submissions", headers={"Authorization": "Bearer hueval_x"}).status_code == 401


def test_nobody_changes_anothers_submission_staff_neither(client):
    _, mine = member()
    (sent,) = post(client, mine).json()["submissions"]
    score_waiting()
    staff = member("Staff", is_staff=True, is_superuser=True)[1]
    for headers in (member("Other")[1], staff, member(team=None, is_staff=True)[1]):
        for action in ("request-publication", "withdraw", "approve", "decide"):
            response = act(client, f"{SUBMISSIONS}/{sent['id']}/{action}", headers)
            assert response.status_code in (403, 404) and response.json()["error"]["code"] in ("no-team", "not-found")
    for method in ("put", "patch", "delete"):
        assert getattr(client, method)(f"{SUBMISSIONS}/{sent['id']}", headers=staff).status_code == 405
    assert Submission.objects.get().state == "private"

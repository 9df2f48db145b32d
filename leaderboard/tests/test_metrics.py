"""`/metrics`: who reads it, and that Prometheus's own parser does."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.db import OperationalError, connection
from django.test import Client
from django.utils import timezone
from prometheus_client.parser import text_string_to_metric_families
from pydantic import SecretStr

from hueval_site.accounts.models import Team
from hueval_site.submissions.models import JudgeMonth, Mail, State, Submission
from leaderboard.tests.people import member, submitted

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("fresh_cache")]
TOKEN = "0123456789abcdef01234567"
BEARER = {"authorization": f"Bearer {TOKEN}"}


@pytest.fixture
def with_token(settings):
    settings.CONFIG = settings.CONFIG.model_copy(update={"metrics_token": SecretStr(TOKEN)})


def numbers(text: str) -> dict[str, float]:
    """Name and label → number, as Prometheus reads them."""
    return {
        sample.name + "".join(sample.labels.values()): sample.value
        for family in text_string_to_metric_families(text)
        for sample in family.samples
    }


def test_there_is_no_such_address_without_a_token(client):
    assert client.get("/metrics").status_code == 404
    assert client.get("/metrics", headers={"authorization": "Bearer "}).status_code == 404


@pytest.mark.parametrize("given", ["", "Bearer", f"Bearer {TOKEN}x", TOKEN, f"bearer {TOKEN[:-1]}", "Bearer \xe9"])
def test_another_token_reads_nothing(with_token, client, given):
    answer = client.get("/metrics", headers={"authorization": given})
    assert (answer.status_code, answer.content) == (401, b"the token is wrong\n")
    assert answer.headers["WWW-Authenticate"] == "Bearer"


def test_prometheus_reads_the_state_of_the_site(with_token, client):
    anna = member(team="Secret team")
    old, new = submitted(anna), submitted(anna, 0.6, 1, "Secret model")
    Submission.objects.filter(pk=old.pk).update(queued=timezone.now() - timedelta(minutes=10))
    Submission.objects.filter(pk=new.pk).update(rescore=True, state=State.PRIVATE, exact={"mcc": 1 / 3})
    Submission.objects.create(
        team=anna.team, user=anna, board="openhueval_husimpleqa", season=old.season, state=State.QUEUED, n_rows=7,
        queued=timezone.now(),
    )  # fmt: skip
    Mail.objects.all().delete()
    for attempts, sent in ((0, None), (3, None), (1, timezone.now())):
        Mail.objects.create(to="a@example.org", subject="s", body="b", attempts=attempts, sent=sent)
    JudgeMonth.objects.create(month=timezone.now().date().replace(day=1), usd=1.5)
    answer = client.get("/metrics", headers=BEARER)
    assert answer.status_code == 200
    assert answer.headers["Content-Type"] == "text/plain; version=0.0.4; charset=utf-8"
    assert answer.headers["Cache-Control"] == "private, no-store"
    text = answer.content.decode()
    found = numbers(text)
    assert found["hueval_submissionsqueued"] == 2 and found["hueval_submissionsprivate"] == 1
    assert {f"hueval_submissions{state}" for state in State} < {*found}
    assert found["hueval_queue_length"] == 2
    assert 600 <= found["hueval_queue_oldest_seconds"] < 700
    assert (found["hueval_rescore_length"], found["hueval_judge_month_usd"]) == (1, 1.5)
    assert (found["hueval_verdicts_asked"], found["hueval_verdicts_kept"]) == (7, 0)
    assert (found["hueval_mails_waiting"], found["hueval_mails_failing"]) == (2, 1)
    assert found["hueval_disk_free_bytes"] > 0
    assert "hueval_worker_beat_age_seconds" not in found
    assert [word for word in ("Secret", "anna", "hulu", "openhueval", "0.333") if word in text] == []


def test_what_is_held_is_not_in_the_queue(with_token, client):
    held = submitted(member())
    Team.objects.update(is_suspended=True)
    found = numbers(client.get("/metrics", headers=BEARER).content.decode())
    assert held.state == State.QUEUED
    assert (found["hueval_queue_length"], found["hueval_submissionsqueued"]) == (0, 1)


def test_a_site_without_anything_has_numbers_too(with_token, client):
    found = numbers(client.get("/metrics", headers=BEARER).content.decode())
    assert (found["hueval_queue_length"], found["hueval_queue_oldest_seconds"]) == (0, 0)


def test_while_the_database_is_away_there_are_none(with_token):
    def away(*_):
        raise OperationalError("connection to server failed")

    with connection.execute_wrapper(away):
        assert Client(raise_request_exception=False).get("/metrics", headers=BEARER).status_code == 503

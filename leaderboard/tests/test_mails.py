"""Mails: kept until a server takes them, sent once, in the language of who gets them."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.core import mail
from django.core.mail import get_connection
from django.core.mail.backends.base import BaseEmailBackend
from django.utils import timezone

from hueval_site.accounts.models import User
from hueval_site.submissions import mails
from hueval_site.submissions.mails import forget_mails, send_mails, tell_staff, tell_submitter
from hueval_site.submissions.models import Mail
from leaderboard.tests.people import member, submitted

pytestmark = pytest.mark.django_db(transaction=True)


class Dead(BaseEmailBackend):
    """A server that refuses connections."""

    def send_messages(self, messages):
        """Refuse."""
        raise ConnectionRefusedError("anna@example.org: connection refused")


@pytest.fixture
def dead(settings):
    settings.EMAIL_BACKEND = f"{__name__}.Dead"


def test_what_a_dead_server_does_not_take_is_kept_and_sent_once(dead, settings, caplog):
    tell_submitter(submitted(member()))
    assert send_mails() == 0
    assert send_mails() == 0  # it waits first
    kept = Mail.objects.get()
    assert (kept.attempts, kept.sent) == (1, None)
    assert timedelta(seconds=20) < kept.next_attempt - timezone.now() <= timedelta(seconds=30)
    assert "anna@example.org" not in caplog.text
    settings.EMAIL_BACKEND = "django.core.mail.backends.locmem.EmailBackend"
    Mail.objects.update(next_attempt=timezone.now())
    assert [send_mails(), send_mails()] == [1, 0]
    assert [one.to for one in mail.outbox] == [["anna@example.org"]]


def test_pauses_double_up_to_an_hour(dead):
    tell_submitter(submitted(member()))
    pauses = []
    for _ in range(9):
        Mail.objects.update(next_attempt=timezone.now())
        send_mails()
        pauses.append(round((Mail.objects.get().next_attempt - timezone.now()).total_seconds() / 30))
    assert pauses == [1, 2, 4, 8, 16, 32, 64, 120, 120]


def test_a_mail_of_before_the_clock_was_set_back_is_sent():
    tell_submitter(submitted(member()))
    Mail.objects.update(next_attempt=timezone.now() + timedelta(days=1))
    assert send_mails() == 1


def test_a_mail_that_another_worker_is_sending_is_left_to_it(monkeypatch):
    tell_submitter(submitted(member()))

    class Slow(BaseEmailBackend):
        def send_messages(self, messages):
            inner.append(send_mails())
            return 1

    inner: list[int] = []
    monkeypatch.setattr("hueval_site.submissions.mails.get_connection", Slow)
    assert send_mails() == 1
    assert inner == [0]


def test_of_two_workers_that_have_read_a_mail_one_sends_it():
    tell_submitter(submitted(member()))
    read, connection = Mail.objects.get(), get_connection()
    assert [mails._send(read, connection), mails._send(read, connection)] == [True, False]
    assert len(mail.outbox) == 1


def test_the_message_id_stays_the_same(monkeypatch):
    tell_submitter(submitted(member()))
    for _ in range(2):
        send_mails()
        Mail.objects.update(sent=None, next_attempt=timezone.now())
    first, second = (one.message()["Message-ID"] for one in mail.outbox)
    assert first == second


@pytest.mark.parametrize(
    ("language", "first_line", "reason"),
    [
        ("en", "Your submission of Puli for HuCOLA: queued.", "Scoring failed. This does not count"),
        ("hu", "Az Ön beküldése: Puli, ranglista: HuCOLA. Állapota: pontozásra vár.", "A pontozás nem sikerült."),
    ],
)
def test_each_gets_a_mail_in_their_language(user, language, first_line, reason):
    User.objects.update(language=language)
    found = submitted(user)
    found.user.language = language
    found.reason = "Scoring failed. This does not count, and staff have been told."
    tell_submitter(found)
    body = Mail.objects.get().body
    assert body.splitlines()[0] == first_line
    assert reason in body
    assert body.rstrip().endswith(f"/{language}/my/{found.pk}/")


def test_names_forge_no_lines(settings):
    found = submitted(member())
    found.model_name = "Puli\nBcc: all@example.org\r\nSubject: \u202ewon"
    tell_submitter(found)
    member("staff@example.org", None, is_staff=True)
    tell_staff(found, "Note.")
    assert send_mails() == 2
    for one in mail.outbox:
        assert "\n" not in one.subject
        assert "Bcc" not in one.message()
        assert not any(line.startswith(("Bcc", "Subject")) for line in one.body.splitlines())
    assert "Note." in mail.outbox[-1].body


def test_inactive_accounts_get_no_mail():
    tell_submitter(submitted(member(is_active=False)))
    assert not Mail.objects.exists()


def test_old_mails_are_forgotten():
    tell_submitter(submitted(member()))
    assert forget_mails() == 0
    Mail.objects.update(created=timezone.now() - timedelta(days=31))
    assert forget_mails() == 1

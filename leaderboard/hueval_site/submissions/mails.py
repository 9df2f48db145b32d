"""The mails that changes of state write, and their sending."""

from __future__ import annotations

import logging
from collections.abc import Iterable, Mapping
from datetime import timedelta
from email.utils import parseaddr

from django.conf import settings
from django.core.mail import EmailMessage, get_connection
from django.core.mail.backends.base import BaseEmailBackend
from django.db.models import Q
from django.template.loader import render_to_string
from django.utils import timezone, translation
from django.utils.translation import gettext

from hueval_metrics.api.boards import one_line
from hueval_site.accounts.models import Team, User
from hueval_site.submissions.models import Mail, Submission

RETRY = timedelta(seconds=30)  # after the first failure; doubled with each, up to LONGEST
LONGEST = timedelta(hours=1)
KEPT = timedelta(days=30)  # after which a mail is deleted, sent or not
_AT_ONCE = 50
_NAME = 120  # characters of a name that somebody has chosen

log = logging.getLogger(__name__)


def tell_submitter(submission: Submission, note: str = "") -> None:
    """Write a mail about the state of a submission, in the language of who submitted it.

    Args:
        submission: which one.
        note: a msgid that says more than its state and its reason.
    """
    _write(submission.user, "submitter", _about(submission, note))


def tell_staff(submission: Submission, note: str = "") -> None:
    """Write a mail to every member of staff, each in their language; arguments as for `tell_submitter`."""
    for user in User.objects.filter(is_staff=True):
        _write(user, "staff", _about(submission, note))


def tell_admitted(team: Team) -> None:
    """Write a mail to the members of a team that has been admitted."""
    for user in team.members.all():
        _write(user, "admitted", {"team": team})


def tell_waiting_team(team: Team) -> None:
    """Write a mail to staff about a team that they have to admit."""
    for user in User.objects.filter(is_staff=True):
        _write(user, "team", {"team": team})


def tell(users: Iterable[User], text: str, reason: str, **values: str) -> None:
    """Write a mail about an act of staff.

    Args:
        users: to whom.
        text: a msgid that says what was done.
        reason: why, in the words of staff.
        **values: what the text names.
    """
    named = {name: one_line(value, _NAME) for name, value in values.items()}
    for user in users:
        with translation.override(user.language):
            sentence = gettext(text) % named
        _write(user, "act", {"sentence": sentence, "reason": reason.strip()})


def queue_mail(to: str, subject: str, body: str) -> None:
    """Queue a mail, for a worker to send."""
    Mail.objects.create(to=to, subject=one_line(subject, 200), body=body.strip() + "\n")


def _about(submission: Submission, note: str) -> dict[str, object]:
    """What the templates show: names that somebody has chosen are one line each, so that none forges a line."""
    return {
        "submission": submission,
        "model": one_line(submission.model_name, _NAME),
        "team": one_line(submission.team.name, _NAME),
        "notes": [text for text in (submission.reason, note) if text],
    }


def _write(user: User, kind: str, about: Mapping[str, object]) -> None:
    if not user.is_active:  # of an account that was deleted or suspended
        return
    with translation.override(user.language):
        context = {**about, "url": settings.CONFIG.url, "title": settings.CONFIG.title}
        text = render_to_string(f"mails/{kind}.txt", context).strip()
    subject, _, body = text.partition("\n")
    queue_mail(user.email, subject, body)


def send_mails() -> int:
    """Send what is due; what a server does not take is kept and tried again later.

    No transaction is open while a server is asked, which may take its time. A mail is put off before it is sent, so
    that of several workers one sends it; after a crash between sending and noting that, it is sent a second time with
    the same Message-ID.

    Returns:
        How many were sent.
    """
    now = timezone.now()
    # A time far in the future is one of before the clock was set back.
    due = Mail.objects.filter(Q(next_attempt__lte=now) | Q(next_attempt__gt=now + 2 * LONGEST), sent=None)
    mails = list(due.order_by("next_attempt")[:_AT_ONCE])
    if not mails:
        return 0
    connection: BaseEmailBackend = get_connection()
    try:
        return sum(_send(mail, connection) for mail in mails)
    finally:
        try:
            connection.close()
        except OSError as error:
            log.warning("the mail server went away: %s", type(error).__name__)


def _send(mail: Mail, connection: BaseEmailBackend) -> bool:
    later = timezone.now() + min(RETRY * 2 ** min(mail.attempts, 10), LONGEST)
    mine = Mail.objects.filter(pk=mail.pk, sent=None, attempts=mail.attempts)
    if not mine.update(attempts=mail.attempts + 1, next_attempt=later):  # another worker has it
        return False
    domain = parseaddr(settings.DEFAULT_FROM_EMAIL)[1].rpartition("@")[2] or "localhost"
    headers = {
        "Message-ID": f"<{mail.pk}.{int(mail.created.timestamp())}@{domain}>",
        "Auto-Submitted": "auto-generated",
    }
    message = EmailMessage(mail.subject, mail.body, to=[mail.to], headers=headers, connection=connection)
    try:
        message.send()
    except Exception as error:  # whatever a server or a disk says; its text may name the addressee
        log.warning("mail %s was not sent (%s); next attempt at %s", mail.pk, type(error).__name__, f"{later:%H:%M:%S}")
        return False
    Mail.objects.filter(pk=mail.pk).update(sent=timezone.now())
    return True


def forget_mails() -> int:
    """Delete mails that are old: how many."""
    return Mail.objects.filter(created__lt=timezone.now() - KEPT).delete()[0]

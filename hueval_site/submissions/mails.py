"""The mails that changes of state write, and their sending."""

from __future__ import annotations

import logging
from datetime import timedelta

from django.conf import settings
from django.core.mail import EmailMessage
from django.db import transaction
from django.template.loader import render_to_string
from django.utils import timezone, translation

from hueval_site.accounts.models import Team, User
from hueval_site.submissions.models import Mail, Submission

RETRY = timedelta(seconds=30)  # after the first failure; doubled with each, up to LONGEST
LONGEST = timedelta(hours=1)

log = logging.getLogger(__name__)


def tell_submitter(submission: Submission) -> None:
    """Write a mail about the state of a submission, in the language of who submitted it."""
    _write(submission.user, "submitter", submission=submission)


def tell_staff(submission: Submission) -> None:
    """Write a mail to every member of staff, each in their language."""
    for user in User.objects.filter(is_staff=True, is_active=True):
        _write(user, "staff", submission=submission)


def tell_admitted(team: Team) -> None:
    """Write a mail to the members of a team that has been admitted."""
    for user in team.members.all():
        _write(user, "admitted", team=team)


def tell_waiting_team(team: Team) -> None:
    """Write a mail to staff about a team that they have to admit."""
    for user in User.objects.filter(is_staff=True, is_active=True):
        _write(user, "team", team=team)


def _write(user: User, kind: str, **about: object) -> None:
    if not user.is_active:  # an account that was deleted has no address
        return
    with translation.override(user.language):
        context = {**about, "url": settings.CONFIG.url, "title": settings.CONFIG.title}
        text = render_to_string(f"mails/{kind}.txt", context).strip()
    subject, _, body = text.partition("\n")
    Mail.objects.create(to=user.email, subject=subject.strip()[:200], body=body.strip() + "\n")


def send_mails(limit: int = 50) -> int:
    """Send what is due; what a server does not take is kept and tried again later.

    Returns:
        How many were sent.
    """
    sent = 0
    due = Mail.objects.filter(sent=None, next_attempt__lte=timezone.now()).order_by("next_attempt")
    for key in list(due.values_list("pk", flat=True)[:limit]):
        with transaction.atomic():
            mail = Mail.objects.select_for_update(skip_locked=True).filter(pk=key, sent=None).first()
            if mail is None:  # another worker has it
                continue
            try:
                EmailMessage(mail.subject, mail.body, to=[mail.to]).send()
            except Exception as error:  # whatever a server or a disk says
                mail.attempts += 1
                mail.next_attempt = timezone.now() + min(RETRY * 2 ** min(mail.attempts - 1, 10), LONGEST)
                log.warning("mail %s was not sent (%s); next attempt at %s", key, error, mail.next_attempt)
            else:
                mail.sent = timezone.now()
                sent += 1
            mail.save()
    return sent

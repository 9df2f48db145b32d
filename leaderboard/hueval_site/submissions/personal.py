"""What the site stores about a person, and what is left when an account is deleted."""

from __future__ import annotations

import json
import re
from functools import partial, reduce
from operator import or_
from typing import Any

from allauth.account.models import EmailAddress
from allauth.mfa.models import Authenticator
from auditlog.context import set_actor
from auditlog.models import LogEntry
from django.contrib.contenttypes.models import ContentType
from django.contrib.sessions.models import Session
from django.core.exceptions import ValidationError
from django.db import transaction
from django.db.models import Q, TextField
from django.db.models.functions import Cast
from django.utils import timezone
from django.utils.translation import gettext as _

from hueval_metrics.api.boards import json_text
from hueval_site.accounts.models import Team, User
from hueval_site.submissions.card import CARD
from hueval_site.submissions.models import Mail, Submission
from hueval_site.submissions.versions import locked

DELETED = "@invalid"  # ends the address of an account that was deleted


def personal_data(user: User) -> dict[str, Any]:
    """Account, team, tokens and submissions of a person, as JSON can hold them; no exact score."""

    def row(submission: Submission) -> dict[str, Any]:
        return {
            "id": str(submission.pk),
            "task": submission.board,
            "state": submission.state,
            "created": submission.created.isoformat(),
            "file": submission.name,
            "sha256": submission.digest,
            "told": submission.told,
            **{name: getattr(submission, name) for name in CARD},
        }

    return {
        "email": user.email,
        "language": user.language,
        "created": user.date_joined.isoformat(),
        "last_login": user.last_login and user.last_login.isoformat(),
        "network": user.network,
        "team": user.team and user.team.name,
        "tokens": [{"name": token.name, "created": token.created.isoformat()} for token in user.tokens.all()],
        "submissions": [row(one) for one in user.submissions.order_by("created")],
    }


def delete_account(user: User) -> None:
    """Delete everything that says who a person is.

    Submissions stay with the team; the account that made them stays without address, password and name, and cannot be
    used. An account without submissions or decisions is deleted, with its team if nobody else is in it.

    Raises:
        ValidationError: it is the only administrator.
    """
    with transaction.atomic(), set_actor(None):  # the log cannot refer to who is deleted
        user = locked(user)
        if user.is_last_administrator():
            raise ValidationError(_("You are the only administrator. Make another one first."))
        end_sessions(user)
        for model in (EmailAddress, Authenticator):
            model.objects.filter(user=user).delete()
        user.tokens.all().delete()
        Mail.objects.filter(to=user.email).delete()
        team, key, address = user.team, user.pk, user.email
        if user.submissions.exists() or user.decisions.exists() or user.notes.exists():
            user.email = f"deleted-{user.pk}{DELETED}"
            user.first_name = user.last_name = user.network = ""
            user.is_active = user.is_staff = user.is_superuser = False
            user.set_unusable_password()
            user.save()
            Team.objects.filter(owner=user).update(owner=None)
        else:
            user.delete()
            if team is not None and not team.members.exists() and not team.submissions.exists():
                team.delete()
        _forget(key, address)


def end_sessions(user: User) -> None:
    """Sign a person out everywhere."""
    for session in Session.objects.filter(expire_date__gt=timezone.now()).iterator():
        if session.get_decoded().get("_auth_user_id") == str(user.pk):
            session.delete()


def _forget(key: int, address: str) -> None:
    """Take the address out of the audit log and of mails to others, which keep what happened, and of names of teams."""
    about = LogEntry.objects.filter(content_type=ContentType.objects.get_for_model(User), object_pk=str(key))
    about.update(object_repr=f"user {key}", changes=None, changes_text="", additional_data=None)
    LogEntry.objects.filter(Q(actor_email__iexact=address) | Q(actor_id=key)).update(actor_email=None, remote_addr=None)
    # Whole: that of ann@example.org is no part of joann@example.org.
    whole = re.compile(rf"(?<![\w.+-]){re.escape(address)}(?![\w-]|\.\w)", re.IGNORECASE)
    without = partial(whole.sub, f"user {key}")
    for team in Team.objects.filter(name__icontains=address):  # as sites before named a team without a name of its own
        if whole.search(team.name):
            team.name = f"team {team.pk}"
            team.save(update_fields=["name"])
    for mail in Mail.objects.filter(Q(subject__icontains=address) | Q(body__icontains=address)):
        mail.subject, mail.body = without(mail.subject), without(mail.body)
        mail.save(update_fields=["subject", "body"])
    texts = {"changed": Cast("changes", TextField()), "added": Cast("additional_data", TextField())}
    places = ("object_repr", "changes_text", *texts)
    named = reduce(or_, (Q(**{f"{place}__icontains": address}) for place in places))
    found = LogEntry.objects.annotate(**texts).filter(named)
    for entry in found:
        entry.object_repr, entry.changes_text = without(entry.object_repr), without(entry.changes_text or "")
        entry.changes, entry.additional_data = (
            json.loads(without(json_text(one))) for one in (entry.changes, entry.additional_data)
        )
        entry.save(update_fields=["object_repr", "changes_text", "changes", "additional_data"])

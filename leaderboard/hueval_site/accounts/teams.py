"""Teams: who founds one, who joins by an invitation, who may leave."""

from __future__ import annotations

from datetime import timedelta

from django.conf import settings
from django.core import signing
from django.core.exceptions import ValidationError
from django.db import transaction
from django.utils.translation import gettext as _

from hueval_site.accounts.models import Team, User
from hueval_site.accounts.names import team_name, tidy

INVITATION_SALT = "hueval_site.invitation"
INVITATION_AGE = timedelta(days=7)


def create(user: User, name: str) -> Team:
    """Found a team with its first member. It may submit at once where the site admits all.

    Raises:
        ValidationError: the name is not allowed, there is a team of this name, or the user has a team.
    """
    name = tidy(name)
    team_name(name)
    with transaction.atomic():
        user = User.objects.select_for_update().get(pk=user.pk)
        if user.team_id is not None:
            raise ValidationError(_("You are a member of a team already."))
        if named(name) is not None:
            raise ValidationError(_("There is a team of this name. Ask its members to invite you."))
        user.team = Team.objects.create(name=name, owner=user, is_admitted=settings.CONFIG.admits_all)
        user.save(update_fields=["team"])
    return user.team


def named(name: str) -> Team | None:
    """The team of a name, whatever the case of its letters; None without one."""
    # Not by the database: SQLite folds the case of ASCII letters alone.
    return next((team for team in Team.objects.all() if team.name.casefold() == name.casefold()), None)


def invitation(team: Team) -> str:
    """A text by which others can join a team for a week."""
    return signing.dumps([team.pk, team.invitations], salt=INVITATION_SALT)


def may_call_back(user: User) -> bool:
    """Whether a user may make the invitations of the team void: its owner, or any member of a team without one."""
    return user.team is not None and user.team.owner_id in (None, user.pk)


def call_back(team: Team) -> None:
    """Make all invitations void that a team has sent."""
    team.invitations += 1
    team.save(update_fields=["invitations"])


def invited_to(text: str) -> Team | None:
    """The team that an invitation names; None where it is none of ours, too old or called back."""
    try:
        found = signing.loads(text, salt=INVITATION_SALT, max_age=INVITATION_AGE)
    except signing.BadSignature:
        return None
    if not isinstance(found, list):  # of a version before invitations could be called back
        return None
    return Team.objects.filter(pk=found[0], invitations=found[1], is_suspended=False).first()


def join(user: User, team: Team) -> None:
    """Join a team by whose member one was invited.

    Raises:
        ValidationError: the user has a team.
    """
    with transaction.atomic():
        user = User.objects.select_for_update().get(pk=user.pk)
        if user.team_id is not None:
            raise ValidationError(_("You are a member of a team already."))
        user.team = team
        user.save(update_fields=["team"])


def may_leave(user: User) -> bool:
    """Whether a user may leave the team: not once it has submitted, since a new team has new limits."""
    return user.team is not None and not user.team.is_suspended and not user.team.submissions.exists()


def leave(user: User) -> None:
    """Leave a team that has not submitted anything.

    Raises:
        ValidationError: it has, or is suspended.
    """
    with transaction.atomic():
        user = User.objects.select_for_update().get(pk=user.pk)
        if user.team_id is None:
            return
        team = Team.objects.select_for_update().get(pk=user.team_id)
        if team.submissions.exists():
            raise ValidationError(_("Your team has submitted. Its members cannot leave it any more."))
        if team.is_suspended:
            raise ValidationError(_("Your team is suspended. Ask those who run the site."))
        part(user)


def part(user: User) -> None:
    """Take a user, who is locked, out of the team. One that has not submitted is deleted with its last member."""
    team = Team.objects.select_for_update().get(pk=user.team_id)
    user.team = None
    user.save(update_fields=["team"])
    if not team.members.exists() and not team.submissions.exists():
        team.delete()
    elif team.owner_id == user.pk:
        team.owner = None
        team.save(update_fields=["owner"])

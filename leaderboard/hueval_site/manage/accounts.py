"""Accounts from the command line."""

from __future__ import annotations

from hueval_metrics.api.boards import one_line
from hueval_metrics.errors import InputError
from hueval_site.manage.django_setup import set_up
from hueval_site.submissions.alive import site_url


def add_user(email: str, team: str | None = None, *, is_staff: bool, with_token: bool) -> None:
    """Add an account, print a one-time link to set its password and, if asked for, a token.

    Args:
        email: the address by which the person logs in.
        team: its name, founded and admitted if there is none of this name; None for no team.
        is_staff: whether the person may decide on results.
        with_token: whether to print a token of the API.

    Raises:
        InputError: the address or the name of the team is not allowed, or there is an account with this address.
    """
    set_up()
    from allauth.account.forms import default_token_generator
    from allauth.account.models import EmailAddress
    from allauth.account.utils import user_pk_to_url_str
    from django.core.exceptions import ValidationError
    from django.core.validators import validate_email
    from django.db import transaction
    from django.urls import reverse

    from hueval_site.accounts.models import Team, Token, User
    from hueval_site.accounts.names import team_name, tidy
    from hueval_site.accounts.teams import named

    try:
        validate_email(email)
    except ValidationError:
        raise InputError(f"{one_line(email, 80)}: is no e-mail address. Name one such as name@example.org") from None
    if team is not None:
        team = tidy(team)
        try:
            team_name(team)
        except ValidationError as error:
            raise InputError(f"--team {one_line(team, 80)}: {error.messages[0]}") from None
    if User.objects.filter(email__iexact=email).exists():
        raise InputError(f"{email}: has an account already. Name another address")
    with transaction.atomic():
        its_team = None if team is None else named(team) or Team.objects.create(name=team, is_admitted=True)
        user = User.objects.create_user(email, team=its_team, is_staff=is_staff, is_superuser=is_staff)
        EmailAddress.objects.create(user=user, email=email, verified=True, primary=True)
        if with_token:
            print(Token.create(user, "command line")[1])
    key = [user_pk_to_url_str(user), default_token_generator.make_token(user)]
    print(f"{email}: set a password, valid once: {site_url()}{reverse('account_reset_password_from_key', args=key)}")

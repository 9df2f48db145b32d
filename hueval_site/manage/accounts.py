"""Accounts from the command line."""

from __future__ import annotations

from hueval_metrics.records import InputError
from hueval_site.manage.django_setup import set_up


def add_user(email: str, team: str, *, is_staff: bool, with_token: bool) -> None:
    """Add an account, print where to set its password and, if asked for, a token.

    Raises:
        InputError: there is an account with this address.
    """
    set_up()
    from allauth.account.models import EmailAddress
    from django.db import transaction

    from hueval_site.accounts.models import Team, Token, User
    from hueval_site.config import config

    if User.objects.filter(email__iexact=email).exists():
        raise InputError(f"{email}: has an account already. Name another address")
    with transaction.atomic():
        its_team = Team.objects.get_or_create(name=team, defaults={"is_admitted": True})[0]
        user = User.objects.create_user(email, team=its_team, is_staff=is_staff, is_superuser=is_staff)
        EmailAddress.objects.create(user=user, email=email, verified=True, primary=True)
        if with_token:
            print(Token.create(user, "command line")[1])
    print(f"{email}: set a password at {config().url}/accounts/password/reset/")

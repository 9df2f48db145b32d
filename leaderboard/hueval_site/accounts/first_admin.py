"""The first administrator, who is made by a link that `hueval site up` prints."""

from __future__ import annotations

from datetime import timedelta

from allauth.account.models import EmailAddress
from django.contrib.contenttypes.models import ContentType
from django.core import signing
from django.db import transaction

from hueval_site.accounts.models import User

SALT = "hueval_site.first_admin"
AGE = timedelta(days=1)


def exists() -> bool:
    """Whether there is an administrator."""
    return User.objects.filter(is_superuser=True).exists()


def link_text() -> str:
    """What makes the link one of this site; it is valid for a day, and while there is no administrator."""
    return signing.dumps("first administrator", salt=SALT)


def is_valid(text: str) -> bool:
    """Whether a link is one of this site, and not used."""
    try:
        signing.loads(text, salt=SALT, max_age=AGE)
    except signing.BadSignature:
        return False
    return not exists()


def create(email: str, password: str) -> User | None:
    """The first administrator; None where another request was faster."""
    with transaction.atomic():
        # A row that every site has: of two requests at the same time, the second waits here and then finds the first's.
        ContentType.objects.select_for_update().get(app_label="accounts", model="user")
        if exists():
            return None
        user = User.objects.create_superuser(email, password)
        EmailAddress.objects.create(user=user, email=user.email, verified=True, primary=True)
    return user

"""Everything that a site needs before it can run; safe to repeat."""

from __future__ import annotations

import secrets

from hueval_metrics.text.files import write_whole
from hueval_site.config import config
from hueval_site.manage.django_setup import set_up

SETUP_SALT = "hueval_site.setup"


def init() -> None:
    """Make folder, secret key, database, cache table and static files, where they are missing.

    Raises:
        InputError: the folder cannot be written, or a setting is out of range.
    """
    settings = config()
    settings.dir.mkdir(mode=0o750, parents=True, exist_ok=True)
    key = settings.dir / "secret-key"
    if not settings.secret_key.get_secret_value() and not key.exists():
        write_whole(key, secrets.token_urlsafe(50).encode(), private=True)
    set_up()
    from django.core.management import call_command

    call_command("migrate", verbosity=0, interactive=False)
    call_command("createcachetable", verbosity=0)
    call_command("collectstatic", verbosity=0, interactive=False)


def setup_link() -> str | None:
    """The one-time link for the first administrator; None where there is one."""
    from django.core import signing

    from hueval_site.accounts.models import User

    if User.objects.filter(is_superuser=True).exists():
        return None
    return f"{config().url}/setup/{signing.dumps('first administrator', salt=SETUP_SALT)}/"

"""The app of accounts."""

from typing import Any

from django.apps import AppConfig
from django.db.models.signals import pre_migrate
from django.utils.translation import gettext_lazy as _


class AccountsConfig(AppConfig):
    """People, their teams, their tokens."""

    name = "hueval_site.accounts"
    label = "accounts"
    verbose_name = _("Users and teams")

    def ready(self) -> None:
        """See that migrations can be broken off; those of all apps are announced to each."""
        pre_migrate.connect(_make_whole, sender=self)


def _make_whole(plan: Any, **_: object) -> None:
    from hueval_site.accounts.migrating import make_whole  # imports what only migrations need

    make_whole(plan)

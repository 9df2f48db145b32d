"""The app of accounts."""

from django.apps import AppConfig
from django.utils.translation import gettext_lazy as _


class AccountsConfig(AppConfig):
    """People, their teams, their tokens."""

    name = "hueval_site.accounts"
    label = "accounts"
    verbose_name = _("Users and teams")

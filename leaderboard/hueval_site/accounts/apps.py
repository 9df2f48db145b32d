"""The app of accounts."""

from django.apps import AppConfig


class AccountsConfig(AppConfig):
    """People, their teams, their tokens."""

    name = "hueval_site.accounts"
    label = "accounts"

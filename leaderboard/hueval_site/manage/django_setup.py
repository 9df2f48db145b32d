"""Django's set-up in a process that `hueval site` starts."""

from __future__ import annotations

import os

from hueval_metrics.errors import InputError


def set_up() -> None:
    """Load Django with the settings of this process.

    Raises:
        InputError: Django is not installed, or a setting is out of range.
    """
    os.environ["DJANGO_SETTINGS_MODULE"] = "hueval_site.settings"
    try:
        import django
    except ModuleNotFoundError:
        raise InputError("Django is not installed. Run in a clone of hueval: pip install . ./leaderboard") from None
    django.setup()

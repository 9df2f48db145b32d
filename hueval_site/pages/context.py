"""What every template knows."""

from __future__ import annotations

from django.conf import settings
from django.http import HttpRequest


def site(request: HttpRequest) -> dict[str, str]:
    """The site's title."""
    return {"site_title": settings.CONFIG.title, "site_url": settings.CONFIG.url}

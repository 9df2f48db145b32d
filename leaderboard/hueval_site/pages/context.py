"""What every template knows."""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.http import HttpRequest
from django.urls import translate_url
from django.utils.http import escape_leading_slashes
from django.utils.translation import get_language_info


def site(request: HttpRequest) -> dict[str, Any]:
    """The site's title and address, and this page in each language: (code, its own name, address)."""
    here = escape_leading_slashes(request.get_full_path())  # a missing page //HOST must not become a link to a host
    languages = [
        (code, get_language_info(code)["name_local"].capitalize(), translate_url(here, code))
        for code, _ in settings.LANGUAGES
    ]
    return {"site_title": settings.CONFIG.title, "site_url": settings.CONFIG.url, "languages": languages}

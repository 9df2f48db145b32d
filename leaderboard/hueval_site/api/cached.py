"""Responses that stay right until something public changes: answered by their ETag, else from the cache."""

from __future__ import annotations

import hashlib
from collections.abc import Callable

from django.core.cache import cache
from django.http import HttpRequest, HttpResponse
from django.utils.cache import get_conditional_response

from hueval_metrics.version import __version__

JSON_TYPE = "application/json; charset=utf-8"
CSV_TYPE = "text/csv; charset=utf-8; header=present"
KEPT_S = 24 * 3600


def kept(kind: str, version: object, make: Callable[[], str], seconds: int = KEPT_S) -> str:
    """A text from the cache, or made and put there.

    Args:
        kind: what it is.
        version: of all that it depends on, besides the software.
        make: makes it.
        seconds: how long it is kept, where it also depends on what has no version.
    """
    key = f"api:{kind}:{_digest(f'{__version__} {version}')}"
    found: str | None = cache.get(key)
    if found is None:
        found = make()
        cache.set(key, found, seconds)
    return found


def answer(request: HttpRequest, version: object, make: Callable[[], str], content_type: str) -> HttpResponse:
    """A public response with an ETag; without a body (304) where the client has this version.

    Args:
        request: the request.
        version: of all that the response depends on, besides the software and the address.
        make: its body, made only where it is sent.
        content_type: of the body.
    """
    etag = f'W/"{_digest(f"{__version__} {version} {request.get_full_path()}")}"'
    response = get_conditional_response(request, etag=etag)
    if response is None:
        response = HttpResponse(make(), content_type=content_type)
    response["ETag"] = etag
    response["Cache-Control"] = "public, no-cache"  # kept by anybody, and asked for again each time
    return response


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:32]

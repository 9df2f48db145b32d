"""What stands before Django's own middleware: the readers' addresses behind a proxy, health, further headers."""

from __future__ import annotations

from collections.abc import Callable

from django.conf import settings
from django.db import DatabaseError, connection
from django.http import HttpRequest, HttpResponse

HEALTH = "/health"
HEADERS = {
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=(), payment=(), usb=()",
}

Handler = Callable[[HttpRequest], HttpResponse]


def health(get_response: Handler) -> Handler:
    """Answer `/health`, on any host name and without a redirect to https: 200 while the database answers, else 503."""

    def handle(request: HttpRequest) -> HttpResponse:
        if request.path != HEALTH:
            return get_response(request)
        try:
            with connection.cursor() as cursor:
                cursor.execute("SELECT 1")
        except DatabaseError:
            return HttpResponse("the database does not answer\n", status=503, content_type="text/plain")
        return HttpResponse("ok\n", content_type="text/plain")

    return handle


def client_address(get_response: Handler) -> Handler:
    """Put the reader's address into REMOTE_ADDR, by which rates are limited.

    A proxy appends the address that it sees to X-Forwarded-For, so the last one is right and those before it are the
    reader's own words. Without a trusted proxy the header is dropped, so that nothing else believes it.
    """

    def handle(request: HttpRequest) -> HttpResponse:
        forwarded = request.META.pop("HTTP_X_FORWARDED_FOR", "").rpartition(",")[2].strip()
        if settings.CONFIG.trusted_proxy and forwarded:
            request.META["REMOTE_ADDR"] = forwarded
        return get_response(request)

    return handle


def further_headers(get_response: Handler) -> Handler:
    """Add `HEADERS` to every answer, static files included."""

    def handle(request: HttpRequest) -> HttpResponse:
        response = get_response(request)
        for name, value in HEADERS.items():
            response.headers.setdefault(name, value)
        return response

    return handle

"""What stands before Django's own middleware: readers' addresses, health, further headers, limits of what comes in."""

from __future__ import annotations

from collections.abc import Callable

from django.conf import settings
from django.core.exceptions import BadRequest
from django.db import DatabaseError, connection
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import render
from django.utils.translation import gettext as _

HEALTH = "/health"
HEADERS = {
    # Of answers that Django's own middleware does not see: health, static files, refused host names.
    "Content-Security-Policy": "default-src 'none'; frame-ancestors 'none'",
    "X-Content-Type-Options": "nosniff",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=(), payment=(), usb=()",
}

ENVELOPE = 2**20  # bytes of a request beside its file: the other fields of the form
API = "/api/"  # begins the paths of the API

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


def head(get_response: Handler) -> Handler:
    """Answer HEAD as GET, without the body: gunicorn logs every body that it drops, and the API knows GET alone."""

    def handle(request: HttpRequest) -> HttpResponse:
        if request.method != "HEAD":
            return get_response(request)
        if request.path_info.startswith(API):
            request.method = "GET"
        response = get_response(request)
        if not response.streaming:
            response.headers.setdefault("Content-Length", str(len(response.content)))
            response.content = b""
        return response

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


def no_nul(get_response: Handler) -> Handler:
    """Answer 400 to a NUL in the path, the query or a cookie, which PostgreSQL takes in no text."""

    def handle(request: HttpRequest) -> HttpResponse:
        places = (request.path_info, *request.COOKIES.values())
        if "%00" in request.META.get("QUERY_STRING", "") or any("\0" in text for text in places):
            raise BadRequest("a NUL in the request")
        return get_response(request)

    return handle


def further_headers(get_response: Handler) -> Handler:
    """Add `HEADERS` to every answer, where it does not have its own; what somebody is signed in for is not cached."""

    def handle(request: HttpRequest) -> HttpResponse:
        response = get_response(request)
        if settings.SESSION_COOKIE_NAME in request.COOKIES or "Authorization" in request.headers:
            response.headers.setdefault("Cache-Control", "private, no-store")
        for name, value in HEADERS.items():
            response.headers.setdefault(name, value)
        return response

    return handle


def upload_limit(get_response: Handler) -> Handler:
    """Answer 413 to a request that announces more than an upload may have; nothing of it is read.

    A request without its length has no body for Django, and none is read beyond the length, so nothing larger comes in.
    """

    def handle(request: HttpRequest) -> HttpResponse:
        try:
            length = int(request.META.get("CONTENT_LENGTH") or 0)  # as Django reads it, leading zeros included
        except ValueError:
            length = 0
        if length <= settings.CONFIG.upload_bytes + ENVELOPE:
            return get_response(request)
        text = _(
            "The upload is larger than %(most)d MB. Submit the tasks one by one, or leave out what is not asked for."
        )
        text %= {"most": settings.CONFIG.upload_mb}
        if request.path.startswith(API):
            return JsonResponse({"error": {"code": "too-large", "message": text, "where": "file"}}, status=413)
        return render(request, "413.html", {"text": text}, status=413)

    return handle

"""Public pages kept in memory, until a public row of a board that they show changes.

A page depends on its address, its language (part of the address) and the public rows, nothing else: readers who are
logged in, or who are about to be told something, get pages of their own. So a kept page is served before sessions,
languages and tokens are looked at. What decides whether it still holds is in the database, one number a season, which
each process reads at most twice a second: a row that was withdrawn is gone from all pages within `FRESH_S`.
"""

from __future__ import annotations

import gzip
import hashlib
import time
from collections import OrderedDict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import wraps
from threading import Lock
from typing import Any

from django.conf import settings
from django.contrib.messages.storage.cookie import CookieStorage
from django.db import DatabaseError
from django.db.models import Count, Sum
from django.http import HttpRequest, HttpResponse, HttpResponseNotModified
from django.utils import timezone
from django.utils.cache import patch_cache_control, patch_vary_headers

from hueval_site.submissions.models import Season

FRESH_S = 0.5  # for so long the numbers of seasons are believed
MOST_BYTES = 32 * 2**20  # of kept pages, in each process
LEAST_ZIPPED = 1024  # bytes
View = Callable[..., HttpResponse]
Stamp = tuple[int, int]


def stamp(tasks: Sequence[str] | None) -> Stamp:
    """What differs after each change of the public rows of some boards.

    Args:
        tasks: of the boards; None for all, empty for a page that shows no rows.
    """
    if tasks is not None and not tasks:
        return 0, 0
    seasons = Season.objects.all() if tasks is None else Season.objects.filter(board__in=tasks)
    found = seasons.aggregate(n=Count("pk"), versions=Sum("version"))
    return found["n"], found["versions"] or 0


def kept(tasks: Callable[..., Iterable[str] | None]) -> Callable[[View], View]:
    """Let the pages of a view be kept while the public rows of some boards do not change.

    A page of a view that gives its response an attribute `kept_until`, a time, is made anew from then on.

    The view answers one address only for what it shows, and redirects others to it: nobody can fill the memory with
    pages that differ in what is ignored.

    Args:
        tasks: from the arguments in the address to the boards; None for all.
    """

    def decorate(view: View) -> View:
        @wraps(view)
        def wrapped(request: HttpRequest, **arguments: Any) -> HttpResponse:
            found = tasks(**arguments)
            depends = None if found is None else tuple(found)
            before = stamp(depends)  # read before the rows: a change in between makes the page anew once too often
            response = view(request, **arguments)
            if response.status_code == 200:
                response.kept_by = depends, before
            return response

        return wrapped

    return decorate


@dataclass(frozen=True)
class _Page:
    depends: Sequence[str] | None
    stamp: Stamp
    etag: str
    headers: dict[str, str]
    content: bytes
    zipped: bytes | None
    until: datetime | None

    @property
    def size(self) -> int:
        return len(self.content) + len(self.zipped or b"") + 1000

    def answer(self, request: HttpRequest) -> HttpResponse:
        known = request.META.get("HTTP_IF_NONE_MATCH", "")
        if self.etag in (tag.strip() for tag in known.split(",")):
            found: HttpResponse = HttpResponseNotModified()
            for name, value in self.headers.items():
                if name not in ("Content-Type", "Content-Length"):
                    found.headers[name] = value
            return found
        is_zipped = self.zipped is not None and "gzip" in request.META.get("HTTP_ACCEPT_ENCODING", "")
        content = self.zipped if is_zipped else self.content
        found = HttpResponse(content, headers=self.headers | {"Content-Length": str(len(content or b""))})
        if is_zipped:
            found.headers["Content-Encoding"] = "gzip"
        return found


class KeptPages:
    """Middleware that answers with kept pages; it stands before the session."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self._get_response = get_response
        self._pages: OrderedDict[tuple[str, str], _Page] = OrderedDict()
        self._bytes = 0
        self._stamps: dict[Sequence[str] | None, tuple[float, Stamp]] = {}
        self._lock = Lock()

    def __call__(self, request: HttpRequest) -> HttpResponse:
        """A kept page that still holds, or what the view answers."""
        own = {settings.SESSION_COOKIE_NAME, CookieStorage.cookie_name} & request.COOKIES.keys()
        if request.method != "GET" or own:
            response = self._get_response(request)
            if hasattr(response, "kept_by"):
                patch_vary_headers(response, ["Cookie"])
                patch_cache_control(response, private=True, no_cache=True)
            return response
        request.get_host()  # raises for a host name that is not the site's
        key = request.path_info, request.META.get("QUERY_STRING", "")
        page = self._pages.get(key)
        if page is not None and self._holds(page):
            with self._lock:
                if key in self._pages:
                    self._pages.move_to_end(key)
            return page.answer(request)
        response = self._get_response(request)
        if not hasattr(response, "kept_by") or response.cookies:
            return response
        patch_vary_headers(response, ["Cookie", "Accept-Encoding"])
        patch_cache_control(response, no_cache=True)
        page = _page(response)
        self._keep(key, page)
        return page.answer(request)

    def _holds(self, page: _Page) -> bool:
        if page.until is not None and timezone.now() >= page.until:
            return False
        read, known = self._stamps.get(page.depends, (0.0, page.stamp))
        now = time.monotonic()
        if now - read >= FRESH_S:
            try:
                known = stamp(page.depends)
            except DatabaseError:  # away for a while: the last known rows are better than none
                known = page.stamp
            self._stamps[page.depends] = now, known
        return page.stamp == known

    def _keep(self, key: tuple[str, str], page: _Page) -> None:
        with self._lock:
            if page.stamp > self._stamps.get(page.depends, (0.0, page.stamp))[1]:  # numbers only grow
                self._stamps[page.depends] = time.monotonic(), page.stamp
            before = self._pages.pop(key, None)
            self._bytes += page.size - (before.size if before else 0)
            self._pages[key] = page
            while self._bytes > MOST_BYTES:
                self._bytes -= self._pages.popitem(last=False)[1].size


def _page(response: HttpResponse) -> _Page:
    content = response.content
    # Nothing secret is in a page for everybody, so its length tells nothing (BREACH).
    zipped = gzip.compress(content, 6, mtime=0) if len(content) >= LEAST_ZIPPED else None
    response.headers["ETag"] = f'W/"{hashlib.sha256(content).hexdigest()[:32]}"'
    depends, before = response.kept_by
    return _Page(
        depends,
        before,
        response.headers["ETag"],
        dict(response.items()),
        content,
        zipped,
        getattr(response, "kept_until", None),
    )

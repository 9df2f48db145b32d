"""Serve the page of a growing folder on loopback, to those who know its token.

Other users of the machine can connect too, and so can every web page that is open in the user's browser: a request
must name the token, come to a loopback name (a page of another name that resolves to 127.0.0.1 is refused: DNS
rebinding), and from no other origin. Nothing can be changed by a request.
"""

from __future__ import annotations

import asyncio
import errno
import hmac
import json
import logging
import re
import secrets
from collections.abc import Callable
from pathlib import Path

from aiohttp import web
from aiohttp.http_exceptions import HttpProcessingError

from hueval_metrics.errors import InputError
from hueval_metrics.view.folder import Folder

HOST = "127.0.0.1"
_LOOPBACK = re.compile(r"(localhost|127\.0\.0\.1)(:\d{1,5})?")  # any port: it may be forwarded by ssh
_HEADERS = {
    "Cache-Control": "no-store",
    "Content-Security-Policy": "frame-ancestors 'none'",  # the rest of the policy is in the page
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Referrer-Policy": "no-referrer",
    "Server": "hueval",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
}

log = logging.getLogger(__name__)  # aiohttp's own would print a traceback of each malformed request
log.addFilter(lambda record: not (record.exc_info and isinstance(record.exc_info[1], HttpProcessingError)))


async def serve(path: Path, port: int, language: str, announce: Callable[[str], None]) -> None:
    """Serve until the task is cancelled.

    Args:
        path: the folder of runs.
        port: 0 for any that is free.
        language: in which the page opens.
        announce: takes the address of the page.

    Raises:
        InputError: the port is not free.
    """
    token = secrets.token_urlsafe(24)
    runner = web.ServerRunner(web.Server(Site(path, token, language).answer, access_log=None, logger=log))
    await runner.setup()
    try:
        site = web.TCPSite(runner, HOST, port, shutdown_timeout=1)
        try:
            await site.start()
        except OSError as error:
            if error.errno not in (errno.EADDRINUSE, errno.EACCES):
                raise
            why = "in use" if error.errno == errno.EADDRINUSE else "not yours to use"
            raise InputError(f"--port {port}: is {why}. Name another, or 0 for any that is free") from None
        bound = runner.addresses[0][1]
        announce(f"http://{HOST}:{bound}/{token}/")
        await asyncio.Event().wait()
    finally:
        await runner.cleanup()


class Site:
    """What is served.

    Args:
        path: the folder of runs.
        token: the first part of every path.
        language: in which the page opens.
    """

    def __init__(self, path: Path, token: str, language: str) -> None:
        self._folder = Folder(path)
        self._token = token.encode()
        self._language = language
        self._reading = asyncio.Lock()
        self._page: tuple[object, bytes] = (None, b"")

    async def answer(self, request: web.BaseRequest) -> web.Response:
        """The page, the progress, or 404 for all else."""
        place = self._place(request)
        if place == "":
            async with self._reading:
                body = await asyncio.to_thread(self._latest_page)
            return web.Response(body=body, content_type="text/html", charset="utf-8", headers=_HEADERS)
        if place == "progress":
            async with self._reading:
                text = await asyncio.to_thread(self._progress)
            return web.Response(text=text, content_type="application/json", headers=_HEADERS)
        return web.Response(status=404, text="Not found\n", headers=_HEADERS)

    def _place(self, request: web.BaseRequest) -> str | None:
        """What is asked for below the token; None for a request that gets nothing."""
        hosts, origins = request.headers.getall("Host", []), request.headers.getall("Origin", [])
        if request.method != "GET" or len(hosts) != 1 or not _LOOPBACK.fullmatch(hosts[0]):
            return None
        if origins not in ([], [f"http://{hosts[0]}"]):
            return None
        start, token, *rest = request.raw_path.split("/", 2)  # as it was sent: nothing is decoded or resolved
        if start or not hmac.compare_digest(token.encode("utf-8", "surrogateescape"), self._token):
            return None
        return rest[0] if rest else None

    def _progress(self) -> str:
        self._folder.refresh()
        return json.dumps(self._folder.progress())

    def _latest_page(self) -> bytes:
        """The page, made anew if there is anything new."""
        self._folder.refresh()
        progress = self._folder.progress()
        state = progress["results"], progress["answers"]
        if self._page[0] != state:
            self._page = state, "".join(self._folder.page(self._language)).encode("utf-8", "replace")
        return self._page[1]

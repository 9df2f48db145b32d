"""Limits of requests in a minute. They protect the server; what a team may submit is counted under a lock elsewhere.

The counters are in the cache that all processes share. Requests that arrive together may be counted as one.
"""

from __future__ import annotations

import hashlib
import time

from django.core.cache import cache
from django.utils.translation import gettext as _

from hueval_site.api.errors import ApiError

SPAN_S = 60


def count(kind: str, who: str, most: int) -> None:
    """Count a request.

    Args:
        kind: of the limit.
        who: a token, an address; only its digest is kept.
        most: requests in each span of `SPAN_S` seconds.

    Raises:
        ApiError: there were too many.
    """
    now = time.time()
    span = int(now // SPAN_S)
    key = f"rate:{kind}:{hashlib.sha256(who.encode()).hexdigest()[:32]}:{span}"
    cache.add(key, 0, 2 * SPAN_S)
    try:
        n = cache.incr(key)
    except ValueError:  # culled in between
        return
    if n > most:
        wait = max(1, int((span + 1) * SPAN_S - now))
        message = _("Too many requests. Try again in %(seconds)d seconds.") % {"seconds": wait}
        raise ApiError(429, "rate", message, headers={"Retry-After": str(wait)})

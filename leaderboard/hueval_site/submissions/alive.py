"""What tells that a worker is alive: a time in the cache, which is in the database; and where its site is."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Event, Thread

KEY = "worker-alive"
URL_KEY = "site-url"
BEAT_S = 5.0
DEAD_S = 60.0  # without a beat


@contextmanager
def alive() -> Iterator[None]:
    """Inside, a thread says every five seconds that this worker is alive."""
    done = Event()

    def beat() -> None:
        from django.conf import settings
        from django.core.cache import cache
        from django.db import DatabaseError, close_old_connections, connection

        while True:
            try:
                close_old_connections()
                cache.set_many({KEY: time.time(), URL_KEY: settings.CONFIG.url}, None)
            except DatabaseError:  # away for now
                connection.close()
            if done.wait(BEAT_S):
                break
        connection.close()

    thread = Thread(target=beat, daemon=True)
    thread.start()
    try:
        yield
    finally:
        done.set()
        thread.join(2 * BEAT_S)


def last_beat() -> float | None:
    """When a worker last said that it was alive, in seconds since 1970; None where none has."""
    from django.core.cache import cache

    found: float | None = cache.get(KEY)
    return found


def is_dead() -> bool:
    """Whether no worker has said that it is alive for a minute; a beat of the future is one of a wrong clock."""
    beat = last_beat()
    return beat is None or abs(time.time() - beat) > DEAD_S


def site_url() -> str:
    """Where the site is, as a living worker has it: other commands do not know the port of `up`."""
    from django.conf import settings
    from django.core.cache import cache

    own: str = settings.CONFIG.url
    return own if is_dead() else cache.get(URL_KEY, own)

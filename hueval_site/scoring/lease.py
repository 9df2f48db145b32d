"""Who scores a submission: a lease on its own row, which a worker renews and another takes over when it is not renewed.

On PostgreSQL a row that another worker is claiming is skipped; on SQLite a claim is an IMMEDIATE transaction, one at a
time. A heartbeat in the future, as after a clock was set back, counts as an old one.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime, timedelta
from threading import Event, Thread

from django.conf import settings
from django.db import close_old_connections, connection, transaction
from django.db.models import Q
from django.utils import timezone

from hueval_site.submissions.models import State, Submission
from hueval_site.submissions.states import move


def lease() -> timedelta:
    """After how long without a heartbeat another worker takes over."""
    return timedelta(seconds=settings.CONFIG.lease_s)


def stale(now: datetime) -> Q:
    """Submissions whose worker has stopped."""
    return Q(state=State.SCORING) & (Q(heartbeat__lt=now - lease()) | Q(heartbeat__gt=now + lease()))


def claim(worker: str) -> Submission | None:
    """Take the submission that has waited longest, or one whose worker has stopped; None where there is none."""
    with transaction.atomic():
        now = timezone.now()
        open_ones = Submission.objects.filter(Q(state=State.QUEUED) | stale(now)).order_by("queued")
        if connection.features.has_select_for_update_skip_locked:
            open_ones = open_ones.select_for_update(skip_locked=True)
        found = open_ones.first()
        if found is None:
            return None
        fields = {"worker": worker, "heartbeat": now, "attempts": found.attempts + 1}
        if found.state == State.QUEUED:
            return move(found, State.SCORING, **fields)
        for name, value in fields.items():
            setattr(found, name, value)
        found.save(update_fields=list(fields))
        return found


def beat(submission: Submission, worker: str) -> bool:
    """Renew a lease; False where another worker has taken over."""
    mine = Submission.objects.filter(pk=submission.pk, worker=worker, state=State.SCORING)
    return bool(mine.update(heartbeat=timezone.now()))


@contextmanager
def renewed(submission: Submission, worker: str) -> Iterator[None]:
    """Inside, a lease is renewed every sixth of its length."""
    done = Event()

    def renew() -> None:
        while not done.wait(settings.CONFIG.lease_s / 6):
            try:
                close_old_connections()
                if not beat(submission, worker):
                    return
            except Exception:  # the database is away: the next one may get through
                continue
        connection.close()

    thread = Thread(target=renew, daemon=True)
    thread.start()
    try:
        yield
    finally:
        done.set()
        thread.join()

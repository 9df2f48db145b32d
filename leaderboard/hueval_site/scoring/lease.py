"""Who scores a submission: a lease on its own row, which a worker renews and another takes over when it is not renewed.

On PostgreSQL a row that another worker is claiming is skipped; on SQLite a claim is an IMMEDIATE transaction, one at a
time. A time in the future, as after a clock was set back, counts as an old one.

A submission whose scoring was broken off goes behind all others, for which it may have been no fault of its file: it
counts as an attempt only if another submission was scored before the next one begins, or if there is no other.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime, timedelta
from threading import Event, Thread
from typing import Any
from uuid import UUID

from django.conf import settings
from django.db import close_old_connections, connection, transaction
from django.db.models import Q, QuerySet
from django.db.models.functions import Coalesce
from django.utils import timezone

from hueval_site.submissions.models import State, Submission
from hueval_site.submissions.states import move

LONGEST_PAUSE = timedelta(hours=1)  # before another attempt

# A place in the queue: first what was never broken off, by when it was queued.
PLACE = (Coalesce("heartbeat", "broken").asc(nulls_first=True), "queued")
# What a suspended team has in the queue is held; its rows are scored again as others, since public ones stay public.
WAITS = Q(state=State.QUEUED, team__is_suspended=False) | Q(rescore=True, worker="")
IN_WORK = Q(state=State.SCORING) | (Q(rescore=True) & ~Q(worker=""))


def lease() -> timedelta:
    """After how long without a heartbeat another worker takes over."""
    return timedelta(seconds=settings.CONFIG.lease_s)


def is_due(now: datetime) -> Q:
    """Submissions that do not wait for a later attempt."""
    return Q(not_before=None) | Q(not_before__lte=now) | Q(not_before__gt=now + LONGEST_PAUSE)


def claim(worker: str) -> Submission | None:
    """Take the submission that is first, or one whose worker has stopped; None where there is none.

    New submissions come before those that are scored again.
    """
    now = timezone.now()
    stopped = Q(heartbeat__lt=now - lease()) | Q(heartbeat__gt=now + lease())
    is_open = (WAITS & is_due(now)) | (IN_WORK & stopped)
    for kind in (Q(state__in=(State.QUEUED, State.SCORING)), Q(rescore=True)):
        found = Submission.objects.filter(kind & is_open).order_by(*PLACE)
        # Without a lock at first: on SQLite a locking look would hold up all who write.
        if found.exists() and (claimed := _claim(found, worker)) is not None:
            return claimed
    return None


def _claim(found: QuerySet[Submission], worker: str) -> Submission | None:
    with transaction.atomic():
        submission = found.select_for_update(skip_locked=True, of=("self",)).first()  # not its team
        if submission is None:
            return None
        fields = {"worker": worker, "heartbeat": timezone.now(), **_counted(submission)}
        if submission.state == State.QUEUED:
            return move(submission, State.SCORING, **fields)
        for name, value in fields.items():
            setattr(submission, name, value)
        submission.save(update_fields=list(fields))
        return submission


def _counted(submission: Submission) -> dict[str, Any]:
    """What a new attempt changes in the counts of a submission, by what became of the last one."""
    is_killed = submission.worker != ""
    broken = submission.heartbeat if is_killed else submission.broken
    others = Submission.objects.exclude(pk=submission.pk)
    counts = broken is None or others.filter(scored__gt=broken).exists() or not others.filter(WAITS | IN_WORK).exists()
    return {
        "attempts": max(1, submission.attempts + counts),
        "broken": broken,
        "n_broken": submission.n_broken + is_killed,
    }


def held(key: UUID, worker: str) -> QuerySet[Submission]:
    """The submission, if the worker has its lease."""
    return Submission.objects.filter(IN_WORK, pk=key, worker=worker)


def beat(submission: Submission, worker: str) -> bool:
    """Renew a lease; False where another worker has taken over."""
    return bool(held(submission.pk, worker).update(heartbeat=timezone.now()))


def release(submission: Submission, worker: str, pause: timedelta, reason: str = "", *, counts: bool = True) -> None:
    """Give a submission back to the queue: at its place, or behind the others where its scoring was broken off.

    Args:
        submission: the one that the worker has.
        worker: its name; where another one has taken over, nothing changes.
        pause: until the next attempt.
        reason: why it was not finished, for the submitter.
        counts: whether its scoring was broken off.
    """
    with transaction.atomic():
        found = held(submission.pk, worker).select_for_update().first()
        if found is None:
            return
        fields: dict[str, Any] = {
            "worker": "",
            "heartbeat": None,
            "not_before": timezone.now() + pause if pause else None,
        }
        if counts:
            fields |= {"broken": timezone.now(), "n_broken": found.n_broken + 1}
        else:
            fields["attempts"] = max(0, found.attempts - 1)
        if found.state == State.SCORING:
            move(found, State.QUEUED, reason=reason, queued=found.queued, **fields)
        else:
            Submission.objects.filter(pk=found.pk).update(**fields)


@contextmanager
def renewed(submission: Submission, worker: str) -> Iterator[None]:
    """Inside, a lease is renewed every sixth of its length."""
    done = Event()

    def renew() -> None:
        while not done.wait(settings.CONFIG.lease_s / 6):
            try:
                close_old_connections()
                if not beat(submission, worker):
                    break
            except Exception:  # the database is away: the next one may get through
                connection.close()
        connection.close()

    thread = Thread(target=renew, daemon=True)
    thread.start()
    try:
        yield
    finally:
        done.set()
        thread.join()

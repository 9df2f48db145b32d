"""What a crash has left between two steps is taken up again."""

from __future__ import annotations

import logging
from datetime import timedelta

from django.conf import settings
from django.db.models import F, Q
from django.utils import timezone
from django.utils.translation import gettext_noop

from hueval_site.scoring.lease import is_due
from hueval_site.scoring.work import MOST_ATTEMPTS
from hueval_site.submissions.models import State, Submission
from hueval_site.submissions.receive import check
from hueval_site.submissions.states import StateError, move

UNCHECKED = gettext_noop("Checking was broken off several times. This does not count, and staff have been told.")
_AT_ONCE = 20

log = logging.getLogger(__name__)


def sweep() -> int:
    """Check uploads whose process was killed, and queue what was checked; safe beside a process that is only slow.

    What was checked may also have waited until its team could submit again.

    Returns:
        How many were taken up.
    """
    now = timezone.now()
    pause = _pause()
    left = Submission.objects.filter(Q(created__lt=now - pause) | Q(created__gt=now + pause))
    due = left.filter(is_due(now), state__in=(State.UPLOADED, State.CHECKED)).order_by("created")
    return sum(_take_up(found) for found in due[:_AT_ONCE])


def _pause() -> timedelta:
    return timedelta(seconds=settings.CONFIG.lease_s / 2)


def _take_up(found: Submission) -> bool:
    # Counted before the attempt is made, since it may end the process.
    is_upload = found.state == State.UPLOADED
    Submission.objects.filter(pk=found.pk, state=found.state).update(
        attempts=F("attempts") + int(is_upload), not_before=timezone.now() + _pause()
    )
    try:
        if is_upload and found.attempts >= MOST_ATTEMPTS:
            move(found, State.FAILED, reason=UNCHECKED)
            return False
        after = check(found)
    except StateError:  # another process was faster
        return False
    except Exception as error:  # its text may quote a row
        log.error("%s: checking failed: %s", found.pk, type(error).__name__)
        return False
    if is_upload:
        log.warning("%s: its check was broken off; it is %s now", found.pk, after.state)
    return after.state not in (State.UPLOADED, State.CHECKED)

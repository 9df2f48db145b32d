"""How long a queued submission will still take."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta
from itertools import pairwise
from statistics import median

from django.db.models import Q
from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop

from hueval_site.submissions.alive import is_dead
from hueval_site.submissions.models import State, Submission

RECENT = 20  # submissions of which the time is taken
HELD = gettext_noop("The team is suspended. What it has queued is kept, and scored when the suspension ends.")
UNFINISHED = frozenset({State.UPLOADED, State.CHECKED, State.QUEUED, State.SCORING})  # a state will follow by itself
STALLED = gettext_noop("No worker runs at present. What was submitted is kept, and scored when one runs again.")


@dataclass(frozen=True)
class Wait:
    """Where a submission stands in the queue.

    Attributes:
        place: 1 for the next one, 0 for one that is being scored.
        expected: until its result, by the recent ones; None where there are too few.
    """

    place: int
    expected: timedelta | None

    @property
    def seconds(self) -> int | None:
        """The same in whole seconds, at least one."""
        return None if self.expected is None else max(1, round(self.expected.total_seconds()))


def stalled(submission: Submission) -> str:
    """Why a submission waits in vain, in the reader's language: its team is suspended, or no worker runs; or empty."""
    if submission.state == State.QUEUED and submission.team.is_suspended:
        return _(HELD)
    return _(STALLED) if submission.state in UNFINISHED and is_dead() else ""


def wait_of(submission: Submission) -> Wait | None:
    """Where a submission stands in the queue; None where it does not wait, or is held."""
    if submission.state == State.SCORING:
        return Wait(0, _pace())
    if submission.state != State.QUEUED or submission.team.is_suspended:
        return None
    # One whose scoring was broken off stands behind all others (scoring/lease.py).
    others = Submission.objects.filter(state=State.QUEUED, team__is_suspended=False)
    is_before = Q(broken=None) | Q(broken__lt=submission.broken) if submission.broken else Q(broken=None)
    if submission.broken is None:
        is_before &= Q(queued__lt=submission.queued)
    before = others.filter(is_before).count()
    running = Submission.objects.filter(state=State.SCORING).exists()
    pace = _pace()
    return Wait(before + 1, None if pace is None else pace * (before + 1 + running))


def _pace() -> timedelta | None:
    """The median time in which the workers together finished one of the recent submissions."""
    recent = Submission.objects.filter(scored__isnull=False, queued__isnull=False).order_by("-scored")
    times = list(recent.values_list("queued", "scored")[: RECENT + 1])[::-1]
    spans = [scored - max(queued, last) for (_, last), (queued, scored) in pairwise(times)]
    spans = [span for span in spans if span >= timedelta()]  # a rescored one was queued again
    return timedelta(seconds=median(span.total_seconds() for span in spans)) if len(spans) >= 3 else None

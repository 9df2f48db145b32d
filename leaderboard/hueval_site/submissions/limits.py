"""How often a team may still submit, counted under a lock so that two uploads cannot race past a limit.

What counts is that a score is told: files with faults, our own failures, and what was withdrawn before it was scored
cost nothing. So that they cannot be used to keep the site busy, uploads of any outcome have a limit of their own.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta

from django.db.models import Q
from django.utils import timezone

from hueval_site.accounts.models import Team
from hueval_site.boards import Board, Limits
from hueval_site.submissions.models import State, Submission

DAY, MONTH, YEAR = timedelta(days=1), timedelta(days=30), timedelta(days=365)
FREE = Q(state=State.FAILED) | Q(state=State.WITHDRAWN, scored=None)


@dataclass(frozen=True)
class Allowance:
    """What a team may still do on a board.

    Attributes:
        left: scored submissions that are left, by the tightest limit.
        uploads_left: uploads of any outcome that are left today.
        next: when the next one will be possible; None where it is now.
        used: name of a limit (`day`, `month`, `year`) → how many are used, and how many there are.
    """

    left: int
    uploads_left: int
    next: datetime | None
    used: dict[str, tuple[int, int]]


def allowance(team: Team, board: Board) -> Allowance:
    """What a team may still do on a board, over all its seasons.

    A submission counts from when it was first queued: an upload that was stored earlier, to be queued later, counts
    when its score is told, and scoring it again costs nothing. A time in the future, as after a clock was set back,
    counts as now.
    """
    now = timezone.now()
    mine = Submission.objects.filter(team=team, board=board.task)
    counted = mine.exclude(FREE).filter(counted__gt=now - _longest(board.limits)).values_list("counted", flat=True)
    times = sorted((min(time, now) for time in counted), reverse=True)
    found: dict[str, tuple[int, int]] = {}
    left, following = board.limits.year, None
    for name, (most, span) in windows(board.limits).items():
        used = [time for time in times if time > now - span]
        found[name] = len(used), most
        left = min(left, most - len(used))
        if len(used) >= most:
            following = max(filter(None, (following, used[most - 1] + span)))
    today = mine.filter(created__gt=now - DAY).count()
    return Allowance(max(0, left), max(0, board.limits.uploads_day - today), following, found)


def windows(limits: Limits) -> dict[str, tuple[int, timedelta]]:
    """Name of a limit → how many scored submissions are possible in what span; 0.5 a day is one in two days."""
    day = (max(1, int(limits.day)), DAY / min(1.0, limits.day))
    return {"day": day, "month": (limits.month, MONTH), "year": (limits.year, YEAR)}


def _longest(limits: Limits) -> timedelta:
    return max(span for _, span in windows(limits).values())

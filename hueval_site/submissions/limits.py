"""How often a team may still submit, counted under a lock so that two uploads cannot race past a limit."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta

from django.utils import timezone

from hueval_site.accounts.models import Team
from hueval_site.boards import Board
from hueval_site.submissions.models import State, Submission

DAY, MONTH, YEAR = timedelta(days=1), timedelta(days=30), timedelta(days=365)
# What costs nothing: no score was told.
FREE = (State.UPLOADED, State.FAULTY, State.CHECKED, State.FAILED)


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
    """What a team may still do on a board. Withdrawn submissions count, as their score was told."""
    now = timezone.now()
    mine = Submission.objects.filter(team=team, board=board.task)
    times = sorted(
        mine.exclude(state__in=FREE).filter(created__gt=now - YEAR).values_list("created", flat=True), reverse=True
    )
    limits = board.limits
    # Fewer than one a day: 0.5 is one in two days.
    day = (max(1, int(limits.day)), DAY / min(1.0, limits.day))
    found: dict[str, tuple[int, int]] = {}
    left, following = limits.year, None
    for name, (most, span) in {"day": day, "month": (limits.month, MONTH), "year": (limits.year, YEAR)}.items():
        used = [time for time in times if time > now - span]
        found[name] = len(used), most
        left = min(left, most - len(used))
        if len(used) >= most:
            following = max(filter(None, (following, used[most - 1] + span)))
    today = mine.filter(created__gt=now - DAY).count()
    return Allowance(max(0, left), max(0, limits.per_day_checks - today), following, found)

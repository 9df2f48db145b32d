"""How often a team may still submit, counted under a lock so that two uploads cannot race past a limit.

What counts is that a score is told: files with faults, our own failures, and what was withdrawn before it was scored
cost nothing. So that they cannot be used to keep the site busy, uploads of any outcome have a limit of their own.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta

from django.conf import settings
from django.db.models import Q
from django.utils import timezone

from hueval_site.accounts.models import Team
from hueval_site.boards import Board, Limits
from hueval_site.disclosure import NUMBERED
from hueval_site.submissions.models import Season, State, Submission

DAY, MONTH, YEAR = timedelta(days=1), timedelta(days=30), timedelta(days=365)
FREE = Q(state=State.FAILED) | Q(state=State.WITHDRAWN, scored=None)


WAITING_UPLOADS = 5  # a day and task, of a team that has not been admitted


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
    uploads = (
        board.limits.uploads_day
        if team.is_admitted or board.is_practice
        else min(WAITING_UPLOADS, board.limits.uploads_day)
    )
    return Allowance(max(0, left), max(0, uploads - today), following, found)


def may_be_told_first(submission: Submission, board: Board) -> bool:
    """Whether a submission can be scored beside the first numbers that other teams are told.

    A first number is told whatever it is; each costs an account, and nothing more. So the votes of many accounts are
    bounded by their sum. A team that has a number is not held up: further ones must beat it (`disclosure.tell`).
    Call it in the transaction that queues the submission: the season is locked.
    """
    if not board.hidden:
        return True
    season = Season.objects.select_for_update().get(pk=submission.season_id)
    told = Q(told__kind__in=NUMBERED)
    in_work = Q(state__in=(State.QUEUED, State.SCORING))
    if Submission.objects.filter(told | in_work, season=season, team=submission.team_id).exists():
        return True
    recent = Submission.objects.filter(board=board.task, told__kind="first", scored__gt=timezone.now() - MONTH)
    has_number = Submission.objects.filter(told, season=season).values("team")
    waiting = Submission.objects.filter(in_work, season=season).exclude(team__in=has_number)
    return recent.count() + waiting.values("team").distinct().count() < settings.CONFIG.first_numbers


def windows(limits: Limits) -> dict[str, tuple[int, timedelta]]:
    """Name of a limit → how many scored submissions are possible in what span; 0.5 a day is one in two days."""
    day = (max(1, int(limits.day)), DAY / min(1.0, limits.day))
    return {"day": day, "month": (limits.month, MONTH), "year": (limits.year, YEAR)}


def _longest(limits: Limits) -> timedelta:
    return max(span for _, span in windows(limits).values())

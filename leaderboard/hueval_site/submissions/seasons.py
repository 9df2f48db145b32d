"""Seasons: the rows of a board that are comparable."""

from __future__ import annotations

from collections.abc import Iterable

from django.db import transaction
from django.utils import timezone

from hueval_site.boards import Board, every_board
from hueval_site.phases import PhaseState
from hueval_site.submissions.models import Phase, Season, State, Submission
from hueval_site.submissions.phases import check_season, state_of

NOT_BEGUN = (State.UPLOADED, State.CHECKED, State.QUEUED)


def open_season(board: Board) -> Season:
    """The season of a board that takes submissions; the first one is opened when it is first asked for.

    Its `fixed` is empty until a worker fills it in (`renew`): the web process need not know the judge.
    """
    found = Season.objects.filter(board=board.task, closed=None).first()
    return found or Season.objects.get_or_create(board=board.task, number=1)[0]


def seasons_of(board: Board) -> list[Season]:
    """All seasons of a board, the newest first, with the phase of the one that has it; there is at least one."""
    found = Season.objects.filter(board=board.task).select_related("phase").order_by("-number")
    return list(found) or [open_season(board)]


def open_seasons(tasks: Iterable[str]) -> list[int]:
    """The ids of the open seasons of some boards, of those that have one; one query."""
    return list(Season.objects.filter(board__in=list(tasks), closed=None).values_list("pk", flat=True))


def renew(board: Board) -> Season:
    """The open season of a board, a new one if what a board fixes has changed: version of the task, rubric or judge.

    Called by the worker as it starts, since it alone knows its judge. Rows stay with the season in which they were
    scored; submissions that nobody has begun to score come into the new one. Without a judge nothing changes: a judged
    board then takes no submissions.

    Raises:
        InputError: a setting of the judge is not usable, or a phase keeps the season.
    """
    season, fixed = open_season(board), board.fixed
    if season.fixed == fixed or (board.is_judged and "judge" not in fixed):
        return season
    with transaction.atomic():
        season = Season.objects.select_for_update().get(pk=season.pk)
        if not season.fixed:
            season.fixed = fixed
            season.version += 1  # pages show what is fixed
            season.save(update_fields=["fixed", "version"])
            return season
        if season.closed is not None or season.fixed == fixed:  # another worker was first
            return open_season(board)
        new = new_season(board, season.labels_hash)
        Submission.objects.filter(season=season, state__in=NOT_BEGUN).update(season=new)
        return new


def renew_all() -> None:
    """`renew` for every board, as a worker starts."""
    for board in every_board().values():
        renew(board)


def new_season(board: Board, labels_hash: str) -> Season:
    """Close the open season of a board and open the next one.

    Raises:
        InputError: its phase keeps the season.
    """
    check_season(board)
    is_upcoming = state_of(board) == PhaseState.UPCOMING
    with transaction.atomic():
        last = Season.objects.select_for_update().filter(board=board.task).order_by("-number").first()
        if last is not None and last.closed is None:
            last.closed = timezone.now()
            last.save(update_fields=["closed"])
        number = 1 if last is None else last.number + 1
        fixed = board.fixed
        made = Season.objects.create(board=board.task, number=number, labels_hash=labels_hash, fixed=fixed)
        if is_upcoming:
            Phase.objects.filter(board=board.task).update(season=made)
        return made

"""Scoring again what was scored, and trying again what failed."""

from __future__ import annotations

from django.db import transaction

from hueval_site.accounts.models import User
from hueval_site.boards import Board, every_board
from hueval_site.scoring.tasks import wake_workers
from hueval_site.submissions.models import State, Submission
from hueval_site.submissions.seasons import open_season
from hueval_site.submissions.states import move


def rescore(board: Board) -> int:
    """Have all scored submissions of the open season scored again, after a fix of a metric.

    States stay as they are, and what is public stays public: the rows change when their new scores are there. Closed
    seasons are left alone, as their labels may be gone.

    Returns:
        How many.
    """
    scored = Submission.objects.filter(season=open_season(board), exact__isnull=False, rescore=False)
    n = scored.exclude(state__in=(State.QUEUED, State.SCORING)).update(
        rescore=True, worker="", heartbeat=None, attempts=0, broken=None, n_broken=0, judgings=0, not_before=None
    )
    if n:
        transaction.on_commit(wake_workers)
    return n


def retry(submission: Submission, by: User) -> Submission:
    """Try again what failed: from its check on, if it has never been checked or the data have been replaced since.

    Args:
        submission: one that could not be checked or scored.
        by: the member of staff.

    Raises:
        StateError: it has not failed.
    """
    season = open_season(every_board()[submission.board])
    to = State.QUEUED if submission.n_rows and submission.season_id == season.pk else State.UPLOADED
    with transaction.atomic():
        found = move(submission, to, by=by, season=season)
        if to == State.QUEUED:  # the sweep checks the others
            transaction.on_commit(wake_workers)
    return found

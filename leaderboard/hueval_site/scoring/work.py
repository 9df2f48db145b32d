"""Score what waits: claim, score with the hidden labels, tell the team what it may know.

What goes wrong is logged by its type alone: the text of an error may quote a label, or the row with its exact scores.
"""

from __future__ import annotations

import logging
import os
import secrets
import socket
from datetime import timedelta
from functools import cache
from typing import Any

from django.conf import settings
from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext_noop

from hueval_metrics.errors import HuevalError
from hueval_site.accounts.models import Team
from hueval_site.boards import Board, every_board
from hueval_site.disclosure import shown_of
from hueval_site.scoring.judging import is_over_budget
from hueval_site.scoring.lease import LONGEST_PAUSE, claim, held, release, renewed
from hueval_site.scoring.score import (
    LabelsChangedError,
    SeasonClosedError,
    UnansweredError,
    best_of,
    labels_hash,
    result_of,
)
from hueval_site.scoring.stop import STOP, StoppedError
from hueval_site.submissions.mails import tell_staff, tell_submitter
from hueval_site.submissions.models import State, Submission
from hueval_site.submissions.phases import is_season_kept
from hueval_site.submissions.seasons import new_season, open_season
from hueval_site.submissions.similarity import look_for_copies
from hueval_site.submissions.states import changed, move

MOST_ATTEMPTS = 3  # that count: others were scored meanwhile
MOST_BROKEN = 12  # attempts, though none of them counts; with pauses that double up to an hour
MOST_JUDGINGS = 12  # with pauses that double up to an hour, about seven hours
JUDGE_PAUSE = timedelta(minutes=1)  # after the first judging that left verdicts missing

BROKEN = gettext_noop("Scoring was broken off several times. This does not count, and staff have been told.")
FAULT = gettext_noop("Scoring failed. This does not count, and staff have been told.")
LABELS = gettext_noop("The labels of this task were changed without notice. This does not count; staff have been told.")
SEASON = gettext_noop("The data of this task were replaced before scoring. This does not count: please submit again.")
UNANSWERED = gettext_noop("The judge has not answered yet; it is asked again for the verdicts that are missing.")
SILENT_JUDGE = gettext_noop("The judge gave no verdict on some responses. This does not count; staff have been told.")
TOO_DEAR = gettext_noop("Judging these responses costs more than this site allows. This does not count.")
AGAIN = gettext_noop("Scoring was interrupted and starts again soon.")

log = logging.getLogger(__name__)


@cache
def worker_name() -> str:
    """Machine, process and a random part: a container that starts again has the same of the others."""
    return f"{socket.gethostname()[:40]}:{os.getpid()}:{secrets.token_hex(4)}"


def score_waiting(worker: str = "") -> int:
    """Score submissions until none waits, or until the process is told to stop.

    Returns:
        How many were begun.

    Raises:
        django.db.Error: the database is away; what was begun is taken over when its lease has run out.
    """
    worker = worker or worker_name()
    n = 0
    while not STOP.is_set and (submission := claim(worker)) is not None:
        n += 1
        with renewed(submission, worker):
            _score_one(submission, worker)
        _look_for_copies(submission)
    return n


def _score_one(submission: Submission, worker: str) -> None:
    board = every_board().get(submission.board)
    if board is None or submission.attempts > MOST_ATTEMPTS or submission.n_broken >= MOST_BROKEN:
        _fail(submission, worker, BROKEN)
        return
    try:
        while True:
            with STOP.interruptible():
                fields = result_of(submission, board)
            if _finish(submission, worker, board, fields):
                return
            log.info("%s: another submission of its team was scored meanwhile; compared again", submission.pk)
    except StoppedError:
        release(submission, worker, timedelta(), counts=False)
    except SeasonClosedError:
        _fail(submission, worker, SEASON)
    except LabelsChangedError:
        if board.hidden or is_season_kept(board):
            _fail(submission, worker, LABELS)
        else:  # public answers: whoever exchanges the file means it
            if open_season(board).pk == submission.season_id:
                new_season(board, labels_hash(board))
            _fail(submission, worker, SEASON)
    except UnansweredError:
        _judge_later(submission, worker)
    except HuevalError as error:  # it would not be otherwise at the next attempt
        log.error("%s: %s", submission.pk, type(error).__name__ if board.hidden else error)
        _fail(submission, worker, FAULT)
    except Exception as error:
        log.error("%s: attempt %d: %s", submission.pk, submission.attempts, type(error).__name__)
        if submission.attempts >= MOST_ATTEMPTS:
            _fail(submission, worker, BROKEN)
        else:
            pause = timedelta(seconds=settings.CONFIG.lease_s / 2) * 2**submission.n_broken
            release(submission, worker, min(pause, LONGEST_PAUSE), AGAIN)


def _look_for_copies(submission: Submission) -> None:
    """Note for staff which submission of another team is most alike; the result does not depend on it."""
    board = every_board().get(submission.board)
    if board is not None and board.is_practice:  # its labels are public: good files are alike
        return
    try:
        look_for_copies(submission)
    except Exception as error:  # staff pages compare again; the text may quote an answer
        log.error("%s: not compared with others (%s)", submission.pk, type(error).__name__)


def _finish(submission: Submission, worker: str, board: Board, fields: dict[str, Any]) -> bool:
    """Write the result, unless another worker has taken over.

    Returns:
        False where it must be compared again: another submission of the team has become its best meanwhile, and two
        that were scored at the same time would otherwise both be told a number as the team's first.
    """
    best = fields.pop("best")
    with transaction.atomic():
        Team.objects.select_for_update().get(pk=submission.team_id)
        found = held(submission.pk, worker).select_for_update().first()
        if found is None:
            log.warning("%s: another worker has taken over", submission.pk)
            return True
        now = best_of(found, board)
        if best != (None if now is None else now.pk):
            return False
        fields |= {"worker": "", "heartbeat": None}
        if found.state == State.SCORING:
            move(found, State.PRIVATE, scored=timezone.now(), **fields)
        else:
            _replace(found, board, fields)
    return True


def _replace(found: Submission, board: Board, fields: dict[str, Any]) -> None:
    """Write the result of a submission that was scored before; its state stays, and what is public stays public."""
    before = found.told, found.shown
    if found.shown is not None:
        metrics = {name: board.spec.metrics[name] for name in board.metrics}
        fields["shown"] = shown_of(fields["exact"], metrics, is_hidden=bool(board.hidden))
    for name, value in (fields | {"rescore": False}).items():
        setattr(found, name, value)
    found.save(update_fields=[*fields, "rescore"])
    if found.state == State.PUBLIC:
        changed(found.season_id)
    if (found.told, found.shown) != before:
        tell_submitter(found, gettext_noop("It was scored again, and its result has changed."))


def _fail(submission: Submission, worker: str, reason: str) -> None:
    """End without a result; one that was scored before keeps its old one."""
    with transaction.atomic():
        found = held(submission.pk, worker).select_for_update().first()
        if found is None:
            return
        if found.state == State.SCORING:
            move(found, State.FAILED, reason=reason, worker="", heartbeat=None)
        else:
            Submission.objects.filter(pk=found.pk).update(rescore=False, worker="", heartbeat=None)
            tell_staff(found, gettext_noop("It could not be scored again and keeps its old result."))


def _judge_later(submission: Submission, worker: str) -> None:
    """Keep what the judge has said, and ask for the rest later."""
    judgings = submission.judgings + 1
    Submission.objects.filter(pk=submission.pk).update(judgings=judgings)
    if is_over_budget(submission):
        _fail(submission, worker, TOO_DEAR)
    elif judgings >= MOST_JUDGINGS:
        _fail(submission, worker, SILENT_JUDGE)
    else:
        pause = min(JUDGE_PAUSE * 2 ** (judgings - 1), LONGEST_PAUSE)
        release(submission, worker, pause, UNANSWERED, counts=False)

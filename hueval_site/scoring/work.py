"""Score what waits: claim, score with the hidden labels, tell the team what it may know."""

from __future__ import annotations

import logging
import os
import socket
from typing import Any

from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext_noop

from hueval_metrics.records import HuevalError
from hueval_site.accounts.models import Team
from hueval_site.boards import boards
from hueval_site.scoring.lease import claim, renewed
from hueval_site.scoring.score import LabelsChangedError, best_of, result_of
from hueval_site.submissions.models import State, Submission
from hueval_site.submissions.similarity import look_for_copies
from hueval_site.submissions.states import StateError, move

MOST_ATTEMPTS = 3

log = logging.getLogger(__name__)


def worker_name() -> str:
    """Machine and process."""
    return f"{socket.gethostname()[:40]}:{os.getpid()}"


def score_waiting(worker: str = "") -> int:
    """Score submissions until none waits.

    Returns:
        How many.
    """
    worker = worker or worker_name()
    n = 0
    while (submission := claim(worker)) is not None:
        with renewed(submission, worker):
            while not _finish(submission, worker, *_outcome(submission)):
                log.info("%s: another submission of its team was scored meanwhile; compared again", submission.pk)
        _look_for_copies(submission)
        n += 1
    return n


def _outcome(submission: Submission) -> tuple[State, dict[str, Any]]:
    if submission.attempts > MOST_ATTEMPTS:
        return State.FAILED, {"reason": gettext_noop("Scoring was broken off several times. Staff have been told.")}
    try:
        return State.PRIVATE, result_of(submission, boards()[submission.board]) | {"scored": timezone.now()}
    except LabelsChangedError:
        return State.FAILED, {"reason": gettext_noop("The labels of this task were changed. Staff have been told.")}
    except HuevalError as error:
        log.error("%s: %s", submission.pk, error if not boards()[submission.board].hidden else type(error).__name__)
    except Exception as error:  # a fault of ours: its text may quote a label, so the log has its type alone
        log.error("%s: %s", submission.pk, type(error).__name__)
    return State.FAILED, {"reason": gettext_noop("Scoring failed. This does not count, and staff have been told.")}


def _look_for_copies(submission: Submission) -> None:
    """Note for staff which submission of another team is most alike; the result does not depend on it."""
    try:
        look_for_copies(submission)
    except Exception as error:  # staff pages compare again; the text may quote an answer
        log.error("%s: not compared with others (%s)", submission.pk, type(error).__name__)


def _finish(submission: Submission, worker: str, outcome: State, fields: dict[str, Any]) -> bool:
    """Write the result, unless another worker has taken over.

    Returns:
        False where it must be compared again: another submission of the team has become its best meanwhile, and two
        that were scored at the same time would otherwise both be told a number as the team's first.
    """
    best = fields.pop("best", None)
    with transaction.atomic():
        Team.objects.select_for_update().get(pk=submission.team_id)
        still_mine = Submission.objects.select_for_update().filter(pk=submission.pk, worker=worker, state=State.SCORING)
        if still_mine.exists():
            now = best_of(submission, boards()[submission.board])
            if outcome == State.PRIVATE and best != (None if now is None else now.pk):
                return False
            try:
                move(submission, outcome, worker="", **fields)
            except StateError as error:
                log.warning("%s: %s", submission.pk, error)
    return True

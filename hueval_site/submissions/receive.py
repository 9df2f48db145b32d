"""What becomes of an upload: it is stored, checked, and queued, each a step that can be repeated after a crash."""

from __future__ import annotations

import hashlib
import shutil
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from django.core.files.base import File
from django.db import transaction
from django.utils.translation import gettext as _

from hueval_site.accounts.models import Team, User
from hueval_site.boards import Board, boards
from hueval_site.submissions.limits import allowance
from hueval_site.submissions.models import State, Submission
from hueval_site.submissions.seasons import open_season
from hueval_site.submissions.states import StateError, move

KEPT_FAULTS = 1000  # of a file; the list says how many more there are


class RefusedError(Exception):
    """An upload is not taken; the text says why, in the reader's language."""


def store(user: User, board: Board, upload: File[bytes], card: Mapping[str, Any]) -> Submission:
    """Store an upload before anything else is done with it.

    Args:
        user: a member of an admitted team.
        board: what it is for.
        upload: the file, on the disk or in memory.
        card: the fields of the model card, checked by the form or the API.

    Raises:
        RefusedError: the team may not submit (now).
    """
    if user.team is None:
        raise RefusedError(_("You have no team yet. Found or join one on your account page."))
    with transaction.atomic():
        team = Team.objects.select_for_update().get(pk=user.team.pk)
        if not team.is_admitted:
            raise RefusedError(_("Your team has not been admitted yet. You will get a mail when it is."))
        allowed = allowance(team, board)
        if not allowed.uploads_left:
            raise RefusedError(_("Too many uploads for this task today. Try again tomorrow."))
        if not allowed.left:
            raise RefusedError(
                _("Your team has used its submissions for this task. The next one is possible from %(time)s UTC.")
                % {"time": allowed.next.strftime("%Y-%m-%d %H:%M") if allowed.next else "?"}
            )
        digest = hashlib.sha256()
        for chunk in upload.chunks():
            digest.update(chunk)
        upload.seek(0)
        name = Path(upload.name or "").name[:200]
        return Submission.objects.create(
            team=team,
            user=user,
            board=board.task,
            season=open_season(board),
            file=File(upload, name=name),
            name=name,
            digest=digest.hexdigest(),
            **card,
        )


def check(submission: Submission) -> Submission:
    """Check a stored upload and queue it if it has no faults; safe to repeat."""
    board = boards()[submission.board]
    with local_file(submission) as path:
        found = board.submission_format.check(path, board.public_target)
    faults = [
        {"row": fault.row, "kind": dict(fault.kind), "text": dict(fault.text)} for fault in found.faults[:KEPT_FAULTS]
    ]
    to = State.FAULTY if found.n_faults else State.CHECKED
    try:
        submission = move(submission, to, faults=faults, n_faults=found.n_faults, n_rows=len(found.answers))
    except StateError:  # checked by another process
        return Submission.objects.get(pk=submission.pk)
    return submission if found.n_faults else queue(submission)


def queue(submission: Submission) -> Submission:
    """Queue a checked upload, if its team may still submit; otherwise it stays checked, with the reason."""
    from hueval_site.scoring.tasks import wake_workers

    board = boards()[submission.board]
    with transaction.atomic():
        team = Team.objects.select_for_update().get(pk=submission.team_id)
        if not allowance(team, board).left:
            submission.reason = _("Your team has used its submissions for this task.")
            submission.save(update_fields=["reason"])
            return submission
        queued = move(submission, State.QUEUED)
        transaction.on_commit(wake_workers)
    return queued


@contextmanager
def local_file(submission: Submission) -> Iterator[Path]:
    """The upload as a file on this machine, under the name that the user gave it, wherever it is stored."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / (Path(submission.name).name or "upload")
        with submission.file.open("rb") as stored, path.open("wb") as copy:
            shutil.copyfileobj(stored, copy, 2**20)
        yield path

"""What becomes of an upload: it is stored, checked, and queued, each a step that can be repeated after a crash.

A file is stored before its row commits, so that there is no row without a file. A file without a row is what a crash in
between leaves; `remove_orphans` removes it.
"""

from __future__ import annotations

import hashlib
import logging
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from datetime import datetime, timedelta
from functools import partial
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.files.base import File
from django.core.files.storage import Storage
from django.db import IntegrityError, transaction
from django.utils import timezone, translation
from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop, ngettext

from hueval_metrics.api.boards import ArchiveError, is_archive, one_line, unpacked
from hueval_site.accounts.models import Team, User
from hueval_site.boards import Board, every_board
from hueval_site.localized import text_of
from hueval_site.submissions.judged import judge_refusal
from hueval_site.submissions.limits import Allowance, allowance, may_be_told_first
from hueval_site.submissions.models import State, Submission
from hueval_site.submissions.phases import OVER, phase_refusal
from hueval_site.submissions.seasons import open_season
from hueval_site.submissions.signals import was_queued
from hueval_site.submissions.states import StateError, move
from hueval_site.submissions.uploads import Given, assigned, copy, name_of, on_disk, temp_dir

ORPHANED = timedelta(days=1)  # after which a file without a row is no upload that is still being stored
WAITS = gettext_noop("Your team has used its submissions for this task. It is queued as soon as it may submit.")
NOT_ADMITTED = gettext_noop(
    "The file has no faults. It is scored once staff admit your team; you will get a mail then."
)
FIRST_NUMBERS = gettext_noop(
    "Few teams are told a first score of this task in a month, which protects its labels. Yours waits for its turn."
)
SUSPENDED = gettext_noop("Your team is suspended. Ask those who run the site.")

log = logging.getLogger(__name__)


class RefusedError(Exception):
    """An upload is not taken; the text says why, in the reader's language.

    Attributes:
        files: name of a file in an archive → why it is refused; empty where it is not about single files.
    """

    def __init__(self, message: str, files: Mapping[str, str] | None = None) -> None:
        super().__init__(message)
        self.files = dict(files or {})


class NotStoredError(RefusedError):
    """An upload could not be stored, through no fault of its sender; its cause says why."""


def store(user: User, board: Board, upload: File[bytes], card: Mapping[str, Any]) -> Submission:
    """Store an upload before anything else is done with it.

    Args:
        user: a member of a team.
        board: what it is for.
        upload: the file, on the disk or in memory.
        card: the fields of the model card, checked by the form or the API.

    Raises:
        RefusedError: the team may not submit (now), or the file is too large.
    """
    _check_size(upload)
    name = name_of(upload)
    return _store(user, [Given(board, upload, name, name)], card)[0]


def store_many(user: User, upload: File[bytes], card: Mapping[str, Any]) -> list[Submission]:
    """Store the files of an archive, each for the task that its name tells: all of them or none.

    Args:
        user, card: as for `store`; the files have the same card.
        upload: a zip archive, or one file whose name or first row tells its task.

    Returns:
        A submission a file, in the order of the archive.

    Raises:
        RefusedError: the archive cannot be unpacked, the task of a file cannot be told, two files are of one task, or
            the team may not submit one of them (now).
    """
    _check_size(upload)
    with ExitStack() as stack:
        path = stack.enter_context(on_disk(upload))
        if not is_archive(path):
            name = name_of(upload)
            return _store(user, _all_of(assigned([(name, path)], stack)), card)
        try:
            members = stack.enter_context(unpacked(path, settings.CONFIG.upload_bytes, temp_dir()))
        except ArchiveError as error:
            raise RefusedError(f"{name_of(upload)}: {text_of(error.text)}") from None
        return _store(user, _all_of(assigned([(one.name, one.path) for one in members], stack)), card)


def check(submission: Submission) -> Submission:
    """Check a stored upload and queue it if it has no faults; safe to repeat in any state, by several processes.

    What keeps the check from being made at all, such as data that are not at hand, leaves it as it was, to be tried
    again.
    """
    submission.refresh_from_db(fields=["state", "reason"])
    if submission.state == State.CHECKED:  # the process that checked it ended before it was queued
        return queue(submission)
    if submission.state != State.UPLOADED:
        return submission
    board = every_board()[submission.board]
    try:
        with local_file(submission) as path:
            found = board.submission_format.check(path, board.public_target)
    except Exception as error:  # no data, a full disk, a store that is away: whatever its client raises
        log.error("%s: could not be checked (%s)", submission.pk, one_line(error))
        return submission
    faults = [{"row": fault.row, "kind": dict(fault.kind), "text": dict(fault.text)} for fault in found.faults]
    to = State.FAULTY if found.n_faults else State.CHECKED
    try:
        submission = move(submission, to, faults=faults, n_faults=found.n_faults, n_rows=len(found.answers))
    except StateError:  # checked by another process
        return Submission.objects.get(pk=submission.pk)
    return submission if found.n_faults else queue(submission)


def queue(submission: Submission) -> Submission:
    """Queue a checked upload, if its team may submit now; otherwise it stays checked, with the reason."""
    board = every_board()[submission.board]
    with transaction.atomic():
        team = Team.objects.select_for_update().get(pk=submission.team_id)
        waits = _waits(submission, team, board)
        if waits:
            if submission.reason != waits:
                submission.reason = waits
                submission.save(update_fields=["reason"])
            return submission
        try:
            queued = move(submission, State.QUEUED)
        except StateError:  # queued by another process
            return Submission.objects.get(pk=submission.pk)
        transaction.on_commit(partial(was_queued.send, Submission))
    return queued


def _waits(submission: Submission, team: Team, board: Board) -> str:
    """Why a checked upload is not queued now; empty where it is."""
    if team.is_suspended:
        return SUSPENDED
    if submission.reason and phase_refusal(board):  # it waited; what was just stored is taken
        return OVER
    if not (team.is_admitted or board.scores_all):
        return NOT_ADMITTED
    if not allowance(team, board).left:
        return WAITS
    return "" if may_be_told_first(submission, board) else FIRST_NUMBERS


@contextmanager
def local_file(submission: Submission) -> Iterator[Path]:
    """The upload as a file on this machine, wherever it is stored; it must not be changed.

    Raises:
        OSError: it cannot be read.
    """
    try:
        path = Path(submission.file.path)
    except NotImplementedError:  # kept elsewhere
        with tempfile.TemporaryDirectory(dir=temp_dir()) as folder:
            path = Path(folder) / "upload"
            try:
                with submission.file.open("rb") as stored:
                    copy(stored, path)
            except Exception as error:  # whatever a store says
                raise OSError(f"{type(error).__name__}: {one_line(error)}") from error
            yield path
    else:
        yield path


def answers_of(submission: Submission) -> Mapping[str, str]:
    """Item → answer of a stored file without faults; a long reply stands as its digest.

    The file is read and checked anew: milliseconds for a file of labels, about a second for 100 MB of replies, besides
    the transfer where uploads are kept elsewhere. Keep what you need of it.

    Raises:
        HuevalError, OSError: the file or the items cannot be read.
    """
    board = every_board()[submission.board]
    with local_file(submission) as path:
        return board.submission_format.check(path, board.public_target).answers


def faults_text(submission: Submission, language: str) -> Iterator[str]:
    """The faults of an upload as lines of a text file, the first 1,000, and how many more there are.

    Args:
        submission: the upload.
        language: `en` or `hu`.
    """
    with translation.override(language):
        title = ngettext("%(file)s: %(n)d fault", "%(file)s: %(n)d faults", submission.n_faults)
        more = _("… and %(n)d more, which are not listed.")
        texts = [text_of(fault["text"]) for fault in submission.faults]
    yield title % {"file": submission.name, "n": submission.n_faults} + "\n"
    for text in texts:
        yield one_line(text, 1000) + "\n"
    if submission.n_faults > len(texts):
        yield more % {"n": submission.n_faults - len(texts)} + "\n"


def remove_orphans(before: datetime | None = None) -> int:
    """Remove stored files that no submission has, as a crash while one was being stored leaves them.

    Args:
        before: those that were stored before then; None for a day ago.

    Returns:
        How many there were.
    """
    before = before or timezone.now() - ORPHANED
    storage = Submission._meta.get_field("file").storage
    old = [name for name in _stored(storage) if storage.get_modified_time(name) < before]
    known = set(Submission.objects.filter(file__in=old).values_list("file", flat=True)) if len(old) < 500 else None
    if known is None:
        known = set(Submission.objects.values_list("file", flat=True).iterator())
    orphans = [name for name in old if name not in known]
    for name in orphans:
        storage.delete(name)
    return len(orphans)


def _store(user: User, given: Sequence[Given], card: Mapping[str, Any]) -> list[Submission]:
    _refuse(_refusals(user.team, given))  # before anything is stored; and again below, when nothing can change
    made: list[Submission] = []
    try:
        for one in given:
            made.append(_put(user, one, card))
    except Exception as error:  # a full disk, or whatever a store says
        log.error("an upload could not be stored (%s: %s)", type(error).__name__, one_line(error))
        _remove(made)
        raise NotStoredError(
            _("The upload could not be stored, and nothing of it was taken. Try again later.")
        ) from error
    try:
        with transaction.atomic():
            team = Team.objects.select_for_update().get(pk=made[0].team_id)
            _refuse(_refusals(team, given))
            for submission, one in zip(made, given, strict=True):
                submission.season = open_season(one.board)
                submission.save(force_insert=True)
    except (RefusedError, IntegrityError):  # of other errors it is not known whether the rows were written
        _remove(made)
        raise
    return made


def _remove(made: Sequence[Submission]) -> None:
    """Remove the files of submissions that have no row; what cannot be removed now is an orphan."""
    for submission in made:
        with suppress(Exception):
            submission.file.delete(save=False)


def _put(user: User, given: Given, card: Mapping[str, Any]) -> Submission:
    """Store a file, for a row that is not written yet."""
    digest = hashlib.sha256()
    for chunk in given.file.chunks():
        digest.update(chunk)
    given.file.seek(0)
    made = Submission(
        team=user.team, user=user, board=given.board.task, name=given.name, digest=digest.hexdigest(), **card
    )
    made.file.save(given.name, given.file, save=False)
    return made


def _refusals(team: Team | None, given: Sequence[Given]) -> Mapping[str, str]:
    """Name of a file → why the team may not submit it now."""
    if team is None:
        raise RefusedError(_("You have no team yet. Found or join one on your account page."))
    if team.is_suspended:
        raise RefusedError(_(SUSPENDED))
    reasons = {
        one.shown: phase_refusal(one.board) or judge_refusal(one.board) or _refusal(allowance(team, one.board))
        for one in given
    }
    return {name: reason for name, reason in reasons.items() if reason}


def _refusal(allowed: Allowance) -> str:
    if not allowed.uploads_left:
        return _("Too many uploads for this task today. Try again tomorrow.")
    if not allowed.left:
        return _("Your team has used its submissions for this task. The next one is possible from %(time)s UTC.") % {
            "time": allowed.next.strftime("%Y-%m-%d %H:%M") if allowed.next else "?"
        }
    return ""


def _refuse(files: Mapping[str, str]) -> None:
    """Raise RefusedError where files are refused."""
    if len(files) == 1:
        ((name, reason),) = files.items()
        raise RefusedError(reason, {name: reason})
    if files:
        raise RefusedError(_("Nothing was taken, as some of the files are refused."), files)


def _all_of(found: tuple[list[Given], dict[str, str]]) -> list[Given]:
    """The files, where none of them is refused."""
    _refuse(found[1])
    return found[0]


def _check_size(upload: File[bytes]) -> None:
    if upload.size > settings.CONFIG.upload_bytes:
        raise RefusedError(
            _("The file is larger than %(most)d MB. Leave out what is not asked for, or submit the tasks one by one.")
            % {"most": settings.CONFIG.upload_mb}
        )


def _stored(storage: Storage) -> Iterator[str]:
    try:
        yield from storage.listdir("")[1]
    except FileNotFoundError:  # nothing has been uploaded yet
        return

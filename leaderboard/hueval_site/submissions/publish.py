"""How a result becomes public: its team asks, staff decide, and the team can withdraw it.

On hidden labels a public row is one more number that tells something, with a decimal: a team can have few of them a
year, counted also when withdrawn or superseded since, and none that agrees in nearly all items with a row that was ever
public in the season, for the two numbers would tell the labels of the other items.
"""

from __future__ import annotations

from datetime import datetime

from django.conf import settings
from django.db import transaction
from django.db.models import QuerySet
from django.utils import timezone
from django.utils.translation import gettext as _

from hueval_site.accounts.models import Team, User
from hueval_site.boards import Board, every_board
from hueval_site.disclosure import shown_of
from hueval_site.phases import PhaseState
from hueval_site.submissions.limits import YEAR
from hueval_site.submissions.models import Decision, State, Submission
from hueval_site.submissions.phases import state_of
from hueval_site.submissions.similarity import most_alike
from hueval_site.submissions.states import NEXT, StateError, move
from hueval_site.submissions.versions import ActError, locked

MOST_ALIKE = 0.99  # share of equal answers at which a row cannot be public beside another


class PublishError(ActError):
    """What was asked for is not possible; the text says why, in the reader's language."""


def request_publication(submission: Submission, by: User) -> Submission:
    """Ask staff to make a scored submission public.

    Args:
        submission: scored and private, or refused before.
        by: a member of its team.

    Raises:
        PublishError: it is another team's or in another state, the team has used its public rows of the year, or a
            public row has nearly the same answers.
    """
    _check_member(submission, by)
    with transaction.atomic():
        found = locked(submission)
        if found.team.is_suspended:
            raise PublishError(_("Your team is suspended. Ask those who run the site."))
        if State.PENDING not in NEXT[State(found.state)]:
            raise PublishError(_("Only a scored submission that is not public can be published."))
        board = _board(found)
        check_phase(board)
        waiting = Submission.objects.filter(team=found.team_id, board=found.board, state=State.PENDING).count()
        _check_rules(found, board, waiting)
        return move(found, State.PENDING, by=by, requests=found.requests + 1)


def decide(
    submission: Submission, staff: User, approves: bool, note: str = "", *, request: int | None = None
) -> Submission:
    """Note what a member of staff decides; enough approvals make the row public, one refusal refuses it.

    A decision that comes twice, as by a form sent again, changes nothing the second time.

    Args:
        submission: what is to be decided.
        staff: an active member of staff who is not of its team.
        approves: whether it should be public.
        note: the reason, which a refusal needs: the submitter reads it.
        request: the number of the request that the member of staff saw (`Submission.requests`); None for the present
            one. A decision about an earlier one is not taken.

    Returns:
        The submission; pending as long as approvals are missing (`approvals`).

    Raises:
        PublishError: staff may not decide this one, it is not to be decided (any more), a refusal has no reason, or the
            rules forbid it by now.
    """
    if not (staff.is_staff and staff.is_active):
        raise PublishError(_("Only staff decide."))
    if staff.team_id is not None and staff.team_id == submission.team_id:
        raise PublishError(_("You are a member of its team. Somebody else must decide."))
    if not approves and not note.strip():
        raise PublishError(_("A refusal needs a reason, which the submitter reads."))
    with transaction.atomic():
        found = locked(submission)
        number = found.requests if request is None else request
        mine = Decision.objects.filter(submission=found, staff=staff, round=number).first()
        if mine is not None and mine.approves == approves:
            return found
        if found.state != State.PENDING or number != found.requests:
            raise PublishError(_("It is not to be decided any more. Load the page again."))
        if mine is None:
            mine = Decision(submission=found, staff=staff, round=number)
        mine.approves, mine.note = approves, note.strip()
        mine.save()
        if approves and found.team.is_suspended:
            raise PublishError(_("Its team is suspended."))
        if not approves:
            return move(found, State.REFUSED, by=staff, reason=mine.note)
        if approvals(found) < settings.CONFIG.approvals:
            return found
        return _publish(found, staff)


def approvals(submission: Submission) -> int:
    """How many members of staff approve of the present request."""
    found = Decision.objects.filter(submission=submission, round=submission.requests, approves=True)
    return found.filter(staff__is_staff=True, staff__is_active=True).count()


def withdraw(submission: Submission, by: User | None, reason: str = "") -> Submission:
    """Withdraw a submission in any state in which that is possible; it stays withdrawn.

    Args:
        submission: it.
        by: a member of its team, or of staff; None for whoever runs the site.
        reason: why, where staff do it; a row that was withdrawn with a reason can be put back.

    Raises:
        PublishError: it is another team's, or it cannot be withdrawn now.
    """
    if by is not None and not (by.is_staff and by.is_active):
        _check_member(submission, by)
    try:
        return move(submission, State.WITHDRAWN, by=by, reason=reason)
    except StateError:
        raise PublishError(_("This submission cannot be withdrawn now.")) from None


def rows_left(team: Team, board: Board) -> int | None:
    """How many more rows a team can make public this year, not counting those that wait; None for any number."""
    return max(0, board.limits.public_year - len(_published(team.pk, board))) if board.hidden else None


def public_rows_like(submission: Submission) -> QuerySet[Submission]:
    """The public rows of the same model, beside which a board shows no other."""
    return Submission.objects.filter(
        team=submission.team_id,
        season=submission.season_id,
        state=State.PUBLIC,
        model_name__iexact=submission.model_name,
        setting=submission.setting,
    )


def _publish(submission: Submission, staff: User) -> Submission:
    board = _board(submission)
    check_phase(board)
    _check_rules(submission, board, 0)
    for one in public_rows_like(submission):
        move(one, State.SUPERSEDED, by=staff)
    metrics = {name: board.spec.metrics[name] for name in board.metrics}
    shown = shown_of(submission.exact, metrics, is_hidden=bool(board.hidden))
    return move(submission, State.PUBLIC, by=staff, shown=shown)


def _board(submission: Submission) -> Board:
    try:
        return every_board()[submission.board]
    except KeyError:
        raise PublishError(_("This site has no board of this task any more.")) from None


def withheld(board: Board) -> str:
    """Why no result of a board becomes public now, in the reader's language; empty where results do."""
    if board.is_practice:
        return _("Results of practice stay with their team.")
    if state_of(board) == PhaseState.CLOSED:
        return _("The phase has closed: results stay private until staff open them.")
    return ""


def check_phase(board: Board) -> None:
    """See that results of a board can become public now.

    Raises:
        PublishError: they cannot.
    """
    if reason := withheld(board):
        raise PublishError(reason)


def _check_rules(submission: Submission, board: Board, waiting: int) -> None:
    """Whether a row may be public beside those that were, and others that wait."""
    if not board.hidden:
        return
    most, times = board.limits.public_year, _published(submission.team_id, board)
    if len(times) >= most:
        text = _("A team can make %(most)d rows of this board public in a year. The next is possible from %(day)s.")
        raise PublishError(text % {"most": most, "day": (times[-most] + YEAR).strftime("%Y-%m-%d")})
    if len(times) + waiting >= most:
        text = _("A team can make %(most)d rows of this board public in a year, and others of yours await approval.")
        raise PublishError(text % {"most": most})
    alike = most_alike(submission, Submission.objects.filter(season=submission.season_id, published__isnull=False))
    if alike is not None and alike.share >= MOST_ALIKE:
        text = _("At least %(share)d %% of its answers are those of a row that is or was public. Publish another one.")
        raise PublishError(text % {"share": 100 * MOST_ALIKE})


def _published(team: int, board: Board) -> list[datetime]:
    """When rows of a team were made public in the last year, also those withdrawn since; the oldest first.

    A time in the future, as after a clock was set back, counts as now.
    """
    now = timezone.now()
    times = Submission.objects.filter(team=team, board=board.task, published__gt=now - YEAR)
    return sorted(min(time, now) for time in times.values_list("published", flat=True))


def _check_member(submission: Submission, user: User) -> None:
    if user.team_id is None or user.team_id != submission.team_id:
        raise PublishError(_("It is not a submission of your team."))

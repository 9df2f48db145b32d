"""Where the phase of a board stands, by the clock of the database: hosts whose clocks differ agree."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime

from django.db import connection
from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, gettext_noop

from hueval_metrics.errors import InputError
from hueval_site.boards import Board
from hueval_site.phases import PhaseState, state_at, written
from hueval_site.submissions.models import Phase

OVER = gettext_noop("The phase takes no submissions any more.")
PHASE_STATES: Mapping[PhaseState, Promise] = {
    PhaseState.UPCOMING: gettext_lazy("not open yet"),
    PhaseState.OPEN: gettext_lazy("open"),
    PhaseState.FROZEN: gettext_lazy("frozen: takes no submissions any more"),
    PhaseState.CLOSED: gettext_lazy("closed: results stay private until staff open them"),
    PhaseState.OPENED: gettext_lazy("closed, results are open"),
}


def database_now() -> datetime:
    """The time of the database."""
    is_sqlite = connection.vendor == "sqlite"
    with connection.cursor() as cursor:
        cursor.execute("SELECT strftime('%Y-%m-%d %H:%M:%f', 'now')" if is_sqlite else "SELECT clock_timestamp()")
        (found,) = cursor.fetchone()
    return datetime.fromisoformat(found).replace(tzinfo=UTC) if is_sqlite else found


def phase_of(board: Board) -> Phase:
    """The phase of a board with the dates that are in force: those stored, else those of `site.yaml`."""
    return Phase.objects.filter(pk=board.task).first() or declared_phase(board)


def declared_phase(board: Board) -> Phase:
    """The phase that `site.yaml` declares, not saved."""
    dates = board.dates
    return Phase(board=board.task, opens=dates.opens, freezes=dates.freezes, closes=dates.closes)


def standing(phase: Phase) -> PhaseState:
    """Where a phase stands now; without dates it is open."""
    state = state_at(phase, database_now()) if phase.is_dated else PhaseState.OPEN
    is_opened = phase.opened is not None and phase.closes is not None and phase.opened >= phase.closes
    return PhaseState.OPENED if state == PhaseState.CLOSED and is_opened else state


def state_of(board: Board) -> PhaseState:
    """Where the phase of a board stands now."""
    return standing(phase_of(board))


def phase_refusal(board: Board) -> str:
    """Why a phase takes no submissions now, in the reader's language; empty where it does."""
    phase = phase_of(board)
    state = standing(phase)
    if state == PhaseState.OPEN:
        return ""
    if state == PhaseState.UPCOMING:
        return _("The phase has not opened yet: it opens on %(time)s UTC.") % {"time": f"{phase.opens:%Y-%m-%d %H:%M}"}
    ended = phase.freezes or phase.closes
    return _("The phase takes no submissions any more: it took them until %(time)s UTC.") % {
        "time": f"{ended:%Y-%m-%d %H:%M}"
    }


def is_season_kept(board: Board) -> bool:
    """Whether the phase of a board keeps its season now: one that has an end does, from its opening to its close."""
    phase = phase_of(board)
    return phase.closes is not None and standing(phase) in (PhaseState.OPEN, PhaseState.FROZEN)


def check_season(board: Board) -> None:
    """See that a season of a board can end.

    Raises:
        InputError: its phase keeps it.
    """
    if is_season_kept(board):
        closes = written(phase_of(board).closes)
        raise InputError(
            f"{board.task}: its phase keeps its season until it closes ({closes}): labels, judge, rubric and version "
            "of the task must not change. Take the change back, wait, or close the phase: move closes in site.yaml, "
            f"then run: hueval site board accept-dates {board.task} --reason …"
        )

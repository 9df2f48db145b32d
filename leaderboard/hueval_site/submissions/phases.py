"""Where the phase of a board stands, by the clock of the database: hosts whose clocks differ agree."""

from __future__ import annotations

from datetime import UTC, datetime

from django.db import connection
from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop

from hueval_site.boards import Board
from hueval_site.phases import PhaseState, state_at

OVER = gettext_noop("The phase takes no submissions any more.")
NOT_YET = gettext_noop("The phase has not opened yet.")


def database_now() -> datetime:
    """The time of the database."""
    is_sqlite = connection.vendor == "sqlite"
    with connection.cursor() as cursor:
        cursor.execute("SELECT strftime('%Y-%m-%d %H:%M:%f', 'now')" if is_sqlite else "SELECT clock_timestamp()")
        (found,) = cursor.fetchone()
    return datetime.fromisoformat(found).replace(tzinfo=UTC) if is_sqlite else found


def state_of(board: Board) -> PhaseState:
    """Where its phase stands; without dates it is open."""
    return state_at(board.dates, database_now()) if board.dates.is_dated else PhaseState.OPEN


def phase_refusal(board: Board) -> str:
    """Why its phase takes no submissions now, in the reader's language; empty where it does."""
    state = state_of(board)
    if state == PhaseState.OPEN:
        return ""
    return _(NOT_YET if state == PhaseState.UPCOMING else OVER)

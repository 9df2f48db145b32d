"""The dates of phases as they were first seen: those of a phase that has begun do not move with `site.yaml`.

Teams plan by the dates that they were shown, and results are private or not by them. A slip in a file must not reopen
a phase or end it early, so a date that moves between the opening of a phase and that of its results is reported, and
counts once staff accept it, with a reason that is mailed to the teams. Before and after that, the file counts.
"""

from __future__ import annotations

import logging
from collections.abc import Iterator

from django.db import transaction

from hueval_site.boards import Board, every_board
from hueval_site.phases import PhaseState, written
from hueval_site.submissions.models import Phase
from hueval_site.submissions.phases import standing
from hueval_site.submissions.seasons import open_season
from hueval_site.submissions.states import changed

DATES = ("opens", "freezes", "closes")

log = logging.getLogger(__name__)


def store_dates() -> None:
    """Store the dates of all boards, as web server and worker do when they start; log where some have moved."""
    for board in every_board().values():
        _store(board)
    for line in moved_lines():
        log.warning("%s", line)


def moved_lines() -> Iterator[str]:
    """A line for each phase that has begun and has other dates in `site.yaml`."""
    for phase in Phase.objects.order_by("board"):
        if has_begun(phase) and (moved := moved_dates(phase)):
            yield (
                f"{phase}: site.yaml moves dates of a phase that has begun ({moved}); the old ones stay in force. Put "
                f"them back there, or accept the new ones: hueval site board accept-dates {phase} --reason …"
            )


def moved_dates(phase: Phase) -> str:
    """Which dates `site.yaml` has otherwise, old → new; empty where it has the same, or has no such board."""
    board = every_board().get(phase.board)
    pairs = [(name, getattr(phase, name), getattr(board.dates, name)) for name in DATES] if board else []
    return ", ".join(f"{name} {written(old)} → {written(new)}" for name, old, new in pairs if old != new)


def has_begun(phase: Phase) -> bool:
    """Whether a phase has opened, and its results have not been opened yet."""
    return phase.is_dated and standing(phase) not in (PhaseState.UPCOMING, PhaseState.OPENED)


def take_dates(phase: Phase, board: Board) -> None:
    """Give a phase the dates of `site.yaml`, and the open season unless it has begun with one."""
    if not has_begun(phase):
        phase.season = open_season(board)
    for name in DATES:
        setattr(phase, name, getattr(board.dates, name))
    phase.save()
    changed(phase.season_id)  # pages show it


def _store(board: Board) -> None:
    with transaction.atomic():
        phase = Phase.objects.select_for_update().filter(pk=board.task).first()
        if phase is None and board.dates.is_dated:
            Phase.objects.get_or_create(
                board=board.task,
                defaults={"season": open_season(board)} | {name: getattr(board.dates, name) for name in DATES},
            )
        elif phase is not None and not has_begun(phase) and moved_dates(phase):
            take_dates(phase, board)

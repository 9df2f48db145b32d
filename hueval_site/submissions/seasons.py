"""Seasons: the rows of a board that are comparable."""

from __future__ import annotations

from typing import Any

from django.db import transaction
from django.utils import timezone

from hueval_site.boards import Board
from hueval_site.submissions.models import Season


def open_season(board: Board) -> Season:
    """The season of a board that takes submissions; the first one is opened when it is first asked for."""
    found = Season.objects.filter(board=board.task, closed=None).first()
    return found or Season.objects.get_or_create(board=board.task, number=1, defaults={"fixed": fixed_by(board)})[0]


def fixed_by(board: Board) -> dict[str, Any]:
    """What a change of which makes rows incomparable, besides the labels: version of the task, rubric and judge."""
    found: dict[str, Any] = {"version": str(board.spec.version)}
    if board.is_judged:
        found["rubric"] = board.spec.rubric
    return found


def new_season(board: Board, labels_hash: str) -> Season:
    """Close the open season of a board and open the next one."""
    with transaction.atomic():
        last = Season.objects.select_for_update().filter(board=board.task).order_by("-number").first()
        if last is not None and last.closed is None:
            last.closed = timezone.now()
            last.save(update_fields=["closed"])
        number = 1 if last is None else last.number + 1
        return Season.objects.create(board=board.task, number=number, labels_hash=labels_hash, fixed=fixed_by(board))

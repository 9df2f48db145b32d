"""Models: all rows of one, one row with its signature, and two compared."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal
from uuid import UUID

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_safe

from hueval_metrics.api.boards import difference_ci95
from hueval_site.boards import Board, board_or_404, boards
from hueval_site.pages.cache import kept
from hueval_site.pages.rows import Row, Score, by_model, decimals, public_rows, ranked, scores_of
from hueval_site.submissions.models import State, Submission
from hueval_site.submissions.seasons import open_seasons
from hueval_site.submissions.states import SEEN


@require_safe
@kept(lambda key: None)
def model(request: HttpRequest, key: UUID) -> HttpResponse:
    """The rows of one model of one team; addressed by any of them."""
    one = _submission(key)
    if request.GET:
        return redirect("model", key)
    mine = list(
        Submission.objects.filter(team=one.team_id, model_name=one.model_name, state__in=SEEN)
        .select_related("season", "team")
        .order_by("-published")
    )
    by_board = {board.task: board for board in boards().values()}
    seasons = {row.season_id: row.season for row in mine}
    rows = {row.key: row for row in _with_ranks(list(seasons), by_board)}
    listed = [
        (entry, by_board[entry.board], rows.get(entry.pk), _cells(by_board[entry.board], entry))
        for entry in mine
        if entry.board in by_board
    ]
    order = list(by_board)
    listed.sort(key=lambda found: (order.index(found[0].board), found[0].state != State.PUBLIC))
    return render(request, "pages/model.html", {"card": mine[0], "rows": listed})


@require_safe
@kept(lambda key: None)
def row(request: HttpRequest, key: UUID) -> HttpResponse:
    """One row: how it was scored, and what of it is published."""
    one = _submission(key)
    if request.GET:
        return redirect("row", key)
    board = board_or_404(one.board)
    shown = one.shown or {}
    sizes = {name: shown.get(f"{name}_n") for name in board.metrics}
    cells = [(heading, score, places, sizes[name]) for name, heading, score, places in _cells(board, one)]
    return render(
        request,
        "pages/row.html",
        {"row": one, "board": board, "cells": cells, "signature": shown.get("signature", "")},
    )


@require_safe
def compare(request: HttpRequest) -> HttpResponse:
    """Two models on every board that has both; asked for by any of their rows."""
    tasks = list(boards())
    rows = public_rows(open_seasons(tasks))
    models = by_model(rows)
    keys = {str(entry.key): entry.identity for entry in rows}
    first, second = (keys.get(request.GET.get(name, "")) for name in ("first", "second"))
    choices = [
        (str(next(iter(found.values())).key), model, team, (team, model)) for (team, model), found in models.items()
    ]
    context: dict[str, Any] = {
        "choices": sorted(choices, key=lambda choice: (choice[1].casefold(), choice[2].casefold())),
        "first": first,
        "second": second,
        "asked": bool(request.GET),
    }
    if first and second and first != second:
        one, other = models[first], models[second]
        context["differences"] = [
            _difference(boards()[task], one[task], other[task]) for task in tasks if task in one and task in other
        ]
        context["alone"] = [
            (boards()[task], one.get(task) or other[task]) for task in tasks if (task in one) != (task in other)
        ]
    return render(request, "pages/compare.html", context)


@dataclass(frozen=True)
class Difference:
    """Two rows of one board.

    Attributes:
        board: the board.
        first, second: the rows.
        scores: of the two in the board's first metric; None for a row without one.
        places: decimals.
        kind: whether the better one is ahead, or the higher one where neither end is better; `open` where the interval
            holds 0, `equal` where the scores are; `undefined` without two scores with intervals.
        leader: the row that is ahead, or has the higher score.
        size: of the difference, at least 0.
        low, high: its 95 % interval, seen from the leader.
        is_percent: whether it is in points.
        is_lower_better: whether the lower score is the better one.
    """

    board: Board
    first: Row
    second: Row
    scores: tuple[Score | None, Score | None]
    places: int
    kind: Literal["ahead", "open", "equal", "undefined"]
    leader: Row | None = None
    size: float = 0.0
    low: float = 0.0
    high: float = 0.0
    is_percent: bool = True
    is_lower_better: bool = False

    @property
    def heading(self) -> str:
        """Of the metric."""
        return self.board.headings[self.board.metrics[0]]


def _difference(board: Board, first: Row, second: Row) -> Difference:
    """The difference of two rows of a board, by their published intervals as if they were independent."""
    name, metric = board.metrics[0], board.first_metric
    one, other = first.scores.get(name), second.scores.get(name)
    places = decimals(metric)
    if one is None or other is None or None in (one.low, one.high, other.low, other.high):
        return Difference(board, first, second, (one, other), places, "undefined")
    low, high = difference_ci95(one.value, one.ci95, other.value, other.ci95)
    gap = one.value - other.value
    is_separate = low > 0 or high < 0
    leader, is_lower = first if gap >= 0 else second, metric.better == "lower"
    if gap < 0:
        low, high = -high, -low
    if is_separate and is_lower:  # the better one leads, by the same amount
        leader = second if leader is first else first
    kind: Literal["ahead", "open", "equal"] = "ahead" if is_separate else "open" if gap else "equal"
    return Difference(
        board, first, second, (one, other), places, kind, leader, abs(gap), low, high, metric.unit == "%", is_lower
    )


def _submission(key: UUID) -> Submission:
    """A submission that is or was public.

    Raises:
        Http404: it is not, or there is none.
    """
    found = Submission.objects.filter(pk=key, state__in=SEEN).select_related("team", "season").first()
    if found is None:
        raise Http404
    return found


def _with_ranks(seasons: list[int], by_board: dict[str, Board]) -> list[Row]:
    """All public rows of some seasons, with their ranks."""
    groups: dict[int | None, list[Row]] = {}
    for entry in public_rows(seasons):
        groups.setdefault(entry.season, []).append(entry)
    found: list[Row] = []
    for group in groups.values():
        found += ranked(group, by_board[group[0].board])
    return found


def _cells(board: Board, submission: Submission) -> list[tuple[str, str, Score | None, int]]:
    scores = scores_of(board, submission.shown or {})
    return [
        (name, board.headings[name], scores.get(name), decimals(board.spec.metrics[name])) for name in board.metrics
    ]

"""Pages for everybody."""

from __future__ import annotations

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render

from hueval_site.boards import Board, boards
from hueval_site.submissions.models import State, Submission
from hueval_site.submissions.seasons import open_season


def board_of(task: str) -> Board:
    """A board by its task.

    Raises:
        Http404: there is none.
    """
    try:
        return boards()[task]
    except KeyError:
        raise Http404 from None


def start(request: HttpRequest) -> HttpResponse:
    """The boards."""
    return render(request, "pages/start.html", {"boards": boards().values()})


def board(request: HttpRequest, task: str) -> HttpResponse:
    """One board."""
    found = board_of(task)
    rows = Submission.objects.filter(season=open_season(found), state=State.PUBLIC).select_related("team")
    return render(request, "pages/board.html", {"board": found, "rows": rows})

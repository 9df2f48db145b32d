"""The results of one's own team."""

from __future__ import annotations

from itertools import groupby
from uuid import UUID

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.paginator import Paginator
from django.db import transaction
from django.http import Http404, HttpRequest, HttpResponse, StreamingHttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST

from hueval_site.boards import every_board
from hueval_site.localized import language, number, text_of
from hueval_site.submissions import publish
from hueval_site.submissions.card import CARD, CardForm
from hueval_site.submissions.models import State, Submission
from hueval_site.submissions.receive import faults_text
from hueval_site.submissions.states import NEXT
from hueval_site.submissions.waiting import UNFINISHED, stalled, wait_of

A_PAGE = 50
SHOWN_FAULTS = 20
# Staff decide about the card that they see, so it is fixed from the request on.
CARD_OPEN = frozenset({*UNFINISHED, State.PRIVATE, State.REFUSED})


@login_required
def mine(request: HttpRequest) -> HttpResponse:
    """The submissions of one's team, by task, the newest first."""
    found = Submission.objects.none()
    if request.user.team is not None:
        found = Submission.objects.filter(team=request.user.team).order_by("-board", "-created")
    page = Paginator(found.defer("faults", "exact"), A_PAGE).get_page(request.GET.get("page"))
    for one in page:
        score = (one.told or {}).get("score")
        one.told_score = "" if score is None else number(round(score, 2))
    tasks = [(every_board().get(task), task, list(rows)) for task, rows in groupby(page, key=lambda one: one.board)]
    return render(request, "pages/mine.html", {"page": page, "tasks": tasks})


@never_cache
@login_required
def result(request: HttpRequest, key: UUID) -> HttpResponse:
    """One submission of one's team; 404 alike for those of others and for none."""
    return render(request, "pages/result.html", _context(own(request, key)))


@require_POST
@login_required
def ask_publication(request: HttpRequest, key: UUID) -> HttpResponse:
    """Ask staff to make a row public."""
    found = own(request, key)
    try:
        publish.request_publication(found, request.user)
    except publish.PublishError as error:
        messages.error(request, str(error))
    else:
        messages.success(request, _("Staff have been asked. You will get a mail when they have decided."))
    return redirect("result", found.pk)


@require_POST
@login_required
def withdraw(request: HttpRequest, key: UUID) -> HttpResponse:
    """Withdraw a submission."""
    found = own(request, key)
    try:
        publish.withdraw(found, request.user)
    except publish.PublishError as error:
        messages.error(request, str(error))
    return redirect("result", found.pk)


@never_cache
@login_required
def state(request: HttpRequest, key: UUID) -> HttpResponse:
    """The part of a result page that changes by itself; once it is final, htmx is told to load the page again."""
    found = own(request, key)
    answer = render(request, "pages/result_state.html", _context(found))
    if found.state not in UNFINISHED:
        answer["HX-Refresh"] = "true"
    return answer


@login_required
def faults(request: HttpRequest, key: UUID) -> StreamingHttpResponse:
    """All faults of a file as a text, one a line."""
    found = own(request, key)
    answer = StreamingHttpResponse(faults_text(found, language()), content_type="text/plain; charset=utf-8")
    answer["Content-Disposition"] = f'attachment; filename="faults-{found.pk}.txt"'
    return answer


@login_required
def card(request: HttpRequest, key: UUID) -> HttpResponse:
    """Edit the model card, as long as nobody was asked to publish it."""
    found = own(request, key)
    if found.state not in CARD_OPEN:
        raise Http404
    form = CardForm(request.POST or None, instance=found, may_mark=request.user.is_staff)
    if request.method == "POST" and form.is_valid():
        with transaction.atomic():
            locked = Submission.objects.select_for_update().get(pk=found.pk)
            if locked.state not in CARD_OPEN:
                raise Http404
            for name, value in form.card.items():
                setattr(locked, name, value)
            locked.save(update_fields=CARD)
        messages.success(request, _("The model card has been saved."))
        return redirect("result", found.pk)
    return render(
        request, "pages/card.html", {"form": form, "submission": found, "board": every_board().get(found.board)}
    )


def own(request: HttpRequest, key: UUID) -> Submission:
    """A submission of the user's team.

    Raises:
        Http404: it is another team's, or there is none.
    """
    if request.user.team_id is None:
        raise Http404
    found: Submission = get_object_or_404(
        Submission.objects.defer("exact").select_related("team", "season"), pk=key, team=request.user.team_id
    )
    return found


def _context(found: Submission) -> dict[str, object]:
    following = NEXT[State(found.state)]
    board = every_board().get(found.board)
    withheld = publish.withheld(board) if board and State.PENDING in following else ""
    may_request = State.PENDING in following and not withheld
    return {
        "submission": found,
        "board": board,
        "is_waiting": found.state in UNFINISHED,
        "wait": wait_of(found),
        "stalled": stalled(found),
        "faults": [text_of(fault["text"]) for fault in found.faults[:SHOWN_FAULTS]],
        "card_open": found.state in CARD_OPEN,
        "may_request": may_request,
        "withheld": withheld,
        "rows_left": publish.rows_left(found.team, board) if board and may_request else None,
        "may_withdraw": State.WITHDRAWN in following,
    }

"""What staff do: decide about requests, admit teams, queue again what failed. For others there are no such pages."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any
from uuid import UUID

from allauth.mfa.utils import is_mfa_enabled
from auditlog.models import LogEntry
from django.conf import settings
from django.contrib import messages
from django.core.paginator import Paginator
from django.db import transaction
from django.db.models import F, QuerySet
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST

from hueval_metrics.errors import HuevalError
from hueval_site.accounts.models import Team, User
from hueval_site.boards import boards
from hueval_site.pages.forms import DecisionForm, NoteForm
from hueval_site.scoring.again import retry
from hueval_site.submissions import publish
from hueval_site.submissions.mails import tell_admitted
from hueval_site.submissions.models import STATES, State, Submission
from hueval_site.submissions.similarity import FLAGGED, changes, nearest
from hueval_site.submissions.states import StateError

A_PAGE = 50
SHOWN_ITEMS = 100
# Of a list; the page of a submission has the rest.
LISTED = ("id", "board", "state", "model_name", "team__name", "created", "queued", "n_flagged", "fingerprint__share")

View = Callable[..., HttpResponse]


def staff_only(view: View) -> View:
    """Answer 404 to everybody else, as if there were no such page."""

    @never_cache
    @wraps(view)
    def checked(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        if not (request.user.is_authenticated and request.user.is_active and request.user.is_staff):
            raise Http404
        return view(request, *args, **kwargs)

    return checked


@staff_only
def queue(request: HttpRequest) -> HttpResponse:
    """Submissions in one state, those that await approval unless another is asked for; the oldest first."""
    state = request.GET.get("state", State.PENDING)
    if state not in STATES:
        raise Http404
    found = _listed().filter(state=state).order_by("queued")
    task = request.GET.get("task", "")
    if task:
        found = found.filter(board=task)
    page = Paginator(found, A_PAGE).get_page(request.GET.get("page"))
    context = {
        "page": page,
        "query": f"state={state}&task={task}&" if task in boards() else f"state={state}&",
        "state": state,
        "states": STATES.items(),
        "task": task,
        "boards": boards().values(),
        "teams": Team.objects.filter(is_admitted=False).order_by("created")[:A_PAGE],
        "flagged": FLAGGED,
        "n_failed": Submission.objects.filter(state=State.FAILED).count(),
        "has_second_factor": is_mfa_enabled(request.user),
    }
    return render(request, "staff/queue.html", context)


@staff_only
def submission(request: HttpRequest, key: UUID) -> HttpResponse:
    """All that staff know about a submission."""
    found = _submission(key)
    return _page(request, found, DecisionForm(initial={"number": found.requests}), NoteForm())


@require_POST
@staff_only
def decide(request: HttpRequest, key: UUID) -> HttpResponse:
    """Approve or refuse a request."""
    found, form = _submission(key), DecisionForm(request.POST)
    if not form.is_valid():
        return _page(request, found, form, NoteForm())
    given = form.cleaned_data
    try:
        publish.decide(found, request.user, given["decision"] == "approve", given["reason"], request=given["number"])
    except publish.PublishError as error:
        messages.error(request, str(error))
    return redirect("staff_submission", found.pk)


def _page(request: HttpRequest, found: Submission, form: DecisionForm, note_form: NoteForm) -> HttpResponse:
    board = boards().get(found.board)
    context = {
        "submission": found,
        "board": board,
        "scores": _scores(found, request.user),
        "history": history(found),
        **_likeness(found),
        "decisions": found.decisions.select_related("staff").order_by("created"),
        "notes": found.notes.select_related("staff").order_by("created"),
        "form": form,
        "note_form": note_form,
        "approvals": settings.CONFIG.approvals,
        "may_decide": found.state == State.PENDING,
        "may_requeue": found.state == State.FAILED,
    }
    return render(request, "staff/submission.html", context)


@require_POST
@staff_only
def note(request: HttpRequest, key: UUID) -> HttpResponse:
    """Write a note for the others."""
    found, form = _submission(key), NoteForm(request.POST)
    if not form.is_valid():
        return _page(request, found, DecisionForm(initial={"number": found.requests}), form)
    form.instance.submission, form.instance.staff = found, request.user
    form.save()
    return redirect("staff_submission", found.pk)


@require_POST
@staff_only
def requeue(request: HttpRequest, key: UUID) -> HttpResponse:
    """Score a submission again that could not be scored."""
    try:
        retry(_submission(key), request.user)
    except StateError:
        messages.error(request, _("Only what could not be scored can be queued again."))
    return redirect("staff_submission", key)


@require_POST
@staff_only
def admit(request: HttpRequest, key: int) -> HttpResponse:
    """Let a team submit, and tell its members."""
    with transaction.atomic():
        team = get_object_or_404(Team.objects.select_for_update(), pk=key)
        if not team.is_admitted:
            team.is_admitted = True
            team.save(update_fields=["is_admitted"])
            tell_admitted(team)
    return redirect("staff")


def _likeness(found: Submission) -> dict[str, Any]:
    """What changed since the team's last submission, and the submissions of other teams that are most alike."""
    try:
        last, alike = changes(found), nearest(found)
    except (HuevalError, OSError):  # the file is away, or has faults
        return {"is_unreadable": True}
    others = Submission.objects.select_related("team").in_bulk([one.submission for one in alike])
    return {
        "last": last,
        "changed": last and last.items[:SHOWN_ITEMS],
        "alike": [(others[one.submission], 100 * one.share) for one in alike],
    }


def history(found: Submission) -> list[dict[str, Any]]:
    """What the audit log has of a submission: time, who, and the changes in words; oldest first."""
    entries = LogEntry.objects.get_for_object(found).select_related("actor").order_by("timestamp")
    listed = []
    for entry in entries:
        is_new = entry.action == LogEntry.Action.CREATE
        changed = [] if is_new else list(entry.changes_display_dict.items())
        listed.append({"time": entry.timestamp, "by": entry.actor, "is_new": is_new, "changes": changed})
    return listed


def _listed() -> QuerySet[Submission]:
    return (
        Submission.objects.select_related("team", "fingerprint")
        .only(*LISTED)
        .annotate(percent_alike=100 * F("fingerprint__share"))
    )


def _submission(key: UUID) -> Submission:
    found: Submission = get_object_or_404(Submission.objects.select_related("team", "user", "season"), pk=key)
    return found


def _scores(found: Submission, reader: User) -> list[tuple[str, Any, Any]]:
    """Heading, exact score and interval of each column of the board; none of the reader's own team, which must not
    learn more of hidden labels than others."""
    board = boards().get(found.board)
    if not found.exact or board is None or (board.hidden and found.team_id == reader.team_id):
        return []
    return [
        (heading, found.exact.get(name), found.exact.get(f"{name}_ci95")) for name, heading in board.headings.items()
    ]

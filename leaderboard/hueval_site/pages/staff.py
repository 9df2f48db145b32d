"""What staff do about submissions: decide about requests, withdraw rows and put them back, correct cards, queue again
what failed; and admit teams. What they do about teams and accounts else: admin.py. For others there are no such pages.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import wraps
from typing import Any
from uuid import UUID

from allauth.mfa.utils import is_mfa_enabled
from auditlog.models import LogEntry
from django.conf import settings
from django.contrib import messages
from django.core.paginator import Paginator
from django.db.models import F, QuerySet
from django.forms import Form
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST

from hueval_metrics.errors import HuevalError
from hueval_site.accounts.models import Team, User
from hueval_site.boards import every_board
from hueval_site.pages.forms import ActForm, CorrectionForm, DecisionForm, NoteForm, SeenForm
from hueval_site.scoring.again import retry
from hueval_site.submissions import moderation, publish
from hueval_site.submissions.models import STATES, State, Submission
from hueval_site.submissions.similarity import FLAGGED, changes, nearest
from hueval_site.submissions.states import NEXT, StateError
from hueval_site.submissions.versions import ActError, unchanged, version_of, versions_of
from hueval_site.submissions.waiting import stalled

A_PAGE = 50
SHOWN_ITEMS = 100
ACT_ID = "act_%s"  # of the fields of a second form on the page of a submission
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
    teams = list(Team.objects.filter(is_admitted=False).order_by("created")[:A_PAGE])
    versions = versions_of(teams)
    context = {
        "page": page,
        "query": f"state={state}&task={task}&" if task in every_board() else f"state={state}&",
        "state": state,
        "states": STATES.items(),
        "task": task,
        "boards": every_board().values(),
        "teams": [(team, versions[str(team.pk)]) for team in teams],
        "flagged": FLAGGED,
        "n_failed": Submission.objects.filter(state=State.FAILED).count(),
        "has_second_factor": is_mfa_enabled(request.user),
    }
    return render(request, "staff/queue.html", context)


@staff_only
def submission(request: HttpRequest, key: UUID) -> HttpResponse:
    """All that staff know about a submission."""
    return _page(request, _submission(key))


@require_POST
@staff_only
def decide(request: HttpRequest, key: UUID) -> HttpResponse:
    """Approve or refuse a request."""
    found, form = _submission(key), DecisionForm(request.POST)
    if not form.is_valid():
        return _page(request, found, form=form)
    given = form.cleaned_data
    with refusals_shown(request), unchanged(found, given["version"]):
        publish.decide(found, request.user, given["decision"] == "approve", given["reason"], request=given["number"])
    return redirect("staff_submission", found.pk)


@require_POST
@staff_only
def withdraw(request: HttpRequest, key: UUID) -> HttpResponse:
    """Withdraw a row."""
    return _moderate(request, key, moderation.withdraw)


@require_POST
@staff_only
def put_back(request: HttpRequest, key: UUID) -> HttpResponse:
    """Put back a row that staff withdrew."""
    return _moderate(request, key, moderation.put_back)


@staff_only
def card(request: HttpRequest, key: UUID) -> HttpResponse:
    """Correct a model card."""
    found = _submission(key)
    form = CorrectionForm(
        request.POST or None, instance=found, may_mark=True, initial={"version": version_of(found), "reason": ""}
    )
    if request.method == "POST" and form.is_valid():
        given = form.cleaned_data
        with refusals_shown(request), unchanged(found, given["version"]):
            moderation.correct_card(found, request.user, given["reason"], form.card)
        return redirect("staff_submission", found.pk)
    return render(request, "staff/card.html", {"form": form, "submission": found})


@contextmanager
def refusals_shown(request: HttpRequest) -> Iterator[None]:
    """Show on the next page why what is asked for inside was not done."""
    try:
        yield
    except ActError as error:
        messages.error(request, str(error))


def _moderate(request: HttpRequest, key: UUID, act: Callable[[Submission, User, str], None]) -> HttpResponse:
    found, form = _submission(key), ActForm(request.POST, auto_id=ACT_ID)
    if not form.is_valid():
        return _page(request, found, act_form=form)
    with refusals_shown(request), unchanged(found, form.cleaned_data["version"]):
        act(found, request.user, form.cleaned_data["reason"])
    return redirect("staff_submission", found.pk)


def _page(request: HttpRequest, found: Submission, **forms: Form) -> HttpResponse:
    """The page of a submission.

    Args:
        request: who asks.
        found: the submission.
        **forms: those that were sent and have faults.
    """
    board, seen = every_board().get(found.board), {"version": version_of(found)}
    context = {
        "submission": found,
        "board": board,
        "scores": _scores(found, request.user),
        "history": history(found),
        **_likeness(found),
        "decisions": found.decisions.select_related("staff").order_by("created"),
        "notes": found.notes.select_related("staff").order_by("created"),
        "form": DecisionForm(initial=seen | {"number": found.requests}),
        "note_form": NoteForm(),
        "act_form": ActForm(initial=seen, auto_id=ACT_ID),
        "version": seen["version"],
        "stalled": stalled(found),
        "approvals": settings.CONFIG.approvals,
        "may_decide": found.state == State.PENDING,
        "may_requeue": found.state == State.FAILED,
        "may_withdraw": State.WITHDRAWN in NEXT[State(found.state)],
        "may_put_back": moderation.may_put_back(found),
        **forms,
    }
    return render(request, "staff/submission.html", context)


@require_POST
@staff_only
def note(request: HttpRequest, key: UUID) -> HttpResponse:
    """Write a note for the others."""
    found, form = _submission(key), NoteForm(request.POST)
    if not form.is_valid():
        return _page(request, found, note_form=form)
    form.instance.submission, form.instance.staff = found, request.user
    form.save()
    return redirect("staff_submission", found.pk)


@require_POST
@staff_only
def requeue(request: HttpRequest, key: UUID) -> HttpResponse:
    """Score a submission again that could not be scored."""
    found = _submission(key)
    with refusals_shown(request), unchanged(found, _version(request)):
        try:
            retry(found, request.user)
        except StateError:
            raise ActError(_("Only what could not be scored can be queued again.")) from None
    return redirect("staff_submission", key)


@require_POST
@staff_only
def admit(request: HttpRequest, key: int) -> HttpResponse:
    """Let a team submit, and tell its members."""
    team = get_object_or_404(Team, pk=key)
    with refusals_shown(request), unchanged(team, _version(request)):
        moderation.admit(team, request.user)
    return redirect("staff")


def _version(request: HttpRequest) -> int:
    """The version that a form without other fields has seen; one that no row has, where it says none."""
    form = SeenForm(request.POST)
    return form.cleaned_data["version"] if form.is_valid() else -1


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
        reason = (entry.additional_data or {}).get("reason", "")  # of an act of staff
        if is_new or changed or reason:
            listed.append(
                {"time": entry.timestamp, "by": entry.actor, "is_new": is_new, "changes": changed, "reason": reason}
            )
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
    board = every_board().get(found.board)
    if not found.exact or board is None or (board.hidden and found.team_id == reader.team_id):
        return []
    return [
        (heading, found.exact.get(name), found.exact.get(f"{name}_ci95")) for name, heading in board.headings.items()
    ]

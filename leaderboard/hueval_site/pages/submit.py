"""Submitting a file."""

from __future__ import annotations

from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from hueval_site.accounts.models import Team
from hueval_site.boards import Board, board_or_404
from hueval_site.localized import text_of
from hueval_site.pages.forms import SubmissionForm
from hueval_site.pages.phase import phase_context
from hueval_site.public_data import example_file
from hueval_site.submissions.judged import judge_refusal
from hueval_site.submissions.limits import DAY, Allowance, allowance, windows
from hueval_site.submissions.phases import phase_of, phase_refusal
from hueval_site.submissions.receive import RefusedError, check, store, store_many


@login_required
def submit(request: HttpRequest, task: str) -> HttpResponse:
    """Submit a file for one task: what it must look like and what is left of the limits stand before the form."""
    board = board_or_404(task)
    form = SubmissionForm(request.POST or None, request.FILES or None, may_mark=request.user.is_staff)
    example = example_file(board)
    closed = (
        (phase_refusal(board) or judge_refusal(board))
        if example
        else _("The data of this task are not on this site yet.")
    )
    if request.method == "POST" and form.is_valid() and not closed:
        try:
            stored = store(request.user, board, form.cleaned_data["upload"], form.card)
        except RefusedError as error:
            _add(form, error)
        else:
            return redirect("result", check(stored).pk)
    team = request.user.team
    allowed = allowance(team, board) if team else None
    context = {
        "board": board,
        **phase_context(phase_of(board)),
        "form": form,
        "closed": closed,
        "may_submit": form.is_bound or _may_submit(team, allowed),
        "team": team,
        "allowance": allowed,
        "limits": _limits(board, allowed) if allowed else [],
        "file_help": text_of(board.submission_format.help),
        "example": example,
    }
    return render(request, "pages/submit.html", context)


@login_required
def submit_files(request: HttpRequest) -> HttpResponse:
    """Submit an archive with files for several tasks; all of them are taken, or none."""
    form = SubmissionForm(request.POST or None, request.FILES or None, may_mark=request.user.is_staff)
    if request.method == "POST" and form.is_valid():
        try:
            stored = store_many(request.user, form.cleaned_data["upload"], form.card)
        except RefusedError as error:
            _add(form, error)
        else:
            for one in stored:
                check(one)
            return redirect("result", stored[0].pk) if len(stored) == 1 else redirect("mine")
    context = {"form": form, "team": request.user.team}
    return render(request, "pages/submit_files.html", context)


def _may_submit(team: Team | None, allowed: Allowance | None) -> bool:
    """Whether a file would be taken now; if not, the page has said why, and a form would be filled in in vain."""
    return bool(team and not team.is_suspended and allowed and allowed.left and allowed.uploads_left)


def _add(form: SubmissionForm, error: RefusedError) -> None:
    """The reason of a refusal, and those of single files, as errors of the file's field."""
    form.add_error("upload", str(error))
    if len(error.files) > 1:
        for name, reason in error.files.items():
            form.add_error("upload", f"{name}: {reason}")


def _limits(board: Board, allowed: Allowance) -> list[tuple[str, int, int]]:
    """For each limit: its span in words, how many are used, how many there are."""
    found = []
    for name, (most, span) in windows(board.limits).items():
        days = span / DAY
        found.append(
            (ngettext("in %(n)s day", "in %(n)s days", round(days)) % {"n": f"{days:g}"}, allowed.used[name][0], most)
        )
    return found

"""Submitting, and one's own results."""

from __future__ import annotations

from uuid import UUID

from django import forms
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render

from hueval_site.pages.boards_view import board_of
from hueval_site.submissions.limits import allowance
from hueval_site.submissions.models import Submission
from hueval_site.submissions.receive import RefusedError, check, store

CARD = ("model_name", "size", "openness", "base", "training_data", "link", "setting", "contamination")


class SubmissionForm(forms.ModelForm):
    """The file and the model card."""

    upload = forms.FileField()

    class Meta:
        """Only what a submitter may set."""

        model = Submission
        fields = CARD


@login_required
def submit(request: HttpRequest, task: str) -> HttpResponse:
    """Submit a file for one task."""
    board = board_of(task)
    form = SubmissionForm(request.POST or None, request.FILES or None)
    if request.method == "POST" and form.is_valid():
        card = {name: form.cleaned_data[name] for name in CARD}
        try:
            stored = store(request.user, board, form.cleaned_data["upload"], card)
        except RefusedError as error:
            form.add_error(None, str(error))
        else:
            return redirect("result", check(stored).pk)
    allowed = allowance(request.user.team, board) if request.user.team else None
    return render(request, "pages/submit.html", {"board": board, "form": form, "allowance": allowed})


@login_required
def mine(request: HttpRequest) -> HttpResponse:
    """The submissions of one's team."""
    found = Submission.objects.filter(team=request.user.team).order_by("-created")
    return render(request, "pages/mine.html", {"submissions": found})


@login_required
def result(request: HttpRequest, key: UUID) -> HttpResponse:
    """One submission of one's team; 404 alike for those of others and for none."""
    found = get_object_or_404(Submission, pk=key, team=request.user.team)
    return render(request, "pages/result.html", {"submission": found, "board": board_of(found.board)})

"""One's own account: team, tokens, language, what is stored, and the end of it."""

from __future__ import annotations

from allauth.account.decorators import reauthentication_required
from allauth.core import ratelimit
from django.conf import settings
from django.contrib import messages
from django.contrib.auth import logout
from django.contrib.auth.decorators import login_required
from django.core.exceptions import ValidationError
from django.db import transaction
from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_POST

from hueval_site.accounts import first_admin, teams
from hueval_site.accounts.models import Team, Token, User
from hueval_site.pages.forms import DeletionForm, FirstAdminForm, LanguageForm, TeamForm, TokenForm
from hueval_site.submissions.mails import tell_waiting_team
from hueval_site.submissions.personal import delete_account, personal_data

MOST_TOKENS = 20  # a user


@login_required
def account(request: HttpRequest) -> HttpResponse:
    """Links to everything about one's account, and the language of mails."""
    form = LanguageForm(request.POST or None, instance=request.user)
    if request.method == "POST" and form.is_valid():
        form.save()
        messages.success(request, _("Saved."))
        return redirect("account")
    return render(request, "account/overview.html", {"form": form})


@login_required
def team(request: HttpRequest) -> HttpResponse:
    """One's team and its members; without one, the form that founds it."""
    form = TeamForm(request.POST or None)
    if request.method == "POST" and form.is_valid():
        try:
            with transaction.atomic():
                founded = teams.create(request.user, form.cleaned_data["name"])
                if not founded.is_admitted:
                    tell_waiting_team(founded)
        except ValidationError as error:
            form.add_error("name", error)
        else:
            return redirect("team")
    return render(request, "account/team.html", {"form": form, **_about(request.user)})


def _about(user: User) -> dict[str, object]:
    """What the page of a team shows of it."""
    mine = user.team
    return {
        "team": mine,
        "members": mine.members.order_by("email") if mine is not None else (),
        "may_leave": teams.may_leave(user),
        "may_call_back": teams.may_call_back(user),
    }


@require_POST
@login_required
def invite(request: HttpRequest) -> HttpResponse:
    """Show a link by which others join one's team."""
    mine = request.user.team
    if mine is None or mine.is_suspended:
        raise Http404
    link = settings.CONFIG.url + reverse("join", args=[teams.invitation(mine)])
    context = {**_about(request.user), "link": link, "days": teams.INVITATION_AGE.days}
    return render(request, "account/team.html", context)


@require_POST
@login_required
def call_back(request: HttpRequest) -> HttpResponse:
    """Make the invitations void that one's team has sent."""
    if not teams.may_call_back(request.user):
        raise Http404
    with transaction.atomic():
        teams.call_back(Team.objects.select_for_update().get(pk=request.user.team_id))
    messages.success(request, _("The links that were sent do not work any more."))
    return redirect("team")


@never_cache
@login_required
def join(request: HttpRequest, text: str) -> HttpResponse:
    """Ask whether one wants to join the team that sent one here, then join it."""
    inviting = teams.invited_to(text)
    if inviting is None:
        raise Http404
    if request.method == "POST":
        try:
            teams.join(request.user, inviting)
        except ValidationError as error:
            messages.error(request, error.messages[0])
        return redirect("team")
    return render(request, "account/join.html", {"team": inviting})


@require_POST
@login_required
def leave(request: HttpRequest) -> HttpResponse:
    """Leave a team that has not submitted anything."""
    try:
        teams.leave(request.user)
    except ValidationError as error:
        messages.error(request, error.messages[0])
    return redirect("team")


@never_cache
@login_required
def tokens(request: HttpRequest) -> HttpResponse:
    """One's tokens. A new one is shown in the answer that makes it, and never again."""
    form = TokenForm(request.POST or None)
    text = None
    if request.method == "POST" and form.is_valid():
        with transaction.atomic():
            user = User.objects.select_for_update().get(pk=request.user.pk)  # two requests at once count one another
            if user.tokens.count() < MOST_TOKENS:
                text = Token.create(user, form.cleaned_data["name"])[1]
        if text is None:
            form.add_error(None, _("You have %(n)d tokens. Delete one that you do not use.") % {"n": MOST_TOKENS})
        else:
            form = TokenForm()
    context = {"form": form, "text": text, "tokens": request.user.tokens.order_by("-created")}
    return render(request, "account/tokens.html", context)


@require_POST
@login_required
def delete_token(request: HttpRequest, key: int) -> HttpResponse:
    """Delete one of one's own tokens."""
    get_object_or_404(Token, pk=key, user=request.user).delete()
    return redirect("tokens")


@login_required
def export(request: HttpRequest) -> HttpResponse:
    """What the site stores about one, as a file."""
    answer = JsonResponse(personal_data(request.user), json_dumps_params={"ensure_ascii": False, "indent": 1})
    answer["Content-Disposition"] = 'attachment; filename="account.json"'
    return answer


@login_required
@reauthentication_required
def delete(request: HttpRequest) -> HttpResponse:
    """Delete one's account, after the password was asked for again."""
    form = DeletionForm(request.POST or None)
    if request.method == "POST" and form.is_valid():
        user = request.user
        try:
            delete_account(user)
        except ValidationError as error:
            form.add_error(None, error)
        else:
            logout(request)
            messages.success(request, _("Your account has been deleted."))
            return redirect("start")
    return render(request, "account/delete.html", {"form": form})


@never_cache
@sensitive_post_parameters("password", "again")
def make_first_admin(request: HttpRequest, text: str) -> HttpResponse:
    """Where the link of `hueval site up` leads; there is no such page once there is an administrator."""
    if limited := ratelimit.consume_or_429(request, action="signup"):
        return limited
    if not first_admin.is_valid(text):
        raise Http404
    form = FirstAdminForm(request.POST or None)
    if request.method == "POST" and form.is_valid():
        if first_admin.create(form.cleaned_data["email"], form.cleaned_data["password"]) is None:
            raise Http404
        messages.success(request, _("The administrator's account is ready. Sign in with it."))
        return redirect("account_login")
    return render(request, "account/first_admin.html", {"form": form})

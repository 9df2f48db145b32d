"""What may be one person with several accounts: a page for staff, who decide what it means."""

from __future__ import annotations

from datetime import timedelta
from itertools import groupby

from django.db.models import Count, Max, Q, QuerySet
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import timezone

from hueval_site.accounts.models import Team, User
from hueval_site.accounts.network import DAYS
from hueval_site.boards import PRACTICE
from hueval_site.pages.staff import staff_only
from hueval_site.submissions.models import Fingerprint
from hueval_site.submissions.similarity import FLAGGED

SHOWN = 100  # of each kind
WEEK, MONTH = timedelta(days=7), timedelta(days=DAYS)


@staff_only
def signals(request: HttpRequest) -> HttpResponse:
    """New teams, teams that wanted one number, sign-ups from one network, files alike over teams."""
    now = timezone.now()
    scored = ~Q(submissions__board__endswith=PRACTICE)
    teams = Team.objects.annotate(n=Count("submissions", filter=scored), asked=Max("submissions__requests"))
    alike = Fingerprint.objects.filter(share__gte=FLAGGED).select_related("submission__team", "alike__team")
    context = {
        "new_teams": teams.filter(created__gt=now - WEEK).order_by("-created")[:SHOWN],
        "single": teams.filter(n=1, asked=0).order_by("-created")[:SHOWN],
        "networks": _networks(User.objects.exclude(network="").filter(date_joined__gt=now - MONTH)),
        "alike": [(one, 100 * one.share) for one in alike.order_by("-share", "-submission__created")[:SHOWN]],
    }
    return render(request, "staff/signals.html", context)


def _networks(users: QuerySet[User]) -> list[list[User]]:
    """The accounts of each network that has several, those with most first."""
    found = [list(of_one) for _, of_one in groupby(users.order_by("network", "date_joined"), lambda user: user.network)]
    return sorted((one for one in found if len(one) > 1), key=len, reverse=True)[:SHOWN]

"""A deleted account: nothing that the site stores or shows says who it was (its backup: test_backup.py)."""

from __future__ import annotations

import pytest
from django.apps import apps
from django.test import Client
from django.urls import reverse

from hueval_site.accounts.models import Team
from hueval_site.scoring.work import score_waiting
from hueval_site.submissions.models import Mail
from hueval_site.submissions.personal import delete_account
from leaderboard.tests.people import member, signed_in, submitted
from leaderboard.tests.test_publish import published

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("fresh_cache")]
ADDRESS, OTHER = "Anna.Kovacs@example.org", "-anna.kovacs@example.org.hu"


def stored() -> list[str]:
    """All rows of all tables, as text."""
    return [str(row) for model in apps.get_models() for row in model.objects.values()]


def shown(client: Client, row: str) -> list[str]:
    """The pages on which a published row, its team or its decision appears, and the export of a colleague."""
    board, family = reverse("board", args=["hulu_hucola"]), reverse("family", args=["hulu"])
    pages = (reverse("start"), board, f"{board}?format=csv", family, reverse("row", args=[row]), reverse("feed"))
    return [client.get(page).content.decode() for page in (*pages, reverse("export"))]


def test_nothing_says_who_a_deleted_account_was():
    anna = member(ADDRESS, team=ADDRESS.upper())  # a name that sites gave before names had to be without an @
    bela = member("bela@example.org", team="Team", is_staff=True)
    submission = submitted(anna)
    score_waiting()
    submission.refresh_from_db()
    public = published(submission, bela)
    Mail.objects.create(to=bela.email, subject="A result waits", body=f"By {ADDRESS}, beside jo{OTHER}.")
    client = signed_in(bela)
    before = [*stored(), *shown(client, public.pk)]
    assert sum(ADDRESS.casefold() in text.casefold() for text in before) > 4  # the search finds what there is
    delete_account(anna)
    found = [text.casefold().replace(f"jo{OTHER}", "") for text in (*stored(), *shown(client, public.pk))]
    assert [text for text in found if "anna.kovacs" in text] == []
    assert Mail.objects.get(to=bela.email, subject="A result waits").body == f"By user {anna.pk}, beside jo{OTHER}."
    public.refresh_from_db()
    assert public.team.name == f"team {public.team.pk}"
    assert Team.objects.get(name="Team").members.get() == bela

"""The API, version 1: `/api/v1/`, outside the languages of pages."""

from __future__ import annotations

from django.utils.translation import gettext_noop
from ninja import NinjaAPI

from hueval_site.api import boards, submissions
from hueval_site.api.errors import handle_errors

api = NinjaAPI(
    title="hueval",
    version="1",
    description=gettext_noop("Tasks, boards and submissions of this leaderboard."),
    docs_url=None,  # Swagger's page has its styles inside, which our policy forbids: see `description`
)
handle_errors(api)
api.add_router("", boards.router)
api.add_router("", submissions.router)

"""Whether a judged board takes submissions now, as a worker last found."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import timedelta

from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop

from hueval_site.boards import Board
from hueval_site.submissions.models import Judging

FRESH = timedelta(minutes=10)  # for which what a worker found counts
REFUSALS: Mapping[str, str] = {
    "no judge": gettext_noop("The answers of this task are scored by a judge, and this site has none at present."),
    "no budget": gettext_noop("The answers of this task are scored by a judge, and this site has no budget for it."),
    "no worker": gettext_noop("The answers of this task are scored by a judge, which does not run at present."),
    "month": gettext_noop("This month's budget for judging is used up. Submit again next month."),
}


def judge_refusal(board: Board) -> str | None:
    """Why a board takes no submissions just now, in the reader's language; None where it takes them.

    It asks the database alone: the web process knows no key of a judge.
    """
    if not board.is_judged:
        return None
    found = Judging.objects.filter(board=board.task, seen__gt=timezone.now() - FRESH).first()
    refusal = "no worker" if found is None else found.refusal
    return _(REFUSALS[refusal]) if refusal else None

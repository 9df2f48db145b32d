"""Judged boards: whether this worker can have them judged, and what judging may still cost.

A month's money is reserved before a submission is judged, so that several workers together never exceed it; what was
not spent is given back. A worker that is killed leaves its reservation in the month's bill, which may then be too high,
never too low.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import date

from django.conf import settings
from django.db import transaction
from django.db.models import F
from django.utils import timezone

from hueval_metrics.api.boards import JudgePlan, JudgeSettings, check_budget, judge_settings, ledger, require_judge
from hueval_metrics.errors import HuevalError
from hueval_site.boards import Board, every_board
from hueval_site.submissions.models import JudgeMonth, Judging, Submission


@dataclass(frozen=True)
class BudgetPlan(JudgePlan):
    """A plan that asks the judge of the environment, and spends no more than given.

    Attributes:
        budget_usd: the most, on top of what this process has spent; None for a judge that costs nothing.
    """

    budget_usd: float | None = None

    def settings(self) -> JudgeSettings:
        """See `JudgePlan.settings`."""
        found = super().settings()
        return found if self.budget_usd is None else replace(found, budget_usd=_spent() + self.budget_usd)


def publish_readiness() -> None:
    """Store for the web process which boards can be judged; called by workers every few minutes."""
    for board in every_board().values():
        if board.is_judged:
            Judging.objects.update_or_create(
                board=board.task, defaults={"refusal": _refusal(board), "seen": timezone.now()}
            )


def _refusal(board: Board) -> str:
    try:
        judge = judge_settings()
        require_judge(board.own_task, judge)
        if judge.mode == "defer":
            return "no judge"
        if not judge.asks:
            return ""
        if settings.CONFIG.submission_usd is None or settings.CONFIG.month_usd is None:
            return "no budget"
        check_budget(replace(judge, budget_usd=settings.CONFIG.submission_usd))
    except HuevalError:
        return "no judge"
    return "" if _left_of_month() > 0 else "month"


@contextmanager
def budget(submission: Submission, board: Board) -> Iterator[JudgePlan]:
    """Inside, money is reserved for judging a submission; afterwards its bill is known.

    Yields:
        The plan to score with. What was judged before is in the judge's cache and costs nothing, so that a plan without
        money can still complete a submission.

    Raises:
        InputError: a setting of the judge is not usable.
    """
    if not board.is_judged or not judge_settings().asks:
        yield JudgePlan()
        return
    month, most = _month(), _left_of_submission(submission)
    with transaction.atomic():
        JudgeMonth.objects.get_or_create(month=month)
        locked = JudgeMonth.objects.select_for_update().get(month=month)
        reserved = max(0.0, min(most, (settings.CONFIG.month_usd or 0.0) - locked.usd))
        JudgeMonth.objects.filter(month=month).update(usd=F("usd") + reserved)
    before = _spent()
    try:
        yield BudgetPlan(budget_usd=reserved)
    finally:
        spent = _spent() - before
        JudgeMonth.objects.filter(month=month).update(usd=F("usd") + spent - reserved)
        Submission.objects.filter(pk=submission.pk).update(judge_usd=F("judge_usd") + spent)


def is_over_budget(submission: Submission) -> bool:
    """Whether too little is left of what judging one submission may cost: a tenth may be less than one call's bound."""
    submission.refresh_from_db(fields=["judge_usd"])
    asks = judge_settings().asks
    return asks and _left_of_submission(submission) < 0.1 * (settings.CONFIG.submission_usd or 0.0)


def _left_of_submission(submission: Submission) -> float:
    return max(0.0, (settings.CONFIG.submission_usd or 0.0) - float(submission.judge_usd))


def _left_of_month() -> float:
    found = JudgeMonth.objects.filter(month=_month()).first()
    return (settings.CONFIG.month_usd or 0.0) - (0.0 if found is None else float(found.usd))


def _month() -> date:
    return timezone.now().date().replace(day=1)


def _spent() -> float:
    return ledger().spent_usd + ledger().at_risk_usd

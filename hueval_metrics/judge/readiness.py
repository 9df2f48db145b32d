"""Whether a task's judge can be asked: it is configured, reachable and not shut down. Checked before generation.

A judge that has been shut down is not asked (`shutdown.py`), and never replaced silently.
"""

from __future__ import annotations

import logging
from collections.abc import Mapping
from datetime import date
from functools import cache
from typing import Any

from hueval_metrics.errors import InputError
from hueval_metrics.judge.configured import judge_settings
from hueval_metrics.judge.ledger import check_budget
from hueval_metrics.judge.rubric import load_rubric, rubric_id
from hueval_metrics.judge.settings import JudgeSettings, shown
from hueval_metrics.judge.shutdown import ended, ends_of, warn_of_end
from hueval_metrics.records import Signature

log = logging.getLogger(__name__)


def judge_ready(task: str) -> JudgeSettings:
    """The judge of a task, checked before its documents are loaded.

    lm-eval builds a task's filters only after generation, so that a check in the filter would come too late.

    Raises:
        InputError: no judge is configured, it has been shut down, its budget cannot be kept, or a setting is invalid.
    """
    judge = judge_settings()
    require_judge(task, judge)
    check_budget(judge)
    if judge.asks:
        _warn_of_unreachable(judge)
        require_judge(task, judge)  # again, with the dates that the servers list
        warn_of_end(judge)
    return judge


def require_judge(task: str, settings: JudgeSettings, *, may_be_known: bool = False, today: date | None = None) -> None:
    """Check that a judged task has a judge.

    Args:
        task: the task's name, for the message.
        settings: the judge.
        may_be_known: whether the verdicts may be in the cache, which can be read for a chosen judge after its shutdown.
        today: the date to compare with; None for the present one, in UTC.

    Raises:
        InputError: no judge is configured, or it has been shut down.
    """
    if not settings.is_configured:
        raise InputError(
            f"{task} is scored by a judge, and none is configured. Set HUEVAL_JUDGE_API_KEY or OPENAI_API_KEY, or "
            "HUEVAL_JUDGE_BASE_URL for a server of your own; or set HUEVAL_JUDGE=lexical (offline, approximate); or "
            "set HUEVAL_JUDGE=defer and judge later with `hueval score`; or leave the judged tasks out with "
            "--tasks hueval-rule"
        )
    if settings.asks and (settings.is_default_model or not may_be_known) and (why := ended(settings, today)):
        raise InputError(f"{task}: {why}")


def is_deferred(settings: JudgeSettings, rubric: str, count: int) -> bool:
    """Whether judging is left to a later `hueval score`; logs the number of verdicts, unless it is 0."""
    if settings.mode == "defer" and count:
        log.warning("%s: %d verdicts are left to a later `hueval score` (HUEVAL_JUDGE=defer).", rubric, count)
    return settings.mode == "defer"


def signed(provenance: Mapping[str, Any], judge: JudgeSettings, rubric: str) -> dict[str, Any]:
    """The provenance of a judged task's documents, with the judge and the rubric in its signature."""
    from hueval_metrics.judge.lexical import lexical_rubric

    version = lexical_rubric(rubric) if judge.mode == "lexical" else rubric_id(load_rubric(rubric))
    found = {**provenance, "signature": str(Signature.parse(provenance["signature"]).with_judge(judge.name, version))}
    if judge.asks and (ends := ends_of(judge)):
        found["judge_shutdown_dates"] = {model: str(end) for model, end in ends.items()}
    return found


@cache
def _warn_of_unreachable(judge: JudgeSettings) -> None:
    """Log once that a judge cannot be reached; it may be up again when the responses are generated."""
    from hueval_metrics.judge.client.servers import unreachable

    for base_url, fault in unreachable(judge).items():
        log.warning(
            "%s: the judge cannot be reached just now (%s). Generation goes on; verdicts that are missing then can be "
            "had later with `hueval score` on the samples.",
            shown(base_url),
            fault,
        )

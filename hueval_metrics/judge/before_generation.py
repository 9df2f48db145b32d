"""The check before the first token: a judged task gives no documents while no judge is configured."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from functools import cache
from typing import Any

from hueval_metrics.judge.ledger import check_budget
from hueval_metrics.judge.lexical import lexical_rubric
from hueval_metrics.judge.retirement import ends_of, warn_of_end
from hueval_metrics.judge.rubric import load_rubric, rubric_id
from hueval_metrics.judge.settings import JudgeSettings, judge_settings, require_judge, shown
from hueval_metrics.records import Signature

log = logging.getLogger(__name__)


def judge_ready(task: str) -> JudgeSettings:
    """The judge of a task, once one is known to be configured and not at its end.

    lm-eval makes a filter only after generation, so that the filter itself would tell too late.

    Raises:
        InputError: no judge is configured, it has ended, or a setting is not usable.
    """
    judge = judge_settings()
    require_judge(task, judge)
    check_budget(judge)
    if judge.asks:
        _tell_what_is_unreachable(judge)
        require_judge(task, judge)  # again, by what the servers list
        warn_of_end(judge)
    return judge


def signed(provenance: Mapping[str, Any], judge: JudgeSettings, rubric: str) -> dict[str, Any]:
    """The provenance of a judged task's documents with the judge and the rubric in its signature."""
    version = lexical_rubric(rubric) if judge.mode == "lexical" else rubric_id(load_rubric(rubric))
    found = {**provenance, "signature": str(Signature.parse(provenance["signature"]).with_judge(judge.name, version))}
    if judge.asks and (ends := ends_of(judge)):
        found["judge_shutdown_dates"] = {model: str(end) for model, end in ends.items()}
    return found


@cache
def _tell_what_is_unreachable(judge: JudgeSettings) -> None:
    """Warn, once, of a judge that cannot be reached just now: it may be back when the answers are there."""
    from hueval_metrics.judge.client.http import unreachable

    for base_url, fault in unreachable(judge).items():
        log.warning(
            "%s: the judge cannot be reached just now (%s). Generation goes on; verdicts that are missing then can be "
            "had later with `hueval score` on the samples.",
            shown(base_url),
            fault,
        )

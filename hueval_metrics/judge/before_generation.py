"""The check before the first token: a judged task hands out no documents while nobody can judge them."""

from __future__ import annotations

import logging
from functools import cache
from typing import TYPE_CHECKING, Any

from hueval_metrics.judge.ledger import check_budget
from hueval_metrics.judge.lexical import lexical_rubric
from hueval_metrics.judge.retirement import ends_of, warn_of_end
from hueval_metrics.judge.rubric import load_rubric, rubric_id
from hueval_metrics.judge.settings import JudgeSettings, judge_settings, require_judge, shown
from hueval_metrics.records import HuevalError, with_judge
from lm_eval_tasks.openhueval import utils

if TYPE_CHECKING:
    from datasets import DatasetDict

log = logging.getLogger(__name__)


def load(**settings: Any) -> DatasetDict:
    """The `custom_dataset` of judged tasks: that of the family, once a judge is known to be configured.

    lm-eval makes a filter only after generation, so that the filter itself would tell too late.

    Args:
        **settings: the task's `metadata` and `dataset_kwargs`, passed on.

    Raises:
        SystemExit: with one line, when no judge is configured, it has ended, a setting is not usable, or the data
            cannot be had.
    """
    name = settings.get("name", "?")
    try:
        require_judge(f"openhueval_{name}")
        judge = judge_settings()
        check_budget(judge)
        if judge.asks:
            _tell_what_is_unreachable(judge)
            require_judge(f"openhueval_{name}")  # again, by what the servers list
            warn_of_end(judge)
    except HuevalError as error:
        raise SystemExit(f"hueval: {error}") from None
    dataset = utils.load(**settings)
    if provenance := settings.get("provenance"):
        # OpenHuEval's rubrics have the names of its tasks.
        rubric = lexical_rubric(name) if judge.mode == "lexical" else rubric_id(load_rubric(name))
        provenance["signature"] = with_judge(provenance["signature"], judge.name, rubric)
        if judge.asks and (ends := ends_of(judge)):
            provenance["judge_shutdown_dates"] = {model: str(end) for model, end in ends.items()}
    return dataset


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

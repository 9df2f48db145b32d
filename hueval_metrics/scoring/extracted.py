"""The words of unread replies that a judge quotes as their answers (`hueval score --extract`)."""

from __future__ import annotations

from collections.abc import Generator, Iterator
from contextlib import closing
from dataclasses import replace

from hueval_metrics.beside import is_read
from hueval_metrics.errors import OptionError
from hueval_metrics.judge import extract
from hueval_metrics.judge.configured import judge_settings
from hueval_metrics.judge.engine import judge_stream
from hueval_metrics.judge.ledger import check_budget
from hueval_metrics.judge.settings import JudgeSettings
from hueval_metrics.judge.shutdown import ended
from hueval_metrics.records import Signature, Verdict
from hueval_metrics.registry import resolve
from hueval_metrics.scoring.judged import JudgePlan, Response, judged_responses, text_of
from hueval_metrics.scoring.survey import TaskInput

_ASKED = ("several", "unreadable", "refused")  # kinds of readings; where a reply says nothing there is nothing to quote


def extractor(model: str) -> JudgeSettings:
    """How the judge that quotes is reached: the environment's settings, but for its model.

    Raises:
        InputError: it cannot be asked, or a setting or a budget cannot be kept.
    """
    given = judge_settings()
    if not given.asks:
        silent = f"HUEVAL_JUDGE={given.mode} makes no API calls. Unset HUEVAL_JUDGE"
        raise OptionError(f"extract asks {model}, and {silent}")
    if not given.is_configured:
        fix = "Set HUEVAL_JUDGE_API_KEY or OPENAI_API_KEY, or HUEVAL_JUDGE_BASE_URL for a server of your own"
        raise OptionError(f"extract asks a judge, and none is configured. {fix}")
    if not model.strip() or "," in model:
        raise OptionError("extract: expected one model id")
    alone = replace(given, model=model.strip(), is_default_model=False, panel=(), repeats=1)
    if why := ended(alone):
        raise OptionError(f"extract: {why}")
    check_budget(alone)
    return replace(alone, later="the same command", noun="extraction")


def is_extracted(given: TaskInput, plan: JudgePlan) -> bool:
    """Whether a judge is asked for the answers in unread replies to a task."""
    return plan.extract is not None and is_read(given.spec.declared)


def is_open(given: TaskInput, response: Response) -> bool:
    """Whether a judge is asked for the answer in a response."""
    kind = resolve(str(given.spec.declared.reading))(response.doc, response.filtered.response).kind
    return kind in _ASKED


def extractions(given: TaskInput, plan: JudgePlan) -> Generator[Verdict, None, None]:
    """What the judge quotes from each response that is open, in order; without a request nothing is asked.

    Args:
        given: the predictions of a task, which are read again.
        plan: with the judge.
    """

    def responses() -> Iterator[Response]:
        with closing(judged_responses(given, replace(plan, asks=False))) as every:
            yield from (response for response in every if is_open(given, response))

    if total := sum(1 for _ in responses()):
        items = (({"question": _prompt(given, one)}, one.filtered.response) for one in responses())
        with closing(
            judge_stream(items, extract.__name__, extractor(str(plan.extract)), total, given.spec.short_name)
        ) as verdicts:
            yield from verdicts


def _prompt(given: TaskInput, response: Response) -> str:
    return text_of(given.spec.prompt, response.doc) or response.prediction.prompt or ""


def signed(signature: str | None, model: str) -> str | None:
    """A signature with the judge that quoted, and the version of its rubric."""
    if signature is None:
        return None
    return str(
        Signature.parse(signature).with_settings({"extract": f"{model.strip()},{extract.NAME}/{extract.VERSION}"})
    )

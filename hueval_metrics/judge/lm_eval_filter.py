"""The judge as the last filter of a judged task: filtered responses in, the same with verdicts out."""

from __future__ import annotations

import logging
import sys
from collections.abc import Iterable, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import replace
from typing import Any

from lm_eval.api.filter import Filter

from hueval_metrics.errors import HuevalError
from hueval_metrics.judge.configured import judge_settings
from hueval_metrics.judge.readiness import is_deferred
from hueval_metrics.judge.settings import JudgeSettings
from hueval_metrics.one_line import one_line
from hueval_metrics.records import UNFILTERED, Filtered, Verdict, has_verdict, is_open
from hueval_metrics.terminal import logging_shown

log = logging.getLogger(__name__)


def judge_filtered(
    filtered: Sequence[Filtered],
    docs: Sequence[Mapping[str, Any]],
    rubric: str,
    settings: JudgeSettings | None = None,
) -> list[Filtered]:
    """Fill in the missing verdicts; the judge sees only the `response` of what the model wrote.

    Args:
        filtered: the filtered responses.
        docs: their documents, in the same order.
        rubric: the rubric's name.
        settings: the judge; None for that of the environment.

    Returns:
        The responses with verdicts, in order; unchanged with `HUEVAL_JUDGE=defer`.

    Raises:
        InputError: a setting in the environment is invalid.
        ValueError: the numbers of documents and responses differ.
    """
    settings = settings or judge_settings()
    pairs = list(zip(filtered, docs, strict=True))
    places = [place for place, (item, _) in enumerate(pairs) if is_open(item.verdict)]
    judged = list(filtered)
    if is_deferred(settings, rubric, len(places)) or not places:
        return judged
    from hueval_metrics.judge.engine import verdicts
    from hueval_metrics.judge.rubric import task_beside

    items = [(pairs[place][1], pairs[place][0].response) for place in places]
    task = task_beside(rubric, str(items[0][0].get("task", "")))
    for place, verdict in zip(places, verdicts(items, rubric, settings, len(items), task), strict=True):
        judged[place] = replace(judged[place], verdict=verdict.to_dict())
    return judged


class JudgeFilter(Filter):
    """lm-eval filter that asks the judge about all documents of the task on this rank, many at a time.

    It is the last filter of its pipeline, after `take_first` and `StripReasoning`.

    Args:
        rubric: the rubric's name, as its family declares it.
    """

    def __init__(self, rubric: str) -> None:
        super().__init__()
        self._rubric = rubric

    def apply(self, resps: Iterable[Any], docs: Iterable[Mapping[str, Any]]) -> list[str]:
        """Add a verdict to each response. No failure of the judge raises, as an exception would lose the whole run.

        Args:
            resps: one JSON string of a `Filtered` for each document.
            docs: the documents.

        Returns:
            The JSON strings with `verdict` filled in; null with `HUEVAL_JUDGE=defer`, and with `--predict_only`.
        """
        filtered = [self._read(resp) for resp in resps]
        if _is_predict_only():
            return [item.to_json() for item in filtered]
        try:
            # Under plain lm_eval our loggers are not set up, so that what judging takes would not be shown.
            with nullcontext() if log.hasHandlers() else logging_shown():
                done = judge_filtered(filtered, list(docs), self._rubric)
        except Exception as error:
            text = str(error) if isinstance(error, HuevalError) else f"{type(error).__name__}: {one_line(error, 100)}"
            log.warning("%s: nothing is judged: %s", self._rubric, text)
            failed = Verdict(rubric=self._rubric, error=f"not asked: {text}").to_dict()
            done = [item if has_verdict(item.verdict) else replace(item, verdict=failed) for item in filtered]
        return [item.to_json() for item in done]

    def _read(self, resp: Any) -> Filtered:
        """The filtered response; any other text is not shown to the judge, as it may contain a reasoning trace."""
        try:
            return Filtered.from_json(resp)
        except (ValueError, TypeError, RecursionError):
            return Filtered("", verdict=Verdict(rubric=self._rubric, error=UNFILTERED).to_dict())


def _is_predict_only() -> bool:
    """Whether lm-eval only generates. It runs the filters all the same, and what they are handed does not say so."""
    frame = sys._getframe()
    while frame.f_back is not None:
        frame = frame.f_back
        if frame.f_code.co_name == "simple_evaluate" and frame.f_globals.get("__name__") == "lm_eval.evaluator":
            return bool(frame.f_locals.get("predict_only"))
    return False

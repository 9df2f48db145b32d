"""From responses to verdicts, whoever judges: words alone, one judge, or several."""

from __future__ import annotations

import logging
from collections import deque
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Any

from hueval_metrics.judge.engine import counted, judge_stream
from hueval_metrics.judge.ledger import check_budget
from hueval_metrics.judge.panel import panel_verdicts
from hueval_metrics.judge.settings import JudgeSettings
from hueval_metrics.judge.suspicion import signs
from hueval_metrics.records import Verdict

Items = Iterable[tuple[Mapping[str, Any], str]]

log = logging.getLogger(__name__)


def verdicts(items: Items, rubric: str, settings: JudgeSettings, total: int | None = None) -> Iterator[Verdict]:
    """Let the judge say what it thinks of each response, and mark those aimed at the judge.

    Args:
        items: documents and the responses to them, without reasoning traces; may be a generator.
        rubric: the rubric's name.
        settings: who judges; of any mode but `defer`.
        total: how many items there are, where known: for the estimate and the progress bar.

    Yields:
        One verdict an item, in order; a failure is a verdict with neither label nor score, and with `error`.

    Raises:
        InputError: there is a budget, and the price of a judge is not known.
    """
    marks: deque[tuple[str, ...]] = deque()

    def seen() -> Iterator[tuple[Mapping[str, Any], str]]:
        for doc, response in items:
            marks.append(signs(response))
            yield doc, response

    for verdict in _judged(seen(), rubric, settings, total):
        found = marks.popleft()
        yield replace(verdict, suspicious=found) if found else verdict


def _judged(items: Items, rubric: str, settings: JudgeSettings, total: int | None) -> Iterator[Verdict]:
    if settings.mode == "lexical":
        yield from _by_words(items, rubric)
    elif not settings.is_configured:  # a task without the check before generation; nobody is asked without a key
        nobody = Verdict(rubric=rubric, error="not asked: no judge is configured")
        yield from counted((nobody for _ in items), rubric)
    else:
        check_budget(settings)
        if settings.panel or settings.repeats > 1:
            yield from counted(panel_verdicts(items, rubric, settings, total, judge_stream), rubric)
        else:
            yield from judge_stream(items, rubric, settings, total)


def _by_words(items: Items, rubric: str) -> Iterator[Verdict]:
    from hueval_metrics.judge.lexical import judge_lexically

    log.warning("%s: HUEVAL_JUDGE=lexical compares words; its verdicts are approximate.", rubric)
    yield from counted((judge_lexically(doc, response, rubric) for doc, response in items), rubric)

"""The verdicts of runs that a rater can check, with the texts that the rater and the report need."""

from __future__ import annotations

import json
import logging
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from hueval_metrics.records import Verdict
from hueval_metrics.runs.items import Item, items_of
from hueval_metrics.runs.run import Run, item_id
from hueval_metrics.runs.scales import is_judged, scale_of
from hueval_metrics.stats.agreement import Rating

_UNNAMED = "?"  # a judge or a rubric that the log does not name

log = logging.getLogger(__name__)


def judged_items(runs: Sequence[Run], left_out: Counter[str]) -> Iterator[JudgedItem]:
    """The verdicts of all judged tasks of some runs. What cannot be read is skipped with a line in the log.

    Args:
        runs: with unique labels.
        left_out: counts the verdicts that no rater can check, by reason.
    """
    reported: set[str] = set()

    def report(fault: str) -> None:
        if fault not in reported:  # a missing file is reported for each task
            reported.add(fault)
            log.warning("%s", fault)

    for run in runs:
        judged = {task: result for task, result in run.tasks.items() if is_judged(task)}
        seen: set[tuple[str, str]] = set()
        for scored in items_of(replace(run, tasks=judged), None, report):
            item = _item(run.label, scored)
            problem = item if isinstance(item, str) else "repeated" if (item.task, item.qid) in seen else None
            if problem:
                left_out[problem] += 1
            elif isinstance(item, JudgedItem):
                seen.add((item.task, item.qid))
                yield item


def _item(run: str, item: Item) -> JudgedItem | str:
    """The item as a rater gets it, or why a rater cannot check it."""
    verdict = item.verdict
    if verdict is not None and verdict.is_unreadable:
        return "with an unreadable reply of the judge"
    if verdict is None or verdict.rating is None:
        return "without a verdict"
    if not scale_of(item.task).has(verdict.rating):
        return "with a verdict that the rubric does not have"
    if item.key is None or item.prompt is None or item.reference is None or item.response is None:
        return "without prompt, reference or response (`hueval score` writes them)"
    return JudgedItem(
        run,
        item.task,
        item_id(item.key),
        item.dimension or "",
        verdict.rubric or _UNNAMED,
        verdict.judge or _UNNAMED,
        verdict.rating,
        _words(verdict),
        item.prompt,
        _shown(item.reference, item.prompt),
        item.response,
    )


def _words(verdict: Verdict) -> str:
    """The judge's reply; of a panel each member's."""
    if verdict.votes:
        return "\n".join(f"{vote.judge}: {vote.raw or ''}" for vote in verdict.votes)
    return verdict.raw or ""


def _shown(reference: str, prompt: str) -> str:
    """The reference as a rater needs it: the answer of a JSON reply; nothing if it only repeats the prompt."""
    try:
        reply = json.loads(reference)
    except (ValueError, RecursionError):
        return "" if prompt.startswith(reference) else reference
    return str(reply["answer"]) if isinstance(reply, dict) and "answer" in reply else reference


@dataclass(frozen=True, slots=True)
class JudgedItem:
    """One response with the verdict on it.

    Attributes:
        run: the label of the run.
        task, qid: of the document; `qid` is its whole key (`runs.run.item_id`).
        dimension: its code; empty where it has none.
        rubric: name and version of the rubric.
        judge: the name of the judge.
        rating: the label or the score.
        words: the judge's reply, word for word.
        prompt: what the model was asked.
        reference: the reference answer or other aids; empty where there is none.
        response: of the model, without its reasoning trace.
    """

    run: str
    task: str
    qid: str
    dimension: str
    rubric: str
    judge: str
    rating: Rating
    words: str
    prompt: str
    reference: str
    response: str

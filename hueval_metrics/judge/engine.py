"""From responses to verdicts by one judge: many requests under way, each asked once, none lost, never an exception.

The engine runs an event loop in a thread of its own, since a notebook has one running already, and takes items in as it
gets them answered: memory does not grow with their number. README.md in this folder follows one response through it.
"""

from __future__ import annotations

import logging
from collections import Counter, deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from threading import Thread
from typing import Any

from hueval_metrics.judge.ledger import check_budget
from hueval_metrics.judge.panel import panel_verdicts
from hueval_metrics.judge.settings import JudgeSettings
from hueval_metrics.judge.suspicion import signs
from hueval_metrics.records import Verdict
from hueval_metrics.text.one_line import one_line

log = logging.getLogger(__name__)

Items = Iterable[tuple[Mapping[str, Any], str]]


def judge_all(items: Sequence[tuple[Mapping[str, Any], str]], rubric: str, settings: JudgeSettings) -> list[Verdict]:
    """Let the judge say what it thinks of each response.

    Args:
        items: documents and the responses to them, without reasoning traces.
        rubric: the rubric's name.
        settings: where to ask; not looked at for its mode, except for `batch`.

    Returns:
        One verdict an item, in order. What failed is a verdict with neither label nor score, and with `error`; one
        warning in the log says how many there are and why.

    Raises:
        KeyboardInterrupt: the user broke it off. Replies that came by then are in the cache.
    """
    return list(judge_stream(items, rubric, settings, len(items)))


def judge_stream(items: Items, rubric: str, settings: JudgeSettings, total: int | None = None) -> Iterator[Verdict]:
    """As `judge_all`, for any number of items: they are read, and their verdicts emitted, while asking goes on.

    Args:
        items: as of `judge_all`; may be a generator, which is advanced in the engine's thread. What it raises comes
            out here.
        rubric: the rubric's name.
        settings: as of `judge_all`.
        total: how many items there are, where known: for the estimate and the progress bar.

    Returns:
        One verdict an item, in order. Asking begins at once; to close the iterator ends it.
    """
    verdicts = _stream(items, rubric, settings, total)
    next(verdicts)  # the thread is running from here on: the members of a panel ask side by side
    return verdicts


def _stream(items: Items, rubric: str, settings: JudgeSettings, total: int | None) -> Iterator[Verdict]:
    """First a verdict that is none, once the thread has started; then those of the items."""
    from hueval_metrics.judge.loop import JudgingLoop  # it imports aiohttp, which other ways to judge do without

    judging = JudgingLoop(items, rubric, settings, total)
    thread = Thread(target=judging.run, name="hueval-judge", daemon=True)
    try:
        thread.start()
        yield Verdict()
        yield from counted(judging.verdicts(), f"{rubric} by {one_line(settings.model, 60)}")
    finally:  # Ctrl-C, or nobody wants the rest
        judging.cancel()
        if thread.is_alive():
            thread.join(10)


def counted(verdicts: Iterable[Verdict], name: str) -> Iterator[Verdict]:
    """The verdicts as they are; after the last, one line in the log says how many are missing, why, and what to do.

    Args:
        verdicts: of one judging.
        name: what is judged, and by whom where several judge.
    """
    missing: Counter[str] = Counter()
    count = 0
    for verdict in verdicts:
        count += 1
        if verdict.is_missing:
            missing[verdict.error or ""] += 1
        yield verdict
    if missing:
        causes = Counter({error: n for error, n in missing.items() if not error.startswith("not asked")}) or missing
        log.warning(
            "%s: %d of %d verdicts are missing: %s. They are left out of the scores; `hueval score` on the samples "
            "asks for them again.",
            name,
            missing.total(),
            count,
            causes.most_common(1)[0][0],
        )


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
            marks.append(signs(response, rubric))
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

"""A panel: several judges, or one judge asked several times. Their votes are combined into one verdict.

Each member judges the same responses in a thread of its own, at most its bounded window ahead of the caller, so that
memory does not grow with the number of responses.
"""

from __future__ import annotations

import logging
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import replace
from functools import reduce
from itertools import tee
from operator import add
from statistics import fmean
from threading import Lock
from typing import Any

from hueval_metrics.judge.progress import of_rank, summary
from hueval_metrics.judge.settings import SAMPLING_TEMPERATURE, JudgeSettings
from hueval_metrics.records import Usage, Verdict

log = logging.getLogger(__name__)

Item = tuple[Mapping[str, Any], str]
Judge = Callable[[Iterable[Item], str, JudgeSettings, int | None], Iterator[Verdict]]


def panel_verdicts(
    items: Iterable[Item], rubric: str, settings: JudgeSettings, total: int | None, judge: Judge
) -> Iterator[Verdict]:
    """Let every member of a panel judge each response.

    Args:
        items: documents and responses; a generator is advanced in the members' threads, by one at a time.
        rubric: the rubric's name.
        settings: with the models of the panel, and the rate limits that its members share.
        total: number of items, where known.
        judge: asks one member about all items; one verdict for each, in order.

    Yields:
        The combined verdict of each item, in order; after the last, the log sums up what all members took. An exception
        of `items` or of a member is raised here; then, and when this iterator is closed, the iterators of all members
        are closed.
    """
    members = members_of(settings)
    with ExitStack() as stack:
        streams = []
        for member, reader in zip(members, _readers(items, len(members)), strict=True):
            stream = judge(reader, rubric, member, total)
            stack.callback(getattr(stream, "close", lambda: None))
            streams.append(stream)
        used, n_cached, started = Usage(), 0, time.monotonic()
        for votes in zip(*streams, strict=True):
            used = reduce(add, (vote.usage for vote in votes if vote.usage and not vote.cached), used)
            n_cached += sum(vote.cached for vote in votes)
            yield combine(votes, settings.name)
        if used.calls:
            seconds = time.monotonic() - started
            log.info("%s", summary(rubric + of_rank(), settings.name, used, cached=n_cached, seconds=seconds))


def members_of(settings: JudgeSettings) -> list[JudgeSettings]:
    """The settings of each member: every model `repeats` times, with its own seed and share of the limits.

    The budget is not divided: all members spend from that of the process.
    """
    models = settings.panel or (settings.model,)
    count = len(models) * settings.repeats
    share = replace(
        settings,
        panel=(),
        repeats=1,
        concurrency=max(1, settings.concurrency // count),
        rpm=settings.rpm and settings.rpm / count,
        tpm=settings.tpm and settings.tpm / count,
        temperature=SAMPLING_TEMPERATURE if settings.repeats > 1 else settings.temperature,
    )
    return [replace(share, model=m, seed=settings.seed + i) for m in models for i in range(settings.repeats)]


def combine(votes: Sequence[Verdict], name: str) -> Verdict:
    """The verdict of a panel: the most frequent label, or the mean of the scores. Missing verdicts do not count.

    Args:
        votes: the verdict of each member, in the order of the panel; at least one.
        name: the name of the panel.

    Returns:
        A verdict with all `votes`. A tie goes to the label of the first member (see `is_tie`). Without any label or
        score it is missing, with the most frequent error.
    """
    counted = [vote for vote in votes if not vote.is_missing]
    labels = [vote.label for vote in counted if vote.label is not None]
    scores = [vote.score for vote in counted if vote.score is not None]
    errors = [] if counted else [vote.error for vote in votes if vote.error is not None]
    usages = [vote.usage for vote in votes if vote.usage is not None]
    return Verdict(
        label=_most_frequent(labels),
        score=fmean(scores) if scores else None,
        judge=name,
        rubric=(counted or votes)[0].rubric,
        cached=all(vote.cached for vote in votes),
        error=_most_frequent(errors),
        usage=reduce(add, usages) if usages else None,
        votes=tuple(votes),
        unsaved=any(vote.unsaved for vote in votes),
    )


def is_tie(labels: Iterable[str]) -> bool:
    """Whether two labels are equally frequent, so that the order of the judges decides.

    >>> is_tie(["YES", "NO"]), is_tie(["YES", "NO", "YES"]), is_tie([])
    (True, False, False)
    """
    highest = sorted(Counter(labels).values())[-2:]
    return len(highest) == 2 and highest[0] == highest[1]


def _most_frequent(texts: Sequence[str]) -> str | None:
    """The most frequent text, the first one of several; None for no texts."""
    return Counter(texts).most_common(1)[0][0] if texts else None


def _readers(items: Iterable[Item], count: int) -> list[Iterator[Item]]:
    """Iterators over the same items, each for a thread of its own; an exception of the source is raised in each."""
    lock = Lock()  # `tee` is not thread-safe

    def caught() -> Iterator[Item | Exception]:
        try:
            yield from items
        except Exception as error:
            yield error

    def reader(branch: Iterator[Item | Exception]) -> Iterator[Item]:
        while True:
            with lock:
                item = next(branch, None)
            if item is None:
                return
            if isinstance(item, Exception):
                raise item
            yield item

    return [reader(branch) for branch in tee(caught(), count)]

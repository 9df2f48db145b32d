"""Several judges, or one asked several times: their verdicts side by side, and the one that they come to together.

Each member is a judging of its own over the same responses. They run side by side, none further ahead than its own
bounded window, so that a panel needs no more memory for a million responses than for a thousand.
"""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import replace
from functools import reduce
from operator import add
from statistics import fmean
from threading import Lock
from typing import Any

from hueval_metrics.judge.settings import SAMPLING_TEMPERATURE, JudgeSettings
from hueval_metrics.records import Verdict

Item = tuple[Mapping[str, Any], str]
Judge = Callable[[Iterable[Item], str, JudgeSettings, int | None], Iterator[Verdict]]


def panel_verdicts(
    items: Iterable[Item], rubric: str, settings: JudgeSettings, total: int | None, judge: Judge
) -> Iterator[Verdict]:
    """Let every member of a panel judge each response.

    Args:
        items: documents and responses; may be a generator, which is advanced in the members' threads, one at a time.
        rubric: the rubric's name.
        settings: who sits on the panel, and the caps that its members share.
        total: how many items there are, where known.
        judge: what asks one member about all items: one verdict an item, in order.

    Yields:
        One verdict an item, in order, as `combine` has it. Whatever `items` or a member raises comes out here; then,
        and when this iterator is closed, all members are closed.
    """
    members = members_of(settings)
    source = _SharedSource(items, len(members))
    with ExitStack() as stack:
        streams = []
        for place, member in enumerate(members):
            stream = judge(source.reader(place), rubric, member, total)
            stack.callback(getattr(stream, "close", lambda: None))
            streams.append(stream)
        for votes in zip(*streams, strict=True):
            yield combine(votes, settings.name)


def members_of(settings: JudgeSettings) -> list[JudgeSettings]:
    """The settings of each member: every model, `repeats` times under seeds of their own, with an equal share of the
    caps. The budget is not shared out: all members spend from the one that the process keeps.
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
    """What a panel says: the label that most members give, or the mean of their scores.

    A member without a verdict does not vote.

    Args:
        votes: one verdict a member, in the order of the panel; at least one.
        name: the name of the panel.

    Returns:
        A verdict with all `votes`. In a tie the member named first among the tied decides; `is_tie` tells. Without any
        vote it is missing, with the error that most members had.
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
    """Whether two labels share the first place, so that the order of the judges decides.

    >>> is_tie(["YES", "NO"]), is_tie(["YES", "NO", "YES"]), is_tie([])
    (True, False, False)
    """
    highest = sorted(Counter(labels).values())[-2:]
    return len(highest) == 2 and highest[0] == highest[1]


def _most_frequent(texts: Sequence[str]) -> str | None:
    """The most frequent of some texts, of several the one that comes first; None without any."""
    return Counter(texts).most_common(1)[0][0] if texts else None


class _SharedSource:
    """One iterable for several readers in threads of their own (`itertools.tee` is not safe there).

    Each reader gets every item, in order. What all have had is dropped, and what the source raises, each reader raises.
    """

    def __init__(self, items: Iterable[Item], readers: int) -> None:
        self._items = iter(items)
        self._lock = Lock()
        self._ahead: list[deque[Item]] = [deque() for _ in range(readers)]
        self._failure: Exception | None = None

    def reader(self, place: int) -> Iterator[Item]:
        """The items, for one of the readers."""
        while (item := self._next(self._ahead[place])) is not None:
            yield item

    def _next(self, own: deque[Item]) -> Item | None:
        with self._lock:
            if not own and not self._failure:
                try:
                    item = next(self._items)
                except StopIteration:
                    return None
                except Exception as error:
                    self._failure = error
                else:
                    for ahead in self._ahead:
                        ahead.append(item)
            if own:
                return own.popleft()
        if self._failure:
            raise self._failure
        return None

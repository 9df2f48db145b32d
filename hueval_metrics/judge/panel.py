"""A panel: several judges, or one judge asked several times. Their votes are combined into one verdict.

In a cyclic panel one judge is asked about each item: the same one for all models, since the item's hash draws it. Some
verdicts may be asked for a second time, to count how many change.

Each member judges its items in a thread of its own, at most its bounded window ahead of the caller, so that memory does
not grow with the number of responses.
"""

from __future__ import annotations

import hashlib
import json
import logging
import time
from collections import Counter, deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import replace
from functools import cache, lru_cache, reduce
from itertools import chain
from operator import add
from statistics import fmean
from threading import Lock
from typing import Any, TypeVar

from hueval_metrics.judge.progress import of_rank, summary
from hueval_metrics.judge.queue import Again
from hueval_metrics.judge.settings import SAMPLING_TEMPERATURE, JudgeSettings
from hueval_metrics.records import Usage, Verdict
from hueval_metrics.registry import declared, known_tasks, rubric_name

log = logging.getLogger(__name__)

Item = tuple[Mapping[str, Any], str]
T = TypeVar("T")
Judge = Callable[[Iterable[Item], str, JudgeSettings, int | None], Iterator[Verdict]]


def panel_verdicts(
    items: Iterable[Item], rubric: str, settings: JudgeSettings, total: int | None, judge: Judge
) -> Iterator[Verdict]:
    """Let every member of a panel, or the one that is drawn in a cyclic panel, judge each response.

    Args:
        items: documents and responses; a generator is advanced by one at a time, in the members' threads or here.
        rubric: the rubric's name.
        settings: with the models of the panel, and the rate limits that its members share; or one judge of which some
            verdicts are asked for a second time.
        total: number of items, where known.
        judge: asks one member about some items; one verdict for each, in order.

    Yields:
        The combined verdict of each item, in order; after the last, the log sums up what all members took. An exception
        of `items` or of a member is raised here; then, and when this iterator is closed, the iterators of all members
        are closed.

    Raises:
        ValueError: a member gives fewer verdicts than it has items.
    """
    members = members_of(settings)
    dealt = _Dealt(items, members, rubric, settings)
    with ExitStack() as stack:
        streams = []
        for place, member in enumerate(members):
            stream = judge(dealt.reader(place), rubric, member, _expected(total, settings))
            stack.callback(getattr(stream, "close", lambda: None))
            streams.append(stream)
        used, n_cached, started = Usage(), 0, time.monotonic()
        for places, is_again in dealt.order():
            votes = [_next(streams[place]) for place in places]
            again = [_next(streams[place]) for place in places] if is_again else []
            used = reduce(add, (one.usage for one in (*votes, *again) if one.usage and not one.cached), used)
            n_cached += sum(vote.cached for vote in votes)
            for place, second in enumerate(again):
                votes[place] = _with_second(votes[place], second)
            yield combine(votes, settings.name) if settings.is_panel else votes[0]
        for stream in streams:  # the last thing that a member does is to sum up in the log
            next(stream, None)
        if used.calls and settings.is_panel:
            seconds = time.monotonic() - started
            log.info("%s", summary(rubric + of_rank(), settings.name, used, cached=n_cached, seconds=seconds))


def _next(stream: Iterator[Verdict]) -> Verdict:
    if (verdict := next(stream, None)) is None:
        raise ValueError("the verdicts of a member of the panel are shorter than its items")
    return verdict


def _with_second(vote: Verdict, second: Verdict) -> Verdict:
    """A vote with what the same judge said the second time, and what both took."""
    usages = [one.usage for one in (vote, second) if one.usage is not None]
    return replace(vote, again=second.rating, usage=reduce(add, usages) if usages else None)


def _expected(total: int | None, settings: JudgeSettings) -> int | None:
    """About how many requests each member has, for its estimate and its progress."""
    share = (1 + (settings.recheck or 0)) / (len(settings.models) if settings.is_cyclic else 1)
    return total and max(1, round(total * share))


def members_asked(settings: JudgeSettings, rubric: str, doc: Mapping[str, Any]) -> Sequence[JudgeSettings]:
    """The members that are asked about an item: all, or the one of a cyclic panel.

    That one has the highest hash together with the item's task and key (rendezvous hashing): neither the order of the
    judges nor that of the items decides, and with one judge more the others keep most of their items.

    Args:
        settings: the panel.
        rubric: the rubric's name; the tasks that it belongs to declare the key.
        doc: the document.
    """
    members = members_of(settings)
    if not (settings.panel and settings.is_cyclic):
        return members
    item = [str(doc.get(name)) for name in ("task", *_key_fields(rubric.rpartition(".")[2]))]
    return [max(members, key=lambda member: _hashed(member.model, *item))]


def is_rechecked(settings: JudgeSettings, doc: Mapping[str, Any], response: str) -> bool:
    """Whether a verdict is asked for a second time: drawn by the hash of seed, document and response."""
    if settings.recheck is None:
        return False
    seed = str(settings.seed), json.dumps(doc, sort_keys=True, default=str), response
    return int.from_bytes(_hashed("recheck", *seed)[:8]) < settings.recheck * 2**64


def _hashed(*texts: str) -> bytes:
    return hashlib.sha256(json.dumps(texts).encode()).digest()  # ASCII: a lone surrogate has no UTF-8


@cache
def _key_fields(rubric: str) -> Sequence[str]:
    """The fields that name an item in the tasks of a rubric."""
    tasks = (declared(name) for name in known_tasks())
    keys = (task.key for task in tasks if rubric_name(task) == rubric)
    return tuple(dict.fromkeys(chain.from_iterable(keys))) or ("qid",)


@lru_cache(64)  # asked for with each item
def members_of(settings: JudgeSettings) -> Sequence[JudgeSettings]:
    """The settings of each member: every model `repeats` times, with its own seed and share of the limits.

    The budget is not divided: all members spend from that of the process.
    """
    models = settings.models
    count = len(models) * settings.repeats
    share = replace(
        settings,
        repeats=1,
        concurrency=max(1, settings.concurrency // count),
        rpm=settings.rpm and settings.rpm / count,
        tpm=settings.tpm and settings.tpm / count,
        temperature=SAMPLING_TEMPERATURE if settings.repeats > 1 else settings.temperature,
    )
    return tuple(replace(share.at(m), seed=settings.seed + i) for m in models for i in range(settings.repeats))


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


class _Dealt:
    """The items of a panel, read once by whichever thread needs the next one, for the members that are asked about it.

    Args:
        items: documents and responses; what their source raises is raised to every reader after the items before it.
        members, rubric, settings: of the panel.
    """

    def __init__(
        self, items: Iterable[Item], members: Sequence[JudgeSettings], rubric: str, settings: JudgeSettings
    ) -> None:
        self._source, self._lock = iter(items), Lock()
        self._error: Exception | None = None
        self._members, self._rubric, self._settings = members, rubric, settings
        self._waiting: list[deque[Item]] = [deque() for _ in members]
        self._order: deque[tuple[Sequence[int], bool]] = deque()

    def reader(self, place: int) -> Iterator[Item]:
        """The items of one member."""
        return self._taken(self._waiting[place])

    def order(self) -> Iterator[tuple[Sequence[int], bool]]:
        """For each item the places of the members that are asked, and whether they are asked a second time."""
        return self._taken(self._order)

    def _taken(self, waiting: deque[T]) -> Iterator[T]:
        while True:
            with self._lock:  # `next` of a generator is not thread-safe
                while not waiting:
                    if self._error is not None:
                        raise self._error
                    try:
                        item = next(self._source, None)
                    except Exception as error:
                        self._error = error
                        continue
                    if item is None:
                        return
                    self._deal(*item)
                taken = waiting.popleft()
            yield taken

    def _deal(self, doc: Mapping[str, Any], response: str) -> None:
        asked = members_asked(self._settings, self._rubric, doc)
        places = [place for place, member in enumerate(self._members) if member in asked]
        is_again = is_rechecked(self._settings, doc, response)
        self._order.append((places, is_again))
        for place in places:
            self._waiting[place].append((doc, response))
            if is_again:
                self._waiting[place].append((Again(doc), response))

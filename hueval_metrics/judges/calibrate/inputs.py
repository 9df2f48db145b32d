"""From the answers of scored runs to what the statistics of a calibration take (`stats.calibrated`)."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from itertools import compress
from typing import Any

import numpy as np

from hueval_metrics.errors import InputError
from hueval_metrics.judges.calibrate.answers import ITEMS, UNNAMED, Answer, ScoredRun, answers
from hueval_metrics.judges.calibrate.file import RatedAnswer
from hueval_metrics.judges.stats.items import RatedItem, frozen
from hueval_metrics.metric import Metric
from hueval_metrics.metrics.confidence import ConfidenceSettings
from hueval_metrics.registry import declared, resolve
from hueval_metrics.runs.scales import scale_of
from hueval_metrics.stats.agreement import Rating


def read_answers(run: ScoredRun, tasks: Collection[str]) -> dict[str, TaskAnswers]:
    """The answers of a run to some tasks, in one pass over its file.

    Raises:
        InputError: an item has no values, as older versions wrote them, or unreadable ones; see also `answers.answers`.
    """
    found: dict[str, TaskAnswers] = {}
    for answer in answers(run):
        if answer.task in tasks:
            if answer.task not in found:
                found[answer.task] = TaskAnswers(run, answer.task, rerated_of(answer.task))
            found[answer.task].add(answer)
    return found


def pooled(rated: Sequence[RatedAnswer], rerated: Rerated) -> list[RatedItem]:
    """The answers of a calibration, as a pool that is transported to other runs.

    Args:
        rated: the answers.
        rerated: of a run to which they are transported: gives the values of a rating.
    """
    ratings = {rating for one in rated for rating in (one.judge, one.reference)}
    is_label = scale_of(rerated.task).is_label  # then the labels are enough
    values: Mapping[Rating, Mapping[str, Any]] = {} if is_label else rerated.by_rating(ratings)
    return [
        RatedItem(
            *(one.cluster, one.judge, values.get(one.judge, {}), one.reference, values.get(one.reference, {})),
            weight=one.weight,
            stratum=one.stratum,
        )
        for one in rated
    ]


@cache
def rerated_of(task: str) -> Rerated:
    """The one of a task: runs have many values in common."""
    return Rerated(task)


class Rerated:
    """The values of a task's items under another rating (`declare.Task.rated`), each combination worked out once.

    Args:
        task: the task's name; its family says how.

    Raises:
        InputError: the family does not say how.
    """

    def __init__(self, task: str) -> None:
        self.task = task
        path = declared(task).rated
        if path is None:
            raise InputError(f"{task}: its family does not say what another rating changes. Declare Task.rated")
        self._hook = resolve(path)
        self._names: tuple[str, ...] = ()
        self._known: dict[tuple[Rating, str], Mapping[str, Any]] = {}
        self._kinds: dict[tuple[bool, ...], Mapping[str, Any]] = {}  # to which metrics apply → the first such item's

    def __call__(self, values: Mapping[str, Any], rating: Rating) -> Mapping[str, Any]:
        """Metric → the value with this rating; the same object for the same values.

        Raises:
            ValueError: the values are not what the task's metrics take.
        """
        if not self._names:
            self._names = tuple(self._checked(values, rating))
        key = rating, repr([*map(values.get, self._names)])
        found = self._known.get(key)
        if found is None:
            found = self._known[key] = self._checked(values, rating)
            self._kinds.setdefault(tuple(found[name] is None for name in self._names), found)
        return found

    def _checked(self, values: Mapping[str, Any], rating: Rating) -> Mapping[str, Any]:
        metrics = declared(self.task).metrics
        try:
            found: Mapping[str, Any] = self._hook(values, rating)
            given = {name: frozen(value) for name, value in found.items() if value is not None}
            if all(
                np.isfinite(metrics[name].rows([value], [0])).all() for name, value in given.items() if name in metrics
            ):
                hash(tuple(given.values()))
                return found
        except (TypeError, LookupError, ArithmeticError) as error:
            raise ValueError("values of a wrong type") from error
        raise ValueError("values that are not finite")

    def by_label(self) -> dict[Rating, dict[str, Any]] | None:
        """`by_rating` of each label; None of a rubric with scores."""
        scale = scale_of(self.task)
        return self.by_rating(scale.values) if scale.is_label else None

    def by_rating(self, ratings: Collection[Rating]) -> dict[Rating, dict[str, Any]]:
        """Each rating → metric → the value of items with it, of a metric whose value is known by the rating alone.

        It is looked at in one item of each stratum. `calibrated_tables` checks the values of all labels.
        """
        found: dict[Rating, dict[str, Any]] = {}
        for rating in ratings:
            seen: dict[str, set[Any]] = {}
            for values in self._kinds.values():
                for name, value in self._hook(values, rating).items():
                    seen.setdefault(name, set()).update(set() if value is None else {frozen(value)})
            found[rating] = {name: values.pop() for name, values in seen.items() if len(values) == 1}
        return found


@dataclass
class TaskAnswers:
    """The answers of one run to one task.

    Attributes:
        run: the run.
        task: the task's name.
        rerated: gives its values under other ratings.
        items: those with a verdict that counts.
        places: hashes of item and response of each of `items`.
        lines: the line of each of `items` in items.jsonl.
        judges, rubrics: of the verdicts.
        answers: hashes of item and response of all, with a verdict or without.
        n_unjudged: answers without a verdict that counts.
    """

    run: ScoredRun
    task: str
    rerated: Rerated
    items: list[RatedItem] = field(default_factory=list)
    places: list[tuple[str, str]] = field(default_factory=list)
    lines: list[int] = field(default_factory=list)
    judges: set[str] = field(default_factory=set)
    rubrics: set[str] = field(default_factory=set)
    n_unjudged: int = 0
    answers: set[tuple[str, str]] = field(default_factory=set)

    def add(self, answer: Answer, judge: str | None = None) -> None:
        """Add one answer with its verdict; with that of another judge where one is named."""
        self.answers.add((answer.item, answer.response))
        said = own = answer.said()
        if own is not None and judge is not None:
            said = answer.by_judge().get(judge)
        if own is None or said is None or said.rating is None:
            self.n_unjudged += 1
            return
        if not answer.values:
            raise InputError(
                f"{self.run.folder}: {self.task} {answer.qid} has no values, as an older version wrote it. Score it "
                "again: hueval score"
            )
        self.judges.add(judge or answer.judge or UNNAMED)
        self.rubrics.add(said.rubric)
        self.places.append((answer.item, answer.response))
        self.lines.append(answer.line)
        try:
            values = self.rerated(answer.values, said.rating)
        except ValueError:
            raise InputError(
                f"{self.run.folder / ITEMS} line {answer.line}: the values of {self.task} {answer.qid} are unreadable. "
                "Score it again: hueval score"
            ) from None
        self.items.append(
            RatedItem(answer.cluster, said.rating, values, stratum=answer.stratum, run_weight=answer.weight)
        )

    def where(self, kept: Sequence[bool]) -> TaskAnswers:
        """The same with some of `items`."""
        items, places = list(compress(self.items, kept)), list(compress(self.places, kept))
        return replace(self, items=items, places=places, lines=list(compress(self.lines, kept)))

    @property
    def n_rated(self) -> int:
        """How many of `items` the reference rated."""
        return sum(item.reference is not None for item in self.items)

    @property
    def metrics(self) -> dict[str, Metric]:
        """The metrics that can be calibrated and that apply to some item, in the order of the declaration."""
        kinds = {id(item.values): item.values for item in self.items}.values()
        return {
            name: metric
            for name, metric in self.confidence.metrics(declared(self.task).metrics).items()
            # Which answers were attempted is up to the rating, so the two errors would be of different answers.
            if not (metric.is_error and self.confidence.attempted)
            and any(values.get(name) is not None for values in kinds)
        }

    @property
    def confidence(self) -> ConfidenceSettings:
        """The settings of the run's calibration errors."""
        return ConfidenceSettings.of(self.run.tasks[self.task].signature)

    def rated_as(self, ratings: Mapping[tuple[str, str], tuple[Rating, float]]) -> TaskAnswers:
        """The same with the reference's ratings and weights, by the hashes of item and response."""
        if not ratings:
            return self
        items = []
        for item, place in zip(self.items, self.places, strict=True):
            if place in ratings:
                rating, weight = ratings[place]
                values = self.rerated(item.values, rating)
                items.append(replace(item, reference=rating, reference_values=values, weight=weight))
            else:
                items.append(item)
        return replace(self, items=items)

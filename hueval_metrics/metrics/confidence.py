"""Calibration of stated confidences: expected calibration error (Naeini et al. 2015), Brier score.

Both are fractions, and 0 is best. Sums are exact, so the result does not depend on the order in which several ranks
return their documents.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import ceil, fsum
from typing import Any, Literal, get_args

import numpy as np

from hueval_metrics.answers.confidence import FRACTION, ONE
from hueval_metrics.errors import InputError
from hueval_metrics.metric import Metric
from hueval_metrics.one_line import one_line
from hueval_metrics.records import Signature

Edges = Literal["left", "right"]  # the edge that belongs to a bin

BINS = 10  # as Naeini et al.; benchmarks seldom state the number
MOST_BINS = 1000  # confidences are whole percents, seldom more; each bin costs memory in every resample
PART = "ece"  # of a signature, where the settings are not the usual ones
_ATTEMPTED = "attempted"
_NOT_ATTEMPTED = "not_attempted"  # the metric that says which answers were not


def ece(bins: int = BINS, edges: Edges = "left") -> Metric:
    """Mean distance, over all answers, between the mean confidence and the accuracy of an answer's confidence bin.

    The bins have equal widths and are closed on one side; the outermost bin is closed on both. The metric takes one
    value per answer: a pair (confidence from 0 to 1, whether correct), or any form that `settled` accepts; None for no
    pair. Pass the values of a whole run, since the meaning of the whole number 1 depends on the other answers.

    Args:
        bins: number of bins, at least 1.
        edges: the side on which they are closed: `left`, [0.1, 0.2), or `right`, (0.1, 0.2].

    Raises:
        ValueError: `bins` is less than 1; the metric raises it for a confidence outside 0 to 1.

    >>> ece()([(1.0, True), (1.0, False), None, (0.25, False), (0.25, False)])
    0.375
    """
    if bins < 1:
        raise ValueError(f"{bins} bins: at least one is needed")

    def statistics(pairs: Sequence[Any]) -> list[float]:
        found = [0.0] * (2 * bins)
        for pair in pairs:
            confidence, correct = _checked(pair)
            place = bin_of(confidence, bins, edges)
            found[place] += confidence - correct
            found[bins + place] += 1
        return found

    return Metric(
        "ece",
        statistics,
        # The size of a bin times |mean confidence - accuracy| is the absolute value of the sum of its gaps.
        lambda sums: np.abs(sums[..., :bins]).sum(axis=-1) / sums[..., bins:].sum(axis=-1),
        size=lambda sums: sums[..., bins:].sum(axis=-1),
        is_error=True,
        bounds=(0.0, 1.0),
        better="lower",
        unit="fraction",
        settle=settled,
    )


def bin_of(confidence: float, bins: int = BINS, edges: Edges = "left") -> int:
    """The index of the bin of a confidence from 0 to 1.

    >>> bin_of(0.95), bin_of(1.0), bin_of(0.29, bins=100)
    (9, 9, 29)
    >>> bin_of(0.3, edges="right"), bin_of(0.31, edges="right"), bin_of(0.0, edges="right")
    (2, 3, 0)
    """
    scaled = round(confidence * bins, 9)  # 0.29 × 100 is 28.999… in floating point, and 0.07 × 100 is 7.000…1
    return min(int(scaled), bins - 1) if edges == "left" else max(ceil(scaled) - 1, 0)


@dataclass(frozen=True, slots=True)
class ConfidenceSettings:
    """What a calibration error is computed from.

    Attributes:
        bins: number of bins, from 1 to `MOST_BINS`.
        edges: the side on which they are closed.
        attempted: whether answers that were not attempted are left out; else they are wrong ones.

    Raises:
        InputError: a value is not on offer.

    >>> str(ConfidenceSettings(15, "right", attempted=True)), ConfidenceSettings.of("task:t|ece:15,left").bins
    ('15,right,attempted', 15)
    """

    bins: int = BINS
    edges: Edges = "left"
    attempted: bool = False

    def __post_init__(self) -> None:
        if not isinstance(self.bins, int) or isinstance(self.bins, bool) or self.bins < 1:
            raise InputError(f"ECE bins: expected a whole number from 1; found {_shown(self.bins)}")
        if self.bins > MOST_BINS:
            raise InputError(f"ECE bins: expected at most {MOST_BINS}; found {_shown(self.bins)}")
        if self.edges not in get_args(Edges):
            raise InputError(f"ECE edges: expected {' or '.join(get_args(Edges))}; found {_shown(self.edges)}")
        if not isinstance(self.attempted, bool):
            raise InputError(f"ECE attempted: expected True or False; found {_shown(self.attempted)}")

    def __str__(self) -> str:
        """As in a signature."""
        return ",".join([str(self.bins), self.edges, *[_ATTEMPTED] * self.attempted])

    @classmethod
    def of(cls, signature: str) -> ConfidenceSettings:
        """The settings of a score, by its signature; the usual ones where it has no such part, or an unreadable one."""
        bins, _, rest = Signature.parse(signature).parts.get(PART, "").partition(",")
        edges, _, attempted = rest.partition(",")
        try:
            return cls(int(bins), edges, attempted == _ATTEMPTED)  # type: ignore[arg-type]  # checked by the class
        except (ValueError, InputError):
            return USUAL

    def signed(self, task: str, signature: str | None) -> str | None:
        """The signature of a score by these settings.

        Args:
            task: the task's name, the first part of a signature.
            signature: without the settings; None where nothing else is known.
        """
        if self == USUAL:
            return signature
        return str(Signature.parse(signature or f"task:{task}").with_settings({PART: self}))

    def metrics(self, metrics: Mapping[str, Metric]) -> Mapping[str, Metric]:
        """The metrics of a task, its calibration errors by these settings."""
        if self == USUAL:
            return metrics
        error = ece(self.bins, self.edges)
        return {
            name: error.but(stratum=metric.stratum, settle=metric.settle) if metric.is_error else metric
            for name, metric in metrics.items()
        }

    def values(self, metrics: Mapping[str, Metric], values: Mapping[str, Any]) -> Mapping[str, Any]:
        """The values of a document, those of calibration errors None where they do not count.

        Args:
            metrics: those of its task.
            values: metric → its value, of all metrics of the task.
        """
        if not (self.attempted and is_unattempted(values)):
            return values
        left_out = {name for name in values if name in metrics and metrics[name].is_error}
        return {name: None if name in left_out else value for name, value in values.items()}


def is_unattempted(values: Mapping[str, Any]) -> bool:
    """Whether the values of a document say that its answer was not attempted."""
    return bool(values.get(_NOT_ATTEMPTED))


def _shown(value: object) -> str:
    return one_line(repr(value), 40)


def squared_error(pair: Sequence[float]) -> float:
    """The squared difference between one confidence and its outcome: an answer's term of the Brier score."""
    confidence, correct = pair
    return (confidence - correct) ** 2


def settled(pairs: Iterable[Sequence[Any] | None]) -> list[tuple[float, float] | None]:
    """The pairs of a run with each stated whole number 1 resolved, to 1.0 (certainty) or to 0.01 (one per cent).

    It means certainty if the run states more distinct fractions than distinct percentages.

    Args:
        pairs: (confidence, whether correct) or (confidence, whether correct, how it was stated), the last as returned
            by `answers.confidence`; None for no pair.

    >>> settled([(0.01, 1.0, "one"), (0.9, 0.0, "fraction"), None]), settled([(0.01, 1.0, "one"), (0.95, 1.0)])
    ([(1.0, 1.0), (0.9, 0.0), None], [(0.01, 1.0), (0.95, 1.0)])
    """
    given = list(pairs)
    stated = {(pair[0], pair[2] if len(pair) > 2 else None) for pair in given if pair is not None}
    ways = [how for confidence, how in stated if 0 < confidence < 1]
    one = 1.0 if ways.count(FRACTION) > ways.count(None) else 0.01
    return [None if pair is None else (one if len(pair) > 2 and pair[2] == ONE else pair[0], pair[1]) for pair in given]


def _checked(pair: Sequence[Any]) -> tuple[float, bool]:
    confidence, correct = pair
    if not 0 <= confidence <= 1:
        raise ValueError(f"confidence {confidence} is not from 0 to 1")
    return confidence, bool(correct)


def _squared_errors(pairs: Sequence[Any]) -> tuple[float, int]:
    return fsum(squared_error(_checked(pair)) for pair in pairs), len(pairs)


ECE = ece()
USUAL = ConfidenceSettings()

BRIER = Metric(
    "brier",
    _squared_errors,
    lambda sums: sums[..., 0] / sums[..., 1],
    bounds=(0.0, 1.0),
    better="lower",
    unit="fraction",
    settle=settled,
)
"""Mean squared difference between confidence and outcome (Brier 1950, halved form); values as for `ece`."""

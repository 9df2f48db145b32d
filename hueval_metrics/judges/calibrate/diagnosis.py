"""How well a judge agrees with its reference, as far as a calibration depends on it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from hueval_metrics.judges.calibrate.apply import Calibrated
from hueval_metrics.judges.calibrate.file import TaskCalibration
from hueval_metrics.judges.stats.items import RatedItem
from hueval_metrics.judges.stats.shares import youden
from hueval_metrics.judges.stats.tables import confusion
from hueval_metrics.runs.scales import scale_of
from hueval_metrics.stats.agreement import Rating

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Numbers = NDArray[np.float64]

LEAST_IN_STRATUM = 30  # items rated by both, below which a stratum's errors are not shown


def diagnose(task: str, fitted: TaskCalibration, scores: Sequence[Calibrated]) -> Diagnosis:
    """What a calibration says of its judge.

    Args:
        task: the task's name.
        fitted: its calibration.
        scores: of the runs that it was fitted on.
    """
    joint = joint_counts(task, fitted, None)
    return Diagnosis(task, fitted, tuple(scale_of(task).bands), joint, _strata(task, fitted), scores)


def joint_counts(task: str, fitted: TaskCalibration, stratum: str | None) -> Numbers:
    """The weighted counts [reference, judge] of labels, or grades of scores, shape (K, K); of one stratum or of all."""
    band = scale_of(task).band
    given = [one for one in fitted.items if stratum in (None, one.stratum)]
    banded = [RatedItem(one.cluster, band(one.judge), {}, band(one.reference), weight=one.weight) for one in given]
    return confusion(banded, scale_of(task).bands)


def _strata(task: str, fitted: TaskCalibration) -> dict[str, Numbers]:
    sizes: dict[str, int] = {}
    for one in fitted.items:
        if one.stratum is not None:
            sizes[one.stratum] = sizes.get(one.stratum, 0) + 1
    return {
        stratum: joint_counts(task, fitted, stratum) for stratum, n in sorted(sizes.items()) if n >= LEAST_IN_STRATUM
    }


@dataclass(frozen=True, slots=True)
class LabelErrors:
    """A judge's errors on one label, from 0 to 1; None where the reference gave it to no item, or to all.

    Attributes:
        label: the label, or grade of score.
        sensitivity: the share of the reference's items with the label that the judge gives it, too.
        specificity: the share of the others to which the judge gives another.
        youden: sensitivity + specificity - 1.
    """

    label: Rating
    sensitivity: float | None
    specificity: float | None
    youden: float | None


def label_errors(bands: tuple[str, ...], joint: Numbers) -> list[LabelErrors]:
    """The errors on each label, from the weighted counts [reference, judge]."""
    hits, reference, judge = joint.diagonal(), joint.sum(axis=1), joint.sum(axis=0)
    total = joint.sum()
    with np.errstate(invalid="ignore", divide="ignore"):
        sensitivity = hits / reference
        specificity = 1 - (judge - hits) / (total - reference)
    columns = zip(bands, sensitivity, specificity, youden(joint), strict=True)
    return [LabelErrors(band, *(_number(value) for value in values)) for band, *values in columns]


def _number(value: float) -> float | None:
    return None if np.isnan(value) else float(value)


@dataclass(frozen=True)
class Diagnosis:
    """What a calibration says of its judge in one task.

    Attributes:
        task: the task's name.
        fitted: the calibration.
        bands: the labels, or grades of scores.
        joint: weighted counts [reference, judge] over them.
        strata: code of a stratum → the same within it, where it has `LEAST_IN_STRATUM` items.
        scores: of the runs that it was fitted on, calibrated by it.
    """

    task: str
    fitted: TaskCalibration
    bands: tuple[str, ...]
    joint: Numbers
    strata: Mapping[str, Numbers]
    scores: Sequence[Calibrated]

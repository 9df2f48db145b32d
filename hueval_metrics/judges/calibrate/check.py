"""Check a calibration on runs that the reference rated, too: does the interval contain the reference's own score?"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from hueval_metrics.errors import InputError
from hueval_metrics.judges.calibrate.answers import ScoredRun, answers
from hueval_metrics.judges.calibrate.apply import Calibrated, calibrated_task, check_fit
from hueval_metrics.judges.calibrate.file import Calibration, TaskCalibration
from hueval_metrics.judges.calibrate.inputs import TaskAnswers, pooled, rerated_of
from hueval_metrics.judges.calibrate.references import References, SameRun
from hueval_metrics.judges.stats.differential import differential_errors
from hueval_metrics.judges.stats.items import RatedItem
from hueval_metrics.metric import Metric, total

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Numbers = NDArray[np.float64]


def check(calibration: Calibration, runs: Sequence[ScoredRun], references: References | None) -> list[Checked]:
    """The calibration, applied as transported to the answers that the reference rated, beside the reference's scores.

    Answers that were drawn by strata, into a sheet or a frozen set, count for those that they were drawn from. Answers
    of a run with the same name, and those of the very run, are taken out of the calibration first.

    Args:
        calibration: the calibration.
        runs: judged by its judge.
        references: who rated their answers again; None for verdicts in the runs themselves.

    Returns:
        One for each run and task, by task.

    Raises:
        InputError: there is no such reference, no answer of a run was rated by both, the ratings are another
            reference's, or the run does not fit (`apply.check_fit`).
    """
    found = []
    for task, fitted in calibration.tasks.items():
        source = references or SameRun(fitted.reference)
        for run in runs:
            if task in run.tasks and (both := _rated_by_both(run, task, fitted, source)).items:
                check_fit(both, fitted)
                found.append(_checked(both, fitted))
    if missing := [run for run in runs if all(one.calibrated.answers.run is not run for one in found)]:
        if isinstance(references, SameRun) and references.name not in {
            one.reference for one in calibration.tasks.values()
        }:
            raise references.missing(missing)
        raise InputError(
            f"{missing[0].folder}: no answer that judge and reference rated on {' or '.join(calibration.tasks)}. Name "
            "who rated them: --reference RUN, or a run with both (hueval score … --rejudge)"
        )
    return found


def _rated_by_both(run: ScoredRun, task: str, fitted: TaskCalibration, references: References) -> TaskAnswers:
    given = TaskAnswers(run, task, rerated_of(task))
    ratings = {}
    own = [answer for answer in answers(run) if answer.task == task]
    references.match(run.label, own)
    for answer in own:
        found = references.of(run.label, answer)
        if found.rating is not None and found.name != fitted.reference and references.kind == "judge":
            raise InputError(
                f"{run.folder}: {task} is rated by {found.name}, and the calibration is to {fitted.reference}. Name "
                "ratings of the same reference"
            )
        if found.rating is not None:
            ratings[answer.item, answer.response] = found.rating, found.weight_of(answer)
        given.add(answer, fitted.judge if isinstance(references, SameRun) else None)
    kept = [place in ratings for place in given.places]
    return given.where(kept).rated_as(ratings)


def _checked(given: TaskAnswers, fitted: TaskCalibration) -> Checked:
    excluded = fitted.runs_within(given.answers) | ({given.run.label} & fitted.runs.keys())
    others = fitted.model_copy(
        update={
            "items": [one for one in fitted.items if one.run not in excluded],
            "runs": {run: n for run, n in fitted.runs.items() if run not in excluded},
        }
    )
    plain = replace(given, items=[_unrated(item) for item in given.items])
    (calibrated,) = calibrated_task(others, [plain])
    weights = np.array([item.weight for item in given.items])
    judge, reference = {}, {}
    for name, metric in given.metrics.items():
        if name in calibrated.estimates or metric.stratum is None:
            judge[name] = _weighted(metric, [item.values[name] for item in given.items], weights)
            reference[name] = _weighted(metric, [item.reference_values[name] for item in given.items], weights)
    pool = pooled(others.items, given.rerated)
    items = [*pool, *given.items]
    test = differential_errors(
        [item.judge for item in items],
        [item.reference for item in items if item.reference is not None],
        [False] * len(pool) + [True] * len(given.items),
        [item.weight for item in items],
    )
    return Checked(calibrated, tuple(excluded), judge, reference, None if test is None else test.p)


def _unrated(item: RatedItem) -> RatedItem:
    return replace(item, reference=None, reference_values={}, weight=1.0, run_weight=item.weight)


def _weighted(metric: Metric, values: Sequence[Any], weights: Numbers) -> float | int | None:
    """The metric of answers that stand for so many each."""
    if metric.cluster is not None:  # of several answers that belong together
        return metric(values)
    return metric.of(total(metric.rows(values) * weights[:, None]))


@dataclass(frozen=True)
class Checked:
    """A calibration checked on one run and task.

    Attributes:
        calibrated: the calibrated scores of the answers that both rated.
        excluded: runs whose answers were taken out of the calibration.
        judge: metric → the score by the judge, of these answers, weighted by their draw.
        reference: metric → the score by the reference, of the same answers.
        p: of the judge's errors being the same here as among the calibrated answers; None with too few.
    """

    calibrated: Calibrated
    excluded: tuple[str, ...]
    judge: dict[str, float | int | None]
    reference: dict[str, float | int | None]
    p: float | None

    def holds(self, metric: str) -> bool | None:
        """Whether the interval contains the reference's score; None where there is no interval."""
        estimate, truth = self.calibrated.estimates.get(metric), self.reference[metric]
        return None if estimate is None or truth is None else estimate.low <= truth <= estimate.high

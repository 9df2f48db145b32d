"""Apply a calibration to scored runs: the scores that the reference would have given, with intervals."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from hueval_metrics.errors import InputError
from hueval_metrics.judges.calibrate.answers import ScoredRun
from hueval_metrics.judges.calibrate.file import Calibration, TaskCalibration
from hueval_metrics.judges.calibrate.inputs import TaskAnswers, pooled, read_answers
from hueval_metrics.judges.stats.estimates import Estimate, calibrated_estimates
from hueval_metrics.judges.stats.items import LEAST_RATED, RatedItem, clusters_of
from hueval_metrics.judges.stats.tables import Tables, calibrated_tables
from hueval_metrics.metric import total
from hueval_metrics.records import Signature
from hueval_metrics.stats.agreement import Rating

ALPHA = 0.05  # below this p errors differ
Kind = Literal["own", "transported"]
_Key = tuple[int, bool]  # place of a run, and whether it is Rogan and Gladen's estimate beside PPI++


def apply(calibration: Calibration, runs: Sequence[ScoredRun]) -> list[Calibrated]:
    """The calibrated scores of some runs, each on its own items where the reference rated `LEAST_RATED` of these.

    Args:
        calibration: the calibration.
        runs: judged by the calibration's judge.

    Returns:
        One for each run and task that the calibration has, by task.

    Raises:
        InputError: a run has none of the calibration's tasks, was judged by another judge or rubric, or is of other
            data.
    """
    by_task: dict[str, list[TaskAnswers]] = defaultdict(list)
    for run in runs:
        tasks = calibration.tasks.keys() & run.tasks.keys()
        found = {task: one for task, one in read_answers(run, tasks).items() if one.items}
        if not found:
            raise InputError(
                f"{run.folder}: no verdicts on {' or '.join(calibration.tasks)}, of which the calibration is. Name a "
                "run of these tasks, or fit one of its own: hueval calibrate fit"
            )
        for task, one in found.items():
            check_fit(one, calibration.tasks[task])
            by_task[task].append(one)
    return _applied(calibration, by_task)


def at_fit(calibration: Calibration, runs: Sequence[ScoredRun]) -> list[Calibrated]:
    """The calibrated scores of the runs that it was fitted on, as far as their verdicts are the judge's."""
    by_task: dict[str, list[TaskAnswers]] = defaultdict(list)
    for run in runs:
        for task, one in read_answers(run, calibration.tasks).items():
            if one.judges == {calibration.tasks[task].judge}:
                by_task[task].append(one)
    return _applied(calibration, by_task)


def _applied(calibration: Calibration, by_task: Mapping[str, Sequence[TaskAnswers]]) -> list[Calibrated]:
    return [
        one
        for task, fitted in calibration.tasks.items()
        for one in calibrated_task(fitted, [with_own(one, fitted) for one in by_task.get(task, [])])
    ]


def check_fit(given: TaskAnswers, fitted: TaskCalibration) -> None:
    """Raise InputError where a calibration is not one of a run's judge, rubric or data."""
    where, task = given.run.folder, given.task
    if given.run.tasks[task].calibration is not None:
        raise InputError(f"{where}: {task} is calibrated already. Name the run that `hueval score` wrote")
    if given.judges == {fitted.reference}:
        raise InputError(f"{where}: {task} is judged by {fitted.reference}, the reference itself. Leave it out")
    if given.judges != {fitted.judge}:
        raise InputError(
            f"{where}: {task} is judged by {', '.join(sorted(given.judges))}, and the calibration is of "
            f"{fitted.judge}. Judge it again (hueval score … --rejudge {fitted.judge}), or fit one of its judge"
        )
    if given.rubrics != {fitted.rubric}:
        raise InputError(
            f"{where}: {task} is judged by the rubric {', '.join(sorted(given.rubrics))}, and the calibration is of "
            f"{fitted.rubric}. Judge again by one of them"
        )
    parts = Signature.parse(given.run.tasks[task].signature).parts
    for part, value in fitted.signature.items():
        if (ours := parts.get(part, "?")) not in ("?", value):
            raise InputError(
                f"{where}: {task} differs from the calibration in {part} ({ours} against {value}). Fit one of runs "
                "with the same"
            )


def with_own(given: TaskAnswers, fitted: TaskCalibration) -> TaskAnswers:
    """The run with the reference's ratings of its own answers, where the calibration has the very run."""
    labels = fitted.runs_within(given.answers)
    ratings: dict[tuple[str, str], tuple[Rating, float]] = {
        (one.item, one.response): (one.reference, one.weight) for one in fitted.items if one.run in labels
    }
    own = given.rated_as(ratings)
    return own if own.n_rated >= LEAST_RATED else given


def calibrated_task(fitted: TaskCalibration, runs: Sequence[TaskAnswers]) -> list[Calibrated]:
    """The calibrated scores of one task.

    Args:
        fitted: the calibration of the task.
        runs: their answers; those that the reference rated are own ones.
    """
    pools = [pooled(fitted.items, one.rerated) for one in runs]
    alike: dict[tuple[str, ...], list[int]] = defaultdict(list)  # runs over the same clusters share their resamples
    clusters = []
    for place, one in enumerate(runs):
        clusters.append(clusters_of(one.items, [] if one.n_rated else pools[place]))
        alike[tuple(clusters[-1])].append(place)
    tables = {
        key: table
        for place, one in enumerate(runs)
        for key, table in _tables(place, one, clusters[place], pools[place]).items()
    }
    estimates: dict[_Key, dict[str, Estimate]] = {}
    for places in alike.values():
        estimates |= calibrated_estimates({key: table for key, table in tables.items() if key[0] in places})
    return [
        Calibrated(
            one,
            fitted,
            "own" if one.n_rated else "transported",
            one.n_rated or len(pools[place]),
            estimates[place, False],
            tables[place, False].refused,
            estimates.get((place, True), {}),
            {} if one.n_rated else _by_group(one, fitted, clusters[place]),
        )
        for place, one in enumerate(runs)
    ]


def _by_group(given: TaskAnswers, fitted: TaskCalibration, clusters: Mapping[str, str]) -> dict[str, dict[str, float]]:
    """The calibrated scores by the errors on each calibrated run alone, where the errors differ significantly."""
    if not any(test.by == "run" and test.p < ALPHA for test in fitted.differing):
        return {}
    found: dict[str, dict[str, float]] = {}
    labels = given.rerated.by_label()
    for run in fitted.runs:
        pool = pooled([one for one in fitted.items if one.run == run], given.rerated)
        table = calibrated_tables(given.metrics, given.items, clusters, labels=labels, pool=pool)
        values = {name: metric.of(total(rows)) for name, (metric, rows) in table.tables.items()}
        found[run] = {name: float(value) for name, value in values.items() if value is not None}
    return found


def _tables(
    place: int, given: TaskAnswers, clusters: Mapping[str, str], pool: Sequence[RatedItem]
) -> dict[_Key, Tables]:
    labels = given.rerated.by_label()
    if not given.n_rated:
        return {
            (place, False): calibrated_tables(given.metrics, given.items, clusters, labels=labels, pool=pool),
        }
    found = {(place, False): calibrated_tables(given.metrics, given.items, clusters, labels=labels)}
    if labels is not None:
        beside = calibrated_tables(given.metrics, given.items, clusters, labels=labels, method="rogan-gladen")
        found[place, True] = beside
    return found


@dataclass(frozen=True)
class Calibrated:
    """The calibrated scores of one run in one task.

    Attributes:
        answers: of the run, with the reference's ratings of own ones.
        fitted: the calibration.
        kind: `own` where the reference rated some of these very answers, else `transported`.
        n: items that both rated, on which the scores rest.
        estimates: metric → calibrated score.
        refused: metric → why there is none.
        rogan_gladen: metric → Rogan and Gladen's estimate, beside PPI++ of own items.
        by_group: where the judge's errors differ between calibrated runs: run → metric → what it would be by the errors
            on that run alone.
    """

    answers: TaskAnswers
    fitted: TaskCalibration
    kind: Kind
    n: int
    estimates: Mapping[str, Estimate]
    refused: Mapping[str, str]
    rogan_gladen: Mapping[str, Estimate]
    by_group: Mapping[str, Mapping[str, float]]

    @property
    def method(self) -> str | None:
        """The method of the first metric that is given; None where none is."""
        return next((one.method for one in self.estimates.values()), None)

"""The runs of a task that count in a comparison of calibrated scores, read from their files."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from hueval_metrics.comparison.load import fault, pair_up
from hueval_metrics.comparison.measures import as_scored
from hueval_metrics.comparison.results import Interval, LeftOut
from hueval_metrics.errors import HuevalError, InputError
from hueval_metrics.judges.calibrate.answers import ITEMS, ScoredRun
from hueval_metrics.judges.calibrate.apply import with_own
from hueval_metrics.judges.calibrate.file import NAME, Calibration, read_calibration
from hueval_metrics.judges.calibrate.inputs import TaskAnswers, pooled, read_answers
from hueval_metrics.judges.comparison.calibrated import RatedRun
from hueval_metrics.judges.stats.items import RatedItem
from hueval_metrics.metric import Metric
from hueval_metrics.records import Signature
from hueval_metrics.registry import CALIBRATED, declared, known_tasks
from hueval_metrics.runs.run import Run, TaskResult
from hueval_metrics.runs.table import TaskItems


def rated_runs(
    task: str,
    runs: Sequence[tuple[Run, TaskItems]],
    wanted: Mapping[str, Metric],
    files: Files,
    despite: Collection[str] = (),
) -> RatedRuns | None:
    """The runs with calibrated scores in a task, and those that the reference judged, over the items that all have.

    The reference is that of the first run with a calibration. Judges may differ; data and prompts may not.

    Args:
        task: the task's name.
        runs: those that have the task, with its items.
        wanted: the metrics to compare.
        files: of the runs.
        despite: kinds of difference (`check.KINDS`) to ignore.

    Returns:
        None where no run is calibrated, or no metric is wanted.
    """
    references = [one.reference for run, _ in runs if (one := run.result(task).calibration)]
    if not references or not wanted:
        return None
    found = RatedRuns(task)
    sound = []
    for run, items in runs:
        if reason := _foreign(run.result(task), references[0]):
            found.leave_out(run.label, reason, is_fault=False)
        elif reason := fault(items, wanted):
            found.leave_out(run.label, reason)
        else:
            sound.append(replace(items, signature=_without_judge(items.signature)))
    if len(sound) < 2:
        return found
    paired, refused = pair_up(sound, despite)
    for label, reason in refused.items():
        found.leave_out(label, reason)
    read = {}
    for run, _ in runs:
        if run.label in paired.labels:
            try:
                read[run.label] = run.result(task), _answers(task, run, files)
            except HuevalError as error:
                found.leave_out(run.label, str(error))
    if len(read) > 1:
        found.notes += paired.notes
        found.add(read, wanted, references[0])
    return found


def _foreign(result: TaskResult, reference: str) -> str | None:
    """Why a run has no scores by a reference; None where it has some."""
    if result.calibration is not None:
        other = result.calibration.reference
        return None if other == reference else f"calibrated to {other}, and another run to {reference}"
    judge = ",".join(Signature.parse(result.signature).judges)
    return None if judge == reference else f"judged by {judge or '?'}, not calibrated to {reference}"


def _without_judge(signature: str) -> str:
    parts = Signature.parse(signature).parts
    return str(Signature({key: value for key, value in parts.items() if key != "judge"}))


def _answers(task: str, run: Run, files: Files) -> tuple[TaskAnswers, list[RatedItem] | None]:
    """The answers of a run with the reference's ratings of its own ones; and the calibration's, if there are none.

    Raises:
        InputError: its files are missing or broken, or the calibration is not the one that its results name.
    """
    result = run.result(task)
    folder = result.source.parent
    given = files.answers(run, folder).get(task)
    if given is None or not given.items:
        raise InputError(f"{folder / ITEMS}: no verdict on {task}. Score it again: hueval score")
    if result.calibration is None:  # judged by the reference itself
        items = [replace(one, reference=one.judge, reference_values=one.values) for one in given.items]
        return replace(given, items=items), None
    calibration = files.calibration(folder)
    if calibration.sha256 != result.calibration.sha256 or task not in calibration.tasks:
        raise InputError(f"{folder / NAME}: not the one that the results name. Apply it again: hueval calibrate apply")
    fitted = calibration.tasks[task]
    given = with_own(given, fitted)
    return given, None if given.n_rated else pooled(fitted.items, given.rerated)


class Files:
    """The answers and calibrations of some runs, each file read once."""

    def __init__(self) -> None:
        self._answers: dict[Path, dict[str, TaskAnswers]] = {}
        self._calibrations: dict[Path, Calibration] = {}

    def answers(self, run: Run, folder: Path) -> Mapping[str, TaskAnswers]:
        """Task → the answers of a run in one of its folders, of the tasks that can be calibrated.

        Raises:
            InputError: they cannot be read.
        """
        if not (folder / ITEMS).is_file():
            raise InputError(f"{folder}: no {ITEMS} in it. Score it first: hueval score {folder} --output DIR")
        if folder not in self._answers:
            here = {task for task, result in run.tasks.items() if result.source.parent == folder}
            tasks = {task for task in here if task in known_tasks() and declared(task).rated is not None}
            self._answers[folder] = read_answers(ScoredRun(folder, run.label, run.tasks), tasks)
        return self._answers[folder]

    def calibration(self, folder: Path) -> Calibration:
        """The calibration in a folder.

        Raises:
            InputError: it cannot be read.
        """
        if folder not in self._calibrations:
            self._calibrations[folder] = read_calibration(folder / NAME)
        return self._calibrations[folder]


@dataclass
class RatedRuns:
    """What a comparison of calibrated scores in one task needs.

    Attributes:
        task: the task's name.
        runs: over the same items; none where nothing can be compared.
        metrics: those to compare.
        left_out: the runs that are not compared.
        notes: remarks, one sentence each without a full stop.
    """

    task: str
    runs: list[RatedRun] = field(default_factory=list)
    metrics: Mapping[str, Metric] = field(default_factory=dict)
    left_out: list[LeftOut] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)

    @property
    def labels(self) -> tuple[str, ...]:
        """The runs that are compared."""
        return tuple(run.label for run in self.runs)

    def leave_out(self, label: str, reason: str, *, is_fault: bool = True) -> None:
        """Leave a run out."""
        self.left_out.append(LeftOut(self.task, label, f"calibrated scores: {reason}", is_fault))

    def add(
        self,
        read: Mapping[str, tuple[TaskResult, tuple[TaskAnswers, list[RatedItem] | None]]],
        wanted: Mapping[str, Metric],
        reference: str,
    ) -> None:
        """Add runs, of each the items that all of them have."""
        having = Counter(item for _, (given, _) in read.values() for item, _ in given.places)
        kinds: dict[str, str] = {}
        applicable: set[str] = set()
        for label, (result, (given, pool)) in read.items():
            kept = given.where([having[item] == len(read) for item, _ in given.places])
            applicable |= kept.metrics.keys()
            known = _known(result)
            self.runs.append(RatedRun(label, kept.items, pool, kept.rerated.by_label(), known))
            kinds[label] = _kind(result, kept.n_rated)
        settings = [given.confidence for given, _ in (answers for _, answers in read.values())]
        common = {name: metric for name, metric in wanted.items() if name in applicable}
        self.metrics, _ = as_scored(common, list(read), settings)  # the plain scores show why some are not there
        self.notes.append(f"scores by {reference}: {', '.join(f'{label} {kind}' for label, kind in kinds.items())}")


def _known(result: TaskResult) -> dict[str, tuple[float, Interval]]:
    """Metric → the score by the reference and its interval, as the results have them."""
    suffix = "" if result.calibration is None else CALIBRATED
    names = {name.removesuffix(CALIBRATED) for name in result.scores}
    return {
        name: (score, result.intervals[name + suffix])
        for name in names
        if (score := result.scores.get(name + suffix)) is not None and name + suffix in result.intervals
    }


def _kind(result: TaskResult, n_rated: int) -> str:
    if result.calibration is None:
        return "judged by it"
    judge, n = result.calibration.judge, result.calibration.n
    if n_rated:
        return f"judged by {judge} and calibrated by {n_rated} of its own answers"
    return f"judged by {judge} and calibrated by {n} answers of other runs (transported)"

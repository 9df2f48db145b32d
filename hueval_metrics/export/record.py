"""The data of one task of a run that all formats need: its scores, data source, settings and date."""

from __future__ import annotations

import hashlib
import json
import logging
import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from uuid import UUID

from hueval_metrics.errors import InputError
from hueval_metrics.export.data_source import DataSource, HubRepo, data_source, hub_repo, is_repo_id
from hueval_metrics.one_line import one_line
from hueval_metrics.records import Signature, number_of
from hueval_metrics.registry import CALIBRATED, TaskSpec, known_tasks, task_spec
from hueval_metrics.reports.escape import plain
from hueval_metrics.runs.run import Calibration, Run
from hueval_metrics.text.files import read_text
from hueval_metrics.text.foreign import parse_json

_ROUNDING = 1e-6  # tolerance for sums of floats
_UNKNOWN = {"?", ""}
# lm-eval's generation setting → the name that other formats have for it.
_GENERATION_ARGS = {"temperature": "temperature", "top_p": "top_p", "top_k": "top_k", "max_gen_toks": "max_tokens"}
_NUMBER = r"\d{1,9}(?:\.\d{1,17})?(?:e-\d\d)?"  # as Python writes one; bounded, since the text is foreign
_GENERATION = re.compile(rf"(?:^|,)({'|'.join(_GENERATION_ARGS)})=({_NUMBER})(?=,|$)")

log = logging.getLogger(__name__)


def task_records(run: Run, model: str, dataset: str | None = None) -> list[TaskRecord]:
    """A record of each task that has its headline score, in the order of the run.

    Args:
        run: the run.
        model: the model's id, such as `org/name`; see `model_id`.
        dataset: `org/name` or `org/name@revision`, the repository on the Hub with the data; None to take it from the
            run, if it has one.

    Raises:
        InputError: no task has one; a score is out of its bounds; the dataset is not a repository's name.
    """
    hub = None if dataset is None else hub_repo(dataset)
    records = []
    for task in run.tasks:
        record = _record(run, task, model, hub) if task in known_tasks() else None
        if record and any(score.metric == record.headline_metrics[0] for score in record.scores):
            records.append(record)
        else:
            reason = "it is no task of this version of hueval"
            if record:
                reason = "it was not judged" if record.spec.rubric else f"it has no {record.headline_metrics[0]}"
            log.warning("%s: %s is left out: %s.", run.path, one_line(task, 80), reason)
    if not records:
        raise InputError(f"{run.path}: nothing is scored in it, so there is nothing to export. Score it: hueval score")
    return records


def model_id(run: Run, given: str | None) -> str:
    """The id under which a run is published: as given, otherwise its label if that is an id.

    A label may be a local path, a folder's name or anything else, so no id is derived from it.

    Raises:
        InputError: neither is of the form org/name.
    """
    name = run.label if given is None else given
    if is_repo_id(name):
        return name
    what = f"the run is called {one_line(name, 80)!r}" if given is None else f"--model is {one_line(name, 80)!r}"
    raise InputError(f"{run.path}: {what}, which is no model id. Name the model as the Hub does: --model org/name")


def _record(run: Run, task: str, model: str, hub: HubRepo | None) -> TaskRecord:
    spec = task_spec(task)
    signature = plain(run.tasks[task].signature) if run.tasks[task].signature else ""
    parts = {key: value for key, value in Signature.parse(signature).parts.items() if value not in _UNKNOWN}
    provenance = run.tasks[task].provenance
    return TaskRecord(
        spec=spec,
        model=model,
        run=run,
        signature=signature,
        parts=parts,
        scores=tuple(_scores(run, spec)),
        data=data_source(spec.family.data_set, spec.data_config, parts.get("data", ""), provenance, hub),
        date=_date(run, task),
    )


def _scores(run: Run, spec: TaskSpec) -> list[Score]:
    scores, intervals = run.tasks[spec.name].scores, run.result(spec.name).intervals
    methods = run.tasks[spec.name].methods
    found = []
    calibration = run.result(spec.name).calibration
    with_calibrated = [(own, one) for name, one in spec.metrics.items() for own in (name, name + CALIBRATED)]
    for name, metric in with_calibrated:
        value, method, is_calibrated = scores.get(name), methods.get(name), name.endswith(CALIBRATED)
        if value is None:
            continue
        low, high = metric.bounds
        if metric.may_exceed:
            high = float("inf")
        if not low - _ROUNDING <= value <= high + _ROUNDING:
            raise InputError(
                f"{run.tasks[spec.name].source}: {name} of {spec.name} is {value:g}, which is not between {low:g} and "
                f"{high:g}. Score it again: hueval score"
            )
        found.append(
            Score(
                metric=name,
                value=value,
                interval=intervals.get(name),
                method=method,
                n=run.result(spec.name).n_of(name),
                higher_is_better=metric.better == "higher",
                bounds=(low, high),
                is_per_item=metric.is_mean and metric.cluster is None and not is_calibrated,
                calibration=calibration if is_calibrated else None,
            )
        )
    return found


def _date(run: Run, task: str) -> datetime | None:
    """The start of a live run, from lm-eval's results file; results of `hueval score` have no date."""
    try:
        data = parse_json(read_text(run.tasks[task].source))
        seconds = number_of(data.get("date"))
        return None if seconds is None else datetime.fromtimestamp(int(seconds), UTC)
    except (KeyError, OSError, ValueError, OverflowError, AttributeError):
        return None


@dataclass(frozen=True)
class Score:
    """One metric of a task.

    Attributes:
        metric: its name.
        value: in the metric's unit, mostly percent.
        interval: its 95 % interval; None where the results have none.
        method: of the interval, such as `wilson`; None when unknown.
        n: number of clusters; None when unknown.
        higher_is_better: whether a higher value is better.
        bounds: the lowest and the highest possible value; infinity where there is no upper bound.
        is_per_item: whether a single prediction has a value; not where items are scored in pairs, nor calibrated.
        calibration: what a calibrated score rests on; None for any other.
    """

    metric: str
    value: float
    interval: tuple[float, float] | None
    method: str | None
    n: int | None
    higher_is_better: bool
    bounds: tuple[float, float]
    is_per_item: bool
    calibration: Calibration | None = None

    def __str__(self) -> str:
        """The metric with its interval, such as `recall 84.59 [81.72, 87.32]`."""
        low_high = f" [{self.interval[0]:.2f}, {self.interval[1]:.2f}]" if self.interval else ""
        return f"{self.metric} {self.value:.2f}{low_high}"

    @property
    def calibrated(self) -> dict[str, str]:
        """What a calibrated score rests on, as named texts; empty for any other."""
        one = self.calibration
        if one is None:
            return {}
        return {
            "calibration": one.sha256,
            "calibration_kind": "own" if one.is_own else "transported",
            "calibration_judge": plain(one.judge),
            "calibration_reference": plain(one.reference),
            "calibration_n": str(one.n),
            "calibration_warnings": "; ".join(map(plain, one.warnings)),
        }


@dataclass(frozen=True)
class TaskRecord:
    """One task of a run.

    Attributes:
        spec: the task.
        model: the id of the model.
        run: the run.
        signature: of the scores, in one line; empty when unknown.
        parts: the known parts of the signature.
        scores: in the order of the task's YAML; metrics without a value are omitted.
        data: its data source.
        date: of the run; None when unknown.
    """

    spec: TaskSpec
    model: str
    run: Run
    signature: str
    parts: Mapping[str, str]
    scores: tuple[Score, ...]
    data: DataSource
    date: datetime | None

    @property
    def task(self) -> str:
        """The task's name."""
        return self.spec.name

    @property
    def n(self) -> int:
        """The number of scored items; 0 when unknown."""
        return self.run.result(self.task).n

    @property
    def headline_metrics(self) -> list[str]:
        """The metrics of the overview; the first of them represents the task."""
        return list(self.spec.declared.headline)

    @property
    def headline(self) -> tuple[Score, ...]:
        """The scores of `headline_metrics` that have a value, each with its calibrated one behind it."""
        return tuple(one for one in self.scores if one.metric.removesuffix(CALIBRATED) in self.headline_metrics)

    @property
    def uuid(self) -> UUID:
        """A UUID of version 4, as the formats require, but derived from the content, so it is stable."""
        scores = [[score.metric, score.value, score.interval] for score in self.scores]
        content = json.dumps([self.task, self.model, self.signature, self.n, scores])
        return UUID(bytes=hashlib.sha256(content.encode()).digest()[:16], version=4)

    @property
    def generation_args(self) -> dict[str, float]:
        """The generation settings of the signature that are numbers; `max_tokens` only as a positive count."""
        found = _GENERATION.findall(self.parts.get("gen", ""))
        args = {_GENERATION_ARGS[name]: int(number) if number.isdigit() else float(number) for name, number in found}
        if not (isinstance(args.get("max_tokens"), int) and args["max_tokens"] > 0):
            args.pop("max_tokens", None)
        return args

    @property
    def is_sample(self) -> bool:
        """Whether the packaged sample was scored."""
        return self.parts.get("sample", "yes" if self.run.sample else "no") != "no"

    @property
    def judges(self) -> tuple[str, ...]:
        """The judges of the signature, which separates those of different items by commas."""
        return tuple(filter(None, self.parts.get("judge", "").split(",")))

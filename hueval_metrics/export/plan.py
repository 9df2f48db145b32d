"""Plan an export: its files, checked before any of them is written."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import PurePosixPath

from hueval_metrics.errors import InputError
from hueval_metrics.export.artifacts import Artifact
from hueval_metrics.export.caveats import check_publishable
from hueval_metrics.export.every_eval_ever import Evaluator, evaluation_logs
from hueval_metrics.export.hub import eval_results
from hueval_metrics.export.inspect_log import inspect_logs
from hueval_metrics.export.model_index import model_index
from hueval_metrics.export.record import TaskRecord, model_id, task_records
from hueval_metrics.runs.run import Run


@dataclass(frozen=True)
class Options:
    """The options of an export, besides the runs and the folder.

    Attributes:
        target: one of TARGETS, or `all`.
        model: the model's id; None for the run's label.
        dataset: `org/name@revision`, the repository on the Hub with the data; None to take it from the run.
        evaluator: who ran the evaluation.
        even_sample, even_partial: see `check_publishable`.
        with_items: whether to export the predictions, too.
        created: time of the export.
    """

    target: str
    model: str | None = None
    dataset: str | None = None
    evaluator: Evaluator = field(default_factory=Evaluator)
    even_sample: bool = False
    even_partial: bool = False
    with_items: bool = True
    created: datetime = field(default_factory=lambda: datetime.now(UTC))


Records = Sequence[TaskRecord]
TARGETS: dict[str, Callable[[Records, Options], list[Artifact]]] = {
    "hub": lambda records, options: eval_results(records, options.evaluator.url),
    "model-index": lambda records, options: model_index(records, options.evaluator.url),
    "every-eval-ever": lambda records, options: evaluation_logs(
        records, options.evaluator, options.created, with_items=options.with_items
    ),
    "inspect": lambda records, options: inspect_logs(records, options.created, with_items=options.with_items),
}


def plan(runs: Sequence[Run], options: Options) -> list[Artifact]:
    """The files of an export. Several runs have a folder each, named by their models.

    Raises:
        InputError: a run has no model id, or two have the same; scores have caveats that were not accepted; a target
            needs information that the run lacks.
    """
    if len(runs) > 1 and options.model is not None:
        raise InputError(f"--model names one model, and {len(runs)} runs were given. Export them one by one")
    files: list[Artifact] = []
    models: set[str] = set()
    for run in runs:
        model = model_id(run, options.model)
        if model.casefold() in models:
            raise InputError(f"two runs are of {model}. Export them one by one, into folders of their own")
        models.add(model.casefold())  # some file systems ignore case
        records = task_records(run, model, options.dataset)
        check_publishable(records, even_sample=options.even_sample, even_partial=options.even_partial)
        targets = TARGETS.values() if options.target == "all" else [TARGETS[options.target]]
        folder = PurePosixPath(model if len(runs) > 1 else "")
        files += [Artifact(folder / file.path, file.chunks) for make in targets for file in make(records, options)]
    return files

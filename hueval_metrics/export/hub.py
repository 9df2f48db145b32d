"""The Hub's evaluation results: one YAML file a task, in the folder `.eval_results` of a model's repository.

Source: https://huggingface.co/docs/hub/eval-results and
https://github.com/huggingface/hub-docs/blob/main/eval_results.yaml; huggingface_hub reads and writes it since 1.4.
The format has one number for a task of a data set, and notes for everything else.
"""

from __future__ import annotations

import logging
from collections.abc import Iterator, Sequence

from hf_datasets.evaluation import EVALUATION
from hueval_metrics.errors import InputError
from hueval_metrics.export.artifacts import Artifact, text_artifact
from hueval_metrics.export.caveats import caveats
from hueval_metrics.export.record import TaskRecord

FOLDER = ".eval_results"
DECIMALS = 4
REGISTER = "https://huggingface.co/spaces/OpenEvals/README/discussions/2"  # where the Hub takes in benchmarks

log = logging.getLogger(__name__)


def eval_results(records: Sequence[TaskRecord], url: str | None = None) -> list[Artifact]:
    """The files for a model's repository.

    Args:
        records: of one run.
        url: source of the results, which the Hub shows beside them.

    Raises:
        InputError: the repository on the Hub with the data is unknown.
    """
    import yaml
    from huggingface_hub import EvalResultEntry, eval_result_entries_to_yaml

    files = []
    for record in records:
        if record.data.hub is None:
            raise InputError(
                f"{record.run.path}: the Hub's results name the dataset repository that was used, and these name "
                "none. Name the one that has the data: --dataset org/name@revision"
            )
        entry = EvalResultEntry(
            dataset_id=record.data.hub.id,
            task_id=record.spec.short_name,
            value=round(record.headline[0].value, DECIMALS),
            dataset_revision=record.data.hub.revision,
            date=None if record.date is None else record.date.strftime("%Y-%m-%dT%H:%M:%SZ"),
            source_url=url,
            notes=notes(record),
        )
        text = yaml.safe_dump(eval_result_entries_to_yaml([entry]), sort_keys=False, allow_unicode=True, width=10**6)
        files.append(text_artifact(f"{FOLDER}/{record.task}.yaml", text))
    for line in lacking(records):
        log.warning("%s", line)
    return files


def lacking(records: Sequence[TaskRecord]) -> Iterator[str]:
    """What the Hub needs before it shows the results in a leaderboard, in one line or two.

    Args:
        records: of one run, whose repositories are known.
    """
    for repo in dict.fromkeys(record.data.hub.id for record in records if record.data.hub):
        tasks = [record for record in records if record.data.hub and record.data.hub.id == repo]
        yield (
            f"the Hub shows results on {repo} only where it is a registered benchmark with an {EVALUATION} at its root "
            f"(hueval data push writes one). Ask for it at {REGISTER}"
        )
        if unlisted := [record.spec.short_name for record in tasks if not _is_listed(record)]:
            yield f"that {EVALUATION} does not list {', '.join(unlisted)}: the Hub will have no leaderboard for them"


def _is_listed(record: TaskRecord) -> bool:
    evaluation = record.data.repo.config(record.data.config).evaluation
    return evaluation is not None and evaluation.task == record.spec.short_name


def notes(record: TaskRecord) -> str:
    """The notes in one line: caveats, metrics with their 95 % intervals, number of predictions, signature."""
    scores = ", ".join(map(str, record.headline)) + (" (95 % intervals)" if record.headline[0].interval else "")
    parts = [*caveats(record), scores, f"{record.n} predictions", record.signature or "no signature"]
    return "; ".join(parts)

"""lm-eval's `custom_dataset` for the tasks of every family: their documents, once a judged task has a judge."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Any

from hueval_metrics.judge.before_generation import judge_ready, signed
from hueval_metrics.records import HuevalError
from hueval_metrics.registry import task_spec, warn_of_near_misses

if TYPE_CHECKING:
    from datasets import DatasetDict

log = logging.getLogger(__name__)


def load(*, task: str, **settings: Any) -> DatasetDict:
    """The documents of a task as one `test` split.

    Args:
        task: the task's name.
        **settings: its `metadata` (with `--metadata` and, by lm-eval's doing, the model's arguments merged in) and
            `dataset_kwargs`. `provenance`, an empty dict in the YAML, is filled in here, and so stands in the results
            that lm-eval writes.

    Raises:
        SystemExit: with one line, when a value is out of range, the data cannot be had, or nobody can judge a judged
            task; lm-eval has no softer way to stop before the model is asked.
    """
    from datasets import Dataset, DatasetDict

    try:
        spec = task_spec(task)
        warn_of_near_misses(settings, spec.family.variants)  # first: data not found may come of a misspelt data_dir
        judge = judge_ready(task) if spec.rubric is not None else None
        docs, provenance = spec.documents(**settings)
    except HuevalError as error:
        raise SystemExit(f"hueval: {error}") from None
    if judge is not None and spec.rubric is not None:
        provenance = signed(provenance, judge, spec.rubric)
    settings.get("provenance", {}).update(provenance)
    if provenance["sample"]:
        log.warning("HUEVAL_SAMPLE=1: %s runs on the packaged sample, not on the benchmark.", task)
    return DatasetDict({"test": Dataset.from_list(docs)})

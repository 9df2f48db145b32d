"""lm-eval's `custom_dataset` for the tasks of every family: their documents, once a judged task has a judge."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from difflib import get_close_matches
from typing import TYPE_CHECKING, Any

from hueval_metrics.judge.before_generation import judge_ready, signed
from hueval_metrics.records import HuevalError
from hueval_metrics.registry import task_spec

if TYPE_CHECKING:
    from datasets import DatasetDict

_KNOWN = frozenset({"task", "version", "provenance", "config_source"})

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
        _warn_of_near_misses(settings, spec.family.variants)  # first: data not found may come of a misspelt data_dir
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


def _warn_of_near_misses(settings: Mapping[str, Any], variants: Mapping[str, Any]) -> None:
    known = [*variants, "data_dir"]
    for key in sorted(settings.keys() - set(known) - _KNOWN):
        if near := get_close_matches(key, known, n=1, cutoff=0.8):
            log.warning('--metadata: unknown key "%s" is ignored. Did you mean "%s"?', key, near[0])

"""The questions of a task, for models that are asked elsewhere."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from hueval_metrics.api.paths import path_of
from hueval_metrics.errors import InputError


def documents(
    task: str, *, data_dir: str | Path | None = None, metadata: Mapping[str, Any] | None = None
) -> list[dict[str, Any]]:
    """What a model is asked in a task, so that it can be asked elsewhere and its replies be given to `score`.

    Args:
        task: its name; `hueval ls tasks` lists them.
        data_dir: see `score`.
        metadata: variants of the task, such as `{"question_lang": "en"}`.

    Returns:
        In the order of the file, a row for each document: `task`, the fields that name it (mostly `qid`), `item` (its
        id, as in `Results.items`), `dimension` (code of its stratum), `prompt`, `reference` (the gold answer; for the
        judge, where there is one) and `document` (all that the data has of it). A row with `prediction` added to it is
        what `score` takes.

    Raises:
        InputError: there is no such task, or a variant is not on offer.
        DataError: the data of the benchmark cannot be found.

    >>> import hueval_metrics as hueval
    >>> documents = hueval.documents("toybench_keywords")  # doctest: +SKIP
    >>> rows = [document | {"prediction": my_model(document["prompt"])} for document in documents]  # doctest: +SKIP
    >>> results = hueval.score(rows)  # doctest: +SKIP
    """
    from hueval_metrics.loader import open_task
    from hueval_metrics.registry import task_spec
    from hueval_metrics.runs.run import item_id

    settings = settings_of(data_dir, metadata)
    spec = task_spec(task_name(task))
    return [
        {
            "task": spec.name,
            **{name: document[name] for name in spec.declared.key},
            "item": item_id(spec.key_of(document)),
            "dimension": spec.stratum_of(document),
            "prompt": spec.prompt(document),
            "reference": spec.target(document),
            "document": document,
        }
        for document in open_task(spec, settings).docs
    ]


def task_name(task: object) -> str:
    """The name of a task.

    Raises:
        InputError: it is no text.
    """
    if not isinstance(task, str):
        raise InputError(f"task: of type {type(task).__name__}, expected the name of a task")
    return task


def settings_of(data_dir: str | Path | None, metadata: Mapping[str, Any] | None) -> dict[str, Any]:
    """The settings of a loader; keys that are nearly known ones are warned of.

    Raises:
        InputError: one of them is of another type.
    """
    from hueval_metrics.registry import families, warn_of_near_misses

    if not isinstance(metadata, Mapping | None):
        raise InputError(f"metadata: of type {type(metadata).__name__}, expected a mapping")
    settings = dict(metadata or {})
    if data_dir is not None:
        settings["data_dir"] = str(path_of(data_dir, "data_dir"))
    warn_of_near_misses(settings, {name for family in families().values() for name in family.variants})
    return settings

"""The settings (`--metadata`) that the runs of one model differ in, such as the language of the questions."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from hueval_metrics.records import Signature
from hueval_metrics.registry import known_tasks, task_spec
from hueval_metrics.runs.run import Run

OWN = "own"  # the setting in which each task has its own language
QUESTION_LANG = "question_lang"
_UNKNOWN = "?"  # in signatures
_PARTS = {QUESTION_LANG: "q"}  # key of `--metadata` → part of a signature that holds it, where the name is another


def part_of(key: str) -> str:
    """The part of a signature that holds the value of a key of `--metadata`."""
    return _PARTS.get(key, key)


def variant_of(run: Run, task: str, key: str) -> str | None:
    """With which value of a key of `--metadata` a run has a task; None where its signature has none."""
    return Signature.parse(run.result(task).signature).parts.get(part_of(key))


def signed_variants(signature: str, task: str) -> dict[str, str]:
    """The variants that are parts of a task's signature (`declare.Family.signed`), with their values."""
    parts, signed = Signature.parse(signature).parts, known_tasks()[task].signed if task in known_tasks() else ()
    return {key: parts[key] for key in signed if parts.get(key, _UNKNOWN) != _UNKNOWN}


def default_of(task: str, key: str) -> str:
    """The value of a key that a task has without `--metadata`."""
    return str(task_spec(task).variants({})[key])


def setting_of(run: Run) -> str | None:
    """The language in which a run's questions were asked, `OWN` for that of each task; None where they differ.

    It is read from the signatures; a run without any has its tasks' own.
    """
    found = set()
    for task in run.tasks:
        if task in known_tasks() and QUESTION_LANG in known_tasks()[task].variants:
            asked = variant_of(run, task, QUESTION_LANG)
            found.add(OWN if asked in (None, default_of(task, QUESTION_LANG)) else asked)
    return found.pop() if len(found) == 1 else None


def values_of(run: Run, tasks: Iterable[str], keys: Sequence[str]) -> tuple[str, ...] | None:
    """The values of some keys of `--metadata` with which a run has its tasks among some.

    A task whose signature has none has its own values.

    Returns:
        A value for each key; None where the tasks differ in one, and for a run of none of them.
    """
    found = set()
    for task in tasks:
        if task in run.tasks:
            parts = Signature.parse(run.tasks[task].signature).parts
            values = [parts.get(part_of(key), _UNKNOWN) for key in keys]
            found.add(
                tuple(default_of(task, key) if one == _UNKNOWN else one for key, one in zip(keys, values, strict=True))
            )
    return found.pop() if len(found) == 1 else None


def by_values(
    runs: Sequence[Run], tasks: Sequence[str], keys: Sequence[str]
) -> Mapping[str, Mapping[tuple[str, ...], Sequence[Run]]]:
    """Model → values of some keys (`values_of`) → its runs with them; all in the order given."""
    found: dict[str, dict[tuple[str, ...], list[Run]]] = {}
    for run in runs:
        values = values_of(run, tasks, keys)
        if values is not None:
            found.setdefault(model_of(run), {}).setdefault(values, []).append(run)
    return found


def by_setting(runs: Sequence[Run]) -> Mapping[str, Mapping[str, Run]]:
    """Model → setting → its run, in the order given; of several runs in one setting the first.

    Runs of one model in one setting that differ in something else are one model too: its first run counts.
    """
    found: dict[str, dict[str, Run]] = {}
    for run in runs:
        setting = setting_of(run)
        if setting is not None:
            found.setdefault(model_of(run), {}).setdefault(setting, run)
    return found


def model_of(run: Run) -> str:
    """The model's name without the brackets that tell apart runs of one name."""
    return run.model or run.label

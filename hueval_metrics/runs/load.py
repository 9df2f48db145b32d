"""Find the results files of `hueval run` (lm-eval) and `hueval score`, and merge those of each model into one run.

lm-eval writes one file for each call, so a model that was run task by task has several.
"""

from __future__ import annotations

import json
import logging
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from hueval_metrics.errors import InputError
from hueval_metrics.one_line import one_line
from hueval_metrics.records import Signature
from hueval_metrics.registry import families, known_tasks, prefixes, task_spec
from hueval_metrics.runs.facets import over_facets
from hueval_metrics.runs.results import LOOKED_FOR, ResultsFile, few, read_results
from hueval_metrics.runs.run import Run, TaskResult

# lm-eval names its files results_<date>.json, or <name>_<date>.json with --output_path <name>.json.
_FILE_NAME = re.compile(r"results\.json|results_.*\.json|.*_\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d[^/]*\.json")
log = logging.getLogger(__name__)
_Row = tuple[Path, str, str]  # folder, label and settings, which the files of one run share


def load_runs(
    paths: Sequence[Path], on_fault: Callable[[str], None] | None = None, *, over: Sequence[str] = ()
) -> list[Run]:
    """The runs found in files and folders, in the order given.

    Results of one model and the same settings in one folder are one run, including results that `hueval score` wrote
    beside a live run's; the newest file wins a task that occurs twice. Runs with equal labels get the difference in
    brackets: the folder, then the settings. Variants of the tasks (`--metadata`) are among the settings.

    Args:
        paths: results files, or folders that are searched with all their sub-folders.
        on_fault: takes the message on a file that cannot be read, which is skipped; None to raise at the first.
        over: facets over which the runs of a model are averaged (`runs.facets`); none for each run by itself.

    Returns:
        At least one run, each with at least one task of our families.

    Raises:
        InputError: a path holds no results, or a file is broken, of another format, or without any of our tasks; with
            `on_fault`, broken files raise only where nothing is left.
    """
    paths_found = {file.resolve(): file for path in paths for file in _find(path)}
    files, faults = [], []
    for path in paths_found.values():
        try:
            files.append(read_results(path))
        except InputError as error:
            faults.append(error)
    for fault in faults:
        if on_fault is None or not files:
            raise fault
        on_fault(str(fault))
    if not any(file.tasks for file in files):
        others = sorted({task for file in files for task in (*file.others, *file.beside)})
        where = ", ".join(map(str, paths)) or "no path given"
        raise InputError(
            f"{where}: no scores of {', '.join(prefix + '*' for prefix in prefixes())} tasks; found {few(others)}. "
            f"Run some: hueval run --tasks {next(iter(families()), 'TASK')}"
        )
    rows: dict[_Row, list[ResultsFile]] = {}
    for file in files:
        if file.tasks:
            key = (file.path.resolve().parent, file.label, json.dumps(file.settings, sort_keys=True))
            rows.setdefault(key, []).append(file)
    found = [(_merge(row), _settings(row)) for row in _with_rescored(rows).values()]
    return _with_beside(_distinct(over_facets(found, over) if over else found), files)


def _with_beside(runs: Sequence[Run], files: Sequence[ResultsFile]) -> list[Run]:
    """The runs, each with what its model's files have of other benchmarks; of a task twice the newest counts."""
    found: dict[str, dict[str, TaskResult]] = {}
    for file in sorted(files, key=lambda file: (file.date, file.path.name)):
        found.setdefault(file.label, {}).update(file.beside)
    models = {run.model or run.label for run in runs}
    for label, results in found.items():
        if results and label not in models:
            log.warning(
                "%s: left out, with %s: there is no run of our tasks by that name.",
                one_line(label, 60),
                few([*results]),
            )
    return [replace(run, beside=found.get(run.model or run.label, {})) for run in runs]


def _with_rescored(rows: Mapping[_Row, list[ResultsFile]]) -> dict[_Row, list[ResultsFile]]:
    """The rows; files of `hueval score` in the folder of exactly one live run are merged into its row."""
    joined: dict[_Row, list[ResultsFile]] = {}
    for key, files in rows.items():
        live = [other for other in rows if other != key and other[:2] == key[:2]] if files[0].settings is None else []
        if len(live) > 1:
            live = [other for other in live if _same_documents(files, rows[other])]
        joined.setdefault(live[0] if len(live) == 1 else key, []).extend(files)
    return joined


def _same_documents(files: Sequence[ResultsFile], others: Sequence[ResultsFile]) -> bool:
    """Whether the common tasks of two rows have the same prompt and split, and there are some."""
    pairs = [
        [Signature.parse(result.signature).parts for result in (file.tasks[task], other.tasks[task])]
        for file in files
        for other in others
        for task in file.tasks.keys() & other.tasks.keys()
    ]
    return bool(pairs) and all(one.get(key) == two.get(key) for one, two in pairs for key in ("prompt", "split"))


def _settings(row: Sequence[ResultsFile]) -> Mapping[str, str]:
    return next((file.settings for file in row if file.settings is not None), {})


def _find(path: Path) -> list[Path]:
    if path.is_file():
        return [path]
    if not path.is_dir():
        raise InputError(f"{path}: no such file or folder. Give {LOOKED_FOR}, or a folder that holds them")
    found = results_in(path)
    if not found:
        raise InputError(f"{path}: no results found. Looked here and in all sub-folders for {LOOKED_FOR}")
    return found


def results_in(folder: Path) -> list[Path]:
    """The results files in a folder and all its sub-folders, by their names."""
    return sorted(file for file in folder.rglob("*.json") if _FILE_NAME.fullmatch(file.name) and file.is_file())


def _merge(files: Sequence[ResultsFile]) -> Run:
    """One run from the files of one model; a task is taken whole from the newest file that has it."""
    ordered = sorted(files, key=lambda file: (file.date, file.path.name))
    tasks = {task: result for file in ordered for task, result in file.tasks.items()}
    summaries = {
        family: result
        for file in ordered
        for family, result in file.summaries.items()
        # Not where tasks of the family are in another file, too: it is over others, or over older scores.
        if {tasks[task].source for task in tasks if _family_of(task) == family} == {result.source}
    }
    label = ordered[-1].label
    return Run(label, ordered[-1].path, tasks, summaries=summaries, model=label)


def _family_of(task: str) -> str | None:
    return known_tasks()[task].name if task in known_tasks() else None


def _distinct(rows: Sequence[tuple[Run, Mapping[str, str]]]) -> list[Run]:
    """The runs with unique labels."""
    runs = [run for run, _ in rows]
    for label in {run.label for run in runs}:
        same = [i for i, run in enumerate(runs) if run.label == label]
        if len(same) < 2:
            continue
        folders = _short([runs[i].path.resolve().parent for i in same])
        varying = [_varying(rows[i][1], [rows[j][1] for j in same], _defaults(runs[i])) for i in same]
        for i, folder, settings in zip(same, folders, varying, strict=True):
            detail = folder if folders.count(folder) == 1 else ", ".join(filter(None, (folder, settings)))
            runs[i] = replace(runs[i], label=f"{label} ({detail})" if detail else label)
    return runs


def with_distinct_labels(runs: Sequence[Run]) -> list[Run]:
    """The runs; those of equal labels get the difference of their folders in brackets."""
    return _distinct([(run, {}) for run in runs])


def _short(folders: Sequence[Path]) -> list[str]:
    """The folders without their common leading and trailing parts; empty when all are the same."""
    parts = [list(folder.parts) for folder in folders]
    for end in (0, -1):
        while all(parts) and len({p[end] for p in parts}) == 1 and (end == 0 or min(map(len, parts)) > 1):
            for p in parts:
                del p[end]
    return ["/".join(p) or ("." if any(parts) else "") for p in parts]


def _varying(settings: Mapping[str, str], others: Sequence[Mapping[str, str]], defaults: Mapping[str, str]) -> str:
    keys = sorted({key for other in others for key in other if len({o.get(key) for o in others}) > 1})
    return ", ".join(f"{key}={settings.get(key, defaults.get(key, 'default'))}" for key in keys)


def _defaults(run: Run) -> dict[str, str]:
    """The values of settings that a run's files leave out, where all its tasks have the same."""
    values: dict[str, set[str]] = {"num_fewshot": {"0"}}
    for task in run.tasks:
        for key, value in task_spec(task).variants({}).items() if task in known_tasks() else ():
            values.setdefault(key, set()).add(str(value))
    return {key: next(iter(some)) for key, some in values.items() if len(some) == 1}

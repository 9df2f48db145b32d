"""Runs of one model that differ only in the wording of the question, as one run: its scores are means over prompts."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import combinations
from pathlib import Path
from statistics import fmean

from hueval_metrics.answers.reading import KINDS, Kind
from hueval_metrics.records import Signature
from hueval_metrics.registry import CALIBRATED, known_tasks
from hueval_metrics.runs.run import Calibration, Run, TaskResult
from hueval_metrics.scoring.flags import Flag

Row = tuple[Run, Mapping[str, str]]  # a run, and its settings that are not the default

_PROMPT = "prompt"  # the variant that `declare.Family.variants` has for it, and the part of a signature


def over_prompts(rows: Sequence[Row]) -> list[Row]:
    """The rows; those of one model that differ in nothing but the prompt are one, where the first of them was.

    All their common tasks must have the same signature but for the prompt. Where a prompt occurs twice, only the runs
    of one folder are put together. Runs that have nothing to do with one another stay apart, and keep no others apart.
    """
    groups: dict[tuple[str, ...], list[Row]] = {}
    for run, settings in rows:
        others = {key: value for key, value in settings.items() if key != _PROMPT}
        groups.setdefault((run.label, json.dumps(others, sort_keys=True)), []).append((run, settings))
    parts: list[Sequence[Row]] = []
    for group in groups.values():
        for linked in _linked(group):
            for part in [linked] if _differ_in_prompt(linked) else _by_folder(linked):
                parts += [part] if _differ_in_prompt(part) else [[row] for row in part]
    places = {id(run): place for place, (run, _) in enumerate(rows)}
    parts.sort(key=lambda part: places[id(part[0][0])])
    return [_mean(part) if len(part) > 1 else part[0] for part in parts]


def _linked(rows: Sequence[Row]) -> list[list[Row]]:
    """The rows in groups: in one are those that differ in the prompt alone from at least one other of it."""
    groups: list[list[Row]] = []
    for row in rows:
        joined: list[list[Row]] = []
        apart: list[list[Row]] = []
        for group in groups:
            (joined if any(_differ_in_prompt([one, row]) for one in group) else apart).append(group)
        groups = [*apart, [*(one for group in joined for one in group), row]]
    return groups


def _by_folder(rows: Sequence[Row]) -> list[list[Row]]:
    folders: dict[Path, list[Row]] = {}
    for row in rows:
        folders.setdefault(row[0].path.resolve().parent, []).append(row)
    return list(folders.values())


def _differ_in_prompt(rows: Sequence[Row]) -> bool:
    """Whether each two of them have tasks in common, and these differ in the prompt alone."""
    return all(
        one.tasks.keys() & other.tasks.keys()
        and all(_in_prompt_alone(task, one, other) for task in one.tasks.keys() & other.tasks.keys())
        for (one, _), (other, _) in combinations(rows, 2)
    )


def _in_prompt_alone(task: str, one: Run, other: Run) -> bool:
    if task not in known_tasks() or _PROMPT not in known_tasks()[task].variants:
        return False
    ours, theirs = (dict(Signature.parse(run.result(task).signature).parts) for run in (one, other))
    prompts = {ours.pop(_PROMPT, None), theirs.pop(_PROMPT, None)}
    return None not in prompts and len(prompts) == 2 and Signature(ours).short == Signature(theirs).short


def _mean(rows: Sequence[Row]) -> Row:
    """The mean of runs with different prompts."""
    runs = tuple(run for run, _ in rows)
    tasks = dict.fromkeys(task for run in runs for task in run.tasks)
    results = {task: _mean_result([run.tasks[task] for run in runs if task in run.tasks]) for task in tasks}
    settings = {key: value for key, value in rows[0][1].items() if key != _PROMPT}
    return Run(runs[0].label, runs[0].path, results, runs), settings


def _mean_result(results: Sequence[TaskResult]) -> TaskResult:
    """The result of a task, each score the mean of those that there are; intervals are of single prompts."""
    if len(results) == 1:
        return results[0]
    first = results[0]
    signatures = [Signature.parse(one.signature).parts for one in results]
    joined = {key: ",".join(sorted({parts[key] for parts in signatures if key in parts})) for key in signatures[0]}
    calibration = _common_calibration(results)
    scores = {}
    for metric in dict.fromkeys(metric for one in results for metric in one.scores):
        known = [score for one in results if (score := one.scores.get(metric)) is not None]
        whole = calibration is not None and len(known) == len(results)
        scores[metric] = fmean(known) if known and (whole or not metric.endswith(CALIBRATED)) else None
    missing = max(one.missing for one in results)
    return replace(
        first,
        scores=scores,
        intervals={},
        methods={},
        notes={},
        missing=missing,
        signature=str(Signature(joined)),
        calibration=calibration,
        readings=_mean_readings(results),
        flags=_all_flags(results),
        are_replies_counted=all(one.are_replies_counted for one in results),
    )


def _all_flags(results: Sequence[TaskResult]) -> tuple[Flag, ...]:
    """The flags of all prompts; of one kind that of the first prompt that has it."""
    found = {(one.kind, str(one.detail.get("why"))): one for result in reversed(results) for one in result.flags}
    return tuple(found.values())


def _mean_readings(results: Sequence[TaskResult]) -> Mapping[Kind, float]:
    """The mean share of each kind of reading; empty where not all prompts have them."""
    if not all(one.readings for one in results):
        return {}
    kinds = [kind for kind in KINDS if any(kind in one.readings for one in results)]
    return {kind: fmean(one.readings.get(kind, 0.0) for one in results) for kind in kinds}


def _common_calibration(results: Sequence[TaskResult]) -> Calibration | None:
    """What the calibrated scores of all prompts rest on; None where they differ in more than the items."""
    found = [one.calibration for one in results if one.calibration is not None]
    if len(found) < len(results) or len({(one.judge, one.reference, one.is_own) for one in found}) > 1:
        return None
    warnings = tuple(dict.fromkeys(line for one in found for line in one.warnings))
    return replace(found[0], n=min(one.n for one in found), warnings=warnings)

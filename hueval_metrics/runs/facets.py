"""Runs of one model that differ only in facets, the prompt or the repeat, as one run: its scores are means over them.

A facet is a condition of measurement that a score should not depend on (Brennan 2001): the wording of the question, the
draw of sampled replies.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import chain, combinations
from pathlib import Path
from statistics import fmean

from hueval_metrics.answers.reading import KINDS, Kind
from hueval_metrics.records import Signature
from hueval_metrics.registry import CALIBRATED, known_tasks
from hueval_metrics.runs.run import Calibration, Run, TaskResult
from hueval_metrics.scoring.flags import Flag
from hueval_metrics.scoring.lm_eval_results import REPEAT

Row = tuple[Run, Mapping[str, str]]  # a run, and its settings that are not the default

PROMPT = "prompt"
FACETS = (PROMPT, REPEAT)  # keys of `--metadata`, and parts of a signature


def over_facets(rows: Sequence[Row], facets: Sequence[str] = FACETS) -> list[Row]:
    """The rows; those of one model that differ in nothing but some facets are one, where the first of them was.

    All their common tasks must have the same signature but for these. Where a prompt and repeat occurs twice, only the
    runs of one folder are put together. Runs that have nothing to do with one another stay apart, and keep no others
    apart.
    """
    groups: dict[tuple[str, ...], list[Row]] = {}
    for run, settings in rows:
        others = {key: value for key, value in settings.items() if key not in facets}
        groups.setdefault((run.label, json.dumps(others, sort_keys=True)), []).append((run, settings))
    parts: list[Sequence[Row]] = []
    for group in groups.values():
        for linked in _linked(group, facets):
            for part in [linked] if _differ_in(linked, facets) else _by_folder(linked):
                parts += [part] if _differ_in(part, facets) else [[row] for row in part]
    places = {id(run): place for place, (run, _) in enumerate(rows)}
    parts.sort(key=lambda part: places[id(part[0][0])])
    return [_mean(part, facets) if len(part) > 1 else part[0] for part in parts]


def levels(run: Run) -> dict[str, int]:
    """Facet → how many levels of it the scores of a run are means over; facets with one are left out."""
    first = [_parts(one, next(iter(one.tasks))) for one in run.averaged]
    counts = {facet: len({parts.get(facet) for parts in first}) for facet in FACETS}
    return {facet: count for facet, count in counts.items() if count > 1}


def _parts(run: Run, task: str) -> dict[str, str]:
    return dict(Signature.parse(run.result(task).signature).parts)


def _linked(rows: Sequence[Row], facets: Sequence[str]) -> list[list[Row]]:
    """The rows in groups: in one are those that differ in the facets alone from at least one other of it."""
    groups: list[list[Row]] = []
    for row in rows:
        joined: list[list[Row]] = []
        apart: list[list[Row]] = []
        for group in groups:
            (joined if any(_differ_in([one, row], facets) for one in group) else apart).append(group)
        groups = [*apart, [*(one for group in joined for one in group), row]]
    return groups


def _by_folder(rows: Sequence[Row]) -> list[list[Row]]:
    folders: dict[Path, list[Row]] = {}
    for row in rows:
        folders.setdefault(row[0].path.resolve().parent, []).append(row)
    return list(folders.values())


def _differ_in(rows: Sequence[Row], facets: Sequence[str]) -> bool:
    """Whether each two of them have tasks in common, and these differ in the facets alone."""
    return all(
        one.tasks.keys() & other.tasks.keys()
        and all(_alone_in(facets, task, one, other) for task in one.tasks.keys() & other.tasks.keys())
        for (one, _), (other, _) in combinations(rows, 2)
    )


def _alone_in(facets: Sequence[str], task: str, one: Run, other: Run) -> bool:
    ours, theirs = _parts(one, task), _parts(other, task)
    differing = [facet for facet in facets if ours.get(facet) != theirs.get(facet)]
    if PROMPT in differing and not (task in known_tasks() and PROMPT in known_tasks()[task].variants):
        return False
    pairs = [(ours.pop(facet, None), theirs.pop(facet, None)) for facet in differing]
    return bool(pairs) and None not in {*chain(*pairs)} and Signature(ours).short == Signature(theirs).short


def _mean(rows: Sequence[Row], facets: Sequence[str]) -> Row:
    """The mean of runs that differ in facets."""
    settings = {key: value for key, value in rows[0][1].items() if key not in facets}
    return mean_of([run for run, _ in rows], rows[0][0].label), settings


def mean_of(runs: Sequence[Run], label: str) -> Run:
    """The mean of some runs, under a label."""
    tasks = dict.fromkeys(task for run in runs for task in run.tasks)
    results = {task: _mean_result([run.tasks[task] for run in runs if task in run.tasks]) for task in tasks}
    return Run(label, runs[0].path, results, tuple(runs))


def _mean_result(results: Sequence[TaskResult]) -> TaskResult:
    """The result of a task, each score the mean of those that there are; intervals are of single runs."""
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
    """The flags of all runs; of one kind that of the first run that has it."""
    found = {(one.kind, str(one.detail.get("why"))): one for result in reversed(results) for one in result.flags}
    return tuple(found.values())


def _mean_readings(results: Sequence[TaskResult]) -> Mapping[Kind, float]:
    """The mean share of each kind of reading; empty where not all runs have them."""
    if not all(one.readings for one in results):
        return {}
    kinds = [kind for kind in KINDS if any(kind in one.readings for one in results)]
    return {kind: fmean(one.readings.get(kind, 0.0) for one in results) for kind in kinds}


def _common_calibration(results: Sequence[TaskResult]) -> Calibration | None:
    """What the calibrated scores of all runs rest on; None where they differ in more than the items."""
    found = [one.calibration for one in results if one.calibration is not None]
    if len(found) < len(results) or len({(one.judge, one.reference, one.is_own) for one in found}) > 1:
        return None
    warnings = tuple(dict.fromkeys(line for one in found for line in one.warnings))
    return replace(found[0], n=min(one.n for one in found), warnings=warnings)

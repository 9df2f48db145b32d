"""The row of a family in the results: numbers over several of its tasks, as it declares them (`summary.Summary`)."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from typing import Any

import numpy as np

from hueval_metrics.declare import Family
from hueval_metrics.registry import families
from hueval_metrics.scoring.values import DocumentValues
from hueval_metrics.stats.composite import Tables, blocks, composite, composite_intervals, composite_note, n_clusters
from hueval_metrics.stats.composite import values as values_of
from hueval_metrics.summary import Summary

_NAMED = 3  # tasks in a message

log = logging.getLogger(__name__)


def summary_rows(
    scores: Mapping[str, Mapping[str, Any]], values: Mapping[str, DocumentValues]
) -> dict[str, dict[str, Any]]:
    """Family → its row, of the families with a task that is part of a summary.

    Args:
        scores: task → metric → score.
        values: task → the values behind them.

    Returns:
        Summary → number, null where a task has no score; `<summary>_ci95` → [low, high], `<summary>_n` → the clusters
        that count in it; `ci_method` and `ci_note` as in the row of a task; `lacking`: summary → the tasks that have
        no score. One that spans several runs of a model is not there, and none of a form of the tasks that was not run.
    """
    return {
        name: _row(family, scores, values)
        for name, family in families().items()
        if any(task in scores for one in family.summaries if one.is_of_one_run for task, _ in one.terms)
    }


def _row(
    family: Family, scores: Mapping[str, Mapping[str, Any]], values: Mapping[str, DocumentValues]
) -> dict[str, Any]:
    forms = tuple(prefix for prefix in family.prefixes if any(task.startswith(prefix) for task in scores))
    of_one_run = [
        one for one in family.summaries if one.is_of_one_run and any(task.startswith(forms) for task, _ in one.terms)
    ]
    lacking = {
        one.name: [task for task, metric in one.terms if scores.get(task, {}).get(metric) is None] for one in of_one_run
    }
    unscored = {name: tasks for name, tasks in lacking.items() if tasks}
    _report(family, unscored)
    found: dict[str, Any] = {}
    methods: dict[str, str] = {}
    notes: dict[str, str] = {}
    for by_task in (True, False):
        summaries = [one for one in of_one_run if one.by_task == by_task]
        found |= _numbers(family, summaries, lacking, scores, values, methods, notes)
    ordered = {key: found[key] for one in of_one_run for key in (one.name, f"{one.name}_n", f"{one.name}_ci95")}
    return ordered | {"ci_method": methods, "ci_note": notes, "lacking": unscored}


def _numbers(
    family: Family,
    summaries: list[Summary],
    lacking: Mapping[str, list[str]],
    scores: Mapping[str, Mapping[str, Any]],
    values: Mapping[str, DocumentValues],
    methods: dict[str, str],
    notes: dict[str, str],
) -> dict[str, Any]:
    """The numbers of summaries whose items are drawn alike; adds to `methods` and `notes`."""
    found: dict[str, Any] = {}
    whole = [one for one in summaries if not lacking[one.name] and all(task in values for task, _ in one.terms)]
    wanted: dict[str, set[str]] = {}
    for task, metric in (term for one in whole for term in one.terms):
        wanted.setdefault(task, set()).add(metric)
    tables: Tables = {(task, None): values[task].clustered(names) for task, names in wanted.items()}
    given = blocks(tables, by_task=bool(summaries) and summaries[0].by_task)
    metrics = {task: values[task].metrics for task in wanted}
    made = [one for summary in whole if (one := composite(summary, metrics, tables)) is not None]
    intervals = composite_intervals(made, given)
    known = {one.name: one for one in made}
    for summary in summaries:
        found |= {summary.name: None, f"{summary.name}_n": 0, f"{summary.name}_ci95": None}
        if (one := known.get(summary.name)) is None:
            continue
        if any(len(part.tasks) > 1 for part in summary.parts):
            number = float(values_of(one, given)[0])
        else:  # of the scores as written there, to the last digit
            number = float(summary.combine(np.array([scores[part.tasks[0]][part.metric] for part in summary.parts])))
        found |= {summary.name: number, f"{summary.name}_n": n_clusters(one, given)}
        if interval := intervals[summary.name]:
            found[f"{summary.name}_ci95"] = [interval.low, interval.high]
            methods[summary.name] = interval.method
        if note := composite_note(one, given):
            notes[summary.name] = note
    return found


def _report(family: Family, lacking: Mapping[str, list[str]]) -> None:
    """One line on the columns of the overview that a run of most of their tasks lacks."""
    shown = [one for one in family.summaries if one.in_overview and one.name in lacking]
    near = {one.name: lacking[one.name] for one in shown if 2 * len(lacking[one.name]) < len(one.terms)}
    if near:
        tasks = list(dict.fromkeys(task for some in near.values() for task in some))
        more = f" and {len(tasks) - _NAMED} more (`lacking` in results.json)" if len(tasks) > _NAMED else ""
        log.warning("%s: no %s, without scores of %s%s.", family.name, ", ".join(near), ", ".join(tasks[:_NAMED]), more)

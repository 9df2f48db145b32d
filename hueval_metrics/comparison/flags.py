"""The flags of runs that are shown together, with those that their comparison makes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from hueval_metrics.records import number_of
from hueval_metrics.registry import declared, known_tasks, metric
from hueval_metrics.runs.run import BASELINE, Run
from hueval_metrics.scoring.flags import INVERTED_P, LEAST_ITEMS, Flag, judges_in
from hueval_metrics.stats.multiple import holm

_END = 0.02  # of a scale: within 2 points of its end models differ by the items that are wrong in the key

Shown = Mapping[tuple[str, str], Sequence[Flag]]  # label of a run, task → flags


def flags_shown(runs: Iterable[Run]) -> Shown:
    """The flags of runs that are shown together, with those that their comparison makes; baselines have none.

    `inverted` is corrected (Holm) over all tasks with labels of all these runs.
    """
    models = [run for run in runs if not run.label.startswith(BASELINE)]
    found = {(run.label, task): [*result.flags] for run in models for task, result in run.tasks.items()}
    n_tests = sum(task in known_tasks() and declared(task).labels is not None for _, task in found)
    inverted = [(key, one) for key, flags in found.items() for one in flags if one.kind == "inverted"]
    tested = [number_of(one.detail.get("p")) or 0.0 for _, one in inverted]
    corrected = holm([*tested, *[1.0] * (n_tests - len(tested))])
    for (key, one), p in zip(inverted, corrected, strict=False):
        if p is not None and p >= INVERTED_P:
            found[key].remove(one)
    for task in dict.fromkeys(task for _, task in found):
        of_task = [run for run in models if task in run.tasks]
        for one in (*_several_judges(task, of_task), *_at_the_end(task, of_task)):
            for run in of_task:
                found[run.label, task].append(one)
    return {key: flags for key, flags in found.items() if flags}


def _several_judges(task: str, runs: Sequence[Run]) -> Iterator[Flag]:
    """A flag where the runs of a task were judged by different judges."""
    judges = {judges_in(run.tasks[task].signature) for run in runs}
    named = sorted({",".join(one) for one in judges if one})
    if len(named) > 1:
        yield Flag("judge", len(runs), len(runs), {"why": "differ", "judges": named})


def _at_the_end(task: str, runs: Sequence[Run]) -> Iterator[Flag]:
    """A flag where all of several runs are near the same end of a task's first headline."""
    if task not in known_tasks() or len(runs) < 2:
        return
    name = next(iter(declared(task).headline))
    of_task, scores = metric(task, name), [run.tasks[task].scores.get(name) for run in runs]
    known = [score for score in scores if score is not None]
    if of_task is None or len(known) < len(runs) or any(0 < run.tasks[task].n < LEAST_ITEMS for run in runs):
        return
    low, high = of_task.bounds
    near = _END * (high - max(low, 0.0))
    for kind, is_near in (("ceiling", min(known) >= high - near), ("floor", max(known) <= max(low, 0.0) + near)):
        if is_near:
            yield Flag(kind, len(runs), len(runs), {"metric": name})

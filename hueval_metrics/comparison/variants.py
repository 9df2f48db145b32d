"""What a setting changes: runs of one model that differ in one key of `--metadata` alone, paired by item.

Such as the questions in the language of the task, or in English: the gain is the score with the other value minus the
score with the task's own. p is corrected (Holm 1979) over the tasks of one model whose columns have the same heading,
such as the languages of one domain, over its tasks whose items are pooled, and over its numbers that pool them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from hueval_metrics.comparison.across import differ_in
from hueval_metrics.comparison.load import PairedItems, fault, pair_up
from hueval_metrics.comparison.measures import as_scored, pooled_tasks
from hueval_metrics.comparison.summaries import Key, paired_composite
from hueval_metrics.declare import Family
from hueval_metrics.errors import InputError
from hueval_metrics.registry import families, known_tasks
from hueval_metrics.runs.run import Run
from hueval_metrics.runs.settings import default_of, model_of, variant_of
from hueval_metrics.runs.table import TaskItems, run_items
from hueval_metrics.stats.composite import joint, metric_terms
from hueval_metrics.stats.joint import JointScores, MetricTerms, joint_scores
from hueval_metrics.stats.multiple import holm
from hueval_metrics.stats.paired import PairedDifference, paired_differences
from hueval_metrics.stats.strata import of_clusters
from hueval_metrics.summary import Summary

Items = Sequence[Mapping[str, TaskItems]]  # for each run task → items

_PAIR = (1, 0)  # the other value minus the task's own
_DESPITE = ("items", "prompts")  # kinds of difference (`check.KINDS`) that come with another value


def variant_effects(
    runs: Sequence[Run],
    key: str = "question_lang",
    metric: str | None = None,
    items: Items | None = None,
) -> list[VariantEffect]:
    """What a key of `--metadata` changes, for each model with a run of each task's own value and one of another.

    An item that either run lacks, or has no verdict on, is left out of both.

    Args:
        runs: of any models and settings.
        key: the key.
        metric: of each task, and its averages over them, or the name of one such number; None for the first of each
            task's headline, without tasks that one number over all their items represents.
        items: of each run; None to read them.

    Returns:
        Model by model its tasks, in the order of the declaration, then its numbers over several tasks.

    Raises:
        InputError: no task has this key, no model has two such runs, or no task has the metric.
    """
    tasks = [task for task, family in known_tasks().items() if key in family.variants]
    if not tasks:
        raise InputError(f'no task has "{key}" among its settings (--metadata)')
    found: list[VariantEffect] = []
    pairs = list(_pairs_of(runs, tasks, key))
    if not pairs:
        raise InputError(
            f"no model has two runs that differ in {key} alone. Run it a second time, with --metadata {key}=…"
        )
    over_tasks = {one.name: one for family in families().values() for one in family.summaries}.get(metric or "")
    of_task = over_tasks.terms[0][1] if over_tasks else metric
    for own, other, value in pairs:
        shared = [task for task in tasks if task in own.tasks and task in other.tasks]
        read = [
            items[runs.index(run)] if items is not None else run_items(run, lambda fault: None) for run in (own, other)
        ]
        paired = {
            task: one for task in shared if (one := _paired(task, [some[task] for some in read], of_task)) is not None
        }
        summaries = [one for one in _summaries(paired, of_task) if over_tasks is None or one[1].name == metric]
        covered = {task for _, one in summaries if one.is_pooled and metric is None for task, _ in one.terms}
        alone = paired.items() if over_tasks is None else ()
        effects = [_task_effect(own, value, one, _metric(task, metric)) for task, one in alone if task not in covered]
        found += _corrected(effects)
        found += _summary_effects(own, value, paired, summaries)
    if not found:
        raise InputError(f'no task of these runs has items with values of "{metric or "its headline"}"')
    return found


def _pairs_of(runs: Sequence[Run], tasks: Sequence[str], key: str) -> Iterator[tuple[Run, Run, str]]:
    """A run with each task's own value, one of the same model with another value, and that value."""
    for own in runs:
        mine = [task for task in tasks if task in own.tasks]
        if not mine or any(variant_of(own, task, key) != default_of(task, key) for task in mine):
            continue
        for other in runs:
            shared = [task for task in mine if task in other.tasks]
            asked = {variant_of(other, task, key) for task in shared}
            if len(asked) != 1 or not differ_in(own, other, shared, key):
                continue
            value = asked.pop()
            if value is not None and any(value != default_of(task, key) for task in shared):
                yield own, other, value


def _metric(task: str, metric: str | None) -> str:
    return metric or next(iter(known_tasks()[task].tasks[task].headline))


def _paired(task: str, items: Sequence[TaskItems], metric: str | None) -> PairedItems | None:
    """The items that both runs have; None where they have no values of the metric, or by different bins."""
    name, declared = _metric(task, metric), known_tasks()[task].tasks[task].metrics
    if name not in declared or any(fault(one, {name: declared[name]}) or name not in one.values for one in items):
        return None
    paired, refused = pair_up([replace(one, label=str(place)) for place, one in enumerate(items)], _DESPITE)
    if refused or not paired.clusters or name not in as_scored(declared, paired.labels, paired.confidences)[0]:
        return None
    return paired


def _task_effect(run: Run, value: str, paired: PairedItems, name: str) -> VariantEffect:
    metrics, _ = as_scored(known_tasks()[paired.task].tasks[paired.task].metrics, paired.labels, paired.confidences)
    metric = metrics[name]
    terms = MetricTerms(np.stack([metric.rows(one[name], paired.clusters) for one in paired.values]), metric)
    strata = of_clusters(paired.clusters, paired.dimensions)
    return _effect(
        run,
        value,
        paired.task,
        name,
        len(paired.clusters),
        terms,
        joint_scores(paired.labels, {name: terms}, strata=strata)[name],
    )


def _effect(
    run: Run, value: str, task: str, name: str, n: int, terms: MetricTerms, scores: JointScores
) -> VariantEffect:
    (difference,) = paired_differences({name: terms}, {name: scores}, [_PAIR])[name]
    one = difference or PairedDifference(float("nan"), None, None, "", 0, 0, None)
    own, other = (float(score) if np.isfinite(score) else None for score in scores.values)
    gain = one.value if np.isfinite(one.value) else None
    return VariantEffect(
        model_of(run),
        task,
        name,
        value,
        (own, other),
        gain,
        one.ci95,
        n,
        one.p,
        None,
        one.test,
        terms.metric.unit == "%",
    )


def _summary_effects(
    run: Run, value: str, paired: Mapping[str, PairedItems], summaries: Sequence[tuple[Family, Summary]]
) -> list[VariantEffect]:
    """The numbers over tasks, p corrected over those that pool items."""
    found, pooled = [], []
    for family, summary in summaries:
        items: dict[Key, PairedItems] = {(task, None): paired[task] for task, _ in summary.terms}
        if made := paired_composite(family, summary, items):
            n = sum(len(one.clusters) for one in items.values())
            scores = joint((run.label, value), *made)
            found.append(_effect(run, value, family.name, summary.name, n, metric_terms(*made), scores))
            pooled += [len(found) - 1] * summary.is_pooled
    for place, p in zip(pooled, holm([found[place].p for place in pooled]), strict=True):
        found[place] = replace(found[place], p_holm=p)
    return found


def _summaries(paired: Mapping[str, PairedItems], metric: str | None) -> Iterator[tuple[Family, Summary]]:
    """The averages of the metric over tasks, for which all of them are available."""
    for family in families().values():
        for summary in family.summaries:
            names = {(name, _metric(task, metric)) for task, name in summary.terms}
            of_metric = all(name == asked for name, asked in names)
            if summary.is_of_one_run and of_metric and all(task in paired for task, _ in summary.terms):
                yield family, summary


def _corrected(effects: Sequence[VariantEffect]) -> list[VariantEffect]:
    """The effects of one model with p corrected over the tasks whose columns have the same heading, or are pooled."""
    found = list(effects)
    groups: dict[str, list[int]] = {}
    for place, one in enumerate(found):
        family = known_tasks()[one.task]
        heading = next(iter(family.tasks[one.task].headline.values()))
        groups.setdefault(family.name if one.task in pooled_tasks(family) else heading, []).append(place)
    for places in groups.values():
        for place, p in zip(places, holm([found[place].p for place in places]), strict=True):
            found[place] = replace(found[place], p_holm=p)
    return found


@dataclass(frozen=True)
class VariantEffect:
    """What another value of a setting changes in one metric of one task of one model.

    Attributes:
        label: of the model.
        task: the task; the family of a number over several tasks.
        metric: the metric, or the number.
        value: the other value, such as `en`.
        scores: with the task's own value, and with the other one, over the same items; None where undefined.
        difference: the second score minus the first; None where either is undefined.
        ci95: its 95 % interval; None where resampling shows no spread.
        n: items, which both runs have.
        p: two-sided, not corrected; None where undefined.
        p_holm: corrected over the model's tasks whose columns have the same heading or whose items are pooled, or over
            its numbers that pool them; None for another number over several.
        test: the test that p is from.
        is_percent: whether the unit is percent, so that differences are points; otherwise the metric is a fraction.
    """

    label: str
    task: str
    metric: str
    value: str
    scores: tuple[float | None, float | None]
    difference: float | None
    ci95: tuple[float, float] | None
    n: int
    p: float | None
    p_holm: float | None
    test: str
    is_percent: bool

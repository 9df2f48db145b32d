"""Numbers over several runs of a model that differ in a setting, such as the language of the questions."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import combinations, product

from hueval_metrics.comparison.check import differences
from hueval_metrics.comparison.load import PairedItems, fault, pair_up
from hueval_metrics.comparison.options import CompareOptions
from hueval_metrics.comparison.results import LeftOut, MetricComparison
from hueval_metrics.comparison.summaries import Key, SummaryScore, paired_composite
from hueval_metrics.comparison.task import compare_summary
from hueval_metrics.declare import Family
from hueval_metrics.records import Signature
from hueval_metrics.registry import declared, families, known_tasks
from hueval_metrics.runs.run import Run
from hueval_metrics.runs.settings import default_of, model_of, part_of, variant_of
from hueval_metrics.runs.table import TaskItems, run_items
from hueval_metrics.stats.composite import (
    Setting,
    composite_intervals,
    composite_note,
    n_clusters,
    setting_key,
    values,
)
from hueval_metrics.stats.model_cards import ModelCard
from hueval_metrics.summary import Summary

_FOLLOW = frozenset({"q", "prompt"})  # parts that differ where a question is asked in another language

Items = Sequence[Mapping[str, TaskItems]]  # for each run task → items


def differ_in(one: Run, other: Run, tasks: Collection[str], key: str) -> bool:
    """Whether two runs are of one model and, in these tasks, differ in nothing but one key of `--metadata`."""
    if model_of(one) != model_of(other):
        return False
    allowed = _FOLLOW | {part_of(key)}
    for task in tasks:
        ours, theirs = (
            str(Signature({name: part for name, part in Signature.parse(text).parts.items() if name not in allowed}))
            for text in (one.result(task).signature, other.result(task).signature)
        )
        if differences(ours, theirs):
            return False
    return True


def models_across(runs: Sequence[Run], summary: Summary) -> list[Across]:
    """The models that have every run that a summary over settings needs, in the order of the runs.

    Args:
        runs: of any models and settings.
        summary: whose parts all name settings.
    """
    settings = list(dict.fromkeys(setting_key(part.settings) for part in summary.parts))
    keys = {key for setting in settings for key, _ in setting or ()}
    tasks = list(dict.fromkeys(task for task, _ in summary.terms))
    fitting = [
        [run for run in runs if all(_is_set(run, task, dict(setting or ()), keys) for task in tasks)]
        for setting in settings
    ]
    found = [
        Across(model_of(one[0]), dict(zip(settings, one, strict=True)))
        for one in product(*fitting)
        if all(any(differ_in(*two, tasks, key) for key in keys) for two in combinations(one, 2))
    ]
    labels = [one.label for one in found]
    return [
        replace(one, label=next(iter(one.runs.values())).label) if labels.count(one.label) > 1 else one for one in found
    ]


def _is_set(run: Run, task: str, setting: Mapping[str, str | int], keys: Collection[str]) -> bool:
    return task in run.tasks and all(
        variant_of(run, task, key) == str(setting.get(key, default_of(task, key))) for key in keys
    )


def across_scores(runs: Sequence[Run], items: Items | None = None) -> list[AcrossScore]:
    """The summaries over several runs of each model that has them; they are computed from the items.

    Args:
        runs: of any models and settings.
        items: of each run; None to read them where they are needed.
    """
    found = []
    for family, summary in _over_settings(runs):
        for model in models_across(runs, summary):
            paired: dict[Key, PairedItems] = {}
            for setting, run in model.runs.items():
                read = items[runs.index(run)] if items is not None else run_items(run, lambda fault: None)
                paired |= {(task, setting): one for task, one in _alone(summary, setting, read)}
            if (made := paired_composite(family, summary, paired)) is None:
                continue
            one, given = made
            value, interval = float(values(one, given)[0]), composite_intervals([one], given)[summary.name]
            if not math.isnan(value):
                ends, method = ((interval.low, interval.high), interval.method) if interval else (None, "")
                is_narrow = ends is not None and composite_note(one, given) is not None
                score = SummaryScore(family, summary, value, ends, n_clusters(one, given), method, is_narrow)
                found.append(AcrossScore(model.label, tuple(model.runs.values()), score))
    return found


def _over_settings(runs: Sequence[Run]) -> Iterator[tuple[Family, Summary]]:
    own = {known_tasks()[task].name for run in runs for task in run.tasks if task in known_tasks()}
    for family in families().values():
        if family.name in own:
            yield from ((family, one) for one in family.summaries if not one.is_of_one_run)


def _alone(
    summary: Summary, setting: Setting | None, items: Mapping[str, TaskItems]
) -> Iterator[tuple[str, PairedItems]]:
    """The items of one run in the tasks of the parts with a setting, where they can be read."""
    for task in _tasks(summary, setting):
        wanted = {name: declared(task).metrics[name] for term, name in summary.terms if term == task}
        if task in items and fault(items[task], wanted) is None:
            yield task, pair_up([items[task]])[0]


def _tasks(summary: Summary, setting: Setting | None) -> list[str]:
    own = (part for part in summary.parts if setting_key(part.settings) == setting)
    return list(dict.fromkeys(task for part in own for task in part.tasks))


def compare_across(
    runs: Sequence[Run],
    items: Items,
    asked: Sequence[tuple[Family, Summary]],
    options: CompareOptions,
    cards: Mapping[str, ModelCard] | None,
) -> Compared:
    """Compare models in summaries over several runs of each.

    Args:
        runs: of any models and settings.
        items: of each run.
        asked: family and summary.
        options: which differences are accepted, and which models compared with one another.
        cards: label → model card; None for none.
    """
    found = Compared()
    for family, summary in asked:
        models = models_across(runs, summary)
        if len(models) < 2:
            continue
        paired: dict[Key, PairedItems] = {}
        for setting in models[0].runs:
            for task in _tasks(summary, setting):
                own = [replace(items[runs.index(model.runs[setting])][task], label=model.label) for model in models]
                wanted = {name: declared(task).metrics[name] for term, name in summary.terms if term == task}
                faults = [LeftOut(task, one.label, why, True) for one in own if (why := fault(one, wanted))]
                if faults:
                    found.left_out += faults
                    continue
                one, refused = pair_up(own, options.despite)
                found.left_out += [LeftOut(task, label, why, True) for label, why in refused.items()]
                paired[task, setting] = one
        if len({one.labels for one in paired.values()}) == 1:
            pairs = options.pairs(next(iter(paired.values())).labels)
            if pairs and (compared := compare_summary(family, summary, paired, pairs, cards=cards)):
                found.metrics.append(compared)
    return found


@dataclass(frozen=True)
class Across:
    """The runs of one model: label, and setting → run."""

    label: str
    runs: Mapping[Setting | None, Run]


@dataclass(frozen=True)
class AcrossScore:
    """A summary over several runs of one model: its label, the runs, and the score."""

    label: str
    runs: tuple[Run, ...]
    score: SummaryScore


@dataclass
class Compared:
    """Comparisons, and what could not be compared."""

    metrics: list[MetricComparison] = field(default_factory=list)
    left_out: list[LeftOut] = field(default_factory=list)

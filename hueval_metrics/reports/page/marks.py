"""Tests of the overview: which scores differ significantly from the best of their column, over the same items."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from hueval_metrics.comparison.benchmarks import TaskTerms, by_family
from hueval_metrics.comparison.load import PairedItems, fault, pair_up
from hueval_metrics.comparison.measures import measures
from hueval_metrics.comparison.results import ALPHA
from hueval_metrics.comparison.summaries import covered_tasks, paired_composite
from hueval_metrics.declare import Family
from hueval_metrics.metric import Metric
from hueval_metrics.records import Signature
from hueval_metrics.registry import declared, families, known_tasks
from hueval_metrics.runs.settings import default_of, signed_variants
from hueval_metrics.runs.table import TaskItems
from hueval_metrics.stats.composite import joint, metric_terms
from hueval_metrics.stats.joint import JointScores, MetricTerms, joint_scores
from hueval_metrics.stats.multiple import holm
from hueval_metrics.stats.paired import PairedDifference, paired_differences
from hueval_metrics.stats.strata import of_clusters
from hueval_metrics.summary import Summary

Column = tuple[str, str]  # task, metric; or a family's name and the name of a summary
Test = tuple[Column, str, "Behind"]  # the label of the run that is compared with the best one
Items = Sequence[Mapping[str, TaskItems]]  # for each run task → items


def overview_metrics(task: str) -> set[str]:
    """The metrics of a task that the columns of the overview are computed from."""
    summaries = known_tasks()[task].summaries if task in known_tasks() else ()
    terms = {metric for one in summaries if one.in_overview for name, metric in one.terms if name == task}
    return {*_headline(task), *terms, "judge_coverage"}


def differing(items: Items) -> Marks:
    """Compare each run with the best of each column; p is corrected over all these tests (Holm 1979).

    A run on other items, in another language or setting or with another judge is not compared. Runs with several
    wordings of the same questions (`declare.Family.variants`) are: each is a way to run the model.

    Args:
        items: for each run task → items; labels are unique.
    """
    marks = Marks()
    tests: list[Test] = []
    paired: dict[str, PairedItems] = {}
    for task in (task for task in known_tasks() if any(task in found for found in items)):
        having = _of_one_split([_in_any_wording(found[task]) for found in items if task in found])
        having = _of_one_setting(task, _of_one_language(having))
        wanted = measures(task, _headline(task))
        sound = []
        faults: dict[str, list[str]] = {}
        for run in having:
            reason = fault(run, wanted)
            if reason is None:
                sound.append(run)
            elif len(having) > 1:
                faults.setdefault(reason, []).append(run.label)
        marks.problems += [f"{task}, {', '.join(labels)}: {reason}" for reason, labels in faults.items()]
        if len(sound) > 1 and (found := _paired(task, sound, marks)):
            paired[task] = found
    marks.benchmarks = by_family([(found, measures(task, _headline(task))) for task, found in paired.items()])
    summaries = [(family, one) for family in families().values() for one in family.summaries if one.in_overview]
    covered = covered_tasks((one for _, one in summaries), paired.values())
    for task, found in paired.items():
        if task not in covered:
            tests += _task_tests(found, measures(task, _headline(task)), marks)
    for family, summary in summaries:
        tests += _summary_tests(family, summary, paired, marks)
    corrected = holm([behind.difference.p for _, _, behind in tests])
    for (column, label, behind), p in zip(tests, corrected, strict=True):
        ends = behind.difference.ci95
        excludes_0 = ends is None or not ends[0] <= 0 <= ends[1]
        marks.differs[column][label] = p is not None and p < ALPHA and excludes_0
        marks.behind[column, label] = replace(behind, p_holm=p)
        marks.tests.add(behind.difference.test)
    return marks


def _in_any_wording(run: TaskItems) -> TaskItems:
    """The items without the prompt in their signature, where a family has several wordings of its questions."""
    if "prompt" not in known_tasks()[run.task].variants:
        return run
    parts = Signature.parse(run.signature).parts
    return replace(run, signature=str(Signature({key: value for key, value in parts.items() if key != "prompt"})))


def _of_one_split(runs: Sequence[TaskItems]) -> list[TaskItems]:
    """The runs on the split that most have scores of, and those that name none; the notes name the others."""
    splits = [Signature.parse(run.signature).parts.get("split") for run in runs]
    scored = [split for run, split in zip(runs, splits, strict=True) if split and _has_scores(run)]
    kept = {None, *(split for split, _ in Counter(scored).most_common(1))}
    return [run for run, own in zip(runs, splits, strict=True) if own in kept]


def _of_one_language(runs: Sequence[TaskItems]) -> list[TaskItems]:
    """The runs in the language of questions that most were asked in, and those that name none; the notes name the
    others.
    """
    languages = [Signature.parse(run.signature).parts.get("q") for run in runs]
    kept = {None, *(language for language, _ in Counter(filter(None, languages)).most_common(1))}
    return [run for run, own in zip(runs, languages, strict=True) if own in kept]


def _of_one_setting(task: str, runs: Sequence[TaskItems]) -> list[TaskItems]:
    """The runs in the setting (`signed_variants`) that most were asked in, the task's own where several are, and those
    whose signature names none; the notes name the others.
    """
    settings = [signed_variants(run.signature, task) for run in runs]
    known = [one for one in settings if one]
    if not known:
        return list(runs)
    own = {key: default_of(task, key) for key in known[0]}
    most = max(known, key=lambda one: (known.count(one), one == own))
    return [run for run, one in zip(runs, settings, strict=True) if not one or one == most]


def _has_scores(run: TaskItems) -> bool:
    return any(value is not None for metric in _headline(run.task) for value in run.values.get(metric, ()))


def _headline(task: str) -> Sequence[str]:
    return tuple(declared(task).headline) if task in known_tasks() else ()


def _paired(task: str, runs: Sequence[TaskItems], marks: Marks) -> PairedItems | None:
    """The items that all runs have; None where no two runs can be compared."""
    paired, left_out = pair_up(_most_alike_first(runs))
    marks.problems += [f"{task}, {label}: {reason}" for label, reason in left_out.items()]
    return paired if len(paired.labels) > 1 and paired.clusters else None


def _task_tests(paired: PairedItems, wanted: Mapping[str, Metric], marks: Marks) -> list[Test]:
    terms = {
        name: MetricTerms(np.stack([metric.rows(own[name], paired.clusters) for own in paired.values]), metric)
        for name, metric in wanted.items()
        if all(name in own for own in paired.values)
    }
    scores = joint_scores(paired.labels, terms, strata=of_clusters(paired.clusters, paired.dimensions))
    return _tests(paired.task, paired.labels, terms, scores, marks)


def _summary_tests(family: Family, summary: Summary, paired: Mapping[str, PairedItems], marks: Marks) -> list[Test]:
    """The tests of a summary, over the runs that are compared in all its tasks."""
    own = {task: paired[task] for task, _ in summary.terms if task in paired}
    if len({one.labels for one in own.values()}) != 1:
        return []
    made = paired_composite(family, summary, {(task, None): one for task, one in own.items()})
    if made is None:
        return []
    labels = next(iter(own.values())).labels
    terms, scores = {summary.name: metric_terms(*made)}, {summary.name: joint(labels, *made)}
    return _tests(family.name, labels, terms, scores, marks)


def _tests(
    task: str,
    labels: tuple[str, ...],
    terms: Mapping[str, MetricTerms],
    scores: Mapping[str, JointScores],
    marks: Marks,
) -> list[Test]:
    """The tests of each run against the best one; none for a metric of which neither end is better."""
    found = []
    for name, own in terms.items():
        values = scores[name].values
        if np.isnan(values).all() or own.metric.better is None:
            continue
        best = int(np.nanargmax(values) if own.metric.better == "higher" else np.nanargmin(values))
        others = [place for place in range(len(values)) if place != best]
        tests = paired_differences({name: own}, scores, [(best, other) for other in others])[name]
        marks.differs[task, name] = {labels[best]: False}
        found += [
            ((task, name), labels[other], Behind(labels[best], test))
            for other, test in zip(others, tests, strict=True)
            if test is not None
        ]
    return found


def _most_alike_first(runs: Sequence[TaskItems]) -> list[TaskItems]:
    """The runs, most frequent kind first: `pair_up` keeps the runs that can be compared with the first one."""
    kinds = [(run.signature, frozenset(run.keys)) for run in runs]
    counts = Counter(kinds)
    return [run for _, run in sorted(zip(kinds, runs, strict=True), key=lambda pair: -counts[pair[0]])]


@dataclass(frozen=True)
class Behind:
    """A comparison: the label of the best run of a column, its score minus that of another, and the corrected p."""

    best: str
    difference: PairedDifference
    p_holm: float | None = None


@dataclass
class Marks:
    """The results of the comparisons with the best of each column.

    Attributes:
        differs: (task, metric) → label of each run that was compared → whether it differs from the best one.
        behind: (task, metric), label → the comparison that this rests on.
        benchmarks: name of a family → its tasks, to be tested together (`comparison.benchmarks`).
        tests: the names of the tests used.
        problems: reasons why runs were not compared, one in each line.
    """

    differs: dict[Column, dict[str, bool]] = field(default_factory=dict)
    behind: dict[tuple[Column, str], Behind] = field(default_factory=dict)
    benchmarks: Mapping[str, Sequence[TaskTerms]] = field(default_factory=dict)
    tests: set[str] = field(default_factory=set)
    problems: list[str] = field(default_factory=list)

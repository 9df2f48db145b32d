"""Compare runs over the same items: differences in each metric, with intervals and corrected tests."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from hueval_metrics.comparison.across import compare_across
from hueval_metrics.comparison.benchmarks import TaskTerms, by_family, compare_benchmark
from hueval_metrics.comparison.flags import flags_shown
from hueval_metrics.comparison.further import Further, further_scores
from hueval_metrics.comparison.load import PairedItems, fault, pair_up
from hueval_metrics.comparison.measures import as_scored, check_metrics, measures, summaries
from hueval_metrics.comparison.options import USUAL, CompareOptions
from hueval_metrics.comparison.results import (
    ALPHA,
    Comparison,
    FlagOf,
    LeftOut,
    MetricComparison,
    NonInferiority,
    Pair,
    grouped,
)
from hueval_metrics.comparison.summaries import Key, covered_tasks
from hueval_metrics.comparison.task import KnownScores, compare_summary, compare_task
from hueval_metrics.declare import Family
from hueval_metrics.errors import InputError
from hueval_metrics.metric import Better, Metric
from hueval_metrics.one_line import one_line
from hueval_metrics.registry import declared, families, known_tasks
from hueval_metrics.runs.recount import Recount
from hueval_metrics.runs.results import few
from hueval_metrics.runs.run import Run
from hueval_metrics.runs.table import TaskItems, run_items
from hueval_metrics.stats.model_cards import ModelCard, read_model_cards
from hueval_metrics.stats.multiple import holm
from hueval_metrics.stats.permutation import enough_permutations
from hueval_metrics.stats.power import is_not_worse
from hueval_metrics.summary import Summary

_LINKED = "another judge than the first run's, so that only calibrated scores are compared"
_THREE_LINES = 300  # characters
_LONGEST = 2000  # characters of a message that lists every task and run


def compare_runs(runs: Sequence[Run], options: CompareOptions = USUAL) -> Comparison:
    """Compare runs in every task that two of them have.

    Items that a run lacks, or has no verdict on, are left out of all runs and counted. Tests over all items are
    corrected together (Holm 1979), and so are those within dimensions. Where no metric is named, a number over all
    items of several tasks stands for these tasks.

    Args:
        runs: two or more.
        options: what is compared, and how.

    Raises:
        InputError: fewer than two runs, a metric that no task has, unreadable model cards, or nothing to compare.
    """
    cards = None if options.models is None else read_model_cards(options.models)
    _check(runs)
    told: list[str] = []
    counted = [Recount(run) for run in runs]
    items = [run_items(run, told.append, one.add) for run, one in zip(runs, counted, strict=True)]
    faults = list(dict.fromkeys(told))  # a missing file is reported for each task
    asked = [(family, one) for family in families().values() for one in summaries(family, options.metrics)]
    further = further_scores(options.metrics, options.despite)
    prepared = _prepare(runs, items, options, asked, further)
    left_out = prepared.left_out
    benchmarks = [
        pair
        for name, terms in by_family(prepared.tasks).items()
        for pair in compare_benchmark(name, terms, _label_pairs(runs, terms, options))
    ]
    if not options.metrics:
        prepared = prepared.without(covered_tasks((one for _, one in asked), prepared.for_summaries))
    by_label = {run.label: run for run in runs}
    n_tests = sum(
        len(options.pairs(paired.labels)) * len(some) * _n_parts(paired, options.dimensions)
        for paired, some in prepared.tasks
    ) + further.n_tests(options.pairs)
    compared = [
        metric
        for paired, common in prepared.tasks
        for metric in compare_task(
            paired,
            common,
            options.pairs(paired.labels),
            dimensions=options.dimensions,
            cards=cards,
            known=[_own_scores(by_label[label], paired) for label in paired.labels],
            permutations=enough_permutations(n_tests),
        )
    ]
    found, refused = further.compare(options.pairs, enough_permutations(n_tests))
    compared += found
    left_out += refused
    permutations = enough_permutations(n_tests + len(asked))
    compared += _summaries(asked, prepared.for_summaries, by_label, options, cards, permutations)
    across = compare_across(runs, items, [one for one in asked if not one[1].is_of_one_run], options, cards)
    compared += across.metrics
    left_out += across.left_out
    if not compared:
        to_fix = [one for one in left_out if one.is_fault] or left_out
        reasons = [f"{one.task}{more}, {one.label or 'all runs'}: {one.reason}" for one, more in grouped(to_fix)]
        raise InputError(one_line(f"nothing to compare: {'; '.join([*faults, *reasons])}", _LONGEST))
    compared = _corrected(compared, options.margin)
    return Comparison(
        labels=tuple(run.label for run in runs),
        metrics=tuple(compared),
        left_out=tuple(left_out),
        notes=prepared.notes,
        faults=tuple(faults),
        n_tests=_n_tests(pair for metric in compared for pair in metric.pairs),
        n_dimension_tests=_n_tests(pair for metric in compared for pair in metric.dimensions),
        margin=options.margin,
        benchmarks=tuple(benchmarks),
        flags=tuple(
            FlagOf(label, task, flag)
            for (label, task), flags in flags_shown([one.run for one in counted]).items()
            for flag in flags
        ),
    )


def _check(runs: Sequence[Run]) -> None:
    if len(runs) < 2:
        named = runs[0].path if runs else "compare"
        raise InputError(f"{named}: only one run, or the same twice. Name two or more different runs")
    if len({task for run in runs for task in run.tasks}) == sum(len(run.tasks) for run in runs):
        raise InputError(_nothing_shared(runs))


@dataclass(frozen=True)
class _Prepared:
    """What is compared.

    Attributes:
        tasks: the items that the runs share in each task, and the metrics that all of them have.
        for_summaries: the items of tasks that numbers over several tasks are of.
        left_out: what is not compared.
        notes: task → remarks.
    """

    tasks: Sequence[tuple[PairedItems, Mapping[str, Metric]]]
    for_summaries: Sequence[PairedItems]
    left_out: list[LeftOut]
    notes: Mapping[str, tuple[str, ...]]

    def without(self, covered: Collection[str]) -> _Prepared:
        """The same without the tasks that a number over several tasks stands for."""
        return replace(self, tasks=[(paired, some) for paired, some in self.tasks if paired.task not in covered])


def _prepare(
    runs: Sequence[Run],
    items: Sequence[Mapping[str, TaskItems]],
    options: CompareOptions,
    asked: Sequence[tuple[Family, Summary]],
    further: Further,
) -> _Prepared:
    """Pair the items of the runs, task by task."""
    found_tasks = dict.fromkeys(task for found in items for task in found)
    tasks = [task for task in found_tasks if task in known_tasks()]
    check_metrics(options.metrics, tasks)
    prepared: list[tuple[PairedItems, dict[str, Metric]]] = []
    for_summaries: list[PairedItems] = []
    left_out = [LeftOut(task, None, "no task of this version", True) for task in found_tasks if task not in tasks]
    notes: dict[str, tuple[str, ...]] = {}
    for task in tasks:
        wanted = measures(task, options.metrics)
        having = [(run, found[task]) for run, found in zip(runs, items, strict=True) if task in found]
        joined = further.join(task, having)
        parts = {name for _, one in asked if one.is_of_one_run for term, name in one.terms if term == task}
        needed = wanted | {name: declared(task).metrics[name] for name in parts}
        paired = _paired(task, [found for _, found in having], needed, options.despite, left_out, joined.labels)
        left_out += [LeftOut(task, run.label, "not run", False) for run in runs if task not in run.tasks]
        remarks = (*(paired.notes if paired else ()), *joined.notes)
        if paired is not None or remarks:
            notes[task] = tuple(dict.fromkeys(remarks))
        if paired is not None:
            prepared.append((paired, _common(paired, wanted, left_out)))
            for_summaries += [paired] * bool(parts)
    return _Prepared(prepared, for_summaries, left_out, notes)


def _nothing_shared(runs: Sequence[Run]) -> str:
    """Which tasks each run has, where no two runs have one in common: three lines of a terminal at most."""
    tasks = "; ".join(f"{run.label}: {few(list(run.tasks))}" for run in runs)
    start = "nothing to compare: no two runs have a task in common. Run the same --tasks with both"
    return one_line(f"{start}. {tasks}", _THREE_LINES)


def _summaries(
    asked: Sequence[tuple[Family, Summary]],
    prepared: Sequence[PairedItems],
    runs: Mapping[str, Run],
    options: CompareOptions,
    cards: Mapping[str, ModelCard] | None,
    permutations: int,
) -> list[MetricComparison]:
    """The summaries of tasks that are compared over the same runs."""
    by_task = {paired.task: paired for paired in prepared}
    found = []
    for family, summary in asked:
        items: dict[Key, PairedItems] = {
            (task, None): by_task[task] for task, _ in summary.terms if task in by_task and summary.is_of_one_run
        }
        if len({paired.labels for paired in items.values()}) == 1:
            labels = next(iter(items.values())).labels
            known = [_own_summary(runs[label], summary) for label in labels]
            pairs = options.pairs(labels)
            found.append(
                compare_summary(family, summary, items, pairs, cards=cards, known=known, permutations=permutations)
            )
    return [one for one in found if one is not None]


def _paired(
    task: str,
    items: Sequence[TaskItems],
    wanted: Mapping[str, Metric],
    despite: Collection[str],
    left_out: list[LeftOut],
    linked: Collection[str],
) -> PairedItems | None:
    """The items that the runs share; None where no two runs are comparable, with the reasons in `left_out`.

    A refused run that is `linked` to the others has another judge, and is compared by its calibrated scores.
    """
    if not wanted:
        return None
    sound = []
    for run in items:
        if reason := fault(run, wanted):
            left_out.append(LeftOut(task, run.label, reason, True))
        else:
            sound.append(run)
    if len(sound) < 2:
        left_out += [LeftOut(task, run.label, "no other run to compare it with", False) for run in sound]
        return None
    paired, refused = pair_up(sound, despite)
    left_out += [
        LeftOut(task, label, _LINKED, False) if label in linked else LeftOut(task, label, reason, True)
        for label, reason in refused.items()
    ]
    if len(paired.labels) < 2:
        return None
    if not paired.clusters:
        left_out.append(LeftOut(task, None, "no item on which all of them have a verdict", True))
        return None
    return paired


def _common(paired: PairedItems, wanted: Mapping[str, Metric], left_out: list[LeftOut]) -> dict[str, Metric]:
    """The metrics that every run has, as all of them were scored. Adds the others to `left_out`."""
    names = {name for name in wanted if any(name in values for values in paired.values)}
    for label, values in zip(paired.labels, paired.values, strict=True):
        if lacking := sorted(names - values.keys()):
            left_out.append(LeftOut(paired.task, label, f"has no {', '.join(lacking)}; not compared", True))
            names -= set(lacking)
    common = {name: metric for name, metric in wanted.items() if name in names}
    common, reason = as_scored(common, paired.labels, paired.confidences)
    if reason is not None:
        left_out.append(LeftOut(paired.task, None, reason, True))
    return common


def _label_pairs(runs: Sequence[Run], tasks: Sequence[TaskTerms], options: CompareOptions) -> list[tuple[str, str]]:
    labels = [run.label for run in runs if any(run.label in one.terms for one in tasks)]
    return [(labels[first], labels[second]) for first, second in options.pairs(labels)]


def _n_parts(paired: PairedItems, dimensions: bool) -> int:
    """The number of tests of two runs in one metric that are corrected together: one a dimension, or one over all."""
    return max(1, len({code for code in paired.dimensions if code is not None})) if dimensions else 1


def _own_scores(run: Run, paired: PairedItems) -> KnownScores:
    """Metric → score and interval from the run's own results; empty where other items are compared."""
    if len(paired.clusters) != run.result(paired.task).n:
        return {}
    scores = run.tasks[paired.task].scores
    return {metric: (scores.get(metric), ci95) for metric, ci95 in run.result(paired.task).intervals.items()}


def _own_summary(run: Run, summary: Summary) -> KnownScores:
    """The summary's score and interval from the run's own results."""
    result = run.summary_result(summary)
    ends = result.intervals.get(summary.name)
    return {} if ends is None else {summary.name: (result.scores.get(summary.name), ends)}


def _corrected(compared: Sequence[MetricComparison], margin: float | None) -> list[MetricComparison]:
    """The comparisons with corrected tests, leaders and non-inferiority."""
    p_values = iter(holm([pair.p for metric in compared for pair in metric.pairs]))
    dimension_p_values = iter(holm([pair.p for metric in compared for pair in metric.dimensions]))
    return [
        replace(
            metric,
            pairs=tuple(_with_verdict(replace(pair, p_holm=next(p_values)), metric, margin) for pair in metric.pairs),
            dimensions=tuple(
                _with_verdict(replace(pair, p_holm=next(dimension_p_values)), metric, None)
                for pair in metric.dimensions
            ),
        )
        for metric in compared
    ]


def _with_verdict(pair: Pair, metric: MetricComparison, margin: float | None) -> Pair:
    pair = replace(pair, leader=_leader(pair, metric.better))
    if margin is None or pair.ci95 is None or metric.better is None or not metric.is_percent:
        return pair
    low, high = pair.ci95
    higher = metric.better == "higher"
    ours, theirs = (-low, high) if higher else (high, -low)
    return replace(
        pair,
        not_worse=(
            NonInferiority(pair.first, pair.second, ours, is_not_worse(pair.ci95, margin, higher_is_better=higher)),
            NonInferiority(
                pair.second, pair.first, theirs, is_not_worse((-high, -low), margin, higher_is_better=higher)
            ),
        ),
    )


def _leader(pair: Pair, better: Better | None) -> str | None:
    if pair.difference is None or not pair.difference or pair.p_holm is None or pair.p_holm >= ALPHA:
        return None
    if pair.ci95 is not None and pair.ci95[0] <= 0 <= pair.ci95[1]:
        return None
    return pair.first if (pair.difference > 0) != (better == "lower") else pair.second


def _n_tests(pairs: Iterable[Pair]) -> int:
    return sum(pair.p is not None for pair in pairs)

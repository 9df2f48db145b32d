"""The items that several runs share, in one order: the input of a paired comparison."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from hueval_metrics.comparison.check import differences, item_differences, refusal, untold
from hueval_metrics.metric import Metric
from hueval_metrics.metrics.confidence import ConfidenceSettings
from hueval_metrics.records import Signature, number_of
from hueval_metrics.registry import key_fields
from hueval_metrics.runs.run import Key
from hueval_metrics.runs.table import TaskItems

_COVERAGE = "judge_coverage"  # 1 for an item with a verdict; rule tasks have no such metric
_NOT_OF_ITS_KIND = (TypeError, ValueError, LookupError, ArithmeticError)


def fault(items: TaskItems, wanted: Mapping[str, Metric]) -> str | None:
    """Why one run's items of a task cannot be compared; None where they can.

    Args:
        items: of the run; its files may be of any version and origin.
        wanted: the metrics to compare.
    """
    if not items.keys:
        if items.n_without_values:
            return (
                f"items without per-item values, as older versions wrote them: {items.n_without_values}. "
                "Score it again: hueval score"
            )
        return "no items could be read"
    if repeated := [key for key, count in Counter(items.keys).items() if count > 1]:
        return f"items repeated: {len(repeated)} ({repeated[0][0]}, …). Score one run at a time: hueval score"
    if _COVERAGE in items.values and not any(map(_is_judged, items.values[_COVERAGE])):
        return "no verdicts. Let a judge see it: hueval score"
    for name, metric in wanted.items():
        if (key := _unreadable(items, name, metric)) is not None:
            item = f"{key_fields(items.task)[0]} {key[0]}"
            return f"the value of {name} of {item} is unreadable. Score the run again: hueval score"
    return None


def pair_up(runs: Sequence[TaskItems], despite: Collection[str] = ()) -> tuple[PairedItems, dict[str, str]]:
    """The items of one task that the runs share.

    Args:
        runs: each without a `fault`. The others are compared with the first; where its signature lacks a part in which
            two others differ, the later of the two is left out.
        despite: kinds of difference (`check.KINDS`) to ignore.

    Returns:
        The items, and label → reason for each run left out; possibly all but the first.
    """
    first, *others = runs
    kept, left_out = [first], {}
    notes: dict[str, list[str]] = {}
    for run in others:
        found = differences(first.signature, run.signature)
        if set(first.keys).isdisjoint(run.keys):  # no --despite helps
            also = "".join(f", different {difference.text}" for difference in found if difference.kind)
            left_out[run.label] = f"against {first.label}: no item in common{also}"
            continue
        found += item_differences(first.keys, run.keys, (first.label, run.label))
        reason = refusal(found, despite)
        if reason is not None:
            left_out[run.label] = f"against {first.label}: {reason}"
            continue
        for other in kept[1:]:
            reason = refusal(differences(other.signature, run.signature), despite)
            if reason is not None:
                left_out[run.label] = f"against {other.label}: {reason}"
                break
        else:
            kept.append(run)
            for difference in found:
                what = "despite a difference in" if difference.kind else "different"
                notes.setdefault(f"{what} {difference.text}", []).append(run.label)
            if unknown := ", ".join(untold(first.signature, run.signature)):
                text = f"not known of one or both: {unknown}, so that a difference cannot be detected"
                notes.setdefault(text, []).append(run.label)
    lines = [f"{first.label} against {', '.join(labels)}: {text}" for text, labels in notes.items()]
    signature = Signature.parse(first.signature)
    if signature.is_sample:
        lines.append("the packaged sample, not the benchmark")
    if "lexical" in signature.judges:
        lines.append("judged by comparing words (lexical), which is approximate")
    if unsigned := [run.label for run in kept if not run.signature]:
        lines.append(
            f"no signature, so differences in data, prompts and judge cannot be detected: {', '.join(unsigned)}"
        )
    lines += [
        f"{run.label}: items without per-item values, skipped: {run.n_without_values}"
        for run in kept
        if run.n_without_values
    ]
    return _shared(kept, lines), left_out


def _shared(runs: Sequence[TaskItems], notes: Sequence[str]) -> PairedItems:
    """The rows that all runs have, without those that lack a verdict in any of them."""
    places = [{key: place for place, key in enumerate(run.keys)} for run in runs]
    common = [key for key in runs[0].keys if all(key in place for place in places)]
    unjudged = {
        run.label: {key for key in common if not _is_judged(run.values[_COVERAGE][place[key]])}
        for run, place in zip(runs, places, strict=True)
        if _COVERAGE in run.values
    }
    lacking = set().union(*unjudged.values())
    keys = [key for key in common if key not in lacking]
    lines = [*notes]
    if n_unshared := len(set().union(*places)) - len(common):
        lines.append(f"items left out, as not all runs have them: {n_unshared}")
    if lacking:
        counts = ", ".join(f"{len(some)} of {label}" for label, some in unjudged.items() if some)
        lines.append(f"items left out of all runs, as they lack a verdict in some: {len(lacking)} ({counts})")
    values = []
    for run, place in zip(runs, places, strict=True):
        rows = [place[key] for key in keys]
        values.append({metric: [column[row] for row in rows] for metric, column in run.values.items()})
    return PairedItems(
        task=runs[0].task,
        labels=tuple(run.label for run in runs),
        clusters=[runs[0].clusters[places[0][key]] for key in keys],
        dimensions=[runs[0].dimensions[places[0][key]] for key in keys],
        values=values,
        notes=tuple(lines),
        confidences=tuple(run.confidence for run in runs),
    )


def _unreadable(items: TaskItems, name: str, metric: Metric) -> Key | None:
    """The first item whose value of a metric has a wrong type or is not finite."""
    values, places = items.values.get(name, []), range(len(items.keys))
    try:
        if np.isfinite(metric.rows(values, places[: len(values)])).all():
            return None
    except _NOT_OF_ITS_KIND:
        pass
    for key, value in zip(items.keys, values, strict=True):
        try:
            if not np.isfinite(metric.rows([value], [0])).all():
                return key
        except _NOT_OF_ITS_KIND:
            return key
    return None


def _is_judged(coverage: object) -> bool:
    return number_of(coverage) == 1


@dataclass(frozen=True)
class PairedItems:
    """The items of one task that every run has; all columns are equally long and in the same order.

    Attributes:
        task: the task's name.
        labels: of the runs; the others are compared with the first.
        clusters: of each item. Items of one cluster are not independent, such as two presentations.
        dimensions: code of each item's stratum; None where it has none.
        values: for each run metric → its per-item values.
        notes: remarks on the comparison, one sentence each without a full stop.
        confidences: of each run the settings of its calibration errors.
    """

    task: str
    labels: tuple[str, ...]
    clusters: list[str]
    dimensions: list[str | None]
    values: Sequence[Mapping[str, Sequence[Any]]]
    notes: tuple[str, ...]
    confidences: tuple[ConfidenceSettings, ...] = ()

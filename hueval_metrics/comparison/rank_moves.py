"""How the models' ranks differ between two columns, such as two domains of one language, with intervals."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from hueval_metrics.comparison.load import PairedItems, fault, pair_up
from hueval_metrics.comparison.summaries import Key, paired_composite
from hueval_metrics.registry import declared, families, known_tasks
from hueval_metrics.runs.run import Run
from hueval_metrics.runs.table import TaskItems, run_items
from hueval_metrics.stats.composite import joint
from hueval_metrics.stats.joint import JointScores
from hueval_metrics.stats.ranks import ranks
from hueval_metrics.summary import Summary, parts_of

Column = tuple[str, str]  # task and metric, or family and summary
Items = Sequence[Mapping[str, TaskItems]]  # for each run task → items


def rank_moves(
    runs: Sequence[Run], columns: Mapping[str, tuple[Column, Column]], items: Items | None = None
) -> dict[str, list[RankMove]]:
    """The change of each model's rank from one column to another, in shared resamples of the items.

    Args:
        runs: one of each model, in one setting.
        columns: title → the two columns. Those in which runs lack items, or differ in data or judge, are left out.
        items: of each run; None to read them.

    Returns:
        Title → an entry for each run that is in both columns, at least two.
    """
    read = [run_items(run, lambda fault: None) for run in runs] if items is None else items
    paired: dict[str, PairedItems | None] = {}
    found = {}
    for title, pair in columns.items():
        first, second = (_joint(_summary(*column), read, paired) for column in pair)
        if first is not None and second is not None and first[0].labels == second[0].labels:
            moves = _moves(first[0], second[0], higher_is_better=first[1].better == "higher")
            if len(moves) > 1:
                found[title] = moves
    return found


def _summary(task: str, metric: str) -> Summary:
    if task in families():
        return next(one for one in families()[task].summaries if one.name == metric)
    better = declared(task).metrics[metric].better
    return Summary(metric, metric, parts_of((task, metric)), better=better, by_task=True)


def _joint(summary: Summary, read: Items, paired: dict[str, PairedItems | None]) -> tuple[JointScores, Summary] | None:
    items: dict[Key, PairedItems] = {}
    for task, _ in summary.terms:
        if task not in paired:
            paired[task] = _paired(task, read)
        if (one := paired[task]) is None:
            return None
        items[task, None] = one
    if len({one.labels for one in items.values()}) > 1:
        return None
    made = paired_composite(known_tasks()[summary.terms[0][0]], summary, items)
    return None if made is None else (joint(next(iter(items.values())).labels, *made), summary)


def _paired(task: str, read: Items) -> PairedItems | None:
    """The items that all runs have; None where one of them lacks the task, or cannot be compared."""
    own = [found[task] for found in read if task in found]
    if len(own) < len(read) or any(fault(one, {}) for one in own):
        return None
    one, refused = pair_up(own)
    return None if refused or not one.clusters else one


def _moves(first: JointScores, second: JointScores, *, higher_is_better: bool) -> list[RankMove]:
    scored = np.isfinite(first.values) & np.isfinite(second.values)
    both = [
        (
            ranks(one.values[scored], higher_is_better=higher_is_better).astype(int),
            ranks(one.draws[:, scored], higher_is_better=higher_is_better),
        )
        for one in (first, second)
    ]
    changes = both[1][1] - both[0][1]
    changes = changes[np.isfinite(changes).all(axis=1)]
    labels = [label for label, is_scored in zip(first.labels, scored, strict=True) if is_scored]
    found = []
    for place, label in enumerate(labels):
        own = (int(both[0][0][place]), int(both[1][0][place]))
        ends = None
        if len(changes):
            low, high = np.percentile(changes[:, place], [2.5, 97.5], method="inverted_cdf")
            ends = (min(int(low), own[1] - own[0]), max(int(high), own[1] - own[0]))
        found.append(RankMove(label, own, own[1] - own[0], ends))
    return found


@dataclass(frozen=True)
class RankMove:
    """A model's ranks in two columns.

    Attributes:
        label: of the run.
        ranks: in the first and in the second column, 1 for the best, among the models that are in both.
        change: the second rank minus the first; positive where the model is worse off in the second.
        ci95: its 95 % interval, both ends whole positions; None where no resample has all ranks.
    """

    label: str
    ranks: tuple[int, int]
    change: int
    ci95: tuple[int, int] | None

"""lm-eval's numbers of its groups, without the rounding of a mean of means."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from math import isclose
from typing import Any

import numpy as np

from hueval_metrics.metric import total
from hueval_metrics.scoring.values import DocumentValues


def settle_groups(results: Mapping[str, Any], values: Mapping[str, DocumentValues]) -> None:
    """Make a group's mean weighted by size the metric of all its documents, as a summary and `hueval score` have it.

    The two are the same but for the last digits. Where they are not, as of a group that weighs its tasks alike,
    lm-eval's number stays.

    Args:
        results: of lm-eval's evaluator; `groups` and `results` are changed.
        values: task → the values of its documents.
    """
    for group, numbers in results.get("groups", {}).items():
        tasks = list(leaves(group, results["group_subtasks"]))
        if not all(task in values for task in tasks):
            continue
        for key, number in numbers.items():
            if "," in key and isinstance(number, float):
                pooled = _pooled(key.partition(",")[0], [values[task] for task in tasks])
                if pooled is not None and isclose(number, pooled, rel_tol=1e-9):
                    numbers[key] = results["results"][group][key] = pooled


def leaves(group: str, members: Mapping[str, list[str]]) -> Iterator[str]:
    """The tasks of a group and of the groups in it, by lm-eval's `group_subtasks`."""
    for member in members[group]:
        yield from leaves(member, members) if member in members else [member]


def _pooled(name: str, values: list[DocumentValues]) -> float | None:
    if not all(name in some.metrics for some in values):
        return None
    rows = [some.clustered([name]).terms[name][0] for some in values]
    return values[0].metrics[name].of(total(np.concatenate(rows)))

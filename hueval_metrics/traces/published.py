"""Published figures of reasoning traces, from the families' folders, to be shown beside ours and marked.

They were made with another judge and other prompts than ours may be, so no test compares them.
"""

from __future__ import annotations

import csv
from collections.abc import Container, Mapping, Sequence
from dataclasses import dataclass

from hueval_metrics.declare import Family
from hueval_metrics.registry import families

FILE = "traces.csv"


@dataclass(frozen=True)
class PublishedNumber:
    """One figure.

    Attributes:
        group: a task, or the name of a pool of tasks, as in `measures.Cell`.
        measure: ours, which it is to be compared with.
        model: as the paper calls it.
        value: in the measure's unit.
        source: where it is printed, such as `Table 9`.
    """

    group: str
    measure: str
    model: str
    value: float
    source: str


def published_of(group: str, measures: Container[str]) -> Mapping[str, Mapping[str, PublishedNumber]]:
    """Model → measure → what a paper prints of a group, for some measures."""
    found: dict[str, dict[str, PublishedNumber]] = {}
    for family in families().values():
        for one in published_traces(family):
            if one.group == group and one.measure in measures:
                found.setdefault(one.model, {})[one.measure] = one
    return found


def published_traces(family: Family) -> Sequence[PublishedNumber]:
    """The figures that a family's paper prints of its traces, in the order of its `traces.csv`; none without one."""
    file = family.published and family.published / FILE
    if not file or not file.is_file():
        return []
    rows = csv.DictReader(file.read_text(encoding="utf-8").splitlines())
    return [
        PublishedNumber(row["group"], row["measure"], row["model"], float(row["value"]), row["source"]) for row in rows
    ]

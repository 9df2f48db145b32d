"""Published figures from the families' folders: scores, and ranks on other benchmarks.

They were made under another protocol than ours (prompts, settings, judge and scorer), so they are shown beside our
figures and not compared in tests.
"""

from __future__ import annotations

import csv
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path

import numpy as np

from hueval_metrics.declare import Counterpart, Family
from hueval_metrics.errors import InputError
from hueval_metrics.registry import families
from hueval_metrics.text.foreign import own_yaml

Scores = Mapping[str, Mapping[str, Mapping[str, float]]]  # model → task → metric → score in the metric's unit


def published_tables(family: Family) -> Sequence[PublishedTable]:
    """The published tables of a family, as listed in its `tables.yaml`, the paper's main one first.

    A column of their CSV files is `task/metric`, or `family/summary`. One named as a key of the family's variants has
    the setting: a row in another than the default is named as our runs are, `NAME (key=value)`. A summary whose parts a
    table has is computed from them, as ours is: papers average in ways of their own.
    """
    if family.published is None:
        return []
    defaults = tuple((key, str(values[0])) for key, values in family.variants.items())
    return [_with_summaries(table, family) for table in _tables(family.published, defaults)]


def _with_summaries(table: PublishedTable, family: Family) -> PublishedTable:
    """A table with the summaries whose parts it has for a model, after the metrics of the tasks."""
    columns = set(table.columns)
    known = [one for one in family.summaries if one.is_of_one_run and columns.issuperset(one.terms)]
    simple = [one for one in known if all(len(part.tasks) == 1 for part in one.parts)]
    if not simple:
        return table
    scores: dict[str, Mapping[str, Mapping[str, float]]] = {}
    for model, tasks in table.scores.items():
        found = dict(tasks.get(family.name, {}))
        for summary in simple:
            parts = [tasks.get(part.tasks[0], {}).get(part.metric) for part in summary.parts]
            if None not in parts:
                found[summary.name] = float(summary.combine(np.array(parts, dtype=float)))
        scores[model] = {**tasks, family.name: found}
    return replace(table, scores=scores)


@cache
def _tables(folder: Path, defaults: Sequence[tuple[str, str]]) -> Sequence[PublishedTable]:
    listed = own_yaml(folder / "tables.yaml")
    return [
        PublishedTable(
            about["title"],
            about.get("note"),
            _scores([folder / f"{file}.csv" for file in about.get("files", [name])], defaults),
        )
        for name, about in listed.items()
    ]


def published_ranks(benchmark: str) -> dict[str, float]:
    """Model → rank on a benchmark, 1 for the best.

    Args:
        benchmark: a column of a family's `ranks.csv`: another benchmark, or one of its own data sets.

    Raises:
        InputError: there is no such benchmark.
    """
    for family in families().values():
        rows = _ranks(family)
        if rows and benchmark in rows[0] and benchmark != "model":
            return {row["model"]: float(row[benchmark]) for row in rows}
    raise InputError(f'no published ranks of "{benchmark}". Published: {", ".join(published_benchmarks())}')


def published_benchmarks() -> dict[str, Counterpart]:
    """Other benchmarks with published ranks, such as `maps-en` → the metric of ours that the paper compares it with."""
    return {
        name: family.counterparts[slug]
        for family in families().values()
        for name in next(iter(_ranks(family)), ())
        if (slug := name.partition("-")[0]) in family.counterparts
    }


def _ranks(family: Family) -> Sequence[Mapping[str, str]]:
    file = family.published and family.published / "ranks.csv"
    return _rows(file) if file and file.is_file() else []


def _scores(files: Sequence[Path], defaults: Sequence[tuple[str, str]]) -> Scores:
    scores: dict[str, dict[str, dict[str, float]]] = {}
    for row in (row for file in files for row in _rows(file)):
        other = ", ".join(f"{key}={row[key]}" for key, default in defaults if row.get(key, default) != default)
        label = f"{row['model']} ({other})" if other else row["model"]
        for column, text in row.items():
            task, slash, metric = column.partition("/")
            if slash and text:  # a dash in print is an empty cell
                scores.setdefault(label, {}).setdefault(task, {})[metric] = float(text)
    return scores


@cache
def _rows(file: Path) -> Sequence[Mapping[str, str]]:
    return list(csv.DictReader(file.read_text(encoding="utf-8").splitlines()))


@dataclass(frozen=True)
class PublishedTable:
    """A table of scores as a paper printed it.

    Attributes:
        title: language → its source, such as `Table 5 of the … paper`.
        note: language → a remark; None for none.
        scores: in percent, models in the order printed.
    """

    title: Mapping[str, str]
    note: Mapping[str, str] | None
    scores: Scores

    @property
    def columns(self) -> list[tuple[str, str]]:
        """Its (task, metric), in order; the first model has all of them."""
        return [(task, metric) for task, scores in next(iter(self.scores.values())).items() for metric in scores]

    def score(self, model: str, task: str, metric: str) -> float | None:
        """A score; None where the paper prints none."""
        return self.scores[model].get(task, {}).get(metric)

    def columns_in_forms(self, family: Family) -> list[dict[tuple[str, str], tuple[str, str]]]:
        """For each form of the family's tasks that has all its columns: (task, metric) of ours → its own.

        A summary's task is the family's name, in each form.

        A paper's systems answered in neither form of ours, so its scores are shown beside each.
        """
        found = [
            {
                (task if task == family.name else prefix + family.short_name(task), metric): (task, metric)
                for task, metric in self.columns
            }
            for prefix in family.prefixes
        ]
        known = family.tasks.keys() | {family.name}
        distinct = [columns for place, columns in enumerate(found) if columns not in found[:place]]
        return [columns for columns in distinct if all(task in known for task, _ in columns)]

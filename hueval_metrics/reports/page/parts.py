"""The page's further tables: judges, ranks, WB-score at equal length, and what the paper published."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from hueval_metrics.published.read import published_scores
from hueval_metrics.records import number_of
from hueval_metrics.reports import escape, tables
from hueval_metrics.reports.figures.figure import Figure
from hueval_metrics.reports.page.tables import interval, judge_rows, number
from hueval_metrics.reports.page.words import both
from hueval_metrics.runs.run import Run
from hueval_metrics.stats.length_control import length_controlled
from hueval_metrics.stats.ranks import rank_change

if TYPE_CHECKING:
    from markupsafe import Markup

_WILD_BENCH, _SIMPLE_QA = "openhueval_huwildbench", "openhueval_husimpleqa"
_TABLE_11 = ("correct", "incorrect", "not_attempted", "correct_given_attempted", "f_score")


def parts(runs: Sequence[Run], figures: Sequence[Figure], lengths: Lengths, comparable: Sequence[int]) -> list[Part]:
    """The sections that the runs have anything for.

    Args:
        runs: the runs.
        figures: theirs; those of ranks tell the rank changes.
        lengths: of their responses to HuWildBench.
        comparable: the places of the runs whose WB-scores can be compared.
    """
    found = [_published(runs), _ranks(figures), _length(runs, lengths, comparable), _judge(runs)]
    return [part for part in found if part is not None]


def _judge(runs: Sequence[Run]) -> Part | None:
    names = ("coverage", "calls", "cached", "tokens", "usd", "errors", "suspicious", "agreement")
    header = [both("task"), both("model"), both("judge_model"), *(both(f"judge_{name}") for name in names)]
    rows = [[*texts, *figures] for texts, figures in judge_rows(runs)]
    return (
        Part("judge", both("judge_intro"), [Table(both("judge_caption"), header, [Block(rows)], 3)]) if rows else None
    )


def _ranks(figures: Sequence[Figure]) -> Part | None:
    """How far each column of the figures of ranks is from the first one."""
    lines = []
    for figure in figures:
        columns: dict[str, dict[str, float]] = {}
        for row in figure.rows if figure.name.startswith("ranks-") else ():
            columns.setdefault(str(row["column"]), {})[str(row["model"])] = float(str(row["rank"]))
        for name, theirs in list(columns.items())[1:]:
            first, ours = next(iter(columns.items()))
            if len(ours.keys() & theirs.keys()) > 1:
                change = rank_change(ours, theirs)
                numbers: list[tuple[float | None, int]] = [(change.moved, 0), (change.mean_change, 1)]
                numbers += [(change.kendall_tau, 2), (change.spearman_rho, 2)]
                lines.append([f"{name} → {first}", str(len(change.ranks)), *(number(*one) for one in numbers)])
    header = [both(f"ranks_{name}") for name in ("pair", "models", "moved", "mean", "kendall", "spearman")]
    return Part("ranks", both("ranks_intro"), [Table(both("ranks_caption"), header, [Block(lines)])]) if lines else None


def _length(runs: Sequence[Run], lengths: Lengths, places: Sequence[int]) -> Part | None:
    labels = [str(place) for place in places]
    found = length_controlled(labels, *lengths.columns(places), strata=lengths.dimensions)
    if found is None:
        return None
    lines = []
    for at, place in enumerate(places):
        cells = [escape.plain(runs[place].label)]
        for scores, is_controlled in ((found.plain, False), (found.controlled, True)):
            cells += [number(float(scores.values[at]), 2), interval(found.ci95(at, controlled=is_controlled), 2)]
        lines.append([*cells, number(lengths.mean(place), 0)])
    header = [both("model"), both("length_plain"), both("interval"), both("length_controlled"), both("interval")]
    caption = both("length_caption", n=found.n, length=number(found.typical_length, 0))
    return Part("length", both("length_intro"), [Table(caption, [*header, both("length_mean")], [Block(lines)])])


def _published(runs: Sequence[Run]) -> Part | None:
    table_5 = [(task, metric, f"{group} {heading}") for task, metric, group, heading in tables.COLUMNS]
    table_11 = [(_SIMPLE_QA, metric, metric) for metric in _TABLE_11]
    found = []
    for name, columns in (("table5", table_5), ("table11", table_11)):
        ours = [run for run in runs if any(metric in run.result(task).scores for task, metric, _ in columns)]
        if ours:
            lines = [
                [escape.plain(run.label), *_cells({task: result.scores for task, result in run.tasks.items()}, columns)]
                for run in ours
            ]
            published = published_scores(name).items()  # type: ignore[arg-type]
            theirs = [[model, *_cells(printed, columns)] for model, printed in published]
            blocks = [Block(lines, both("our_rows")), Block(theirs, both("published_rows"), is_published=True)]
            header = [both("model"), *(title for _, _, title in columns)]
            found.append(Table(both(f"published_{name}"), header, blocks))
    remarks = [both("published_qwen")] if len(found) == 2 else []
    return Part("published", both("published_intro"), found, remarks) if found else None


def _cells(scores: Mapping[str, Mapping[str, float | None]], columns: Sequence[tuple[str, str, str]]) -> list[str]:
    return [number(scores.get(task, {}).get(metric), 2) for task, metric, _ in columns]


class Lengths:
    """HuWildBench's scores and the lengths of its responses, item by item, of all runs."""

    def __init__(self) -> None:
        self._items: dict[str, dict[int, tuple[float, int]]] = {}
        self.dimensions: list[str | None] = []

    def add(self, run: int, row: Mapping[str, Any]) -> None:
        """Take in a row of `items.jsonl` of the run at a place; what has no score is passed over."""
        values, response = row.get("values"), row.get("response", row.get("prediction"))
        score = number_of(values.get("wb_score")) if isinstance(values, Mapping) else None
        if row.get("task") != _WILD_BENCH or score is None or not isinstance(response, str):
            return
        item = self._items.setdefault(str(row.get("qid")), {})
        if len(self.dimensions) < len(self._items):
            dimension = row.get("dimension")
            self.dimensions.append(dimension if isinstance(dimension, str) else None)
        item[run] = (10 * score, len(response))  # WB-score's unit (OpenHuEval §3.1)

    def columns(self, places: Sequence[int]) -> tuple[Any, Any]:
        """Scores and lengths, shape (items, runs) each, of the runs at these places; NaN where there is none."""
        nothing = (np.nan, np.nan)
        pairs = [[item.get(place, nothing) for place in places] for item in self._items.values()]
        both_columns = np.array(pairs, dtype=float).reshape(len(pairs), len(places), 2)
        return both_columns[..., 0], both_columns[..., 1]

    def mean(self, place: int) -> float | None:
        """The mean length of a run's responses, in characters."""
        found = [item[place][1] for item in self._items.values() if place in item]
        return sum(found) / len(found) if found else None


@dataclass(frozen=True)
class Block:
    """Rows of a table, their cells as text; what they have in common, if it is to be told; whether others made them."""

    rows: Sequence[Sequence[str]]
    title: Markup | None = None
    is_published: bool = False


@dataclass(frozen=True)
class Table:
    """A table of a part.

    Attributes:
        caption: below it.
        header: of each column.
        blocks: its rows.
        labels: how many of the first columns hold names; the others hold numbers.
    """

    caption: Markup
    header: Sequence[Markup | str]
    blocks: Sequence[Block]
    labels: int = 1


@dataclass(frozen=True)
class Part:
    """A section of the page: its id, which is also the key of its heading, what stands above its tables, and below."""

    id: str
    intro: Markup
    tables: Sequence[Table]
    remarks: Sequence[Markup] = field(default=())

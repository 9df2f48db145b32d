"""The answers of scored runs with every rating on them, read from the items.jsonl of `hueval score`."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path
from typing import Any

from hueval_metrics.errors import InputError
from hueval_metrics.judges.calibrate.file import LEAST_WEIGHT, MOST_WEIGHT, digest
from hueval_metrics.records import Verdict, number_of
from hueval_metrics.registry import declared, key_fields
from hueval_metrics.runs.items import Item
from hueval_metrics.runs.results import read_results
from hueval_metrics.runs.run import TaskResult, item_id
from hueval_metrics.runs.scales import is_judged, scale_of
from hueval_metrics.scoring.lines import read_lines
from hueval_metrics.stats.agreement import Rating

ITEMS, RESULTS = "items.jsonl", "results.json"
UNNAMED = "?"  # a judge or a rubric that the log does not name
_UNSCORED = ("samples_*.jsonl", "results_*.json", "*.jsonl")


def scored_runs(paths: Sequence[Path]) -> list[ScoredRun]:
    """Runs as `hueval score` wrote them, each with a label of its own.

    Args:
        paths: their folders, or the items.jsonl or results.json in them; or a judge's folder in a bench, which has
            one of each model (`judge_bench.bench`).

    Raises:
        InputError: a path is no scored run, or a run is named twice.
    """
    folders = [path.parent if path.name in (ITEMS, RESULTS) and path.is_file() else path for path in paths]
    found = [_scored_run(inner) for folder in folders for inner in _inner(folder)]
    if len({run.folder.resolve() for run in found}) < len(found):
        raise InputError("calibrate: a run is named twice. Name each once")
    times = Counter(run.label for run in found)
    return [run if times[run.label] == 1 else replace(run, label=f"{run.label} ({run.folder})") for run in found]


def _inner(folder: Path) -> list[Path]:
    """The folder, or those in it that hold scored runs where it is none itself."""
    inner = [] if (folder / ITEMS).is_file() else sorted(file.parent for file in folder.glob(f"*/{ITEMS}"))
    return inner or [folder]


def _scored_run(folder: Path) -> ScoredRun:
    if not folder.exists():
        raise InputError(f"{folder}: no such file or folder. Name what `hueval score` wrote (--output)")
    if not (folder / ITEMS).is_file() or not (folder / RESULTS).is_file():
        is_unscored = folder.is_file() or any(any(folder.rglob(pattern)) for pattern in _UNSCORED)
        if not is_unscored:
            raise InputError(f"{folder}: no {ITEMS} and {RESULTS} in it. Name what `hueval score` wrote (--output)")
        what = f"not scored yet, no {ITEMS} and {RESULTS}. Score it first: hueval score {folder} --output DIR"
        raise InputError(f"{folder}: {what}")
    results = read_results(folder / RESULTS)
    return ScoredRun(folder, results.label, {task: one for task, one in results.tasks.items() if is_judged(task)})


def answers(run: ScoredRun) -> Iterator[Answer]:
    """The answers of the judged tasks of a run, in the order of the file.

    Raises:
        InputError: the file cannot be read, a line is broken, an item is there twice or has none of the columns that
            name it, or a weight is none.
    """
    seen: dict[tuple[str, str], int] = {}
    file = str(run.folder / ITEMS)
    for line in read_lines(run.folder / ITEMS):
        task, where = line.row.get("task"), f"{file} line {line.number}"
        if not isinstance(task, str):
            raise InputError(f'{where}: no "task". Score it again: hueval score')
        if not is_judged(task):
            continue
        item = Item.of(line.row)
        response = item.response
        if item.key is None or response is None:
            fields = f'"{key_fields(task)[0]}" or no "prediction"'
            raise InputError(f"{where}: no {fields}. Score it again: hueval score")
        qid = item_id(item.key)
        if (first := seen.setdefault((task, qid), line.number)) != line.number:
            name = f"{key_fields(task)[0]} {qid} of {task}"
            raise InputError(f"{where}: {name} was already at line {first}. Score one run at a time: hueval score")
        weight = number_of(line.row.get("weight", 1.0))
        if weight is None or not LEAST_WEIGHT <= weight <= MOST_WEIGHT:
            raise InputError(f"{where}: the weight is no number from {LEAST_WEIGHT:g} to {MOST_WEIGHT:g}. Correct it")
        yield Answer(
            line.number,
            task,
            qid,
            _name(task, qid),
            digest(response),
            _name(declared(task).cluster, item.cluster),
            item.dimension,
            item,
            weight,
        )


_name = lru_cache(2**14)(digest)  # items are the same in all runs


@dataclass(frozen=True)
class ScoredRun:
    """A run as `hueval score` wrote it.

    Attributes:
        folder: with items.jsonl and results.json.
        label: the name of the model, or the folder's; unique among the runs that are read together.
        tasks: task → its results, of the judged tasks.
    """

    folder: Path
    label: str
    tasks: Mapping[str, TaskResult]


@dataclass(frozen=True, slots=True)
class Said:
    """The rating in a verdict: None where the judge's reply was unreadable; with the rubric's name and version."""

    rating: Rating | None
    rubric: str


@dataclass(frozen=True, slots=True)
class Answer:
    """One answer of a run.

    Attributes:
        line: its number in items.jsonl.
        task: the task's name.
        qid: the item's whole key (`runs.run.item_id`).
        item, response, cluster: hashes (`file.digest`).
        stratum: the code of the item's stratum; None without one.
        read: the whole row.
        weight: how many answers of its model it stands for, where it was drawn by strata (`judge_bench`).
    """

    line: int
    task: str
    qid: str
    item: str
    response: str
    cluster: str
    stratum: str | None
    read: Item
    weight: float = 1.0

    def without_row(self) -> Answer:
        """The same without the row: thousands of them would take hundreds of MiB."""
        return replace(self, read=_NO_ROW)

    @property
    def judge(self) -> str | None:
        """Model id of the judge whose verdict the scores rest on; None without a verdict."""
        verdict = self.read.verdict
        return None if verdict is None else verdict.judge or UNNAMED

    @property
    def values(self) -> Mapping[str, Any]:
        """Metric → the value under the judge's verdict; empty where the row is too old."""
        return self.read.values or {}

    def by_judge(self) -> dict[str, Said]:
        """What each judge said, the latest of each: earlier verdicts (`--rejudge`), members of a panel, the verdict."""
        earlier = self.read.row.get("earlier_verdicts")
        given = [*map(Verdict.from_json, earlier if isinstance(earlier, list) else []), self.read.verdict]
        found = {}
        for verdict in filter(None, given):
            for one in (*verdict.votes, verdict):
                if one.judge is not None and (one.is_given or one.is_unreadable):
                    found[one.judge] = Said(self._checked(one.rating), one.rubric or UNNAMED)
        return found

    def said(self) -> Said | None:
        """The rating and rubric of the verdict that the scores rest on; None without one."""
        verdict = self.read.verdict
        if verdict is None or not (verdict.is_given or verdict.is_unreadable):
            return None
        return Said(self._checked(verdict.rating), verdict.rubric or UNNAMED)

    def _checked(self, rating: Rating | None) -> Rating | None:
        """The rating; None for one that the rubric does not have."""
        return rating if rating is not None and scale_of(self.task).has(rating) else None


_NO_ROW = Item("", None, "", None, {})

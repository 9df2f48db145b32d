"""The ratings of several judges on the same responses, read from the `items.jsonl` of scored runs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from hueval_metrics.errors import InputError
from hueval_metrics.records import Verdict
from hueval_metrics.registry import key_fields
from hueval_metrics.runs.items import Item
from hueval_metrics.runs.run import Key, item_id
from hueval_metrics.scoring.lines import read_lines
from hueval_metrics.stats.agreement import Rating

Rater = tuple[str, int]  # in one file: a judge, and its index among those of this name in a row; in several: the file

_UNNAMED = "?"  # a judge or a rubric that the log does not name


def load_ratings(paths: Sequence[Path]) -> dict[str, Ratings]:
    """The ratings of every task that two judges or more have rated.

    Args:
        paths: output of `hueval score`: folders, or their items.jsonl. Each of several is one judge. A single one
            contains several judges: those of the `earlier_verdicts` of a `--rejudge` and of the verdict itself, with
            the members of a panel in its place.

    Raises:
        InputError: a file cannot be read, a line is broken, a response occurs twice, there are no verdicts, or no two
            on the same response.
    """
    files = [_items_file(path) for path in paths]
    if len({file.resolve() for file in files}) < len(files):
        raise InputError("judge-agreement: a run is named twice, and would agree with itself. Name each once")
    tasks: dict[str, _Collected] = {}
    for file in files:
        _collect(file, len(files) == 1, tasks)
    judged = {task: found for task, found in tasks.items() if found.names}
    shown = ", ".join(map(str, files))
    if not judged:
        raise InputError(f"{shown}: no verdicts. The tasks are scored by rule, or not judged yet (`hueval score` asks)")
    ratings = {task: _ratings(found, files) for task, found in judged.items() if len(found.names) > 1}
    if not ratings:
        what = f"the same task is not judged in two of them ({', '.join(judged)})" if files[1:] else "one judge a task"
        raise InputError(f"{shown}: {what}. Name runs of the same task, or judge again: hueval score … --rejudge MODEL")
    if not any(found.units for found in ratings.values()):
        reasons = "; ".join(f"{task}: {listed(found.left_out)}" for task, found in ratings.items())
        raise InputError(f"{shown}: no response has two ratings ({reasons}). Compare runs of the same predictions")
    return ratings


def listed(left_out: Mapping[str, int]) -> str:
    """The reasons for which responses are not compared, with counts: `3 in one run only, 1 …`."""
    return ", ".join(f"{count} {reason}" for reason, count in left_out.items())


def _items_file(path: Path) -> Path:
    file = path / "items.jsonl" if path.is_dir() else path
    if not file.is_file():
        problem = "no items.jsonl in this folder" if path.is_dir() else "no such file or folder"
        raise InputError(f"{path}: {problem}. Name what `hueval score` has written (--output)")
    return file


def _collect(file: Path, is_alone: bool, tasks: dict[str, _Collected]) -> None:
    """Add the verdicts of one file."""
    seen: dict[tuple[str, Key], int] = {}
    for line in read_lines(file):
        row, item, where = line.row, Item.of(line.row), f"{file} line {line.number}"
        task, key, field = item.task, item.key, key_fields(item.task)[0]
        if not isinstance(row.get("task"), str) or key is None or "verdict" not in row:
            raise InputError(
                f'{where}: no "task", "{field}" and "verdict". Score the file first: `hueval score` reads every form '
                "of predictions, keeps the verdicts that are there, and writes items.jsonl"
            )
        if (first := seen.setdefault((task, key), line.number)) != line.number:
            raise InputError(
                f"{where}: {field} {item_id(key)} of {task} was already at line {first}. Score one run at a time"
            )
        found = tasks.setdefault(task, _Collected())
        ratings = found.rated.setdefault(key, {})
        response = hash(str(row.get("prediction")))
        verdict = item.verdict or Verdict()
        for rater, single in _by_judge(row, verdict) if is_alone else [((str(file), 0), verdict)]:
            ratings[rater] = (response, single.rating)
            if single.rating is not None:
                found.names.setdefault(rater, set()).add(single.judge or _UNNAMED)
                found.rubrics.setdefault(rater, set()).add(single.rubric or _UNNAMED)
            elif single.is_unreadable:
                found.n_unreadable += 1


def _by_judge(row: Mapping[str, Any], verdict: Verdict) -> Iterator[tuple[Rater, Verdict]]:
    """Each verdict in a row with its judge, oldest first.

    A reply that the cache gave to a panel and to its member alone is one rating, not two that agree.
    """
    earlier = row.get("earlier_verdicts")
    times: Counter[str] = Counter()
    known: dict[object, bool] = {}  # earlier reply → whether it came from the cache
    for one in [*map(Verdict.from_json, earlier if isinstance(earlier, list) else []), verdict]:
        singles = (one.votes or (one,)) if one else ()
        replies = {_reply(single): single.cached for single in singles if single.is_given}
        for single in singles:
            reply = _reply(single)
            if single.is_given and reply in known and (known[reply] or replies[reply]):
                continue
            judge = single.judge or _UNNAMED
            yield (judge, times[judge]), single
            times[judge] += 1
        known |= replies


def _reply(verdict: Verdict) -> object:
    """Equal for two verdicts that may come from the same reply."""
    return verdict.judge, verdict.rubric, verdict.label, verdict.score, verdict.raw


def _ratings(found: _Collected, files: Sequence[Path]) -> Ratings:
    raters = list(found.names)
    left_out: Counter[str] = Counter()
    units = {}
    for key, ratings in found.rated.items():
        unit = tuple(ratings[rater][1] if rater in ratings else None for rater in raters)
        if len(files) > 1 and len(ratings) < 2:
            left_out["in one run only"] += 1
        elif len({response for response, _ in ratings.values()}) > 1:
            left_out["with another response in another run"] += 1
        elif sum(rating is not None for rating in unit) < 2:
            left_out["with fewer than two ratings"] += 1
        else:
            units[key] = unit
    judges = []
    for rater in raters:
        if len(files) > 1:
            judges.append(Judge("+".join(sorted(found.names[rater])), rater[0], sorted(found.rubrics[rater])))
        else:
            name = f"{rater[0]} #{rater[1] + 1}" if (rater[0], 1) in found.names else rater[0]
            judges.append(Judge(name, str(files[0]), sorted(found.rubrics[rater])))
    return Ratings(judges, units, dict(left_out), found.n_unreadable)


@dataclass(frozen=True)
class Judge:
    """A judge: name, the file with its verdicts, and the rubrics that it followed."""

    name: str
    file: str
    rubrics: list[str]


@dataclass(frozen=True)
class Ratings:
    """The ratings of one task.

    Attributes:
        judges: in the order of the files, or of the verdicts in the one file.
        units: key of the item → one rating a judge, None where it gave none; two or more are given.
        left_out: reason → number of responses that are not compared.
        n_unreadable: number of unreadable replies, which do not count as ratings.
    """

    judges: list[Judge]
    units: dict[Key, tuple[Rating | None, ...]]
    left_out: dict[str, int]
    n_unreadable: int


@dataclass
class _Collected:
    """The ratings of one task while files are read, each with the hash of its response."""

    rated: dict[Key, dict[Rater, tuple[int, Rating | None]]] = field(default_factory=dict)
    names: dict[Rater, set[str]] = field(default_factory=dict)
    rubrics: dict[Rater, set[str]] = field(default_factory=dict)
    n_unreadable: int = 0

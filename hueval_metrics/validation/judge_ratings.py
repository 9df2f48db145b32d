"""What judges said of the same responses, out of the `items.jsonl` of scored runs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from hueval_metrics.records import InputError, has_verdict, is_unreadable
from hueval_metrics.registry import key_fields
from hueval_metrics.runs.items import item_key
from hueval_metrics.runs.run import Key, item_id
from hueval_metrics.scoring.earlier import what_is_said
from hueval_metrics.scoring.lines import read_lines
from hueval_metrics.stats.agreement import Rating, rating_of

Rater = tuple[str, int]  # in one file: a judge, and its index among those of this name in a row; in several: the file

_UNNAMED = "?"  # a judge or a rubric that the log does not tell


def load_ratings(paths: Sequence[Path]) -> dict[str, Ratings]:
    """The ratings of every task that two judges or more have rated.

    Args:
        paths: what `hueval score` wrote: folders, or their items.jsonl. Of several each is one judge, by its verdicts;
            of one alone the judges are all that its rows tell of: the `earlier_verdicts` of a `--rejudge`, the verdict
            itself, and in place of a panel its members.

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
    """What is not compared, in words: `3 in one run only, 1 …`."""
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
        row, where = line.row, f"{file} line {line.number}"
        task = row.get("task")
        field = key_fields(str(task))[0]
        if not isinstance(task, str) or (key := item_key(task, row)) is None or "verdict" not in row:
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
        for rater, verdict in _by_judge(row) if is_alone else [((str(file), 0), row["verdict"])]:
            rating = rating_of(verdict)
            ratings[rater] = (response, rating)
            if rating is not None:
                found.names.setdefault(rater, set()).add(_text(verdict, "judge"))
                found.rubrics.setdefault(rater, set()).add(_text(verdict, "rubric"))
            elif is_unreadable(verdict):
                found.n_unreadable += 1


def _by_judge(row: Mapping[str, Any]) -> Iterator[tuple[Rater, Any]]:
    """Each verdict in a row with the judge who gave it, oldest first.

    A reply that the cache gave to a panel and to its member alone is one rating, not two that agree.
    """
    earlier = row.get("earlier_verdicts")
    times: Counter[str] = Counter()
    known: dict[str, bool] = {}  # what was said before → whether it came from the cache
    for verdict in [*(earlier if isinstance(earlier, list) else []), row["verdict"]]:
        votes = verdict.get("votes") if isinstance(verdict, Mapping) else None
        singles = votes if isinstance(votes, list) and votes else [verdict]
        said = {what_is_said(single): single.get("cached") is True for single in singles if has_verdict(single)}
        for single in singles:
            text = what_is_said(single) if has_verdict(single) else ""
            if text in known and (known[text] or said[text]):
                continue
            judge = _text(single, "judge")
            yield (judge, times[judge]), single
            times[judge] += 1
        known |= said


def _text(verdict: Any, key: str) -> str:
    return str((verdict.get(key) if isinstance(verdict, Mapping) else None) or _UNNAMED)


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
    """One who rated: name, the file it was read from, and the rubrics that it followed."""

    name: str
    file: str
    rubrics: list[str]


@dataclass(frozen=True)
class Ratings:
    """The ratings of one task.

    Attributes:
        judges: those who rated, in the order of the files, or of the verdicts in the one file.
        units: the item → one rating a judge, None where it gave none; two or more are given.
        left_out: why a response is not compared → how many are not.
        n_unreadable: replies that could not be read; they do not count as ratings.
    """

    judges: list[Judge]
    units: dict[Key, tuple[Rating | None, ...]]
    left_out: dict[str, int]
    n_unreadable: int


@dataclass
class _Collected:
    """The ratings of one task as they are read, each with the hash of the response that it is of."""

    rated: dict[Key, dict[Rater, tuple[int, Rating | None]]] = field(default_factory=dict)
    names: dict[Rater, set[str]] = field(default_factory=dict)
    rubrics: dict[Rater, set[str]] = field(default_factory=dict)
    n_unreadable: int = 0

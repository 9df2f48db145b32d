"""The verdicts that an earlier `hueval score` left in its items.jsonl, found again by what they judge."""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from threading import Lock
from typing import Any

from hueval_metrics.judge.panel import combine, members_asked
from hueval_metrics.judge.rubric import Rubric, reads_document, rubric_id, same_requests
from hueval_metrics.judge.settings import JudgeSettings
from hueval_metrics.judge.suspicion import signs
from hueval_metrics.records import Verdict, has_verdict
from hueval_metrics.registry import TaskSpec, declared, known_tasks
from hueval_metrics.scoring.lines import parse_row, read_lines
from hueval_metrics.text.files import open_file

Row = Mapping[str, Any]


def distinct(verdicts: Iterable[Any]) -> list[Row]:
    """The verdicts that have a label or a score, each once, in order; how one was come by makes it no other.

    >>> distinct([{"label": "YES", "cached": True}, {"error": "no reply"}, {"label": "YES"}])
    [{'label': 'YES', 'cached': True}]
    """
    found: dict[str, Row] = {}
    for verdict in verdicts:
        if has_verdict(verdict):
            found.setdefault(what_is_said(verdict), verdict)
    return list(found.values())


def what_is_said(verdict: Row) -> str:
    """Who says what in a verdict, and how: alike for two that may be the same reply."""
    return repr([verdict.get(key) for key in ("judge", "rubric", "label", "score", "raw")])


def reread(found: Row, rubric: Rubric, doc: Row, response: str) -> Row:
    """A verdict by an older version of a rubric, its replies parsed again as cached replies are.

    Returns:
        It, by today's version, and without label or score where the replies have none today; as it was where it is by
        today's version already, or by one that asked otherwise.
    """
    verdict, older = Verdict.from_json(found), same_requests(rubric)
    if verdict is None or any(one.rubric not in older for one in (verdict, *verdict.votes)):
        return found
    votes = [_read(vote, rubric, doc) for vote in verdict.votes]
    today = combine(votes, verdict.judge or "") if votes else _read(verdict, rubric, doc)
    return replace(today, suspicious=signs(response, rubric.NAME)).to_dict()


def is_paid(found: Row, rubric: Rubric, settings: JudgeSettings, doc: Row, response: str) -> bool:
    """Whether a verdict, as read from a file that anyone may have written, is what this judge or panel has replied.

    It must be by today's version of the rubric (`reread`). Its replies must give its label or score, as the rubric
    reads them, and a panel's must all be there.
    """
    verdict = Verdict.from_json(found)
    members = [member.model for member in members_asked(settings, rubric.NAME, doc)]
    if verdict is None or (verdict.judge, verdict.rubric) != (settings.name, rubric_id(rubric)):
        return False
    if verdict.suspicious != signs(response, rubric.NAME):
        return False
    votes = verdict.votes if settings.is_panel else (verdict, *verdict.votes)
    return (
        [vote.judge for vote in votes] == members
        and all(vote.rubric == verdict.rubric and _is_read(vote, rubric, doc) for vote in votes)
        and combine(votes, settings.name).rating == verdict.rating
    )


def _is_read(vote: Verdict, rubric: Rubric, doc: Row) -> bool:
    read = _read(vote, rubric, doc)
    return read.rating is not None and (read.rating, read.data) == (vote.rating, vote.data)


def _read(vote: Verdict, rubric: Rubric, doc: Row) -> Verdict:
    """A verdict as the rubric reads its reply today."""
    read = rubric.parse(vote.raw or "", *([doc] if reads_document(rubric) else []))
    return replace(vote, label=read.label, score=read.score, data=read.data, error=read.error, rubric=rubric_id(rubric))


class EarlierItems:
    """An items.jsonl, of which only places are held in memory: some 30 bytes a row.

    Args:
        path: the file. It stays open, and may be replaced meanwhile.

    Raises:
        InputError: it cannot be read, or a line of it is not JSON.
    """

    def __init__(self, path: Path) -> None:
        import numpy as np

        self._path, self._lock = path, Lock()
        hashes, starts, lengths = array("q"), array("Q"), array("Q")
        for _, start, length, row in read_lines(path):
            if any(verdicts_of(row)):
                hashes.append(hash(_key(row)))
                starts.append(start)
                lengths.append(length)
        order = np.argsort(np.asarray(hashes))
        self._hashes, self._starts, self._lengths = (np.asarray(a)[order] for a in (hashes, starts, lengths))
        self._is_found = bytearray(len(hashes))
        self._file = open_file(path)

    def __enter__(self) -> EarlierItems:
        return self

    def __exit__(self, *_: object) -> None:
        self._file.close()

    @property
    def n_unfound(self) -> int:
        """How many rows with verdicts were not asked for."""
        return self._is_found.count(0)

    def row(self, spec: TaskSpec, doc: Row, prediction: str) -> Row:
        """The row of a document with this very prediction, where it has verdicts; empty without."""
        key = _key_of(spec.name, spec.declared.key, doc, prediction)
        hashed = hash(key)
        place = int(self._hashes.searchsorted(hashed))
        while place < len(self._hashes) and self._hashes[place] == hashed:
            with self._lock:  # the judge's thread looks verdicts up as well
                self._file.seek(int(self._starts[place]))
                line = self._file.read(int(self._lengths[place]))
            row = parse_row(line, self._path, 0)
            if _key(row) == key:
                self._is_found[place] = 1
                return row
            place += 1
        return {}


def verdicts_of(row: Row) -> Iterator[Any]:
    """The verdicts in a row, oldest first."""
    earlier = row.get("earlier_verdicts")
    for verdict in [*(earlier if isinstance(earlier, list) else []), row.get("verdict")]:
        if has_verdict(verdict):
            yield verdict


def _key(row: Row) -> tuple[str, ...]:
    task = str(row.get("task"))
    return _key_of(task, declared(task).key if task in known_tasks() else (), row, row.get("prediction"))


def _key_of(task: str, fields: Sequence[str], item: Row, prediction: Any) -> tuple[str, ...]:
    return task, *(str(item.get(name)) for name in fields), str(prediction)

"""The verdicts that an earlier `hueval score` left in its items.jsonl, found again by what they judge."""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from threading import Lock
from typing import Any

from hueval_metrics.records import has_verdict
from hueval_metrics.registry import declared, known_tasks
from hueval_metrics.scoring.lines import parse_row, read_lines
from hueval_metrics.text.files import open_file

Verdict = Mapping[str, Any]


def distinct(verdicts: Iterable[Any]) -> list[Verdict]:
    """The verdicts that have a label or a score, each once, in order; how one was come by makes it no other.

    >>> distinct([{"label": "YES", "cached": True}, {"error": "no reply"}, {"label": "YES"}])
    [{'label': 'YES', 'cached': True}]
    """
    found: dict[str, Verdict] = {}
    for verdict in verdicts:
        if has_verdict(verdict):
            found.setdefault(what_is_said(verdict), verdict)
    return list(found.values())


def what_is_said(verdict: Verdict) -> str:
    """Who says what in a verdict, and how: alike for two that may be the same reply."""
    return repr([verdict.get(key) for key in ("judge", "rubric", "label", "score", "raw")])


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
            if any(_verdicts(row)):
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
        """How many rows with verdicts nobody has asked for."""
        return self._is_found.count(0)

    def verdicts(self, item: Mapping[str, Any]) -> list[Verdict]:
        """The verdicts on an item, oldest first.

        Args:
            item: `task`, `prediction` and the fields of the task's key. All must be the same.
        """
        key = _key(item)
        hashed = hash(key)
        place = int(self._hashes.searchsorted(hashed))
        while place < len(self._hashes) and self._hashes[place] == hashed:
            with self._lock:  # the judge's thread looks verdicts up as well
                self._file.seek(int(self._starts[place]))
                line = self._file.read(int(self._lengths[place]))
            row = parse_row(line, self._path, 0)
            if _key(row) == key:
                self._is_found[place] = 1
                return distinct(_verdicts(row))
            place += 1
        return []


def _verdicts(row: Mapping[str, Any]) -> Iterator[Any]:
    earlier = row.get("earlier_verdicts")
    for verdict in [*(earlier if isinstance(earlier, list) else []), row.get("verdict")]:
        if has_verdict(verdict):
            yield verdict


def _key(item: Mapping[str, Any]) -> tuple[str, ...]:
    task = str(item.get("task"))
    fields = declared(task).key if task in known_tasks() else ()
    return tuple(str(item.get(name)) for name in ("task", *fields, "prediction"))

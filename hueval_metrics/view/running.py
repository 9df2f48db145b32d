"""A run that goes on: its answers, scored as they come, and how far it is.

They are read from the files that `harness.live` writes. What a judge will score has no verdict yet.
"""

from __future__ import annotations

import os
import socket
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from hueval_metrics.answers.trace.marks import first_tag
from hueval_metrics.answers.trace.template import opened_by_shares
from hueval_metrics.errors import HuevalError
from hueval_metrics.records import Choices, number_of
from hueval_metrics.registry import known_tasks, task_spec
from hueval_metrics.runs.items import Item
from hueval_metrics.runs.run import Run, TaskResult
from hueval_metrics.scoring.inputs import Prediction, Predictions
from hueval_metrics.scoring.judged import JudgePlan
from hueval_metrics.scoring.lm_eval_results import object_of
from hueval_metrics.scoring.score import scored_items
from hueval_metrics.scoring.survey import TaskInput
from hueval_metrics.scoring.values import READINGS, DocumentValues
from hueval_metrics.view.tail import Tail

_MOST = 10**9  # documents that a task may have


@dataclass
class RunningTask:
    """The answers to the documents of one task.

    Attributes:
        name: the task's name.
        total: how many documents are asked.
        opens: whether the chat template opens the reasoning trace; None when unknown.
        done: the ids of the documents that are answered.
        items: the scored answers; none of a task that is not ours.
    """

    name: str
    total: int = 0
    opens: bool | None = None
    done: set[int] = field(default_factory=set)
    items: list[Item] = field(default_factory=list)
    _tags: Counter[str] = field(default_factory=Counter)
    _values: DocumentValues | None = None

    def add(self, row: Mapping[str, Any], file: Path) -> None:
        """Score an answer; one that cannot be scored counts as done."""
        doc, resps = row.get("doc"), row.get("resps")
        if self.name not in known_tasks() or not isinstance(doc, dict) or not isinstance(resps, list) or not resps:
            return
        spec = task_spec(self.name)
        if self._values is None:
            self._values = DocumentValues(spec)
        text, choices = "", None
        if spec.generates:
            text = resps[0] if isinstance(resps[0], str) else ""
            self._tags[first_tag(text)] += 1
        elif (choices := _choices(resps)) is None:
            return
        # Where no prompt shows it, the replies so far decide; the results go by all of them.
        opens = opened_by_shares(self._tags) if self.opens is None else self.opens
        prediction = Prediction(spec, text, file, doc=doc, choices=choices)
        given = TaskInput(spec, Predictions(held=[prediction]), template_opens=opens)
        try:
            self.items += map(Item.of, scored_items(given, JudgePlan(asks=False), self._values))
        except HuevalError:
            return

    def result(self, source: Path) -> TaskResult:
        """The scores so far."""
        spec = task_spec(self.name)
        summary = (self._values or DocumentValues(spec)).summary()
        return TaskResult(
            scores={name: summary[name] for name, metric in spec.metrics.items() if not metric.is_count},
            source=source,
            intervals={metric: tuple(summary[f"{metric}_ci95"]) for metric in summary["ci_method"]},
            methods=summary["ci_method"],
            notes=summary["ci_note"],
            chance=summary.get("chance"),
            readings=summary.get(READINGS, {}),
            n=len(self.items),
            metric_n={name: summary[f"{name}_n"] for name in spec.metrics if f"{name}_n" in summary},
            missing=max(0, self.total - len(self.items)),
        )


class RunningRun:
    """The files of one run, one a process.

    Args:
        paths: the files.

    Attributes:
        label: what the model is called.
        tasks: name → task.
        started: when it began to answer; seconds since 1970.
        latest: when the latest answer came.
        n_kept: answers that a stopped run had left.

    Raises:
        OSError: a file cannot be opened.
    """

    def __init__(self, paths: Sequence[Path]) -> None:
        self.paths = tuple(paths)
        self._tails = {path: Tail(path) for path in paths}
        self._processes: set[tuple[str, int]] = set()
        self.label = paths[0].parent.name
        self.tasks: dict[str, RunningTask] = {}
        self.started = self.latest = 0.0
        self.n_kept = 0

    @property
    def is_current(self) -> bool:
        """Whether all its files are still there, and the same."""
        return all(tail.is_current for tail in self._tails.values())

    @property
    def is_alive(self) -> bool:
        """Whether a process of it runs, as far as can be checked: those of other machines count as running."""
        here = socket.gethostname()
        return not self._processes or any(host != here or _runs(pid) for host, pid in self._processes)

    @property
    def n_done(self) -> int:
        """How many documents are answered."""
        return sum(len(task.done) for task in self.tasks.values())

    @property
    def n_total(self) -> int:
        """How many documents are asked."""
        return sum(task.total for task in self.tasks.values())

    def read(self) -> None:
        """Read what was added.

        Raises:
            OSError: a file cannot be read.
        """
        for path, tail in self._tails.items():
            for row in tail.rows():
                if "tasks" in row:
                    self._begin(row)
                else:
                    self._add(row, path)

    def close(self) -> None:
        """Close its files."""
        for tail in self._tails.values():
            tail.close()

    def run(self, label: str) -> Run:
        """The scores so far, of those of our tasks that have any.

        Args:
            label: name of the row.
        """
        shown = [task for task in self.tasks.values() if task.items]
        return Run(label, self.paths[0], {task.name: task.result(self.paths[0]) for task in shown}, goes_on=True)

    def items(self) -> Iterator[Item]:
        """The scored answers."""
        for task in self.tasks.values():
            yield from task.items

    def _begin(self, row: Mapping[str, Any]) -> None:
        label, host, pid = row.get("label"), row.get("host"), row.get("pid")
        self.label = label if isinstance(label, str) and label else self.label
        if isinstance(host, str) and isinstance(pid, int) and 0 < pid < _MOST:
            self._processes.add((host, pid))
        began = number_of(row.get("time")) or 0.0
        self.started = min(self.started or began, began)
        for name, about in object_of(row["tasks"]).items():
            task = self.tasks.setdefault(name, RunningTask(name))
            task.total += int(min(max(number_of(object_of(about).get("n")) or 0, 0), _MOST))
            opens = object_of(about).get("opens")
            task.opens = opens if isinstance(opens, bool) else None

    def _add(self, row: Mapping[str, Any], path: Path) -> None:
        task, doc_id = self.tasks.get(str(row.get("task"))), row.get("doc_id")
        if task is None or not isinstance(doc_id, int) or doc_id in task.done:  # padding of ranks repeats documents
            return
        task.done.add(doc_id)
        self.latest = max(self.latest, number_of(row.get("time")) or 0.0)
        self.n_kept += row.get("kept") is True
        task.add(row, path)


def _choices(resps: Sequence[Any]) -> Choices | None:
    try:
        return Choices(tuple(float(one) for one, _ in resps), tuple(greedy is True for _, greedy in resps))
    except (TypeError, ValueError):
        return None


def _runs(pid: int) -> bool:
    """Whether a process of this machine runs; True where it cannot be checked."""
    if os.name != "posix":
        return True
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except OSError:  # another user's
        return True
    return True
